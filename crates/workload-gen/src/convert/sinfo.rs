//! Slurm's nodes.

use super::table::Rows;
use crate::WorkloadError;

/// The command by which `sinfo` prints these columns, separated by `|`, one node on each line.
pub const SINFO_COMMAND: &str = "sinfo --all --Node --format=%N|%c|%m|%T|%P";

/// A node of Slurm.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SlurmNode {
    /// Its name.
    pub name: String,
    /// Its CPUs.
    pub cpus: u32,
    /// Its memory in megabytes; `None` where the text does not state it.
    pub memory: Option<u64>,
    /// Its state, such as `idle`, without the marks after it (`*`, `~`, ...); empty where the text does not
    /// state it.
    pub state: String,
    /// Its partitions, in order.
    pub partitions: Vec<String>,
}

/// The text of Slurm's `sinfo`: see [`SINFO_COMMAND`]; further columns are left out, and the order is free. A
/// node with several lines, one for each partition, is one node.
///
/// ```
/// use workload_gen::convert::read_sinfo;
/// let nodes =
///     read_sinfo("NODELIST|CPUS|MEMORY|STATE|PARTITION\nn1|16|64000|idle|short*\nn1|16|64000|idle|long\n")?;
/// assert_eq!((nodes.len(), nodes[0].cpus), (1, 16));
/// assert_eq!(nodes[0].partitions, ["short", "long"]);
/// # Ok::<(), workload_gen::WorkloadError>(())
/// ```
///
/// # Errors
/// [`WorkloadError::Table`] without columns for node and CPUs, or for a line that cannot be read: a part of
/// the nodes is never returned.
pub fn read_sinfo(text: &str) -> Result<Vec<SlurmNode>, WorkloadError> {
    let wrong = |line, why: String| WorkloadError::Table { line, why };
    let mut rows = Rows::new(text, '|');
    let Some(head) = rows.next().transpose()? else {
        return Err(wrong(1, "no line with the names of columns".into()));
    };
    let column = |name: &str| head.cells.iter().position(|cell| cell == name);
    let needed = |name: &str| column(name).ok_or_else(|| wrong(head.line, format!("no column {name}")));
    let (name, cpus) = (needed("NODELIST")?, needed("CPUS")?);
    let (memory, state, partition) = (column("MEMORY"), column("STATE"), column("PARTITION"));
    let mut nodes: Vec<SlurmNode> = vec![];
    let mut places = std::collections::BTreeMap::new();
    for row in rows {
        let row = row?;
        let cell = |at: usize| row.cells.get(at).map_or("", String::as_str);
        if row.cells.len() != head.cells.len() {
            let (found, expected) = (row.cells.len(), head.cells.len());
            return Err(wrong(row.line, format!("{found} cells where there are {expected} columns")));
        }
        if cell(name).contains(['[', ',']) {
            return Err(wrong(row.line, format!("{:?} is not one node; ask with --Node", cell(name))));
        }
        let number = cell(cpus).parse::<u32>().ok().filter(|&cpus| cpus > 0);
        let cpus = number
            .ok_or_else(|| wrong(row.line, format!("CPUS must be a count from 1, got {:?}", cell(cpus))))?;
        // `64000+` means several nodes of at least this much memory.
        let memory = match memory.map(|at| cell(at).trim_end_matches('+')) {
            None | Some("" | "N/A") => None,
            Some(text) => Some(
                text.parse().map_err(|_| wrong(row.line, format!("MEMORY must be a count, got {text:?}")))?,
            ),
        };
        let at = *places.entry(cell(name).to_owned()).or_insert(nodes.len());
        if at == nodes.len() {
            let state =
                state.map_or("", cell).trim_end_matches(|mark: char| !mark.is_alphanumeric()).to_owned();
            nodes.push(SlurmNode { name: cell(name).to_owned(), cpus, memory, state, partitions: vec![] });
        }
        if let Some(partition) = partition.map(|at| cell(at).trim_end_matches('*')) {
            nodes[at].partitions.push(partition.to_owned());
        }
    }
    Ok(nodes)
}
