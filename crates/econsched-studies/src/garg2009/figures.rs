//! The figures of the paper: tables and charts.

use super::{BLIND, ByHeuristic, FACTORS, GREEDY, HEURISTICS, MAX, MIN, Setting};
use crate::chart::{Bars, Lines};
use crate::report::{Cell, StudyReport, Table};
use crate::stats::{Estimate, Moments};
use econsched::workload_gen::meta_broker::{EDG_TESTBED, MetaBrokerConfiguration};

pub(super) fn case_1(
    settings: &[Setting],
    jobs: usize,
    (name, charts, what): (&'static str, [&'static str; 4], &str),
    report: &mut StudyReport,
) {
    let title = format!("Case 1, {what}: average cost of an application and makespan by trade-off factor");
    let mut columns = vec!["factor".to_owned()];
    for measure in ["cost", "makespan"] {
        columns.extend(HEURISTICS.map(|heuristic| format!("{measure} {heuristic}")));
    }
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut table = Table::new(name, title, &columns);
    for (factor, setting) in FACTORS.into_iter().zip(settings) {
        let mut cells = vec![Cell::Number(factor, 1)];
        cells.extend(setting.cost.iter().map(|cost| Cell::Estimate(of_one(cost, jobs), 1)));
        cells.extend(setting.makespan.iter().map(|moments| Cell::Estimate(moments.estimate(), 0)));
        table.push(cells);
    }
    report.table(table);
    let chart = |title: String, y: &str, of: &dyn Fn(&Setting, usize) -> Estimate| {
        let mut lines = Lines::new(title, "trade-off factor", y);
        for (at, heuristic) in HEURISTICS.into_iter().enumerate() {
            let points = settings.iter().zip(FACTORS).map(|(setting, x)| (x, of(setting, at)));
            lines = lines.with_series(heuristic, points);
        }
        lines
    };
    // The captions of figures 2 (a) and 3 (a) say average cost, that of figure 4 (a) total cost.
    let cost = |setting: &Setting, at: usize| of_one(&setting.cost[at], jobs);
    report.chart(charts[0], chart(format!("Average cost of execution, {what}"), "G$ an application", &cost));
    let makespan = |setting: &Setting, at: usize| setting.makespan[at].estimate();
    report.chart(charts[1], chart(format!("Overall makespan, {what}"), "seconds", &makespan));
    // The curves of the means almost coincide, so the paired differences are drawn, too.
    let differences = |title: String, y: &str, of: fn(&Setting, usize, usize) -> Estimate| {
        let mut lines = Lines::new(title, "trade-off factor", y);
        for at in [MIN, MAX, BLIND] {
            let points = settings.iter().zip(FACTORS).map(|(setting, x)| (x, of(setting, at, GREEDY)));
            lines = lines.with_series(format!("{} against Greedy", HEURISTICS[at]), points);
        }
        lines
    };
    let title = format!("Average cost, {what}: paired differences");
    report.chart(charts[2], differences(title, "per cent of Greedy's cost", Setting::cost_excess));
    let title = format!("Makespan, {what}: paired differences");
    report.chart(charts[3], differences(title, "per cent of Greedy's makespan", Setting::makespan_excess));
}

/// The average cost of one application, from the cost of all.
fn of_one(cost: &Moments, jobs: usize) -> Estimate {
    cost.estimate().times(1.0 / jobs as f64)
}

pub(super) fn configurations() -> [&'static str; 4] {
    let mut names = [""; 4];
    for (name, configuration) in names.iter_mut().zip(MetaBrokerConfiguration::ALL) {
        *name = configuration.name();
    }
    names
}

pub(super) fn case_2(settings: &[Setting], jobs: usize, report: &mut StudyReport) {
    let title = "Case 2, each user's own trade-off factor: total cost and makespan";
    let columns = ["configuration", "heuristic", "cost", "cost of one", "makespan"];
    let mut table = Table::new("fig4", title, &columns);
    for (name, setting) in configurations().into_iter().zip(settings) {
        for (at, heuristic) in HEURISTICS.into_iter().enumerate() {
            let cost = setting.cost[at].estimate();
            table.push(vec![
                name.into(),
                heuristic.into(),
                Cell::Estimate(cost, 0),
                Cell::Estimate(of_one(&setting.cost[at], jobs), 1),
                Cell::Estimate(setting.makespan[at].estimate(), 0),
            ]);
        }
    }
    report.table(table);
    let chart = |title, y, of: fn(&Setting) -> &ByHeuristic<Moments>| {
        let mut bars = Bars::new(title, y, configurations());
        for (at, heuristic) in HEURISTICS.into_iter().enumerate() {
            bars = bars.with_series(heuristic, settings.iter().map(|setting| of(setting)[at].estimate()));
        }
        bars
    };
    report.chart("fig4a", chart("Total cost by configuration", "G$", |setting| &setting.cost));
    report.chart("fig4b", chart("Makespan by configuration", "seconds", |setting| &setting.makespan));
}

pub(super) fn distribution(settings: &[Setting], report: &mut StudyReport) {
    let mut columns = vec!["heuristic", "configuration"];
    columns.extend(EDG_TESTBED.map(|resource| resource.name));
    let mut table = Table::new("fig5", "Case 2: share of the applications on each resource, %", &columns);
    let names = ["fig5a", "fig5b", "fig5c", "fig5_blind"];
    for (at, heuristic) in HEURISTICS.into_iter().enumerate() {
        let groups = EDG_TESTBED.map(|resource| resource.name.split(" (").next().unwrap_or_default());
        let mut bars = Bars::new(format!("Applications by resource, {heuristic}"), "per cent", groups);
        for (name, setting) in configurations().into_iter().zip(settings) {
            let shares = setting.shares[at].map(|moments| moments.estimate());
            let mut cells: Vec<Cell> = vec![heuristic.into(), name.into()];
            cells.extend(shares.map(|share| Cell::Estimate(share, 1)));
            table.push(cells);
            bars = bars.with_series(name, shares);
        }
        report.chart(names[at], bars);
    }
    report.table(table);
}
