//! The plans of several searches on one input, side by side.

use super::planned::Plan;
use super::settings::CriterionName;
use super::{PlanArgs, chart, report as of_plan};
use crate::draw::charts;
use crate::draw::gantt::Gantt;
use crate::error::CliError;
use crate::input::scenario::Scenario;
use crate::output::files;
use crate::output::terminal::{Columns, counted, number};
use crate::report::Report;
use econsched::sched_model::Limit;
use std::collections::BTreeMap;

/// Charts in a row.
const ABREAST: usize = 2;

const HEADINGS: [&str; 8] = [
    "search",
    "placed",
    "alternatives",
    "mean start",
    "mean finish",
    "sum of runtimes",
    "sum of costs",
    "violations",
];

/// The plans side by side.
///
/// # Errors
/// [`CliError`] for malformed input.
pub(super) fn report(
    scenario: &Scenario,
    args: &PlanArgs,
    limit: &Limit,
    with_files: bool,
) -> Result<Report, CliError> {
    let names: Vec<&str> = match args.search.as_slice() {
        [] | [_] => crate::commands::search::names(),
        several => several.iter().map(String::as_str).collect(),
    };
    let plans = names
        .iter()
        .map(|name| args.cycle(scenario, args.of_name(name), limit))
        .collect::<Result<Vec<Plan>, CliError>>()?;

    let entries: Vec<_> = plans.iter().map(|plan| of_plan::PlanFile::new(scenario, plan)).collect();
    let file = scenario.json(&entries, args.criterion == CriterionName::MinTime)?;
    let mut answer = Report::of(text(scenario, &plans), file);
    if with_files {
        let headings = HEADINGS.map(|heading| heading.replace(' ', "_"));
        let rows = plans.iter().map(|plan| row(scenario, plan, |value| value.to_string()));
        let drawn: Vec<_> = plans
            .iter()
            .map(|plan| Gantt { title: plan.search.clone(), ..chart::chart(scenario, plan) })
            .collect();
        // One time axis for all charts, so that lengths can be compared.
        let from = drawn.iter().map(|chart| chart.from).fold(f64::INFINITY, f64::min);
        let to = drawn.iter().map(|chart| chart.to).fold(f64::NEG_INFINITY, f64::max);
        let (from, to) = args.shown.extent.over(from, to);
        let drawn: Vec<_> = drawn.into_iter().map(|chart| Gantt { from, to, ..chart }).collect();
        answer = answer
            .with_file("compare.csv", files::csv(&headings, rows)?)
            .with_json("compare.json")
            .with_file("compare.svg", charts::gantt(&drawn, ABREAST).map_err(CliError::fault)?)
            .with_first("chart", "compare.svg", " (beside it compare.json and compare.csv)");
    }
    // Some searches may place nothing where others do: there is a plan if one of them has.
    let verdicts: Vec<_> = plans.iter().map(|plan| plan.check(scenario)).collect();
    let verdict = if verdicts.iter().any(Result::is_ok) { Ok(()) } else { verdicts.into_iter().collect() };
    Ok(answer.with_end(|| verdict))
}

fn text(scenario: &Scenario, plans: &[Plan]) -> String {
    let table = Columns::with(&HEADINGS, plans.iter().map(|plan| row(scenario, plan, number)));
    let (nodes, jobs) = (counted(scenario.nodes.len(), "node"), counted(scenario.batch.len(), "job"));
    let mut text = format!("{}: {nodes}, {jobs}\n\n{}", scenario.title, table.render());
    for note in &scenario.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    text
}

fn row(scenario: &Scenario, plan: &Plan, show: impl Fn(f64) -> String) -> Vec<String> {
    let figures = BTreeMap::from(of_plan::figures(scenario, plan));
    let cell = |heading: &str| match figures.get(heading) {
        Some(mean_of_none) if mean_of_none.is_nan() => "-".to_owned(),
        Some(&figure) => show(figure),
        None if heading == "search" => plan.search.clone(),
        None => plan.violations.len().to_string(),
    };
    HEADINGS.map(cell).into()
}
