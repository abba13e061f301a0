//! Tables and charts: ours beside the paper's.

use super::{COST, Draws, GRIDLETS, GROUPED, GROUPS, ORDERS, PRIORITISED, TABLES, TIME, UNGROUPED, at};
use crate::chart::{Bars, Lines};
use crate::data::Data;
use crate::report::{Cell, StudyReport, Table};
use crate::stats::Estimate;
use std::cmp::Ordering;

pub(super) fn describe(draws: &Draws, experiment: usize, report: &mut StudyReport) {
    let (of, name, title) = TABLES[experiment];
    let paper = of.published();
    let row = |(gridlets, data): (u32, &Data)| {
        let ours = |column: usize| data.moments(at(experiment, false, column));
        let [groups, cost, time] = [(GROUPS, 2), (COST, 0), (TIME, 1)]
            .map(|(column, decimals)| Cell::Estimate(ours(column).estimate(), decimals));
        let mut cells = vec![("gridlets", Cell::Count(gridlets.into()))];
        let Some(printed) = paper.iter().find(|printed| printed.gridlets == gridlets) else {
            cells.extend([("groups", groups), ("cost", cost), ("time", time)]);
            return cells;
        };
        let [cost_paper, time_paper] = [printed.cost, printed.time].map(|theirs| Cell::Number(theirs, 0));
        if experiment == UNGROUPED {
            let ratio = |column: usize, theirs: f64| Cell::Number(ours(column).mean() / theirs, 3);
            cells.extend([("cost", cost), ("cost paper", cost_paper)]);
            cells.extend([
                ("cost ratio", ratio(COST, printed.cost)),
                ("time", time),
                ("time paper", time_paper),
            ]);
            cells.push(("time ratio", ratio(TIME, printed.time)));
            return cells;
        }
        let theirs = [printed.groups.map(f64::from), Some(printed.cost), Some(printed.time)];
        let equal = |columns: &[usize]| {
            let is_equal = |row: &[f64], column: usize| {
                theirs[column].is_none_or(|theirs| theirs == row[at(experiment, false, column)])
            };
            let all = |row: &[f64]| columns.iter().all(|&column| is_equal(row, column));
            let (count, draws) = data.count(|row| Some(all(row)));
            Cell::Number(100.0 * count as f64 / draws as f64, 1)
        };
        cells.extend([
            ("groups", groups),
            ("groups paper", printed.groups.map_or(Cell::Empty, |count| Cell::Count(count.into()))),
            ("groups equal, %", equal(&[GROUPS])),
            ("cost", cost),
            ("cost paper", cost_paper),
            ("cost equal, %", equal(&[COST])),
            ("time", time),
            ("time paper", time_paper),
            ("time equal, %", equal(&[TIME])),
            ("row equal, %", equal(&[GROUPS, COST, TIME])),
        ]);
        cells
    };
    report.table(Table::of(name, title, GRIDLETS.into_iter().zip(&draws.rows).map(row)));
}

pub(super) fn orders(draws: &Draws, report: &mut StudyReport) {
    let row = |(left, right, shuffled): (usize, usize, bool)| {
        let share = |column: usize, order: Ordering| {
            let of = |experiment: usize| at(experiment, shuffled, column);
            let is_so = |row: &[f64]| row[of(left)].total_cmp(&row[of(right)]) == order;
            let (count, draws) = draws.all.count(|row| Some(is_so(row)));
            Cell::Number(100.0 * count as f64 / draws as f64, 1)
        };
        vec![
            ("left", TABLES[left].0.name().into()),
            ("right", TABLES[right].0.name().into()),
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

/// Cost or time of an experiment by number of gridlets.
fn ours(draws: &Draws, experiment: usize, column: usize) -> impl Iterator<Item = Estimate> {
    draws.rows.iter().map(move |data| data.moments(at(experiment, false, column)).estimate())
}

/// The same as printed.
fn theirs(experiment: usize, column: usize) -> impl Iterator<Item = f64> {
    let rows = TABLES[experiment].0.published().into_iter();
    rows.map(move |row| if column == COST { row.cost } else { row.time })
}

/// Table 1 names a cost per second, and no currency.
const MONEY: &str = "units of money";

pub(super) fn charts(draws: &Draws, report: &mut StudyReport) {
    for (name, title, unit, column) in [
        ("fig3", "Processing cost by number of gridlets", MONEY, COST),
        ("fig4", "Processing time by number of gridlets", "seconds", TIME),
    ] {
        let mut lines = Lines::new(title, "gridlets", unit).with_log_y();
        for experiment in [UNGROUPED, GROUPED, PRIORITISED] {
            let label = TABLES[experiment].0.name();
            let points = GRIDLETS.into_iter().map(f64::from).zip(ours(draws, experiment, column));
            lines = lines.with_series(label, points);
            let points = GRIDLETS.into_iter().map(f64::from).zip(theirs(experiment, column));
            lines = lines.with_series(format!("{label}, paper"), points);
        }
        report.chart(name, lines);
    }
}

/// The paper's comparison of grouping with and without priority, a group of bars for each number of gridlets:
/// on the axis of [`charts`] the two curves almost coincide.
pub(super) fn bars(draws: &Draws, report: &mut StudyReport) {
    for (name, title, unit, column) in [
        ("fig3_grouped", "Processing cost with grouping", MONEY, COST),
        ("fig4_grouped", "Processing time with grouping", "seconds", TIME),
    ] {
        let mut bars = Bars::new(title, unit, GRIDLETS.map(|count| format!("{count} gridlets")));
        for experiment in [GROUPED, PRIORITISED] {
            let label = TABLES[experiment].0.name();
            bars = bars
                .with_series(label, ours(draws, experiment, column))
                .with_series(format!("{label}, paper"), theirs(experiment, column));
        }
        report.chart(name, bars);
    }
}
