//! A plan as text: table, JSON, CSV.

use super::chart::chart;
use super::jobs::{JobColumn, job_columns};
use super::planned::Plan;
use super::summary::{number_of_time, totals, verdict};
use crate::commands::explain::Explanation;
use crate::draw::gantt::letter;
use crate::draw::page::{Kind, Value};
use crate::error::CliError;
use crate::input::scenario::Scenario;
use crate::output::files;
use crate::output::terminal::{self, Columns, counted, number};
use econsched::batch_dp::Point;
use econsched::sched_model::{Fate, Job, Window};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The greatest number of rows of the chart in characters. A larger environment shows only the nodes that the
/// plan uses.
const TEXT_LANES: usize = 40;
/// Cells of its time axis.
const TEXT_COLUMNS: usize = 72;

/// The text for the terminal.
pub(crate) fn text(scenario: &Scenario, plan: &Plan) -> String {
    let search = if plan.is_joint() { String::new() } else { format!("search {}, ", plan.search) };
    let mut text = format!(
        "{}: {}, {}, {}; {search}{}\n\n",
        scenario.title,
        counted(scenario.nodes.len(), "node"),
        counted(scenario.slots.len(), "free slot"),
        counted(scenario.batch.len(), "job"),
        plan.choice
    );
    text.push_str(&job_table(scenario, plan).render());
    let _ = writeln!(text, "\n{}", totals(scenario, plan));
    if let Some(distance) = &plan.distance {
        let line = if plan.is_joint() { distance.of_mean_finish(scenario) } else { distance.to_string() };
        let _ = writeln!(text, "{line}");
    }
    for line in plan.stopped(scenario) {
        let _ = writeln!(text, "{line}");
    }
    let _ = writeln!(text, "{}\n", verdict(plan));
    let gantt = chart(scenario, plan);
    let used: BTreeSet<usize> =
        gantt.bars.iter().filter(|bar| bar.job.is_some()).map(|bar| bar.lane).collect();
    let all = gantt.lanes.len() <= TEXT_LANES;
    let mut shown = 0;
    text.push_str(&gantt.text(TEXT_COLUMNS, terminal::width(), |lane| {
        let keep = all || (used.contains(&lane) && shown < TEXT_LANES);
        shown += usize::from(keep);
        keep
    }));
    text.push_str(
        "  ░ local load  · free  A, B, ... jobs as in the table; the number behind a row is its price\n",
    );
    if !all {
        let _ = writeln!(text, "  {shown} of {} shown", counted(gantt.lanes.len(), "node"));
    }
    for note in &scenario.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

fn job_table(scenario: &Scenario, plan: &Plan) -> Columns {
    let without: &[&str] =
        if plan.is_joint() { &["user", "state", "alternatives"] } else { &["user", "state"] };
    let columns: Vec<_> = job_columns(scenario, plan, without).collect();
    let mut table =
        Columns::new(&[""].into_iter().chain(columns.iter().map(|(name, ..)| *name)).collect::<Vec<_>>());
    for (at, job) in scenario.batch.iter().enumerate() {
        let cell = |(_, kind, value): &JobColumn<'_>| match (kind, value(job)) {
            (Kind::Time, Value::Number(instant)) => number_of_time(scenario, instant),
            (Kind::Span, Value::Number(span)) => scenario.times.show(span),
            (_, Value::Number(value)) => number(value),
            (_, Value::Nothing) => "-".to_owned(),
            (_, value) => value.to_string(),
        };
        table.row([letter(at).to_string()].into_iter().chain(columns.iter().map(cell)));
    }
    table
}

