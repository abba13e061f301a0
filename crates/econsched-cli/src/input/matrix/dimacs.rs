//! DIMACS files: assignment (`p asn`), and minimum-cost flow (`p min`) where it is an assignment with
//! capacities.

use super::{Cells, Matrix, shorten};
use crate::prelude::*;
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

    /// Refuses the line where this holds.
    fn refuse(&self, wrong: bool, why: impl FnOnce() -> String) -> Result<(), CliError> {
        if wrong { Err(CliError::input(self.at.clone(), why())) } else { Ok(()) }
    }
}

/// Sources become jobs and sinks resources, in the order of their numbers.
///
/// In a flow problem each source must supply 1 and each arc lead from a source to a sink, without a lower
/// bound; the demand of a sink is its capacity.
pub(super) fn parse(text: &str, path: &Path) -> Result<Matrix, CliError> {
    // Whether it is a flow problem, as its line says.
    let mut problem: Option<bool> = None;
    // The supply of each node: positive for sources, negative for sinks.
    let mut supplies: BTreeMap<u64, i64> = BTreeMap::new();
    let mut arcs: BTreeMap<(u64, u64), (u64, f64)> = BTreeMap::new();
    let mut nodes = 0u64;
    for (line, number) in text.lines().zip(1u64..) {
        let mut words = Words { words: line.split_whitespace(), at: Place::file(path).line(number) };
        let kind = words.words.next().unwrap_or("c");
        if kind == "c" {
            continue;
        }
        words.refuse(kind == "p" && problem.is_some(), || "a second problem line".to_owned())?;
        words.refuse(kind != "p" && problem.is_none(), || {
            "expected the problem line `p asn` or `p min` first".to_owned()
        })?;
        let flow = problem == Some(true);
        match kind {
            "p" => {
                let name: String = words.next("problem")?;
                let known = ["asn", "min"].contains(&name.as_str());
                words.refuse(!known, || format!("problem `{}`: expected asn or min", shorten(&name)))?;
                problem = Some(name == "min");
                nodes = words.next("number of nodes")?;
                let _arcs: u64 = words.next("number of arcs")?;
            }
            "n" => {
                let node: u64 = words.next("node")?;
                words.refuse(node == 0 || node > nodes, || format!("node {node} is outside 1..{nodes}"))?;
                let supply = if flow { words.next("flow")? } else { 1 };
                words.refuse(supply > 1, || format!("node {node} supplies {supply}: a job is one unit"))?;
                let twice = supplies.insert(node, supply).is_some();
                words.refuse(twice, || format!("node {node} is given twice"))?;
            }
            "a" => {
                let (from, to): (u64, u64) = (words.next("from")?, words.next("to")?);
                if flow {
                    let (low, capacity): (i64, i64) = (words.next("lower bound")?, words.next("capacity")?);
                    words.refuse(low != 0 || capacity < 1, || {
                        format!("bounds {low} to {capacity}: an assignment needs 0 to at least 1")
                    })?;
                }
                let cost = super::value(&words.next::<String>("cost")?, || words.at.clone().field("cost"))?;
                let inside = [from, to].iter().all(|node| (1..=nodes).contains(node));
                words.refuse(!inside, || format!("arc {from} to {to} leaves the nodes 1..{nodes}"))?;
                let twice = arcs.insert((from, to), (number, cost)).is_some();
                words.refuse(twice, || format!("arc {from} to {to} is given twice"))?;
            }
            other => words.refuse(true, || format!("line of unknown kind `{}`", shorten(other)))?,
        }
    }
    let flow = problem.ok_or_else(|| CliError::input(path, "no problem line"))?;
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
            let message = format!("{nodes} nodes for {} arcs", arcs.len());
            return Err(CliError::field(path, "number of nodes", message));
        }
        for node in 1..=nodes {
            supplies.entry(node).or_insert(-1);
        }
    }
    let (sinks, demands): (Vec<u64>, Vec<u32>) = supplies
        .iter()
        .filter(|(_, supply)| **supply < 0)
        .map(|(node, supply)| (*node, u32::try_from(supply.unsigned_abs()).unwrap_or(u32::MAX)))
        .unzip();
    let demand: u64 = demands.iter().copied().map(u64::from).sum();
    if flow && demand != jobs.len() as u64 {
        let message = format!("supply {} and demand {demand} do not balance", jobs.len());
        return Err(CliError::input(path, message));
    }
    // Arcs come by source and sink, and sources in the order of the rows.
    let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (&(from, to), &(line, cost)) in arcs {
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
        capacities: flow.then_some(demands),
    })
}
