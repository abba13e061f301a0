//! The queue of a running Slurm as a scenario.

use super::log::{self, LogArgs, Nodes};
use crate::error::CliError;
use crate::printable::one_line;
use crate::scenario::Scenario;
use crate::terminal::counted;
use econsched::workload_gen::convert::{SINFO_COMMAND, SQUEUE_COMMAND, SlurmNode, read_sinfo, read_squeue};
use econsched::workload_gen::swf::{SwfField, SwfHeader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

/// How long a job holds its CPUs that runs without a limit: a year.
const FOR_EVER: f64 = 365.0 * 86_400.0;

/// States of nodes on which jobs are started.
const USABLE: [&str; 7] = ["idle", "mixed", "mix", "allocated", "alloc", "completing", "comp"];

/// What runs and waits now, on the CPUs of all nodes that are up.
///
/// # Errors
/// [`CliError::Usage`] where Slurm's commands are not there or fail, or tell of no CPU; [`CliError::NoPlan`] where no job
/// waits.
pub(super) fn scenario(args: &LogArgs) -> Result<Scenario, CliError> {
    // Jobs of an array one by one.
    let queue = ask(SQUEUE_COMMAND, &["--array"])?;
    let nodes =
        read_sinfo(&ask(SINFO_COMMAND, &[])?).map_err(|error| CliError::usage(format!("sinfo: {error}")))?;
    let wrong = |error| CliError::usage(format!("squeue: {error}"));
    let conversion = read_squeue(&queue).map_err(wrong)?;
    let (mut log, report) = (conversion.log, conversion.report);
    let since_1970 =
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64().floor());
    let last = log.records.iter().filter_map(|record| record.submit).fold(0.0, f64::max);
    // Clocks of two machines may differ a little: nothing is submitted after the present.
    let now = (since_1970 - log.header.unix_start_time().unwrap_or(0) as f64).max(last);
    // Those that are over stay in the queue for a while.
    log.records.retain(|record| record.status.is_none());
    for record in &mut log.records {
        if record.wait.is_some() {
            // The time so far is not the time it takes.
            record.runtime = None;
            record.requested_time = record.requested_time.or(Some(FOR_EVER));
        } else {
            record.wait = record.submit.map(|submit| now - submit + 1.0);
        }
    }
    let usable = |node: &&SlurmNode| USABLE.contains(&node.state.as_str());
    let cpus: u64 = nodes.iter().filter(usable).map(|node| u64::from(node.cpus)).sum();
    let down: Vec<String> = nodes
        .iter()
        .filter(|node| !usable(node))
        .map(|node| format!("{} is {}", node.name, node.state))
        .collect();
    if cpus == 0 {
        return Err(CliError::usage(format!("sinfo: no CPU is up ({})", one_line(&down.join(", ")))));
    }
    let mut header = SwfHeader::default();
    header.push(&format!(" MaxProcs: {cpus}"));
    log.header = header;
    let args = LogArgs { at: Some(now), ..args.clone() };
    let mut scenario = log::scenario(&log, &report, Path::new("the queue of Slurm"), &args, Nodes::Alike)?;
    if !down.is_empty() {
        scenario.notes.push(format!("left out: {}", one_line(&down.join(", "))));
    }
    let unlimited = report.dropped.iter().filter(|loss| loss.field == Some(SwfField::RequestedTime)).count();
    if unlimited > 0 {
        scenario.notes.push(format!("{} cannot be read", counted(unlimited, "time limit")));
    }
    scenario.notes.push("partitions, memory and other demands of jobs are not looked at".to_owned());
    Ok(scenario)
}

/// What a command of Slurm prints. Formats and filters in the environment are ignored; times are those of UTC.
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
