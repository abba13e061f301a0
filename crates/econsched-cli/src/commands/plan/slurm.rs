//! The queue of a running Slurm as a scenario, on the CPUs of its nodes, with their partitions and memory.

use super::log::{self, LogArgs, MachineState, UsableJob};
use crate::commands::prelude::*;
use crate::printable::one_line;
use econsched::workload_gen::convert::{Conversion, Format, SINFO_COMMAND, SlurmNode, read_sinfo};
use econsched::workload_gen::swf::SwfRecord;
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

/// Time for which a job without a time limit holds its CPUs: a year.
const FOR_EVER: f64 = 365.0 * 86_400.0;

/// States of nodes on which jobs can start.
const USABLE: [&str; 7] = ["idle", "mixed", "mix", "allocated", "alloc", "completing", "comp"];

/// Builds a scenario of the running and the waiting jobs, on the CPUs of all nodes that are up.
///
/// # Errors
/// [`CliError::Wrong`] if Slurm's commands do not exist or fail, or show no CPU; [`CliError::NoPlan`] if no job
/// waits.
pub(super) fn scenario(args: &LogArgs) -> Result<Scenario, CliError> {
    // With this flag the jobs of an array are listed one by one.
    let queue = ask(Format::Squeue.command().unwrap_or_default(), &["--array"])?;
    let of = |command: &'static str| move |error| CliError::usage(format!("{command}: {error}"));
    let nodes = read_sinfo(&ask(SINFO_COMMAND, &[])?).map_err(of("sinfo"))?;
    let conversion = Format::Squeue.read(&queue).map_err(of("squeue"))?;
    let since_1970 =
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64().floor());
    at(since_1970, conversion, &nodes, args)
}

