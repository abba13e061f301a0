//! DIMACS files of assignment problems (`p asn`).

use super::{Cells, Matrix, shorten};
use crate::prelude::*;
use std::str::{FromStr, SplitWhitespace};

/// The words of a line, with its place for messages.
struct Words<'a> {
    words: SplitWhitespace<'a>,
    at: Place,
}

impl Words<'_> {
    fn next<T: FromStr>(&mut self, field: &str) -> Result<T, CliError> {
        let at = self.at.clone().field(field);
        let Some(word) = self.words.next() else { return Err(CliError::input(at, "missing")) };
        word.parse().map_err(|_| CliError::input(at, format!("cannot read `{}`", shorten(word))))
    }
}

/// Parses a problem: its sources become jobs, and all other nodes resources, in the order of their numbers.
pub(super) fn parse(text: &str, path: &Path) -> Result<Matrix, CliError> {
    let mut problem: Option<u64> = None;
    let mut jobs: BTreeSet<u64> = BTreeSet::new();
    let mut arcs: BTreeMap<(u64, u64), (u64, f64)> = BTreeMap::new();
    for (line, number) in text.lines().zip(1u64..) {
        let at = Place::file(path).line(number);
        let mut words = Words { words: line.split_whitespace(), at: at.clone() };
        let refuse = |message: String| Err(CliError::input(at.clone(), message));
        match (words.words.next().unwrap_or("c"), problem) {
            ("c", _) => {}
            ("p", None) => {
                let name: String = words.next("problem")?;
                if name != "asn" {
                    return refuse(format!("problem `{}`: expected asn", shorten(&name)));
                }
                problem = Some(words.next("number of nodes")?);
                let _arcs: u64 = words.next("number of arcs")?;
            }
            ("p", Some(_)) => return refuse("a second problem line".to_owned()),
            (_, None) => return refuse("expected the problem line `p asn` first".to_owned()),
            ("n", Some(nodes)) => match words.next("node")? {
                node if !(1..=nodes).contains(&node) => {
                    return refuse(format!("node {node} is outside 1..{nodes}"));
                }
                node if !jobs.insert(node) => return refuse(format!("node {node} is given twice")),
                _ => {}
            },
            ("a", Some(nodes)) => {
                let (from, to): (u64, u64) = (words.next("from")?, words.next("to")?);
                let cost = super::value(&words.next::<String>("cost")?, || at.clone().field("cost"))?;
                if [from, to].iter().any(|node| !(1..=nodes).contains(node)) {
                    return refuse(format!("arc {from} to {to} leaves the nodes 1..{nodes}"));
                }
                if arcs.insert((from, to), (number, cost)).is_some() {
                    return refuse(format!("arc {from} to {to} is given twice"));
                }
            }
            (other, _) => return refuse(format!("line of unknown kind `{}`", shorten(other))),
        }
    }
    let nodes = problem.ok_or_else(|| CliError::input(path, "no problem line"))?;
    // A file need not mention its resources, so a wrong node count must not reserve memory for them.
    if nodes.saturating_sub(jobs.len() as u64) > arcs.len() as u64 + jobs.len() as u64 + 1_000_000 {
        let message = format!("{nodes} nodes for {} arcs", arcs.len());
        return Err(CliError::field(path, "number of nodes", message));
    }
    let sinks: Vec<u64> = (1..=nodes).filter(|node| !jobs.contains(node)).collect();
    let jobs: Vec<u64> = jobs.into_iter().collect();
    // The arcs are in order of source and sink, and sources in the order of the rows.
    let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for ((from, to), (line, cost)) in arcs {
        let (Ok(row), Ok(column)) = (jobs.binary_search(&from), sinks.binary_search(&to)) else {
            let message = format!("arc {from} to {to} does not lead from a source to a sink");
            return Err(CliError::input(Place::file(path).line(line), message));
        };
        rows.push(row);
        columns.push(column as u32);
        values.push(cost);
    }
    let offsets = (0..=jobs.len()).map(|row| rows.partition_point(|&other| other < row)).collect();
    Ok(Matrix {
        rows: jobs.iter().map(u64::to_string).collect(),
        cols: sinks.iter().map(u64::to_string).collect(),
        cells: Cells::Sparse { offsets, columns, values },
    })
}
