//! Tables and charts: our figures beside the paper's.

use super::experiment::Experiment::{self, *};
use super::{COST, DECIMALS, Draws, GRIDLETS, GROUPS, ORDERS, TIME, WIDTH, index_of};
use crate::chart::Chart;
use crate::data::Row;
use crate::report::{Cell, StudyReport, Table};
use std::cmp::Ordering;

/// For groups, cost and time, the headings of our figure, of the paper's, of how often both are equal, and of their
/// ratio.
const HEADINGS: [[&str; 4]; WIDTH] = [
    ["groups", "groups paper", "groups equal, %", "groups ratio"],
    ["cost", "cost paper", "cost equal, %", "cost ratio"],
    ["time", "time paper", "time equal, %", "time ratio"],
];

/// Adds the table of an experiment.
pub(super) fn describe(
    draws: &Draws,
    (experiment, name, title): (Experiment, &'static str, &str),
    report: &mut StudyReport,
) {
    let row = |(place, gridlets): (usize, u32)| {
        let data = &draws.rows[place];
        let printed = experiment.published().get(place);
        let mut cells = vec![("gridlets", Cell::Count(gridlets.into()))];
        let equal = |printed: &[f64; WIDTH], columns: &[usize]| {
            let is_equal =
                |row: &Row<'_>| columns.iter().all(|&of| row[index_of(experiment, false, of)] == printed[of]);
            Cell::Number(data.percent_where(|row| Some(is_equal(row))), 1)
        };
        for (column, [ours, theirs, equally, ratio]) in HEADINGS.into_iter().enumerate() {
            let figure = data.mean(index_of(experiment, false, column)).estimate;
            let is_stated = printed.is_none_or(|printed| !printed[column].is_nan());
            cells.extend(is_stated.then_some((ours, Cell::Estimate(figure, DECIMALS[column]))));
            let Some(printed) = printed.filter(|_| is_stated) else { continue };
            cells.push((theirs, Cell::Number(printed[column], 0)));
            cells.push(if experiment == Ungrouped {
                (ratio, Cell::Number(figure.mean / printed[column], 3))
            } else {
                (equally, equal(printed, &[column]))
            });
        }
        if let Some(printed) = printed.filter(|_| experiment != Ungrouped) {
            cells.push(("row equal, %", equal(printed, &[GROUPS, COST, TIME])));
        }
        cells
    };
    report.table(Table::of(name, title, GRIDLETS.into_iter().enumerate().map(row)));
}

/// Adds the table of comparisons of two experiments, in both orders of the resources.
pub(super) fn orders(draws: &Draws, report: &mut StudyReport) {
    let row = |(left, right, shuffled): (Experiment, Experiment, bool)| {
        let share = |column: usize, order: Ordering| {
            let of = |experiment| index_of(experiment, shuffled, column);
            let share =
                draws.all.percent_where(|row| Some(row[of(left)].total_cmp(&row[of(right)]) == order));
            Cell::Number(share, 1)
        };
        vec![
            ("left", left.name().into()),
            ("right", right.name().into()),
            ("resources", if shuffled { "random order" } else { "Table 1's order" }.into()),
            ("cost below", share(COST, Ordering::Less)),
            ("cost equal", share(COST, Ordering::Equal)),
            ("cost above", share(COST, Ordering::Greater)),
            ("time below", share(TIME, Ordering::Less)),
            ("time equal", share(TIME, Ordering::Equal)),
            ("time above", share(TIME, Ordering::Greater)),
        ]
    };
    let title = "Share of all draws in which the left is below, equal to, above the right, in per cent";
    report.table(Table::of("orders", title, ORDERS.into_iter().map(row)));
}

/// Adds curves or bars to a chart: cost or time of experiments by number of gridlets, ours and as printed.
fn beside(chart: Chart, draws: &Draws, experiments: &[Experiment], column: usize) -> Chart {
    let bars = (0..).map(f64::from).take(GRIDLETS.len()).collect();
    let places = if chart.groups.is_some() { bars } else { GRIDLETS.map(f64::from).to_vec() };
    let places = || places.iter().copied();
    experiments.iter().fold(chart, |chart, &experiment| {
        let ours = draws.rows.iter().map(|data| data.mean(index_of(experiment, false, column)).estimate);
        let theirs = experiment.published().iter().map(|row| row[column]);
        let chart = chart.with_series(experiment.name(), places().zip(ours));
        chart.with_series(format!("{experiment}, paper"), places().zip(theirs))
    })
}

/// Adds the curves of the paper, and bars for its comparison of grouping with and without priority, whose curves
/// almost coincide.
pub(super) fn charts(draws: &Draws, report: &mut StudyReport) {
    // Table 1 states a cost per second, without a currency.
    let figures = [
        ("fig3", "fig3_grouped", "Processing cost", "units of money", COST),
        ("fig4", "fig4_grouped", "Processing time", "seconds", TIME),
    ];
    for (name, _, what, unit, column) in figures {
        let lines = Chart::new(format!("{what} by number of gridlets"), "gridlets", unit).with_log_y(true);
        report.chart(name, beside(lines, draws, &[Ungrouped, Grouped, Prioritised], column));
    }
    let groups = GRIDLETS.map(|count| format!("{count} gridlets"));
    for (_, name, what, unit, column) in figures {
        let bars = Chart::bars(format!("{what} with grouping"), unit, groups.clone());
        report.chart(name, beside(bars, draws, &[Grouped, Prioritised], column));
    }
}
