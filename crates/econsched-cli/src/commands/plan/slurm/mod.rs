//! The queue of a running Slurm as a scenario, on the CPUs of its nodes with their partitions and memory.

use super::log;
use super::log::{LogArgs, Nodes};
use crate::commands::prelude::*;
use crate::draw::gantt::TimeAxis;
use crate::printable::one_line;
use econsched::workload_gen::convert::{
    Conversion, SINFO_COMMAND, SQUEUE_COMMAND, SlurmNode, read_sinfo, read_squeue,
};
use econsched::workload_gen::swf::{SwfField, SwfHeader, SwfLog, SwfRecord};
use std::collections::VecDeque;
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

/// How long a job without a time limit holds its CPUs: a year.
const FOR_EVER: f64 = 365.0 * 86_400.0;

/// States of nodes on which jobs are started.
const USABLE: [&str; 7] = ["idle", "mixed", "mix", "allocated", "alloc", "completing", "comp"];

/// The running and the waiting jobs, on the CPUs of all nodes that are up.
///
/// # Errors
/// [`CliError::Usage`] where Slurm's commands do not exist or fail, or show no CPU; [`CliError::NoPlan`]
/// where no job waits.
pub(super) fn scenario(args: &LogArgs) -> Result<Scenario, CliError> {
    // Jobs of an array one by one.
    let queue = ask(SQUEUE_COMMAND, &["--array"])?;
    let nodes =
        read_sinfo(&ask(SINFO_COMMAND, &[])?).map_err(|error| CliError::usage(format!("sinfo: {error}")))?;
    let conversion = read_squeue(&queue).map_err(|error| CliError::usage(format!("squeue: {error}")))?;
    let since_1970 =
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64().floor());
    at(since_1970, conversion, &nodes, args)
}

/// The scenario from the output of Slurm's commands, at an instant in seconds since 1970.
fn at(
    since_1970: f64,
    conversion: Conversion,
    nodes: &[SlurmNode],
    args: &LogArgs,
) -> Result<Scenario, CliError> {
    let (mut log, report, mut held) = (conversion.log, conversion.report, conversion.held);
    let last = log.records.iter().filter_map(|record| record.submit).fold(0.0, f64::max);
    // Clocks of two machines may differ a little: nothing is submitted after the present.
    let now = (since_1970 - log.header.unix_start_time().unwrap_or(0) as f64).max(last);
    let mut notes = Vec::new();
    let cpus = usable(nodes, &mut notes)?;
    let unlimited = report.dropped.iter().filter(|loss| loss.field == Some(SwfField::RequestedTime)).count();
    if unlimited > 0 {
        notes.push(format!("{} cannot be read", counted(unlimited, "time limit")));
    }

    drop_those_over(&mut log, &mut held);
    let (occupied, mut asked) = read_queue(&mut log, &held, &cpus, now, &mut notes);
    let mut header = SwfHeader::default();
    header.push(&format!(" MaxProcs: {}", cpus.len()));
    log.header = header;
    let of_log = LogArgs { at: Some(now), ..args.clone() };
    let mut scenario = log::scenario(&log, &report, Path::new("the queue of Slurm"), &of_log, Nodes::Alike)?;

    let batch: BTreeSet<JobId> = scenario.batch.iter().map(|job| job.id).collect();
    asked.retain(|job, _| batch.contains(job));
    if args.horizon.is_none() {
        let least = asked.values().map(|one| suiting(&cpus, one).count()).min().unwrap_or(1);
        let load_end = occupied.iter().map(Occupied::end).max().unwrap_or(scenario.from);
        let span = log::enough_time(&scenario.batch, least, scenario.from, load_end);
        scenario.horizon = Time::new(now + span)?;
        scenario.axis = TimeAxis::seconds_since(now, span, &format!("{now} s"));
    }
    let slots = SlotList::from_nodes(&scenario.nodes, &occupied, scenario.from, scenario.horizon)?;
    scenario.occupied = Some(occupied);
    let mut jobs = scenario.batch.to_vec();
    for job in &mut jobs {
        if let Some(asked) = asked.get(&job.id) {
            job.request = job.request.clone().with_demands(demands(&cpus, asked)?);
        }
    }
    // Labels that no job asks for are left out.
    let plain = jobs.iter().all(|job| job.request.demands().is_empty());
    scenario.slots = if plain { slots } else { slots.with_features(features(&cpus, &asked)?)? };
    scenario.batch = Batch::new(jobs)?;
    scenario.notes.extend(notes);
    scenario.notes.push("constraints, GRES and dependencies of jobs are ignored".to_owned());
    Ok(scenario)
}

/// The CPUs that are planned, numbered from 1 node by node, by their nodes: of those that are up. Also a note of the
/// others.
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
    if !down.is_empty() {
        notes.push(format!("left out: {down}"));
    }
    let cpus = |node: &'a SlurmNode| std::iter::repeat_n(node, node.cpus as usize);
    Ok(usable.into_iter().flat_map(cpus).collect())
}

/// Drops jobs that have ended; Slurm keeps them in the queue for some time.
fn drop_those_over(log: &mut SwfLog, held: &mut Vec<Vec<String>>) {
    held.resize(log.records.len(), Vec::new());
    let is_over = |record: &SwfRecord| record.status.is_some();
    let mut records = log.records.iter();
    held.retain(|_| !records.next().is_some_and(is_over));
    log.records.retain(|record| !is_over(record));
}

/// The requests of the waiting jobs beside CPUs and time.
type Requests = BTreeMap<JobId, Asked>;

