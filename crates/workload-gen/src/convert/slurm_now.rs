//! The queue and the nodes of a running Slurm as JSON, by the version of the plugin that wrote them.

use super::draft::Meaning::{End, Field, LimitMinutes, Nodes, SlurmMemory, Start, State};
use super::draft::{status, waits};
use super::slurm_json::{Layout, Member, list, read_jobs};
use super::{Conversion, SlurmNode, parse_json};
use crate::WorkloadError;
use crate::swf::SwfField;
use serde_json::Value;

/// The plugin of Slurm 22.05.
const PLAIN: &str = "openapi/v0.0.38";

/// The output of `squeue --json` of Slurm 22.05, 23.11 or 24.05; other versions are refused, as by
/// [`read_sacct_json`](super::read_sacct_json).
///
/// Waiting jobs have neither wait nor run time; memory is requested by `memory_per_cpu` or `memory_per_node`.
/// The end of a running job is only expected and is ignored.
///
/// ```
/// use workload_gen::convert::read_squeue_json;
/// let text = r#"{"meta": {"plugin": {"type": "openapi/v0.0.38"}}, "jobs": [
///     {"job_id": 7, "job_state": "PENDING", "submit_time": 1714550400, "start_time": 0,
///      "time_limit": 60, "cpus": 16}]}"#;
/// let log = read_squeue_json(text)?.log;
/// let job = &log.records[0];
/// assert_eq!((job.wait, job.requested_time, job.requested_processors), (None, Some(3600.0), Some(16)));
/// # Ok::<(), workload_gen::WorkloadError>(())
/// ```
///
/// # Errors
/// [`WorkloadError::Json`] for a text that is no JSON, has no jobs, or comes from a plugin that is not known.
pub fn read_squeue_json(text: &str) -> Result<Conversion, WorkloadError> {
    // Where the state is not known, the start may be an expected one.
    let unknown = |word: &str| word == "REQUEUED" || status(word).is_err();
    read_jobs(text, PLAIN, &SQUEUE, |state| state.is_none_or(|word| waits(word) || unknown(word)))
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

/// The output of `sinfo --json` and of `scontrol show nodes --json` of Slurm 22.05, 23.11 or 24.05; other
/// versions are refused.
///
/// From 23.11 on `sinfo` lists groups of nodes: all nodes of a group must have the same number of CPUs.
///
/// ```
/// use workload_gen::convert::read_sinfo_json;
/// let text = r#"{"meta": {"plugin": {"type": "openapi/v0.0.38"}}, "nodes": [
///     {"name": "n1", "cpus": 16, "real_memory": 64000, "state": "idle", "partitions": ["short"]}]}"#;
/// let nodes = read_sinfo_json(text)?;
/// assert_eq!((nodes[0].cpus, nodes[0].state.as_str()), (16, "idle"));
/// # Ok::<(), workload_gen::WorkloadError>(())
/// ```
///
/// # Errors
/// [`WorkloadError::Json`] for a text that is no JSON, has no nodes, comes from a plugin that is not known,
/// or has a node without a name or CPUs: a part of the nodes is never returned.
pub fn read_sinfo_json(text: &str) -> Result<Vec<SlurmNode>, WorkloadError> {
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

/// The nodes of groups. A node of several partitions is in several groups.
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
