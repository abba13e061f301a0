//! The output of Slurm's `sacct`, `squeue` and `sinfo`: tables, or JSON in the layouts of several versions.

use super::delimited::{self, Rows};
use super::draft::Meaning::{End, Field, LimitMinutes, Nodes, SlurmMemory, Start, State};
use super::draft::{Drafts, Meaning, is_waiting, shown, status, unexpected};
use super::{Conversion, is_json, list, parse_json};
use crate::WorkloadError;
use crate::swf::{DropReason, Lost, SwfField, SwfHeader};
use serde_json::Value;
use std::borrow::Cow;

/// The layout of a JSON text, which depends on the plugin that wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// `openapi/v0.0.38` and `openapi/dbv0.0.38` of Slurm 22.05: plain numbers, one state.
    Plain,
    /// `data_parser/v0.0.40` and `v0.0.41` of Slurm 23.11 and 24.05: numbers with a mark whether they are set, lists of
    /// states.
    Marked,
}

impl Layout {
    /// Returns the layout of the plugin that a text names; `plain` is the name of the plugin of Slurm 22.05.
    pub(super) fn of(value: &Value, plain: &str) -> Result<Self, WorkloadError> {
        let plugin = &value["meta"]["plugin"];
        match plugin["data_parser"].as_str().or(plugin["type"].as_str()).unwrap_or("") {
            written if written == plain => Ok(Self::Plain),
            "data_parser/v0.0.40" | "data_parser/v0.0.41" => Ok(Self::Marked),
            other => {
                let known =
                    format!("{plain} (22.05), data_parser/v0.0.40 (23.11), data_parser/v0.0.41 (24.05)");
                let why = format!("written by plugin {other:?}; known: {known}");
                Err(WorkloadError::Json { place: "meta.plugin".to_owned(), why })
            }
        }
    }

    /// Returns the state, the first one of a list.
    pub(super) fn state(self, value: &Value) -> Option<&str> {
        match self {
            Self::Plain => value.as_str(),
            Self::Marked => value[0].as_str(),
        }
    }
}

pub(super) fn read_sacct(text: &str) -> Result<Conversion, WorkloadError> {
    if is_json(text) {
        return read_jobs(text, "openapi/dbv0.0.38", &SACCT, |_| false);
    }
    delimited::read_slurm(text, &delimited::SACCT)
}

const SACCT: [Member; 12] = [
    ("/job_id", Field(SwfField::Job), ""),
    ("/time/submission", Field(SwfField::Submit), ""),
    ("/time/start", Start, ""),
    ("/time/elapsed", Field(SwfField::Runtime), ""),
    ("/time/limit", LimitMinutes, ""),
    ("/tres/allocated", Field(SwfField::Allocated), ""),
    ("/required/CPUs", Field(SwfField::RequestedProcessors), ""),
    ("/required/memory_per_cpu", SlurmMemory, "Mc"),
    ("/state/current", State, ""),
    ("/user", Field(SwfField::User), ""),
    ("/group", Field(SwfField::Group), ""),
    ("/partition", Field(SwfField::Partition), ""),
];

/// A member of a job: its path, its meaning, and the unit to be appended to its number.
pub(super) type Member = (&'static str, Meaning, &'static str);

/// Reads the jobs of a JSON text; the line of each is its position in the list, from 1. `is_waiting` says by the state
/// whether a job has not started.
pub(super) fn read_jobs(
    text: &str,
    plain: &str,
    members: &[Member],
    is_waiting: impl Fn(Option<&str>) -> bool,
) -> Result<Conversion, WorkloadError> {
    let value = parse_json(text)?;
    let layout = Layout::of(&value, plain)?;
    let mut drafts = Drafts::default();
    for (line, job) in (1..).zip(list(&value, "jobs")?) {
        let cells = members.iter().filter_map(|&(at, meaning, unit)| {
            let text = cell(job.pointer(at).unwrap_or(&Value::Null), meaning, unit, layout).transpose()?;
            Some((meaning, text.map(Cow::Owned)))
        });
        let state = members.iter().find(|(_, meaning, _)| *meaning == State);
        let state = state.and_then(|(at, ..)| layout.state(job.pointer(at)?));
        let Some(mut draft) = drafts.fill(line, is_waiting(state), cells) else { continue };
        // The end of a job that has not ended is only expected.
        draft.end = draft.end.filter(|_| draft.record.status.is_some());
        draft.record.runtime = draft.record.runtime.filter(|_| draft.start.is_some());
        // In JSON, memory that is not of a CPU is of a node.
        if let Some(memory) = draft.memory_of_job {
            let nodes = number(&job["node_count"], layout);
            draft.memory_of_job = nodes.as_ref().ok().map(|nodes| memory * nodes.unwrap_or(1).max(1) as f64);
            if let Err(reason) = nodes {
                drafts.lose(line, Some(SwfField::RequestedMemory), Lost::Value, reason);
            }
        }
        drafts.push(line, draft);
    }
    Ok(drafts.finish(SwfHeader::default()))
}