/// Makes of each record a job that runs for its whole time limit, or one that waits: the CPUs that the former hold, and
/// what the latter ask for.
fn read_queue(
    log: &mut SwfLog,
    held: &[Vec<String>],
    cpus: &[&SlurmNode],
    now: f64,
    notes: &mut Vec<String>,
) -> (Vec<Occupied>, Requests) {
    let partitions = log.header.get_all("Partition").filter_map(|text| text.split_once(' '));
    let partitions: BTreeMap<String, String> =
        partitions.map(|(number, name)| (number.to_owned(), name.to_owned())).collect();
    let mut seen = BTreeSet::new();
    let repeated = log.records.iter().any(|record| !seen.insert(record.job));
    if repeated {
        notes.push("job numbers are repeated: jobs go by their place in the queue".to_owned());
    }
    let (mut occupied, mut asked) = (Vec::new(), Requests::new());
    let mut free = Free::new();
    for (id, node) in with_ids(cpus) {
        free.entry(&node.name).or_insert((node, VecDeque::new())).1.push_back(id);
    }
    let (mut homeless, mut widened) = (0, 0);
    for ((number, record), held) in (1..).zip(&mut log.records).zip(held) {
        if repeated {
            record.job = Some(number);
        }
        if let Some(wait) = record.wait {
            // The elapsed time is not the run time.
            record.runtime = None;
            let limit = *record.requested_time.get_or_insert(FOR_EVER);
            let end = record.submit.unwrap_or(now) + wait + limit;
            if end > now {
                homeless += occupy(&mut free, record, held, (now, end), &mut occupied);
            }
            continue;
        }
        record.wait = record.submit.map(|submit| now - submit + 1.0);
        let name =
            |number: u64| partitions.get(&number.to_string()).cloned().unwrap_or_else(|| number.to_string());
        let memory = record.requested_memory.map(|kilobytes| kilobytes / 1024.0);
        let mut one = Asked { partition: record.partition.map(name), memory };
        widened += usize::from(widen(cpus, record, &mut one));
        asked.extend(record.job.map(|job| (JobId(job), one)));
    }
    if homeless > 0 {
        notes.push(format!("{} that running jobs hold cannot be told", counted(homeless, "CPU")));
    }
    if widened > 0 {
        let [hold, their, they] =
            if widened == 1 { ["holds", "its", "it asks"] } else { ["hold", "their", "they ask"] };
        let jobs = counted(widened, "job");
        notes.push(format!("{jobs} {hold} more CPUs than {they} for: {their} memory is that of so many"));
    }
    (occupied, asked)
}

/// What a command of Slurm prints. Formats and filters in the environment are ignored; times are those of
/// UTC.
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
    String::from_utf8(output.stdout)
        .map_err(|_| CliError::usage(format!("--slurm: {name} prints no UTF-8 text")))
}

/// The amount of memory that each CPU has, in megabytes.
const MEMORY: &str = "memory";

/// The requests of a waiting job beside CPUs and time.
struct Asked {
    /// One partition, or several with commas between them.
    partition: Option<String>,
    /// Megabytes for each of its CPUs.
    memory: Option<f64>,
}

/// The nodes by name, with their CPUs that no running job holds.
type Free<'a> = BTreeMap<&'a str, (&'a SlurmNode, VecDeque<NodeId>)>;

fn with_ids<'a>(cpus: &[&'a SlurmNode]) -> impl Iterator<Item = (NodeId, &'a SlurmNode)> {
    (1..).map(NodeId).zip(cpus.iter().copied())
}

/// The CPUs on which a job may run.
fn suiting<'a>(cpus: &[&'a SlurmNode], asked: &Asked) -> impl Iterator<Item = &'a SlurmNode> {
    let fits = |node: &&SlurmNode| {
        asked.partition.as_ref().is_none_or(|name| is_in(node, name))
            && share(node) >= asked.memory.unwrap_or(0.0)
    };
    cpus.iter().copied().filter(fits)
}

/// Gives a job as many CPUs as are needed for the memory that it asks for. Returns whether these are more
/// than it asked for.
fn widen(cpus: &[&SlurmNode], record: &mut SwfRecord, asked: &mut Asked) -> bool {
    let Some(memory) = asked.memory.take() else { return false };
    let most = suiting(cpus, asked).map(share).fold(0.0, f64::max);
    let before = record.processors().unwrap_or(1);
    let cpus = wide(before, memory, most);
    record.requested_processors = Some(cpus);
    asked.memory = Some(memory * before as f64 / cpus as f64);
    cpus > before
}

/// What not every CPU has.
fn demands(cpus: &[&SlurmNode], asked: &Asked) -> Result<Demands, CliError> {
    let mut demands = Demands::new();
    if let Some(name) = &asked.partition
        && !cpus.iter().all(|node| is_in(node, name))
    {
        demands = demands.with_label(label(name));
    }
    if let Some(memory) = asked.memory
        && cpus.iter().any(|node| share(node) < memory)
    {
        demands = demands.with_at_least(MEMORY, memory)?;
    }
    Ok(demands)
}

/// The labels of the partitions that are asked for, and the memory.
fn features(cpus: &[&SlurmNode], asked: &Requests) -> Result<Vec<(NodeId, Features)>, CliError> {
    let names: BTreeSet<&str> = asked.values().filter_map(|one| one.partition.as_deref()).collect();
    let features = |(id, node): (NodeId, &SlurmNode)| {
        let labels = names.iter().filter(|name| is_in(node, name)).map(|name| label(name));
        let features = labels.fold(Features::new(), Features::with_label);
        Ok((id, features.with_amount(MEMORY, share(node).min(f64::MAX))?))
    };
    with_ids(cpus).map(features).collect()
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
fn occupy(
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
            occupied.extend(log::busy(id, now, end));
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
