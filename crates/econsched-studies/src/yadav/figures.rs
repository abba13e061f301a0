//! Tables and charts: ours beside the paper's.

use super::published::PublishedRow;
use super::{GRIDLETS, GROUPED, ORDERS, PRIORITISED, Row, TABLES, Tally, UNGROUPED};
use crate::chart::{Bar, Bars, Lines};
use crate::report::{Cell, StudyReport, Table};
use crate::stats::Estimate;

pub(super) fn describe(
    tally: &Tally,
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
    for (at, gridlets) in GRIDLETS.into_iter().enumerate() {
        let row = &tally.rows[at][experiment];
        let [groups, cost, time] = [(&row.groups, 2), (&row.cost, 0), (&row.time, 1)]
            .map(|(moments, decimals)| Cell::Estimate(moments.estimate(), decimals));
        let mut cells = vec![Cell::Count(gridlets.into())];
        match paper.get(at) {
            None => cells.extend([groups, cost, time]),
            Some(printed) if experiment == UNGROUPED => {
                for (cell, ours, theirs) in [(cost, &row.cost, printed.cost), (time, &row.time, printed.time)]
                {
                    cells.extend([cell, Cell::Number(theirs, 0), Cell::Number(ours.mean() / theirs, 3)]);
                }
            }
            Some(printed) => {
                let equal =
                    row.exact.map(|count| Cell::Number(100.0 * count as f64 / row.cost.count() as f64, 1));
                let [a, b, c, all] = equal;
                let printed_groups = printed.groups.map_or(Cell::Empty, |count| Cell::Count(count.into()));
                cells.extend([groups, printed_groups, a, cost, Cell::Number(printed.cost, 0), b]);
                cells.extend([time, Cell::Number(printed.time, 0), c, all]);
            }
        }
        table.push(cells);
    }
    report.table(table);
}

pub(super) fn orders(tally: &Tally, report: &mut StudyReport) {
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
    for ((left, right, shuffled), [cost, time]) in ORDERS.into_iter().zip(&tally.orders) {
        let mut cells: Vec<Cell> = vec![TABLES[left].0.name().into(), TABLES[right].0.name().into()];
        cells.push(if shuffled { "random order" } else { "Table 1's order" }.into());
        cells.extend(cost.cells().into_iter().chain(time.cells()));
        table.push(cells);
    }
    report.table(table);
}

/// Table 1 names a cost per second, and no currency.
const MONEY: &str = "units of money";

pub(super) fn charts(tally: &Tally, report: &mut StudyReport) {
    type Of = (fn(&Row) -> Estimate, fn(&PublishedRow) -> f64);
    let figures: [(&str, &str, &str, Of); 2] = [
        ("fig3", "Processing cost by number of gridlets", MONEY, (|row| row.cost.estimate(), |row| row.cost)),
        (
            "fig4",
            "Processing time by number of gridlets",
            "seconds",
            (|row| row.time.estimate(), |row| row.time),
        ),
    ];
    for (name, title, unit, (ours, theirs)) in figures {
        let mut lines = Lines::new(title, "gridlets", unit).with_log_y();
        for experiment in [UNGROUPED, GROUPED, PRIORITISED] {
            let label = TABLES[experiment].0.name();
            let points = GRIDLETS.iter().zip(&tally.rows);
            let points = points.map(|(&x, rows)| (f64::from(x), Bar::from(ours(&rows[experiment]))));
            lines = lines.with_series(label, points);
            let paper = TABLES[experiment].0.published();
            let points = GRIDLETS.iter().zip(&paper).map(|(&x, row)| (f64::from(x), theirs(row)));
            lines = lines.with_series(format!("{label}, paper"), points);
        }
        report.chart(name, lines);
    }
}

/// The paper's comparison of grouping with and without priority, a group of bars for each number of gridlets:
/// on the axis of [`charts`] the two curves almost coincide.
pub(super) fn bars(tally: &Tally, report: &mut StudyReport) {
    for (name, title, unit) in [
        ("fig3_grouped", "Processing cost with grouping", MONEY),
        ("fig4_grouped", "Processing time with grouping", "seconds"),
    ] {
        let mut bars = Bars::new(title, unit, GRIDLETS.map(|count| format!("{count} gridlets")));
        for experiment in [GROUPED, PRIORITISED] {
            let label = TABLES[experiment].0.name();
            let ours = tally.rows.iter().map(|rows| {
                let row = &rows[experiment];
                if unit == MONEY { row.cost.estimate() } else { row.time.estimate() }
            });
            let paper = TABLES[experiment].0.published();
            let theirs = paper.iter().map(|row| if unit == MONEY { row.cost } else { row.time });
            bars = bars.with_series(label, ours).with_series(format!("{label}, paper"), theirs);
        }
        report.chart(name, bars);
    }
}