/// Returns the text that a table would have for a value of a JSON text; `None` if there is no value, which 0 stands for
/// except as a run time.
fn cell(value: &Value, meaning: Meaning, unit: &str, layout: Layout) -> Result<Option<String>, DropReason> {
    let number = match meaning {
        State => return layout.state(value).map(|word| Some(word.to_owned())).ok_or(DropReason::Missing),
        Nodes | Field(SwfField::User | SwfField::Group | SwfField::Partition) => {
            return match value {
                Value::Null => Ok(None),
                Value::String(text) => Ok(Some(text.clone())),
                _ => Err(unexpected(&value.to_string(), "a text")),
            };
        }
        Field(SwfField::Allocated) => {
            let cpus = value.as_array().and_then(|all| all.iter().find(|one| one["type"] == "cpu"));
            number(cpus.map_or(&Value::Null, |cpus| &cpus["count"]), layout)?
        }
        _ => number(value, layout)?,
    };
    let number = number.filter(|&number| number > 0 || meaning == Field(SwfField::Runtime));
    Ok(number.map(|number| format!("{number}{unit}")))
}

/// Returns a whole number; `None` if it is not set.
fn number(value: &Value, layout: Layout) -> Result<Option<u64>, DropReason> {
    let plain = match layout {
        Layout::Marked if value.is_object() => {
            if value["set"] != true || value["infinite"] == true {
                return Ok(None);
            }
            &value["number"]
        }
        _ => value,
    };
    match plain {
        Value::Null => Ok(None),
        _ => plain.as_u64().map(Some).ok_or_else(|| DropReason::NotWhole { text: shown(&plain.to_string()) }),
    }
}

/// The command that prints the table for [`read_sinfo`], with columns separated by `|` and one node on each line.
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
    /// Its memory in megabytes; `None` if the text does not state it.
    pub memory: Option<u64>,
    /// Its state, such as `idle`, without the marks after it (`*`, `~` and others); empty if the text does not
    /// state it.
    pub state: String,
    /// Its partitions, in the order of the text.
    pub partitions: Vec<String>,
}