/// Figures of a plan by name.
pub(super) fn figures(scenario: &Scenario, plan: &Plan) -> [(&'static str, f64); 7] {
    let placed = plan.schedule.placed().count();
    let mean = |of: fn(&Window) -> f64| {
        let sum: f64 = plan.schedule.placed().map(|(_, window)| of(window) - scenario.axis.origin).sum();
        if placed == 0 { f64::NAN } else { sum / placed as f64 }
    };
    [
        ("jobs", scenario.batch.len() as f64),
        ("placed", placed as f64),
        ("alternatives", plan.alternatives_in_all() as f64),
        ("sum of runtimes", plan.schedule.total_runtime().get()),
        ("sum of costs", scenario.money(plan.schedule.cost().get())),
        ("mean start", mean(|window| window.start().get())),
        ("mean finish", mean(|window| window.finish().get())),
    ]
}

/// The plan as it is written to `plan.json`.
#[derive(Debug, Serialize)]
pub(crate) struct PlanFile<'a> {
    title: &'a str,
    search: &'a str,
    choice: String,
    /// The effort beyond the cycle.
    effort: econsched::joint_plan::Effort,
    /// The proof: for effort `quick`, of the choice among the alternatives of the cycle; else of the plan.
    proof: econsched::sched_model::Proof,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<super::whole::Distance>,
    from: f64,
    horizon: f64,
    nodes: &'a [econsched::sched_model::Node],
    notes: &'a [String],
    jobs: Vec<JobEntry<'a>>,
    total_runtime: f64,
    total_cost: f64,
    violations: Vec<String>,
    /// Messages about searches that a limit stopped, with what is still proven.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stopped: Vec<String>,
    /// Every undominated combination, cheapest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    front: Option<Vec<serde_json::Value>>,
    /// Suggestions for the refused jobs, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) explanations: Option<Vec<Explanation>>,
}

#[derive(Debug, Serialize)]
struct JobEntry<'a> {
    job: &'a Job,
    #[serde(skip_serializing_if = "Option::is_none")]
    alternatives: Option<usize>,
    fate: Option<&'a Fate<Window>>,
}

impl<'a> PlanFile<'a> {
    pub(crate) fn new(scenario: &'a Scenario, plan: &'a Plan) -> Self {
        let entry = |job: &'a Job| JobEntry {
            job,
            alternatives: plan.alternatives_of(job.id),
            fate: plan.schedule.fate(job.id),
        };
        let point = |point: &Point| serde_json::json!({"cost": point.cost, "runtime": point.time});
        Self {
            title: &scenario.title,
            search: &plan.search,
            choice: plan.choice.to_string(),
            effort: plan.beyond.unwrap_or(econsched::joint_plan::Effort::Quick),
            proof: plan.proof,
            distance: plan.distance,
            from: scenario.from.get(),
            horizon: scenario.horizon.get(),
            nodes: &scenario.nodes,
            notes: &scenario.notes,
            jobs: scenario.batch.iter().map(entry).collect(),
            total_runtime: plan.schedule.total_runtime().get(),
            total_cost: plan.schedule.cost().get(),
            violations: plan
                .violations
                .iter()
                .map(|(job, violation)| format!("job {job}: {violation}"))
                .collect(),
            stopped: plan.stopped(scenario),
            front: plan.front().map(|points| points.iter().map(point).collect()),
            explanations: None,
        }
    }
}

/// One row for each job.
pub(crate) fn jobs_csv(scenario: &Scenario, plan: &Plan) -> Result<String, CliError> {
    let columns: Vec<_> = job_columns(scenario, plan, &["user", "limit", "state"]).collect();
    let headings: Vec<String> = columns.iter().map(|(name, ..)| name.replace(' ', "_")).collect();
    let row = |job| columns.iter().map(move |(.., value)| value(job).to_string());
    files::csv(&headings, scenario.batch.iter().map(row))
}

/// One row for each node of each placed job.
pub(crate) fn placements_csv(scenario: &Scenario, plan: &Plan) -> Result<String, CliError> {
    let placements = plan.schedule.placed().flat_map(|(job, window)| {
        window.placements().iter().map(move |placement| (job, window.start(), placement))
    });
    files::table(
        placements,
        &[
            ("job", &|(job, ..)| job.to_string()),
            ("node", &|(.., placement)| placement.node.to_string()),
            ("speed", &|(.., placement)| placement.speed.to_string()),
            ("price", &|(.., placement)| scenario.money(placement.price.get()).to_string()),
            ("start", &|(_, start, _)| start.to_string()),
            ("end", &|(.., placement)| placement.end.to_string()),
            ("cost", &|(.., placement)| scenario.money(placement.cost.get()).to_string()),
        ],
    )
}