/// Returns the output of a command of Slurm. Formats and filters in the environment are ignored; times are in UTC.
fn ask(command: &str, more: &[&str]) -> Result<String, CliError> {
    let mut words = command.split_whitespace();
    let name = words.next().unwrap_or_default();
    let mut asked = Command::new(name);
    asked.args(words).args(more).env("TZ", "UTC").stdin(Stdio::null());
    for (variable, _) in std::env::vars_os() {
        let text = variable.to_string_lossy();
        if text.starts_with("SQUEUE_") || text.starts_with("SINFO_") || text == "SLURM_TIME_FORMAT" {
            asked.env_remove(&variable);
        }
    }
    let output = asked.output().map_err(|error| CliError::usage(format!("--slurm: {name}: {error}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(CliError::usage(format!("--slurm: {name}: {}", one_line(said.trim()))));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Builds the scenario from the output of Slurm's commands, at an instant in seconds since 1970.
fn at(
    since_1970: f64,
    Conversion { log, report, held, .. }: Conversion,
    nodes: &[SlurmNode],
    args: &LogArgs,
) -> Result<Scenario, CliError> {
    // The clocks of two machines may differ a little, so the present is not before the last submission.
    let last = log.records.iter().filter_map(|record| record.submit).fold(0.0, f64::max);
    let now = Time::try_from((since_1970 - log.header.unix_start_time().unwrap_or(0) as f64).max(last))?;
    let partitions: BTreeMap<&str, &str> =
        log.header.get_all("Partition").filter_map(|text| text.split_once(' ')).collect();
    let mut notes = Vec::from_iter(log::losses(&report, 3));
    let cpus = usable(nodes, &mut notes)?;
    let (mut running, mut waiting, mut asked) = (Vec::new(), Vec::new(), BTreeSet::new());
    let (mut unusable, mut widened) = (0, 0);
    let held = held.iter().map(Vec::as_slice).chain(std::iter::repeat(&[][..]));
    for ((record, held), place) in log.records.iter().zip(held).zip(1..) {
        // Slurm keeps jobs that have ended in the queue for some time.
        if record.status.is_some() {
            continue;
        }
        if let Some(start) = record.start() {
            let end = Time::try_from(start + record.requested_time.unwrap_or(FOR_EVER))?;
            if end > now {
                running.push((record, held, end));
            }
        } else if let Some(mut known) = UsableJob::new(record, place) {
            let names = record.partition.map(|number| number.to_string());
            let names = names.and_then(|number| partitions.get(number.as_str()).copied());
            let before = known.job.request.nodes();
            known.job.request = demanding(known.job.request, record.requested_memory, names, &cpus)?;
            widened += usize::from(known.job.request.nodes() > before);
            asked.extend(names);
            waiting.push(known);
        } else {
            unusable += 1;
        }
    }
    notes.extend(log::unusable(unusable));
    if waiting.is_empty() {
        notes.insert(0, "no job waits in the queue of Slurm".to_owned());
        return Err(CliError::NoPlan(notes.join("; ")));
    }
    let (occupied, unplaced_cpus) = local_load(&running, now, &cpus);
    if unplaced_cpus > 0 {
        notes.push(format!("{} that running jobs hold cannot be told", counted(unplaced_cpus, "CPU")));
    }
    if widened > 0 {
        notes.push(format!("jobs that hold more CPUs than they ask for, for their memory: {widened}"));
    }
    notes.push(format!("all CPUs have speed 1 and price 1; price limit {}", number(args.price_limit)));
    notes.push("constraints, GRES and dependencies of jobs are ignored".to_owned());

    let features = with_ids(&cpus).map(|(id, node)| {
        let labels = asked.iter().filter(|names| is_in(node, names)).map(|names| label(names));
        let features = labels.fold(Features::default(), Features::with_label);
        Ok((id, features.with_amount(MEMORY, share(node).min(f64::MAX))?))
    });
    let features: BTreeMap<NodeId, Features> = features.collect::<Result<_, ModelError>>()?;
    let nodes = features.keys().map(|&id| Node { id, speed: Speed::ETALON, price: Price::must(1.0) });
    let (name, nodes) = ("the queue of Slurm".to_owned(), nodes.collect());
    MachineState { name, now, nodes, features, occupied, notes }.plan(waiting, args)
}

/// Returns the node of each CPU that is up; CPUs are numbered from 1, node by node. Adds a note of the nodes that are
/// not up.
fn usable<'a>(nodes: &'a [SlurmNode], notes: &mut Vec<String>) -> Result<Vec<&'a SlurmNode>, CliError> {
    let (usable, down): (Vec<&SlurmNode>, Vec<&SlurmNode>) =
        nodes.iter().partition(|node| USABLE.contains(&node.state.as_str()));
    let cpus: u64 = usable.iter().map(|node| u64::from(node.cpus)).sum();
    if cpus > log::MOST_NODES {
        return Err(CliError::usage(format!("sinfo: {cpus} CPUs are up, more than {}", log::MOST_NODES)));
    }
    let down: Vec<String> = down.iter().map(|node| format!("{} is {}", node.name, node.state)).collect();
    let down = one_line(&down.join(", "));
    if cpus == 0 {
        return Err(CliError::usage(format!("sinfo: no CPU is up ({down})")));
    }
    notes.extend((!down.is_empty()).then(|| format!("left out: {down}")));
    let cpus = |node: &'a SlurmNode| std::iter::repeat_n(node, node.cpus as usize);
    Ok(usable.into_iter().flat_map(cpus).collect())
}

fn with_ids<'a>(cpus: &[&'a SlurmNode]) -> impl Iterator<Item = (NodeId, &'a SlurmNode)> {
    (1..).map(NodeId).zip(cpus.iter().copied())
}

/// Name of the amount of memory that each CPU has, in megabytes.
const MEMORY: &str = "memory";

