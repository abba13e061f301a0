//! Checkpoints of a long simulation of one machine, kept in a file of the same format as a part of divided work. Each
//! checkpoint is a frame with the jobs that have left since the one before, and the state between two events; a run
//! continues from the last complete one.

use super::SimulateArgs;
use super::report::{Outcomes, Records};
use crate::commands::prelude::*;
use crate::work::{FrameFile, checksum, frame, head};
use econsched::grid_sim::{JobRecord, LocalJob, PolicyKind, Replay, ReplayState, internal::JobPlaces};
use flate2::CrcWriter;
use std::io;

/// A checkpoint: the jobs that left since the one before, the units of work spent, and the state of the run.
type Checkpoint = (Vec<JobRecord>, u64, ReplayState);

/// Returns the head of the file, with everything that the results depend on: the scheduler, the machine and the jobs.
/// The log and the flags have an effect only through these.
fn head_of(machine: &Machine, policy: PolicyKind, jobs: &[LocalJob]) -> Result<Vec<u8>, CliError> {
    let mut sum = CrcWriter::new(io::sink());
    serde_json::to_writer(&mut sum, jobs)?;
    Ok(head("queue", &[policy.to_string(), serde_json::to_string(machine)?, checksum(sum.crc())]))
}

/// Runs the jobs through the machine, with checkpoints from the last one on if there is one. Returns the records, the
/// number of events, and why the run stopped before its end, if it did.
///
/// # Errors
/// [`CliError::Wrong`] for a checkpoint that is damaged or of other work, for jobs that cannot be served, and if a
/// checkpoint cannot be written.
pub(super) fn replay(
    args: &SimulateArgs,
    machine: &Machine,
    policy: PolicyKind,
    jobs: Vec<LocalJob>,
    meter: &mut Meter,
) -> Result<(Records, u64, Option<End>), CliError> {
    let wrong = args.blame();
    let places = JobPlaces::of(&jobs).map_err(&wrong)?;
    let mut outcomes = Outcomes::of(jobs.len());
    let mut keep = |record: &JobRecord| places.of_job(&jobs, record.id).map(|at| outcomes.keep(at, record));
    let mut run = Replay::new(machine, policy.build());
    let (mut keeping, mut taken) = (None, 0);
    if let Some(place) = &args.checkpoint {
        let mut last = None;
        let file = FrameFile::open(place, &head_of(machine, policy, &jobs)?, |(.., record)| {
            let Ok((left, units, state)) = serde_json::from_slice::<Checkpoint>(&record) else {
                return false;
            };
            let fits = left.iter().all(|record| keep(record).is_some());
            last = fits.then_some((units, state)).or(last.take());
            fits
        })?;
        if let Some((units, state)) = last {
            let resumed = Replay::resume(&state, policy.build());
            run = resumed.map_err(|error| CliError::input(place.as_path(), error))?;
            // The work of earlier runs counts, so that a limit of work ends the run at the same event. If the limit
            // is reached already, the first event reports it.
            let _ = meter.spend(units);
            taken = usize::try_from(state.taken).unwrap_or(usize::MAX);
        }
        keeping = Some(file);
    }
    let mut stream = JobPlaces::in_turn(&jobs).skip(taken);
    let end = loop {
        let mut left = Vec::new();
        let mut hand = |record: JobRecord, _promise| {
            keep(&record);
            left.extend(keeping.is_some().then_some(record));
        };
        let end = run.advance(args.checkpoint_every, &mut stream, meter, &mut hand).map_err(&wrong)?;
        if let Some(file) = &mut keeping
            && let Some(state) = run.state()
        {
            let kept: Checkpoint = (left, meter.work(), state);
            file.add(&frame(0, run.events(), &serde_json::to_vec(&kept)?))?;
        }
        if let Some(end) = end {
            break end;
        }
    };
    let events = run.events();
    run.finish(stream, |record, _promise| _ = keep(&record));
    let stopped = (end != End::Done).then_some(end);
    Ok((Records::Queue(jobs, outcomes), events, stopped))
}
