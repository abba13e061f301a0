//! The queue of one machine.

use super::checkpoint::replay;
use super::{Run, SimulateArgs, Station, bounds};
use crate::error::CliError;
use crate::output::terminal::counted;
use econsched::grid_sim::{LocalJob, PolicyKind, SimError};
use econsched::sched_model::Meter;

/// Runs the jobs of a log through the one machine that there is.
///
/// # Errors
/// [`CliError::Usage`] for flags that a queue does not take, and what `wrong` makes of an error of the
/// simulation.
pub(super) fn simulate(
    args: &SimulateArgs,
    policy: PolicyKind,
    seed: u64,
    (stations, jobs): (&[Station], Vec<LocalJob>),
    meter: &mut Meter,
    wrong: impl Fn(SimError) -> CliError,
) -> Result<Run, CliError> {
    let [station] = stations else {
        let machines = counted(stations.len(), "machine");
        let message = format!("--scheduler {policy} serves one machine, the testbed has {machines}");
        return Err(CliError::usage(message));
    };
    if args.local_jobs > 0 {
        let message = format!("--local-jobs is for brokers; {policy} serves local jobs only");
        return Err(CliError::usage(message));
    }
    let checkpoints = args.checkpoints();
    let (records, events, stopped) = replay(checkpoints.as_ref(), station, policy, jobs, meter, wrong)?;
    let report = records.report(&station.machine);
    let more = bounds::of_queue(station, &records)?;
    Ok(Run { seed, records, report, more, events, stopped })
}
