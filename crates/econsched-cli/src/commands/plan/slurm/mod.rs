//! The queue of a running Slurm as a scenario.

mod cpus;

use super::log::{self, LogArgs, Nodes};
use crate::draw::gantt::TimeAxis;
use crate::error::CliError;
use crate::input::scenario::Scenario;
use crate::output::terminal::counted;
use crate::printable::one_line;
use cpus::{Asked, Cpus, occupy};
use econsched::sched_model::{JobId, Occupied, SlotList, Time};
use econsched::workload_gen::convert::{
    Conversion, SINFO_COMMAND, SQUEUE_COMMAND, SlurmNode, read_sinfo, read_squeue,
};
use econsched::workload_gen::swf::{SwfField, SwfHeader, SwfLog, SwfRecord};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
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
    let machine = Cpus::of(&usable(nodes, &mut notes)?);
    let unlimited = report.dropped.iter().filter(|loss| loss.field == Some(SwfField::RequestedTime)).count();
    if unlimited > 0 {
        notes.push(format!("{} cannot be read", counted(unlimited, "time limit")));
    }

    drop_those_over(&mut log, &mut held);
    let mut queue = Queue::read(&mut log, &held, &machine, now, &mut notes);
    let mut header = SwfHeader::default();
    header.push(&format!(" MaxProcs: {}", machine.of_node.len()));
    log.header = header;
    let of_log = LogArgs { at: Some(now), ..args.clone() };
    let mut scenario = log::scenario(&log, &report, Path::new("the queue of Slurm"), &of_log, Nodes::Alike)?;

    let batch: BTreeSet<JobId> = scenario.batch.iter().map(|job| job.id).collect();
    queue.asked.retain(|job, _| batch.contains(job));
    if args.horizon.is_none() {
        let least = queue.asked.values().map(|one| machine.suiting(one).count()).min().unwrap_or(1);
        let load_end = queue.occupied.iter().map(Occupied::end).max().unwrap_or(scenario.from);
        let span = log::enough_time(&scenario.batch, least, scenario.from, load_end);
        scenario.horizon = Time::new(now + span).map_err(CliError::usage)?;
        scenario.axis = TimeAxis::seconds_since(now, span, &format!("{now} s"));
    }
    let slots = SlotList::from_nodes(&scenario.nodes, &queue.occupied, scenario.from, scenario.horizon)
        .map_err(CliError::usage)?;
    scenario.occupied = Some(queue.occupied);
    scenario.demands = machine.demands(&queue.asked)?;
    // Labels that no job asks for are left out.
    scenario.slots = if scenario.demands.is_empty() {
        slots
    } else {
        slots.with_features(machine.features(&queue.asked)?).map_err(CliError::usage)?
    };
    scenario.notes.extend(notes);
    scenario.notes.push("constraints, GRES and dependencies of jobs are ignored".to_owned());
    Ok(scenario)
}

/// The nodes that are up, and a note of the others.
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
    Ok(usable)
}

/// Drops jobs that have ended; Slurm keeps them in the queue for some time.
fn drop_those_over(log: &mut SwfLog, held: &mut Vec<Vec<String>>) {
    held.resize(log.records.len(), Vec::new());
    let is_over = |record: &SwfRecord| record.status.is_some();
    let mut records = log.records.iter();
    held.retain(|_| !records.next().is_some_and(is_over));
    log.records.retain(|record| !is_over(record));
}

/// The nodes that the jobs of the queue hold, and their requests beside CPUs.
struct Queue {
    occupied: Vec<Occupied>,
    asked: BTreeMap<JobId, Asked>,
}

impl Queue {
    /// Makes of each record a job that runs for its whole time limit, or one that waits.
    fn read(
        log: &mut SwfLog,
        held: &[Vec<String>],
        machine: &Cpus<'_>,
        now: f64,
        notes: &mut Vec<String>,
    ) -> Self {
        let partitions: BTreeMap<u64, String> = log
            .header
            .get_all("Partition")
            .filter_map(numbered)
            .map(|(n, name)| (n, name.to_owned()))
            .collect();
        let mut seen = BTreeSet::new();
        let repeated = log.records.iter().any(|record| !seen.insert(record.job));
        if repeated {
            notes.push("job numbers are repeated: jobs go by their place in the queue".to_owned());
        }
        let mut queue = Self { occupied: Vec::new(), asked: BTreeMap::new() };
        let mut free = machine.free();
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
                    homeless += occupy(&mut free, record, held, (now, end), &mut queue.occupied);
                }
                continue;
            }
            record.wait = record.submit.map(|submit| now - submit + 1.0);
            let partition = record
                .partition
                .map(|number| partitions.get(&number).cloned().unwrap_or_else(|| number.to_string()));
            let mut one =
                Asked { partition, memory: record.requested_memory.map(|kilobytes| kilobytes / 1024.0) };
            widened += usize::from(machine.widen(record, &mut one));
            queue.asked.extend(record.job.map(|job| (JobId(job), one)));
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
        queue
    }
}

/// `1 name` of a comment.
fn numbered(text: &str) -> Option<(u64, &str)> {
    let (number, name) = text.split_once(' ')?;
    Some((number.parse().ok()?, name))
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
