//! DIMACS files of assignment problems (`p asn`).

use super::{Cells, Matrix, shorten};
use crate::prelude::*;

const FORM: &str = "expected `p asn NODES ARCS`, then `n SOURCE` and `a FROM TO COST`";

/// Parses a problem: its sources become jobs, and all other nodes resources, in the order of their numbers.
pub(super) fn parse(text: &str, path: &Path) -> Result<Matrix, CliError> {
    let mut problem: Option<u64> = None;
    let mut jobs: BTreeSet<u64> = BTreeSet::new();
    let mut arcs: BTreeMap<(u64, u64), (u64, f64)> = BTreeMap::new();
    for (line, number) in text.lines().zip(1u64..) {
        let at = Place::file(path).line(number);
        let wrong = |message: String| CliError::input(at.clone(), message);
        let node = |word: &str, most: u64| match word.parse() {
            Ok(node) if (1..=most).contains(&node) => Ok(node),
            _ => Err(wrong(format!("node `{}`: expected one of 1..{most}", shorten(word)))),
        };
        let words: Vec<&str> = line.split_whitespace().collect();
        match (words.as_slice(), problem) {
            ([] | ["c", ..], _) => {}
            (["p", "asn", nodes, arcs], None) => {
                let count = |what: &str, word: &str| {
                    word.parse::<u64>().map_err(|error| wrong(format!("number of {what}: {error}")))
                };
                problem = Some(count("nodes", nodes)?);
                count("arcs", arcs)?;
            }
            (["n", source], Some(nodes)) => {
                if !jobs.insert(node(source, nodes)?) {
                    return Err(wrong(format!("node {source} is given twice")));
                }
            }
            (["a", from, to, cost], Some(nodes)) => {
                let arc = (node(from, nodes)?, node(to, nodes)?);
                let cost = super::value(cost, || at.clone().field("cost"))?;
                if arcs.insert(arc, (number, cost)).is_some() {
                    return Err(wrong(format!("arc {from} to {to} is given twice")));
                }
            }
            _ => return Err(wrong(FORM.to_owned())),
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
