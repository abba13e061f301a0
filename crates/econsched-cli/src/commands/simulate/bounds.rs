//! How far a run is above lower bounds for every scheduler.

use super::Station;
use super::records::Records;
use super::workload::{grid_job, mean_speed};
use crate::error::CliError;
use econsched::grid_sim::{Ending, GridJob, JobRecord, lower_bounds, lower_bounds_unsplit};
use econsched::sched_model::{ExactSum, Machine};
use std::borrow::Borrow;

/// How a broker may place a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spread {
    /// All of its CPUs on one machine.
    OneMachine,
    /// On CPUs of several machines that start together.
    Any,
}

/// Lower bounds on the cost and the makespan of the jobs that ran to their end, and how far above them the
/// run is. Nothing where no job did.
fn above<J: Borrow<GridJob>>(
    machines: &[Machine],
    jobs: impl Iterator<Item = (impl Borrow<JobRecord>, J)>,
    spread: Spread,
) -> Vec<(String, f64)> {
    let (mut first, mut last, mut paid) = (None, None, ExactSum::new());
    let done = jobs.filter(|(record, _)| record.borrow().ending == Ending::Done).map(|(record, job)| {
        let record = record.borrow();
        first = Some(first.map_or(record.submit, |first| record.submit.min(first)));
        last = last.max(record.end());
        paid.add(record.cost().get());
        job
    });
    let bounds = match spread {
        Spread::OneMachine => lower_bounds_unsplit(machines, done),
        Spread::Any => lower_bounds(machines, done),
    };
    let (Some(first), Some(last)) = (first, last) else { return Vec::new() };
    let mut figures = Vec::new();
    for (what, bound, reached) in
        [("cost", bounds.cost.get(), paid.value()), ("makespan", bounds.makespan.get(), (last - first).get())]
    {
        figures.push((format!("lower bound of the {what}"), bound));
        if bound > 0.0 {
            let above = 100.0 * (reached / bound - 1.0);
            // The bound is a sum of rounded terms: the last bits tell nothing.
            let above = if above.abs() < 1e-9 { 0.0 } else { above };
            figures.push((format!("{what} above its bound, %"), above));
        }
    }
    figures
}

/// The bounds of a broker, and how far above them it is.
pub(super) fn of_broker(
    stations: &[Station],
    jobs: &[GridJob],
    records: &[JobRecord],
    spread: Spread,
) -> Vec<(String, f64)> {
    let machines: Vec<Machine> = stations.iter().map(|station| station.machine).collect();
    above(&machines, records.iter().zip(jobs), spread)
}

/// The same for the queue of one machine.
///
/// # Errors
/// [`CliError::Usage`] for a job that the model does not take.
pub(super) fn of_queue(station: &Station, records: &Records) -> Result<Vec<(String, f64)>, CliError> {
    let Records::Queue(jobs, _) = records else { return Ok(Vec::new()) };
    let speed = mean_speed(std::slice::from_ref(station))?;
    jobs.iter().try_for_each(|job| grid_job(job, speed).map(drop))?;
    let jobs =
        records.iter().zip(jobs).filter_map(|(record, job)| Some((record, grid_job(job, speed).ok()?)));
    Ok(above(&[station.machine], jobs, Spread::OneMachine))
}
