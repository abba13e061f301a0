//! The claims: the figures of the simulator published with the slides, and others whose figures are looked up by
//! name.

use super::work;
use super::{
    ALGORITHMS, FINISH, FIRST_FIT, MAX_Q, MEASURES, MIN_FINISH, MULTIPLE_BEST, Q, SIMULATOR, SIMULATOR_Q_40,
    SIZES, index_of,
};
use crate::StudyError;
use crate::claims::{Claim, read};
use crate::data::{Data, Figure};

pub(super) fn claims(sizes: &[Data], steps: &Data) -> Result<Vec<Claim>, StudyError> {
    let mut parts = include_str!("claims.txt").split("---\n");
    let mut next = || parts.next().unwrap_or_default();
    let mut claims = Vec::new();
    for (data, (nodes, ..)) in sizes.iter().zip(SIZES) {
        let mut table = format!("{}= simulator published with the slides\n", next());
        for (place, algorithm) in ALGORITHMS.into_iter().enumerate() {
            for (measure, name) in MEASURES.into_iter().enumerate() {
                let theirs = match nodes {
                    100 => SIMULATOR[place][measure],
                    _ if measure == Q => SIMULATOR_Q_40[place],
                    _ => f64::NAN,
                };
                if theirs.is_finite() {
                    let (decimals, note) = (if measure == Q { 2 } else { 1 }, note(place, measure));
                    let ours = format!("mean {}/{name}", algorithm.replace(' ', "-"));
                    table += &format!(
                        "{nodes} nodes: {algorithm}, {name} | number {theirs} | {ours} | {decimals} | {note}\n"
                    );
                }
            }
        }
        claims.extend(read(&table, &|words| figure(data, words))?);
    }
    claims.extend(read(next(), &|words| work::figure(steps, words))?);
    Ok(claims)
}

/// Returns the index of the algorithm with this name, in lower case with hyphens.
fn algorithm(name: &str) -> Option<usize> {
    ALGORITHMS.iter().position(|known| known.replace(' ', "-").eq_ignore_ascii_case(name))
}

/// Computes the figure that these words name.
fn figure(data: &Data, words: &[&str]) -> Option<Figure> {
    match *words {
        ["longest"] => {
            let longest = (0..ALGORITHMS.len()).map(|of| data.moments(index_of(of, FINISH)).estimate());
            longest.max_by(|a, b| a.mean.total_cmp(&b.mean)).map(Figure::from)
        }
        _ => data.figure(words, |name| {
            let (of, measure) = name.split_once('/')?;
            Some(index_of(algorithm(of)?, MEASURES.iter().position(|known| *known == measure)?))
        }),
    }
}

/// Returns why ours may differ from the simulator's figure.
fn note(algorithm: usize, measure: usize) -> &'static str {
    match (algorithm, measure) {
        (FIRST_FIT | MIN_FINISH | MULTIPLE_BEST, 0..=2) => {
            "ours tests the window at every slot of a group of equal starts"
        }
        (MAX_Q, Q) => "ours is exact on real costs",
        _ => "",
    }
}
