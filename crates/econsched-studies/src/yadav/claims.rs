//! The claims of the paper: its printed tables, and others whose figures are looked up by name.

use super::readings::{LITERAL, LITERAL_ON_TEN};
use super::{DECIMALS, Draws, Experiment, GRIDLETS, GROUPS, TIME, index_of, reading_index};
use crate::StudyError;
use crate::claims::{Claim, read};
use crate::data::{Figure, Row};
use crate::stats::Estimate;

/// The experiments that the paper prints as tables.
const PRINTED: [(Experiment, &str, &str); 3] = [
    (Experiment::Ungrouped, "table 2", "no grouping"),
    (Experiment::Grouped, "table 3", "grouping"),
    (Experiment::Prioritised, "table 4", "grouping by priority"),
];

/// The overhead of a dispatch in the text, in seconds.
const OVERHEAD: f64 = 10.0;

pub(super) fn claims(draws: &Draws) -> Result<Vec<Claim>, StudyError> {
    let mut table = String::new();
    for (experiment, place, name) in PRINTED {
        table += &format!("= {place}\n");
        for (row, (gridlets, printed)) in GRIDLETS.into_iter().zip(experiment.published()).enumerate() {
            let columns = [("groups", "groups"), ("cost", "cost"), ("time", "time, s")];
            for (((column, what), theirs), decimals) in columns.into_iter().zip(printed).zip(DECIMALS) {
                if !theirs.is_nan() {
                    let (ours, note) =
                        (format!("row {row} {experiment}/{column}"), note(experiment, gridlets));
                    table += &format!(
                        "{name}, {gridlets} gridlets: {what} | number {theirs} | {ours} | {decimals} | {note}\n"
                    );
                }
            }
        }
    }
    let total = |column: usize| {
        Experiment::Grouped.published().iter().map(|row| row[column]).sum::<f64>().to_string()
    };
    let totals = include_str!("claims.txt").replace("total-cost", &total(1)).replace("total-time", &total(2));
    read(&(table + &totals), &|words| figure(draws, words))
}

/// Parses the name of a number of a row: an experiment or a reading of table 3, and a column. Returns its index.
fn index_by_name(name: &str) -> Option<usize> {
    let (of, column) = name.rsplit_once('/')?;
    let column = ["groups", "cost", "time"].iter().position(|known| *known == column)?;
    Some(match (of, of.split_once('/')) {
        ("literal", _) => reading_index(LITERAL, column),
        ("literal-on-ten", _) => reading_index(LITERAL_ON_TEN, column),
        (_, Some(("shuffled", of))) => index_of(of.parse().ok()?, true, column),
        _ => index_of(of.parse().ok()?, false, column),
    })
}

/// Computes the figure that these words name.
fn figure(draws: &Draws, words: &[&str]) -> Option<Figure> {
    Some(match *words {
        ["row", row, name] => draws.rows.get(row.parse::<usize>().ok()?)?.mean(index_by_name(name)?),
        // The share of draws in which both are equal.
        ["equal", x, y] => {
            let (x, y) = (index_by_name(x)?, index_by_name(y)?);
            draws.all.share_where(|row| Some(row[x] == row[y]))
        }
        // The sum over the rows of table 3, which are drawn independently.
        ["sum", name] => {
            let at = index_by_name(name)?;
            let rows = || draws.rows.iter().map(|data| data.moments(at).estimate());
            let mean = rows().map(|row| row.mean).sum();
            let half = rows().map(|row| row.half * row.half).sum::<f64>().sqrt();
            Estimate { mean, half, count: rows().map(|row| row.count).min().unwrap_or(0) }.into()
        }
        // The ratio of communication to computation, one experiment against another.
        ["communication", x, y] => {
            let (x, y) = (x.parse().ok()?, y.parse().ok()?);
            let of = |row: &Row<'_>, experiment| {
                OVERHEAD * row[index_of(experiment, false, GROUPS)] / row[index_of(experiment, false, TIME)]
            };
            draws.all.excess_of(|row| (of(row, x), of(row, y)))
        }
        _ => return draws.all.figure(words, index_by_name),
    })
}

/// Returns the note on a row of a printed table.
fn note(experiment: Experiment, gridlets: u32) -> &'static str {
    match (experiment, gridlets) {
        (Experiment::Ungrouped, _) => {
            "printed costs are not multiples of 50, as costs of whole seconds at table 1's rates must be"
        }
        (Experiment::Grouped, 50) => "one group, 1,100 in 9 s, is impossible on any one resource",
        (Experiment::Grouped, _) => "ten CPUs and 7 s are fitted to this table",
        (Experiment::Prioritised, 75) => "one group, 1,200 in 10 s, is impossible on any one resource",
        _ => "by the algorithm as described, with the reading fitted to table 3",
    }
}
