//! Tables and charts: ours beside the paper's.

use super::{COST, Draws, GRIDLETS, GROUPED, GROUPS, ORDERS, PRIORITISED, TABLES, TIME, UNGROUPED, at};
use crate::chart::{Bar, Bars, Lines};
use crate::report::{Cell, StudyReport, Table};
use std::cmp::Ordering;

pub(super) fn describe(
    draws: &Draws,
    experiment: usize,
    name: &'static str,
    title: &str,
    report: &mut StudyReport,
) {
    let paper = TABLES[experiment].0.published();
    let columns: &[&str] = match (paper.is_empty(), experiment) {
        (true, _) => &["gridlets", "groups", "cost", "time"],
        (_, UNGROUPED) => {
            &["gridlets", "cost", "cost paper", "cost ratio", "time", "time paper", "time ratio"]
        }
        _ => &[
            "gridlets",
            "groups",
            "groups paper",
            "groups equal, %",
            "cost",
            "cost paper",
            "cost equal, %",
            "time",
            "time paper",
            "time equal, %",
            "row equal, %",
        ],
    };
    let mut table = Table::new(name, title, columns);
    for (place, gridlets) in GRIDLETS.into_iter().enumerate() {
        let data = &draws.rows[place];
        let ours = |column: usize| data.moments(at(experiment, false, column));
        let [groups, cost, time] = [(GROUPS, 2), (COST, 0), (TIME, 1)]
            .map(|(column, decimals)| Cell::Estimate(ours(column).estimate(), decimals));
        let mut cells = vec![Cell::Count(gridlets.into())];
        match paper.get(place) {
            None => cells.extend([groups, cost, time]),
            Some(printed) if experiment == UNGROUPED => {
                for (cell, column, theirs) in [(cost, COST, printed.cost), (time, TIME, printed.time)] {
                    let ratio = ours(column).mean() / theirs;
                    cells.extend([cell, Cell::Number(theirs, 0), Cell::Number(ratio, 3)]);
                }
            }
            Some(printed) => {
                let theirs = [printed.groups.map(f64::from), Some(printed.cost), Some(printed.time)];
                let equal = |columns: &[usize]| {
                    let is_equal = |row: &[f64], column: usize| {
                        theirs[column].is_none_or(|theirs| theirs == row[at(experiment, false, column)])
                    };
                    let all = |row: &[f64]| columns.iter().all(|&column| is_equal(row, column));
                    let (count, draws) = data.count(|row| Some(all(row)));
                    Cell::Number(100.0 * count as f64 / draws as f64, 1)
                };
                let [a, b, c] = [GROUPS, COST, TIME].map(|column| equal(&[column]));
                let all = equal(&[GROUPS, COST, TIME]);
                let printed_groups = printed.groups.map_or(Cell::Empty, |count| Cell::Count(count.into()));
                cells.extend([groups, printed_groups, a, cost, Cell::Number(printed.cost, 0), b]);
                cells.extend([time, Cell::Number(printed.time, 0), c, all]);
            }
        }
        table.push(cells);
    }
    report.table(table);
}

pub(super) fn orders(draws: &Draws, report: &mut StudyReport) {
    let mut table = Table::new(
        "orders",
        "Share of all draws in which the left is below, equal to, above the right, in per cent",
        &[
            "left",
            "right",
            "resources",
            "cost below",
            "cost equal",
            "cost above",
            "time below",
            "time equal",
            "time above",
        ],
    );
    for (left, right, shuffled) in ORDERS {
        let mut cells: Vec<Cell> = vec![TABLES[left].0.name().into(), TABLES[right].0.name().into()];
        cells.push(if shuffled { "random order" } else { "Table 1's order" }.into());
        for column in [COST, TIME] {
            let of = |experiment: usize| at(experiment, shuffled, column);
            let share = |order: Ordering| {
                let is_so = |row: &[f64]| row[of(left)].total_cmp(&row[of(right)]) == order;
                let (count, draws) = draws.all.count(|row| Some(is_so(row)));
                Cell::Number(100.0 * count as f64 / draws as f64, 1)
            };
            cells.extend([Ordering::Less, Ordering::Equal, Ordering::Greater].map(share));
        }
        table.push(cells);
    }
    report.table(table);
}

/// Cost or time of an experiment by number of gridlets.
fn ours(draws: &Draws, experiment: usize, column: usize) -> impl Iterator<Item = Bar> {
    draws.rows.iter().map(move |data| data.moments(at(experiment, false, column)).estimate().into())
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
