//! Tables and charts: ours beside the paper's.

use super::{
    COST, DECIMALS, Draws, GRIDLETS, GROUPED, GROUPS, ORDERS, PRIORITISED, TABLES, TIME, UNGROUPED, at,
};
use crate::chart::Chart;
use crate::data::Row;
use crate::report::{Cell, StudyReport, Table};
use crate::stats::Estimate;
use std::cmp::Ordering;

pub(super) fn describe(draws: &Draws, experiment: usize, report: &mut StudyReport) {
    let (of, name, title) = TABLES[experiment];
    let row = |(place, gridlets): (usize, u32)| {
        let data = &draws.rows[place];
        let figure = |column: usize| data.mean(at(experiment, false, column)).estimate;
        let ours = |column: usize| Cell::Estimate(figure(column), DECIMALS[column]);
        let gridlets = ("gridlets", Cell::Count(gridlets.into()));
        let Some(printed) = of.published().get(place) else {
            return vec![gridlets, ("groups", ours(GROUPS)), ("cost", ours(COST)), ("time", ours(TIME))];
        };
        let theirs = |column: usize| Cell::Number(printed[column], 0);
        let ratio = |column: usize| Cell::Number(figure(column).mean / printed[column], 3);
        if experiment == UNGROUPED {
            return vec![
                gridlets,
                ("cost", ours(COST)),
                ("cost paper", theirs(COST)),
                ("cost ratio", ratio(COST)),
                ("time", ours(TIME)),
                ("time paper", theirs(TIME)),
                ("time ratio", ratio(TIME)),
            ];
        }
        let equal = |columns: &[usize]| {
            let is_equal =
                |row: &Row<'_>| columns.iter().all(|&of| row[at(experiment, false, of)] == printed[of]);
            Cell::Number(data.percent(|row| Some(is_equal(row))), 1)
        };
        vec![
            gridlets,
            ("groups", ours(GROUPS)),
            ("groups paper", Cell::Count(printed[GROUPS] as u64)),
            ("groups equal, %", equal(&[GROUPS])),
            ("cost", ours(COST)),
            ("cost paper", theirs(COST)),
            ("cost equal, %", equal(&[COST])),
            ("time", ours(TIME)),
            ("time paper", theirs(TIME)),
            ("time equal, %", equal(&[TIME])),
            ("row equal, %", equal(&[GROUPS, COST, TIME])),
        ]
    };
    report.table(Table::of(name, title, GRIDLETS.into_iter().enumerate().map(row)));
}

pub(super) fn orders(draws: &Draws, report: &mut StudyReport) {
    let row = |(left, right, shuffled): (usize, usize, bool)| {
        let share = |column: usize, order: Ordering| {
            let of = |experiment: usize| at(experiment, shuffled, column);
            let share = draws.all.percent(|row| Some(row[of(left)].total_cmp(&row[of(right)]) == order));
            Cell::Number(share, 1)
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
    draws.rows.iter().map(move |data| data.mean(at(experiment, false, column)).estimate)
}

/// The same as printed.
fn theirs(experiment: usize, column: usize) -> impl Iterator<Item = f64> {
    TABLES[experiment].0.published().iter().map(move |row| row[column])
}

/// Table 1 names a cost per second, and no currency.
const MONEY: &str = "units of money";

pub(super) fn charts(draws: &Draws, report: &mut StudyReport) {
    for (name, title, unit, column) in [
        ("fig3", "Processing cost by number of gridlets", MONEY, COST),
        ("fig4", "Processing time by number of gridlets", "seconds", TIME),
    ] {
        let mut lines = Chart::new(title, "gridlets", unit).with_log_y(true);
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
        let mut bars = Chart::bars(title, unit, GRIDLETS.map(|count| format!("{count} gridlets")));
        for experiment in [GROUPED, PRIORITISED] {
            let label = TABLES[experiment].0.name();
            bars = bars
                .with_bars(label, ours(draws, experiment, column))
                .with_bars(format!("{label}, paper"), theirs(experiment, column));
        }
        report.chart(name, bars);
    }
}
