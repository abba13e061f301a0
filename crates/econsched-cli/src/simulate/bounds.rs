//! How far a run is from what no scheduler can go below.

use super::Station;
use super::workload::Jobs;
use crate::error::CliError;
use econsched::grid_sim::{Ending, GridJob, JobRecord, LocalJob, lower_bounds, lower_bounds_unsplit};
use econsched::sched_model::{ExactSum, Machine};

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
pub(super) fn of_broker(
    stations: &[Station],
    jobs: &[GridJob],
    records: &[JobRecord],
    spread: Spread,
) -> Vec<(String, f64)> {
    let done = || records.iter().zip(jobs).filter(|(record, _)| record.ending == Ending::Done);
    let jobs = done().map(|(_, job)| job);
    let first = done().map(|(record, _)| record.submit).min();
    let last = done().filter_map(|(record, _)| record.end()).max();
    let (Some(first), Some(last)) = (first, last) else { return Vec::new() };
    let machines: Vec<Machine> = stations.iter().map(|station| station.machine).collect();
    let bounds = match spread {
        Spread::OneMachine => lower_bounds_unsplit(&machines, jobs),
        Spread::Any => lower_bounds(&machines, jobs),
    };
    let mut paid = ExactSum::new();
    done().for_each(|(record, _)| paid.add(record.cost().get()));
    let mut figures = Vec::new();
    for (what, bound, reached) in
        [("cost", bounds.cost.get(), paid.value()), ("makespan", bounds.makespan.get(), (last - first).get())]
    {
        figures.push((format!("lower bound of the {what}"), bound));
        if bound > 0.0 {
            let above = 100.0 * (reached / bound - 1.0);
            // The bound is a sum of rounded terms: the last bits tell nothing.
            figures
                .push((format!("{what} above its bound, %"), if above.abs() < 1e-9 { 0.0 } else { above }));
        }
    }
    figures
}

/// The same for the queue of one machine.
///
/// # Errors
/// [`CliError::Usage`] for a job that the model does not take.
pub(super) fn of_queue(
    station: &Station,
    jobs: &[LocalJob],
    records: &[JobRecord],
) -> Result<Vec<(String, f64)>, CliError> {
    let stations = std::slice::from_ref(station);
    let jobs = Jobs::Local(jobs.to_vec()).for_broker(stations)?;
    Ok(of_broker(stations, &jobs, records, Spread::OneMachine))
}
