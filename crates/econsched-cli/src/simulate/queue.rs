//! The queue of one machine.

use super::records::{Outcomes, Places, Records};
use super::{Run, SimulateArgs, Station, bounds};
use crate::error::CliError;
use crate::terminal::counted;
use econsched::grid_sim::{JobRecord, LocalJob, Overrun, PolicyKind, SimError, replay_stream};
use econsched::sched_model::{End, Meter};

/// The queue after its jobs.
pub(super) struct Ran {
    pub(super) records: Records,
    pub(super) events: u64,
    /// What stopped it before its end, if anything did.
    pub(super) stopped: Option<End>,
}

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
    let Ran { records, events, stopped } = match args.checkpoints() {
        Some(checkpoints) => checkpoints.replay(station, policy, jobs, meter, wrong)?,
        None => replay(station, policy, jobs, meter, wrong)?,
    };
    let report = records.report(&station.machine);
    let more = bounds::of_queue(station, &records)?;
    Ok(Run { seed, records, report, more, events, stopped })
}

/// All jobs, in one go.
fn replay(
    station: &Station,
    policy: PolicyKind,
    jobs: Vec<LocalJob>,
    meter: &mut Meter,
    wrong: impl Fn(SimError) -> CliError,
) -> Result<Ran, CliError> {
    let places = Places::of(&jobs, &wrong)?;
    let mut outcomes = Outcomes::of(jobs.len());
    let keep = |record: JobRecord, _promise| {
        if let Some(at) = places.of_job(&jobs, record.id) {
            outcomes.keep(at, &jobs[at], record);
        }
    };
    let in_turn = places.in_turn(&jobs);
    let run = replay_stream(&station.machine, policy.build(), Overrun::default(), in_turn, meter, keep);
    let run = run.map_err(wrong)?;
    Ok(Ran { records: Records::Queue(jobs, outcomes), events: run.events, stopped: run.stopped })
}
