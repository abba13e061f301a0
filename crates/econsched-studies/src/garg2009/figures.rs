//! The tables and charts of the paper's figures.

use super::{
    BLIND, COST, FACTORS, GREEDY, HEURISTICS, MAKESPAN, MAX, MIN, SHARES, SITES, case_1 as case_1_setting,
    configurations, excess, index_of,
};
use crate::chart::Chart;
use crate::data::Data;
use crate::report::{Cell, StudyReport, Table};
use crate::stats::Estimate;
use econsched::workload_gen::meta_broker::EDG_TESTBED;

/// Adds the table and the charts of case 1 with one variation of times.
pub(super) fn case_1(
    data: &Data,
    variation: usize,
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
    let mean = |setting, heuristic, column| data.moments(index_of(setting, heuristic, column)).estimate();
    let cost = |setting, heuristic| mean(setting, heuristic, COST).times(1.0 / jobs as f64);
    let makespan = |setting, heuristic| mean(setting, heuristic, MAKESPAN);
    let settings = || FACTORS.into_iter().zip((0..).map(|factor| case_1_setting(variation, factor)));
    for (factor, setting) in settings() {
        let mut cells = vec![Cell::Number(factor, 1)];
        cells.extend((0..HEURISTICS.len()).map(|at| Cell::Estimate(cost(setting, at), 1)));
        cells.extend((0..HEURISTICS.len()).map(|at| Cell::Estimate(makespan(setting, at), 0)));
        table.push(cells);
    }
    report.table(table);
    let chart = |title: String, y: &str, of: &dyn Fn(usize, usize) -> Estimate| {
        let lines = Chart::new(title, "trade-off factor", y);
        lines.with_each(HEURISTICS, |at| settings().map(move |(x, setting)| (x, of(setting, at))))
    };
    // The captions of figures 2 (a) and 3 (a) say average cost, that of figure 4 (a) total cost.
    report.chart(charts[0], chart(format!("Average cost of execution, {what}"), "G$ an application", &cost));
    report.chart(charts[1], chart(format!("Overall makespan, {what}"), "seconds", &makespan));
    // The curves of the means almost coincide, so the paired differences are drawn, too.
    let differences = |title: String, y: &str, column: usize| {
        let of = |at: usize| {
            let pair = ([MIN, MAX, BLIND][at], GREEDY);
            settings().map(move |(x, setting)| (x, excess(data, setting, pair, column).estimate))
        };
        let names = [MIN, MAX, BLIND].map(|at| format!("{} against Greedy", HEURISTICS[at]));
        Chart::new(title, "trade-off factor", y).with_each(names, of)
    };
    let title = format!("Average cost, {what}: paired differences");
    report.chart(charts[2], differences(title, "per cent of Greedy's cost", COST));
    let title = format!("Makespan, {what}: paired differences");
    report.chart(charts[3], differences(title, "per cent of Greedy's makespan", MAKESPAN));
}

/// Adds the table and the charts of case 2.
pub(super) fn case_2(data: &Data, jobs: usize, report: &mut StudyReport) {
    let title = "Case 2, each user's own trade-off factor: total cost and makespan";
    let columns = ["configuration", "heuristic", "cost", "cost of one", "makespan"];
    let mut table = Table::new("fig4", title, &columns);
    let mean = |setting, heuristic, column| data.moments(index_of(setting, heuristic, column)).estimate();
    for (name, setting) in configurations() {
        for (at, heuristic) in HEURISTICS.into_iter().enumerate() {
            let cost = mean(setting, at, COST);
            let (of_one, makespan) = (cost.times(1.0 / jobs as f64), mean(setting, at, MAKESPAN));
            let figures = [(cost, 0), (of_one, 1), (makespan, 0)];
            table.row([name, heuristic], figures.map(|(figure, decimals)| Cell::Estimate(figure, decimals)));
        }
    }
    report.table(table);
    let chart = |title, y, column| bars(title, y, |setting, heuristic| mean(setting, heuristic, column));
    report.chart("fig4a", chart("Total cost by configuration", "G$", COST));
    report.chart("fig4b", chart("Makespan by configuration", "seconds", MAKESPAN));
}

/// Returns a chart with a group of bars for each configuration, and a bar in it for each heuristic.
pub(super) fn bars(title: &str, y: &str, of: impl Fn(usize, usize) -> Estimate) -> Chart {
    let bars = Chart::bars(title, y, configurations().map(|(name, _)| name));
    HEURISTICS.into_iter().enumerate().fold(bars, |bars, (at, name)| {
        bars.with_bars(name, configurations().map(|(_, setting)| of(setting, at)))
    })
}

/// Adds the table and the charts of the shares of applications on each resource.
pub(super) fn distribution(data: &Data, report: &mut StudyReport) {
    let mut columns = vec!["heuristic", "configuration"];
    columns.extend(EDG_TESTBED.map(|resource| resource.name));
    let mut table = Table::new("fig5", "Case 2: share of the applications on each resource, %", &columns);
    let names = ["fig5a", "fig5b", "fig5c", "fig5_blind"];
    for (at, heuristic) in HEURISTICS.into_iter().enumerate() {
        let groups = EDG_TESTBED.map(|resource| resource.name.split(" (").next().unwrap_or_default());
        let mut bars = Chart::bars(format!("Applications by resource, {heuristic}"), "per cent", groups);
        for (name, setting) in configurations() {
            let share = |site| data.moments(self::index_of(setting, at, SHARES + site)).estimate();
            let shares: Vec<Estimate> = (0..SITES).map(share).collect();
            table.row([heuristic, name], shares.iter().map(|&share| Cell::Estimate(share, 1)));
            bars = bars.with_bars(name, shares);
        }
        report.chart(names[at], bars);
    }
    report.table(table);
}
