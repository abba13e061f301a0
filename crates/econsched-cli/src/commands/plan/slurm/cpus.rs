//! The CPUs of a Slurm's nodes, with their partitions and their memory.

use crate::error::CliError;
use econsched::sched_model::{Demands, Features, JobId, NodeId, Occupied, Time};
use econsched::workload_gen::convert::SlurmNode;
use econsched::workload_gen::swf::SwfRecord;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The amount of memory that each CPU has, in megabytes.
pub(super) const MEMORY: &str = "memory";

/// The requests of a waiting job beside CPUs and time.
pub(super) struct Asked {
    /// One partition, or several with commas between them.
    pub(super) partition: Option<String>,
    /// Megabytes for each of its CPUs.
    pub(super) memory: Option<f64>,
}

/// The nodes by name, with their CPUs that no running job holds.
pub(super) type Free<'a> = BTreeMap<&'a str, (&'a SlurmNode, VecDeque<NodeId>)>;

/// The CPUs that are planned, numbered from 1 node by node.
pub(super) struct Cpus<'a> {
    /// The node of each CPU.
    pub(super) of_node: Vec<&'a SlurmNode>,
}

impl<'a> Cpus<'a> {
    pub(super) fn of(nodes: &[&'a SlurmNode]) -> Self {
        let cpus = |node: &&'a SlurmNode| std::iter::repeat_n(*node, node.cpus as usize);
        Self { of_node: nodes.iter().flat_map(cpus).collect() }
    }

    fn numbered(&self) -> impl Iterator<Item = (NodeId, &'a SlurmNode)> {
        (1..).map(NodeId).zip(self.of_node.iter().copied())
    }

    /// The CPUs of each node by its name.
    pub(super) fn free(&self) -> Free<'a> {
        let mut free = Free::new();
        for (id, node) in self.numbered() {
            free.entry(&node.name).or_insert((node, VecDeque::new())).1.push_back(id);
        }
        free
    }

    /// The CPUs on which a job may run.
    pub(super) fn suiting(&self, asked: &Asked) -> impl Iterator<Item = &'a SlurmNode> {
        let (partition, memory) = (asked.partition.clone(), asked.memory.unwrap_or(0.0));
        let nodes = self.of_node.iter().copied();
        nodes.filter(move |node| {
            partition.as_ref().is_none_or(|name| is_in(node, name)) && share(node) >= memory
        })
    }

    /// Gives a job as many CPUs as are needed for the memory that it asks for. Returns whether these are more
    /// than it asked for.
    pub(super) fn widen(&self, record: &mut SwfRecord, asked: &mut Asked) -> bool {
        let Some(memory) = asked.memory.take() else { return false };
        let most = self.suiting(asked).map(share).fold(0.0, f64::max);
        let before = record.processors().unwrap_or(1);
        let cpus = wide(before, memory, most);
        record.requested_processors = Some(cpus);
        asked.memory = Some(memory * before as f64 / cpus as f64);
        cpus > before
    }

    pub(super) fn demands(
        &self,
        asked: &BTreeMap<JobId, Asked>,
    ) -> Result<BTreeMap<JobId, Demands>, CliError> {
        let mut all = BTreeMap::new();
        for (job, one) in asked {
            let mut demands = Demands::new();
            if let Some(name) =
                one.partition.as_ref().filter(|name| !self.of_node.iter().all(|node| is_in(node, name)))
            {
                demands = demands.with_label(label(name));
            }
            if let Some(memory) =
                one.memory.filter(|&memory| self.of_node.iter().any(|node| share(node) < memory))
            {
                demands = demands.with_at_least(MEMORY, memory).map_err(CliError::usage)?;
            }
            if demands != Demands::new() {
                all.insert(*job, demands);
            }
        }
        Ok(all)
    }

    /// The labels of the partitions that are asked for, and the memory.
    pub(super) fn features(
        &self,
        asked: &BTreeMap<JobId, Asked>,
    ) -> Result<Vec<(NodeId, Features)>, CliError> {
        let names: BTreeSet<&str> = asked.values().filter_map(|one| one.partition.as_deref()).collect();
        let features = |(id, node): (NodeId, &SlurmNode)| {
            let mut features = Features::new();
            for name in names.iter().filter(|name| is_in(node, name)) {
                features = features.with_label(label(name));
            }
            let memory = share(node).min(f64::MAX);
            Ok((id, features.with_amount(MEMORY, memory).map_err(CliError::usage)?))
        };
        self.numbered().map(features).collect()
    }
}

/// Whether a node is in a partition, or in one of several with commas between them.
fn is_in(node: &SlurmNode, names: &str) -> bool {
    names.split(',').any(|name| node.partitions.iter().any(|partition| partition == name))
}

fn label(partition: &str) -> String {
    format!("partition={partition}")
}

/// The megabytes of each CPU of a node, if its CPUs share the memory evenly; infinite if the memory is not
/// stated.
fn share(node: &SlurmNode) -> f64 {
    node.memory.map_or(f64::INFINITY, |memory| memory as f64 / f64::from(node.cpus.max(1)))
}

/// The number of CPUs, at least `cpus`, for which each needs at most its `share` of the memory that `cpus` of
/// them ask for; `cpus` where CPUs have no memory.
fn wide(cpus: u64, memory: f64, share: f64) -> u64 {
    let all = memory * cpus as f64;
    if share <= 0.0 || all <= share * cpus as f64 {
        return cpus;
    }
    let wide = ((all / share).ceil() as u64).max(cpus);
    if all / wide as f64 > share { wide.saturating_add(1) } else { wide } // the quotient was rounded
}

/// Occupies the CPUs of a running job on its nodes from now to its end, as evenly as they are free, and as
/// many as its memory needs. Returns the number of CPUs that are missing.
pub(super) fn occupy(
    free: &mut Free<'_>,
    record: &SwfRecord,
    held: &[String],
    (now, end): (f64, f64),
    occupied: &mut Vec<Occupied>,
) -> u64 {
    let cpus = record.allocated.filter(|&cpus| cpus > 0).or_else(|| record.processors()).unwrap_or(0);
    let mut missing = 0;
    let mut take = |own: &mut VecDeque<NodeId>, count: u64| {
        let there = count.min(own.len() as u64);
        for id in own.drain(..there as usize) {
            let interval = Time::new(now).and_then(|start| Occupied::new(id, start, Time::new(end)?));
            occupied.extend(interval);
        }
        count - there
    };
    if held.is_empty() {
        // If the nodes are not stated: the first free CPUs.
        return free.values_mut().fold(cpus, |left, (_, own)| take(own, left));
    }
    let parts = held.len() as u64;
    for (place, name) in (0..).zip(held) {
        // Nodes that are not planned take their share of the job, too.
        let Some((node, own)) = free.get_mut(name.as_str()) else { continue };
        let part = cpus / parts + u64::from(place < cpus % parts);
        let part = record.requested_memory.map_or(part, |memory| wide(part, memory / 1024.0, share(node)));
        missing += take(own, part);
    }
    missing
}