/// Completes the request of a waiting job: as many CPUs as its memory needs, and demands for one of the partitions
/// `names` and for its memory, unless every CPU has these.
fn demanding(
    request: ResourceRequest,
    kilobytes: Option<f64>,
    names: Option<&str>,
    cpus: &[&SlurmNode],
) -> Result<ResourceRequest, ModelError> {
    let suits = |node: &&&SlurmNode| names.is_none_or(|names| is_in(node, names));
    let (count, memory) = (request.nodes() as u64, kilobytes.unwrap_or(0.0) / 1024.0);
    let roomiest = cpus.iter().filter(suits).map(|node| share(node)).fold(0.0, f64::max);
    let held = wide(count, memory, roomiest);
    let memory = memory * count as f64 / held as f64;
    let mut demands = Demands::default();
    if let Some(names) = names.filter(|_| !cpus.iter().all(|node| suits(&node))) {
        demands = demands.with_label(label(names));
    }
    if cpus.iter().any(|node| share(node) < memory) {
        demands = demands.with_at_least(MEMORY, memory)?;
    }
    Ok(request.with_nodes(usize::try_from(held).unwrap_or(usize::MAX))?.with_demands(demands))
}

/// Whether a node is in one of these partitions, which are separated by commas.
fn is_in(node: &SlurmNode, names: &str) -> bool {
    names.split(',').any(|name| node.partitions.iter().any(|partition| partition == name))
}

fn label(partition: &str) -> String {
    format!("partition={partition}")
}

/// Returns the megabytes per CPU of a node if its CPUs share the memory evenly; infinite if the memory is unknown.
fn share(node: &SlurmNode) -> f64 {
    node.memory.map_or(f64::INFINITY, |memory| memory as f64 / f64::from(node.cpus.max(1)))
}

/// Returns the number of CPUs, at least `cpus`, for which each needs at most its `share` of the memory that the job
/// asks for (`memory` for each of `cpus`); `cpus` if the share is 0.
fn wide(cpus: u64, memory: f64, share: f64) -> u64 {
    let all = memory * cpus as f64;
    if share <= 0.0 || all <= share * cpus as f64 {
        return cpus;
    }
    let wide = ((all / share).ceil() as u64).max(cpus);
    if all / wide as f64 > share { wide.saturating_add(1) } else { wide } // the quotient was rounded
}

/// Returns the CPUs that running jobs hold from now to their ends: CPUs of their nodes, divided evenly among these,
/// and as many as their memory needs. Also returns how many more they hold at an unknown place.
fn local_load(
    running: &[(&SwfRecord, &[String], Time)],
    now: Time,
    cpus: &[&SlurmNode],
) -> (Vec<Occupied>, u64) {
    let mut free: BTreeMap<&str, (&SlurmNode, Vec<NodeId>)> = BTreeMap::new();
    for (id, node) in with_ids(cpus) {
        free.entry(node.name.as_str()).or_insert((node, Vec::new())).1.push(id);
    }
    let (mut occupied, mut unplaced_cpus) = (Vec::new(), 0);
    for &(record, nodes, end) in running {
        let mut left = log::held(record).unwrap_or(0);
        let mut take = |own: &mut Vec<NodeId>, count: u64| {
            let there = count.min(own.len() as u64);
            let held = own.drain(..there as usize).map(|node| Occupied { node, start: now, end });
            occupied.extend(held.filter(|held| held.start < held.end));
            count - there
        };
        if nodes.is_empty() {
            // If the nodes of a job are unknown, it holds the first free CPUs.
            free.values_mut().for_each(|(_, own)| left = take(own, left));
            unplaced_cpus += left;
        }
        for (parts, name) in (1..=nodes.len() as u64).rev().zip(nodes) {
            let part = left.div_ceil(parts);
            left -= part;
            // Nodes that are not planned take their share of the job, too.
            let Some((node, own)) = free.get_mut(name.as_str()) else { continue };
            let memory = record.requested_memory.unwrap_or(0.0) / 1024.0;
            unplaced_cpus += take(own, wide(part, memory, share(node)));
        }
    }
    (occupied, unplaced_cpus)
}
