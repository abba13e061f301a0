//! How far a run is above lower bounds for every scheduler.

use super::Station;
use super::records::Records;
use super::workload::{grid_job, mean_speed};
use crate::error::CliError;
use econsched::grid_sim::{Ending, GridBounds, GridJob, JobRecord, lower_bounds, lower_bounds_unsplit};
use econsched::sched_model::{ExactSum, Machine, Time};

/// How a broker may place a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spread {
    /// All of its CPUs on one machine.
    OneMachine,
    /// On CPUs of several machines that start together.
    Any,
}

/// What the jobs that ran to their end have reached.
struct Reached {
    first: Option<Time>,
    last: Option<Time>,
    paid: ExactSum,
}

impl Reached {
    fn nothing() -> Self {
        Self { first: None, last: None, paid: ExactSum::new() }
    }

    fn add(&mut self, record: &JobRecord) {
        self.first = Some(self.first.map_or(record.submit, |first| first.min(record.submit)));
        self.last = self.last.max(record.end());
        self.paid.add(record.cost().get());
    }

    /// The bounds, and how far above them this is; nothing where no job ended.
    fn beside(&self, bounds: &GridBounds) -> Vec<(String, f64)> {
        let (Some(first), Some(last)) = (self.first, self.last) else { return Vec::new() };
        let mut figures = Vec::new();
        for (what, bound, reached) in [
            ("cost", bounds.cost.get(), self.paid.value()),
            ("makespan", bounds.makespan.get(), (last - first).get()),
        ] {
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
    let machines: Vec<Machine> = stations.iter().map(|station| station.machine).collect();
    let bounds = match spread {
        Spread::OneMachine => lower_bounds_unsplit(&machines, jobs),
        Spread::Any => lower_bounds(&machines, jobs),
    };
    let mut reached = Reached::nothing();
    done().for_each(|(record, _)| reached.add(record));
    reached.beside(&bounds)
}

/// The same for the queue of one machine.
///
/// # Errors
/// [`CliError::Usage`] for a job that the model does not take.
pub(super) fn of_queue(station: &Station, records: &Records) -> Result<Vec<(String, f64)>, CliError> {
    let Records::Queue(jobs, _) = records else { return Ok(Vec::new()) };
    let speed = mean_speed(std::slice::from_ref(station))?;
    jobs.iter().try_for_each(|job| grid_job(job, speed).map(drop))?;
    let mut reached = Reached::nothing();
    let done = records.iter().zip(jobs).filter(|(record, _)| record.ending == Ending::Done);
    let done = done.filter_map(|(record, job)| {
        reached.add(&record);
        grid_job(job, speed).ok()
    });
    let bounds = lower_bounds_unsplit(&[station.machine], done);
    Ok(reached.beside(&bounds))
}