/// Reads the output of Slurm's `sinfo`: a table (see [`SINFO_COMMAND`] for the columns, which may be in any order;
/// others are ignored), in which lines with the same name, one per partition, are one node; or what `sinfo --json`
/// and `scontrol show nodes --json` of the versions of [`Format::Sacct`](super::Format::Sacct) print.
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
/// [`WorkloadError::Table`] if the column for node or CPUs is missing, or for a line that cannot be read;
/// [`WorkloadError::Json`] for invalid JSON, and for JSON that has no list of nodes, comes from an unknown plugin, or
/// has a node without name or CPUs. A part of the nodes is never returned.
pub fn read_sinfo(text: &str) -> Result<Vec<SlurmNode>, WorkloadError> {
    if is_json(text) {
        return read_sinfo_json(text);
    }
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
            let cells = DropReason::Cells { found: row.cells.len(), expected: head.cells.len() };
            return Err(wrong(row.line, cells.to_string()));
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

/// The plugin of Slurm 22.05.
const PLAIN: &str = "openapi/v0.0.38";

pub(super) fn read_squeue(text: &str) -> Result<Conversion, WorkloadError> {
    if !is_json(text) {
        return delimited::read_slurm(text, &delimited::SQUEUE);
    }
    // The start of a job in an unknown state may be only expected.
    let unknown = |word: &str| word == "REQUEUED" || status(word).is_err();
    read_jobs(text, PLAIN, &SQUEUE, |state| state.is_none_or(|word| is_waiting(word) || unknown(word)))
}

const SQUEUE: [Member; 13] = [
    ("/job_id", Field(SwfField::Job), ""),
    ("/submit_time", Field(SwfField::Submit), ""),
    ("/time_limit", LimitMinutes, ""),
    ("/cpus", Field(SwfField::RequestedProcessors), ""),
    ("/memory_per_cpu", SlurmMemory, "Mc"),
    ("/memory_per_node", SlurmMemory, "M"),
    ("/start_time", Start, ""),
    ("/end_time", End, ""),
    ("/job_state", State, ""),
    ("/nodes", Nodes, ""),
    ("/user_name", Field(SwfField::User), ""),
    ("/group_name", Field(SwfField::Group), ""),
    ("/partition", Field(SwfField::Partition), ""),
];

/// Reads the output of `sinfo --json` and of `scontrol show nodes --json`. From 23.11 on `sinfo` lists groups of
/// nodes: all nodes of a group must have the same number of CPUs.
fn read_sinfo_json(text: &str) -> Result<Vec<SlurmNode>, WorkloadError> {
    let value = parse_json(text)?;
    let layout = Layout::of(&value, PLAIN)?;
    if value["sinfo"].is_array() {
        return groups(list(&value, "sinfo")?, layout);
    }
    let mut nodes = Vec::new();
    for (at, node) in list(&value, "nodes")?.iter().enumerate() {
        let place = format!("nodes[{at}]");
        let partitions = node["partitions"].as_array().into_iter().flatten();
        nodes.push(SlurmNode {
            name: text_of(&node["name"], &place)?,
            cpus: cpus_of(&node["cpus"], &place)?,
            memory: node["real_memory"].as_u64(),
            state: layout.state(&node["state"]).unwrap_or_default().to_lowercase(),
            partitions: partitions.filter_map(|name| name.as_str().map(str::to_owned)).collect(),
        });
    }
    Ok(nodes)
}

/// Returns the nodes of groups. A node of several partitions is in several groups.
fn groups(groups: &[Value], layout: Layout) -> Result<Vec<SlurmNode>, WorkloadError> {
    let mut nodes: Vec<SlurmNode> = Vec::new();
    let mut places = std::collections::BTreeMap::new();
    for (at, group) in groups.iter().enumerate() {
        let place = format!("sinfo[{at}]");
        let cpus = cpus_of(&group["cpus"]["maximum"], &place)?;
        if group["cpus"]["minimum"] != group["cpus"]["maximum"] {
            let why = "nodes with differing numbers of CPUs in one group; ask with --Node".to_owned();
            return Err(WorkloadError::Json { place, why });
        }
        let partition = group["partition"]["name"].as_str().filter(|name| !name.is_empty());
        for name in list(&group["nodes"], "nodes")? {
            let name = text_of(name, &place)?;
            let at = *places.entry(name.clone()).or_insert(nodes.len());
            if at == nodes.len() {
                let state = layout.state(&group["node"]["state"]).unwrap_or_default().to_lowercase();
                let memory = group["memory"]["minimum"].as_u64();
                nodes.push(SlurmNode { name, cpus, memory, state, partitions: vec![] });
            }
            nodes[at].partitions.extend(partition.map(str::to_owned));
        }
    }
    Ok(nodes)
}

fn text_of(value: &Value, place: &str) -> Result<String, WorkloadError> {
    let name = value.as_str().filter(|name| !name.is_empty());
    name.map(str::to_owned)
        .ok_or_else(|| WorkloadError::Json { place: place.to_owned(), why: "no name".to_owned() })
}

fn cpus_of(value: &Value, place: &str) -> Result<u32, WorkloadError> {
    let cpus = value.as_u64().and_then(|cpus| u32::try_from(cpus).ok()).filter(|&cpus| cpus > 0);
    let why = || format!("CPUs must be a count from 1, got {value}").chars().take(100).collect();
    cpus.ok_or_else(|| WorkloadError::Json { place: place.to_owned(), why: why() })
}
