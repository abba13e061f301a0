//! Computes the figures that the claims name: measures of a sweep at a value of its parameter.

use super::measures::Measure;
use super::sweeps::Sweep;
use super::{index_of, mean};
use crate::data::{Data, Figure};

/// Computes the figure that these words name.
pub(super) fn figure(data: &Data, words: &[&str]) -> Option<Figure> {
    let named = |name: &str| {
        let [sweep, value, measure] = name.split('/').collect::<Vec<_>>()[..] else { return None };
        let sweep: Sweep = sweep.parse().ok()?;
        let (value, _) = sweep.values().find(|(_, x)| x.to_string() == value)?;
        let measure = Measure::ALL.iter().find(|known| format!("{known:?}") == measure)?;
        Some((sweep, value, *measure))
    };
    match *words {
        ["mean", name] => named(name).map(|(sweep, value, measure)| mean(data, sweep, measure, value)),
        _ => data
            .figure(words, |name| named(name).map(|(sweep, value, measure)| index_of(sweep, value, measure))),
    }
}
