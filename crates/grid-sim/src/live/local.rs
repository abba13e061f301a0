//! Local jobs of machines beside the jobs of the grid: jobs of the same broker that run on one machine alone.

use super::LiveGrid;
use crate::SimError;
use crate::grid::GridJob;
use crate::report::JobRecord;
use sched_model::{JobId, ModelError};
use std::borrow::Cow;

/// The jobs of a grid and then the local ones of each machine.
pub(super) struct AllJobs<'a> {
    pub(super) jobs: Cow<'a, [GridJob]>,
    /// The number of jobs that are not local.
    pub(super) own: usize,
    /// For each local job the machine, and the id that the caller gave it.
    homes: Vec<(usize, JobId)>,
}

impl LiveGrid {
    /// All jobs. Local jobs get new ids, above those of all others.
    pub(super) fn all_jobs<'a>(&self, jobs: &'a [GridJob]) -> Result<AllJobs<'a>, SimError> {
        let own = jobs.len();
        let mut all = AllJobs { jobs: Cow::Borrowed(jobs), own, homes: Vec::new() };
        let mut last = jobs.iter().map(|job| job.job.id.0).max();
        for (&at, local) in &self.local {
            let Some((_, _, machine)) = self.machines.get(at) else {
                let (what, expected) = ("the machines with local jobs".to_owned(), self.machines.len());
                return Err(SimError::Length { what, expected, got: at.saturating_add(1) });
            };
            for job in local {
                let mut made = GridJob::of_local(job, machine.speed())?;
                let id = last.map_or(Some(0), |last| last.checked_add(1));
                let none = ModelError::UnknownId { what: "free identifier of a job", id: u64::MAX };
                made.job.id = JobId(id.ok_or(none)?);
                last = id;
                all.homes.push((at, job.id()));
                all.jobs.to_mut().push(made);
            }
        }
        Ok(all)
    }
}

impl AllJobs<'_> {
    /// The machine of a local job; `None` for the others.
    pub(super) fn home(&self, job: usize) -> Option<usize> {
        Some(self.homes.get(job.checked_sub(self.own)?)?.0)
    }

    /// The records of local jobs by machine, under their own ids.
    pub(super) fn by_machine(&self, records: Vec<JobRecord>, machines: usize) -> Vec<Vec<JobRecord>> {
        let mut local = vec![Vec::new(); machines];
        for (record, &(machine, id)) in records.into_iter().zip(&self.homes) {
            local[machine].push(JobRecord { id, ..record });
        }
        local
    }
}
