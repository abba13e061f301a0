//! The claims: the printed tables, and the figures that the others name.

use super::readings::{LITERAL, LITERAL_ON_TEN};
use super::{
    DECIMALS, Draws, Experiment, GRIDLETS, GROUPED, GROUPS, PRIORITISED, TABLES, TIME, UNGROUPED, at, read,
};
use crate::StudyError;
use crate::claims::Claims;
use crate::data::{Figure, Row};
use crate::stats::Estimate;

/// Experiments and the paper's tables.
const PRINTED: [(usize, &str, &str); 3] = [
    (UNGROUPED, "table 2", "no grouping"),
    (GROUPED, "table 3", "grouping"),
    (PRIORITISED, "table 4", "grouping by priority"),
];

/// The text's overhead of a dispatch, in seconds.
const OVERHEAD: f64 = 10.0;

pub(super) fn claims(draws: &Draws) -> Result<Claims, StudyError> {
    let mut claims = Claims::default();
    for (experiment, place, name) in PRINTED {
        claims.at(place);
        let printed = TABLES[experiment].0.published();
        for ((gridlets, rows), printed) in GRIDLETS.into_iter().zip(&draws.rows).zip(printed) {
            for (column, what) in ["groups", "cost", "time, s"].into_iter().enumerate() {
                if printed[column].is_nan() {
                    continue;
                }
                let text = format!("{name}, {gridlets} gridlets: {what}");
                let claim = claims.number(text, printed[column], rows.mean(at(experiment, false, column)));
                claim.decimals(DECIMALS[column]).note(note(experiment, gridlets));
            }
        }
    }
    claims.read(include_str!("claims.txt"), &|words| figure(draws, words))?;
    Ok(claims)
}

/// A figure of an experiment, or of a reading of table 3.
fn place(name: &str) -> Option<usize> {
    let (of, column) = name.rsplit_once('/')?;
    let column = ["groups", "cost", "time"].iter().position(|known| *known == column)?;
    Some(match (of, of.split_once('/')) {
        ("literal", _) => read(LITERAL, column),
        ("literal-on-ten", _) => read(LITERAL_ON_TEN, column),
        (_, Some(("shuffled", of))) => at(of.parse::<Experiment>().ok()? as usize, true, column),
        _ => at(of.parse::<Experiment>().ok()? as usize, false, column),
    })
}

/// The figure of these words.
fn figure(draws: &Draws, words: &[&str]) -> Option<Figure> {
    Some(match *words {
        // In per cent of the draws.
        ["equal", x, y] => {
            let (x, y) = (place(x)?, place(y)?);
            draws.all.often(|row| Some(row[x] == row[y]))
        }
        // Of all rows of table 3, which are drawn independently of each other.
        ["sum", name] => {
            let at = place(name)?;
            let rows = || draws.rows.iter().map(|data| data.moments(at).estimate());
            let mean = rows().map(|row| row.mean).sum();
            let half = rows().map(|row| row.half * row.half).sum::<f64>().sqrt();
            Estimate { mean, half, count: rows().map(|row| row.count).min().unwrap_or(0) }.into()
        }
        // For its computation, one experiment against another.
        ["communication", x, y] => {
            let (x, y) = (x.parse::<Experiment>().ok()? as usize, y.parse::<Experiment>().ok()? as usize);
            let of = |row: &Row<'_>, experiment: usize| {
                OVERHEAD * row[at(experiment, false, GROUPS)] / row[at(experiment, false, TIME)]
            };
            draws.all.excess_of(|row| (of(row, x), of(row, y)))
        }
        _ => return draws.all.figure(words, place),
    })
}

/// A note to a row.
fn note(experiment: usize, gridlets: u32) -> &'static str {
    match (experiment, gridlets) {
        (UNGROUPED, _) => {
            "printed costs are not multiples of 50, as costs of whole seconds at table 1's rates must be"
        }
        (GROUPED, 50) => "one group, 1,100 in 9 s, is impossible on any one resource",
        (GROUPED, _) => "ten CPUs and 7 s are fitted to this table",
        (PRIORITISED, 75) => "one group, 1,200 in 10 s, is impossible on any one resource",
        _ => "by the algorithm as described, with the reading fitted to table 3",
    }
}
