//! DIMACS files: assignment (`p asn`), and minimum-cost flow (`p min`) where it is an assignment with
//! capacities.

use super::{Cells, Matrix, shorten};
use crate::error::{CliError, Place};
use std::collections::BTreeMap;
use std::path::Path;
use std::str::{FromStr, SplitWhitespace};

/// One line's words, with the place of each for messages.
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

    fn wrong(&self, message: impl std::fmt::Display) -> CliError {
        CliError::input(self.at.clone(), message)
    }
}

/// Sources become jobs and sinks resources, in the order of their numbers.
///
/// In a flow problem each source must supply 1 and each arc lead from a source to a sink, without a lower
/// bound; the demand of a sink is its capacity.
pub(super) fn parse(text: &str, path: &Path) -> Result<Matrix, CliError> {
    // Whether it is a flow problem, as its line says.
    let mut flow: Option<bool> = None;
    // The supply of each node: positive for sources, negative for sinks.
    let mut supplies: BTreeMap<u64, i64> = BTreeMap::new();
    let mut arcs: BTreeMap<(u64, u64), (u64, f64)> = BTreeMap::new();
    let mut nodes = 0u64;
    for (line, number) in text.lines().zip(1u64..) {
        let mut words = Words { words: line.split_whitespace(), at: Place::file(path).line(number) };
        let Some(kind) = words.words.next() else { continue };
        if kind != "c" && kind != "p" && flow.is_none() {
            return Err(words.wrong("expected the problem line `p asn` or `p min` first"));
        }
        match kind {
            "c" => {}
            "p" => {
                if flow.is_some() {
                    return Err(words.wrong("a second problem line"));
                }
                flow = match words.next::<String>("problem")?.as_str() {
                    "asn" => Some(false),
                    "min" => Some(true),
                    other => {
                        return Err(words.wrong(format!("problem `{}`: expected asn or min", shorten(other))));
                    }
                };
                nodes = words.next("number of nodes")?;
                let _arcs: u64 = words.next("number of arcs")?;
            }
            "n" => {
                let node: u64 = words.next("node")?;
                if node == 0 || node > nodes {
                    return Err(words.wrong(format!("node {node} is outside 1..{nodes}")));
                }
                let supply = if flow == Some(true) { words.next("flow")? } else { 1 };
                if supply > 1 {
                    return Err(words.wrong(format!("node {node} supplies {supply}: a job is one unit")));
                }
                if supplies.insert(node, supply).is_some() {
                    return Err(words.wrong(format!("node {node} is given twice")));
                }
            }
            "a" => {
                let (from, to): (u64, u64) = (words.next("from")?, words.next("to")?);
                if flow == Some(true) {
                    let (low, capacity): (i64, i64) = (words.next("lower bound")?, words.next("capacity")?);
                    if low != 0 || capacity < 1 {
                        let need = "an assignment needs 0 to at least 1";
                        return Err(words.wrong(format!("bounds {low} to {capacity}: {need}")));
                    }
                }
                let at = words.at.clone();
                let word: String = words.next("cost")?;
                let cost = super::value(&word, || at.field("cost"))?;
                if from == 0 || to == 0 || from > nodes || to > nodes {
                    return Err(words.wrong(format!("arc {from} to {to} leaves the nodes 1..{nodes}")));
                }
                if arcs.insert((from, to), (number, cost)).is_some() {
                    return Err(words.wrong(format!("arc {from} to {to} is given twice")));
                }
            }
            other => return Err(words.wrong(format!("line of unknown kind `{}`", shorten(other)))),
        }
    }
    let Some(flow) = flow else {
        return Err(CliError::input(path, "no problem line"));
    };
    matrix(flow, nodes, supplies, &arcs, path)
}

fn matrix(
    flow: bool,
    nodes: u64,
    mut supplies: BTreeMap<u64, i64>,
    arcs: &BTreeMap<(u64, u64), (u64, f64)>,
    path: &Path,
) -> Result<Matrix, CliError> {
    let jobs: Vec<u64> = supplies.iter().filter(|(_, supply)| **supply > 0).map(|(node, _)| *node).collect();
    if !flow {
        // The sinks of an assignment are all other nodes. The file need not mention them, so a wrong node count
        // must not reserve memory for them.
        if nodes.saturating_sub(jobs.len() as u64) > arcs.len() as u64 + jobs.len() as u64 + 1_000_000 {
            return Err(CliError::field(
                path,
                "number of nodes",
                format!("{nodes} nodes for {} arcs", arcs.len()),
            ));
        }
        for node in 1..=nodes {
            supplies.entry(node).or_insert(-1);
        }
    }
    let sinks = supplies.iter().filter(|(_, supply)| **supply < 0);
    let sinks: Vec<(u64, u32)> = sinks
        .map(|(node, supply)| (*node, u32::try_from(supply.unsigned_abs()).unwrap_or(u32::MAX)))
        .collect();
    let demand: u64 = sinks.iter().map(|(_, demand)| u64::from(*demand)).sum();
    if flow && demand != jobs.len() as u64 {
        let message = format!("supply {} and demand {demand} do not balance", jobs.len());
        return Err(CliError::input(path, message));
    }
    let column_of: BTreeMap<u64, u32> =
        sinks.iter().zip(0..).map(|((node, _), column)| (*node, column)).collect();
    // Arcs come by source and sink, and sources in the order of the rows.
    let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (&(from, to), &(line, cost)) in arcs {
        let (Ok(row), Some(&column)) = (jobs.binary_search(&from), column_of.get(&to)) else {
            let at = Place::file(path).line(line);
            return Err(CliError::input(
                at,
                format!("arc {from} to {to} does not lead from a source to a sink"),
            ));
        };
        rows.push(row);
        columns.push(column);
        values.push(cost);
    }
    let offsets = (0..=jobs.len()).map(|row| rows.partition_point(|&other| other < row)).collect();
    Ok(Matrix {
        rows: jobs.iter().map(u64::to_string).collect(),
        cols: sinks.iter().map(|(node, _)| node.to_string()).collect(),
        cells: Cells::Sparse { offsets, columns, values },
        capacities: flow.then(|| sinks.iter().map(|(_, demand)| *demand).collect()),
    })
}
