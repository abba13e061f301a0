//! Table 3 under other readings of the text, and with settings that the text mentions but does not use.

use super::experiment::{Config, Experiment};
use super::{COST, DECIMALS, Draws, GRIDLETS, GROUPS, TIME, reading_index};
use crate::report::{Cell, StudyReport, Table};
use econsched::sched_model::Span;

/// The name of a reading, and its configuration.
pub(super) type Reading = (&'static str, fn(Config) -> Config);

pub(super) const READINGS: [Reading; 6] = [
    ("fitted: ten CPUs, 7 s, lengths 200 to 240", |config| config),
    ("text: one CPU, granularity 10 s", |config| config.with_cpus(1).with_granularity(Span::must(10.0))),
    ("text, and an overhead of 10 s for each group", |config| {
        config.with_cpus(1).with_granularity(Span::must(10.0)).with_overhead(Span::must(10.0))
    }),
    ("fitted, granularity 10 s", |config| config.with_granularity(Span::must(10.0))),
    ("fitted, and an overhead of 10 s for each group", |config| config.with_overhead(Span::must(10.0))),
    ("fitted, lengths 200 with 20% to either side", |config| config.with_lengths((160.0, 240.0))),
];

/// Indices in [`READINGS`] of the granularity time of 10 s that the captions of figures 3 and 4 and section 5.3
/// state, with one CPU and with ten.
pub(super) const LITERAL: usize = 1;
pub(super) const LITERAL_ON_TEN: usize = 3;

/// Returns the root mean square of the relative deviations of cost and time from table 3, in per cent.
fn distance(draws: &Draws, reading: usize) -> f64 {
    let printed = Experiment::Grouped.published();
    let rows = draws.rows.iter().zip(printed).map(|(data, printed)| {
        let of = |column: usize| {
            (data.moments(reading_index(reading, column)).mean() / printed[column] - 1.0).powi(2)
        };
        of(COST) + of(TIME)
    });
    let sum: f64 = rows.sum();
    100.0 * (sum / (2 * printed.len()) as f64).sqrt()
}

/// Adds the tables of the readings.
pub(super) fn describe(draws: &Draws, report: &mut StudyReport) {
    let columns = ["reading", "gridlets", "groups", "cost", "time"];
    let title = "Table 3 under other readings, with intervals";
    let mut table = Table::new("readings_by_gridlets", title, &columns).with_saved_only();
    for (reading, (name, _)) in READINGS.into_iter().enumerate() {
        for (&gridlets, data) in GRIDLETS.iter().zip(&draws.rows) {
            let cells = DECIMALS.into_iter().enumerate().map(|(column, decimals)| {
                Cell::Estimate(data.moments(reading_index(reading, column)).estimate(), decimals)
            });
            table.row([Cell::from(name), Cell::Count(gridlets.into())], cells);
        }
    }
    report.table(table);
    let title = "Table 3 under other readings, means for 25, 50, 75, 100, 125 and 150 gridlets; off is the root mean \
                     square of the relative deviations of its costs and times";
    let mut table = Table::new("readings", title, &["reading", "off, %", "groups", "cost", "time, s"]);
    let all = |values: Vec<f64>, decimals: usize| {
        let texts: Vec<String> = values.into_iter().map(|value| format!("{value:.decimals$}")).collect();
        Cell::from(texts.join(", "))
    };
    let printed = Experiment::Grouped.published();
    let theirs = [GROUPS, COST, TIME].map(|column| all(printed.iter().map(|row| row[column]).collect(), 0));
    table.row([Cell::from("the paper, table 3"), Cell::Number(0.0, 1)], theirs);
    for (reading, (name, _)) in READINGS.into_iter().enumerate() {
        let cells = DECIMALS.into_iter().enumerate().map(|(column, decimals)| {
            let means = draws.rows.iter().map(|data| data.moments(reading_index(reading, column)).mean());
            all(means.collect(), decimals)
        });
        table.row([Cell::from(name), Cell::Number(distance(draws, reading), 1)], cells);
    }
    report.table(table);
}
