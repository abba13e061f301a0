//! Lists of local jobs and their records, looked up by identifier.

use crate::SimError;
use crate::cluster::LocalJob;
use crate::error::check_count;
use crate::report::JobRecord;
use sched_model::{JobId, Time};

/// The record of a job, and the first start that it was promised.
pub(crate) type Recorded = (JobRecord, Option<Time>);

/// The index of each job of a list, looked up by identifier.
#[derive(Debug)]
pub struct JobPlaces {
    /// Indices into the list, in ascending order of the jobs' identifiers.
    by_id: Vec<u32>,
}

impl JobPlaces {
    /// Indexes these jobs.
    ///
    /// # Errors
    /// [`SimError::TooMany`], [`SimError::RepeatedJob`].
    pub fn of(jobs: &[LocalJob]) -> Result<Self, SimError> {
        check_count("local jobs", jobs.len())?;
        let id = |at: u32| jobs[at as usize].id;
        let by_id = places_by(jobs, |job| job.id);
        match by_id.windows(2).find(|pair| id(pair[0]) == id(pair[1])) {
            Some(twins) => Err(SimError::RepeatedJob { job: id(twins[0]) }),
            None => Ok(Self { by_id }),
        }
    }

    /// Returns the index of the job with this identifier, where `jobs` is the list that was indexed. O(log n) for n
    /// jobs.
    #[must_use]
    pub fn of_job(&self, jobs: &[LocalJob], id: JobId) -> Option<usize> {
        let found = self.by_id.binary_search_by_key(&id, |&at| jobs[at as usize].id).ok()?;
        Some(self.by_id[found] as usize)
    }

    /// Returns the jobs in order of submission; those of one instant in the order of the list.
    pub fn in_turn(jobs: &[LocalJob]) -> impl Iterator<Item = LocalJob> + '_ {
        places_by(jobs, |job| job.submit).into_iter().map(|at| jobs[at as usize])
    }
}

/// A list of jobs with the record of each.
#[derive(Debug)]
pub(crate) struct JobList<'a> {
    jobs: &'a [LocalJob],
    places: JobPlaces,
    /// In the order of the list.
    pub(crate) records: Vec<JobRecord>,
    /// The first start that each job was promised, in the order of the list.
    pub(crate) promises: Vec<Option<Time>>,
}

impl<'a> JobList<'a> {
    /// Creates the records of jobs that have not arrived yet.
    ///
    /// # Errors
    /// [`SimError::TooMany`], [`SimError::RepeatedJob`].
    pub(crate) fn new(jobs: &'a [LocalJob]) -> Result<Self, SimError> {
        let places = JobPlaces::of(jobs)?;
        let (records, promises) = (jobs.iter().map(JobRecord::from).collect(), vec![None; jobs.len()]);
        Ok(Self { jobs, places, records, promises })
    }

    /// Stores the record and the promise of a job of the list. O(log n) for n jobs.
    pub(crate) fn put(&mut self, (record, promise): Recorded) {
        if let Some(at) = self.places.of_job(self.jobs, record.id) {
            (self.records[at], self.promises[at]) = (record, promise);
        }
    }
}

/// Returns the indices of the jobs in ascending order of `key`, ties in the order of the list. There are at most
/// `MOST_JOBS` jobs, so indices fit into `u32`.
fn places_by<K: Ord>(jobs: &[LocalJob], key: impl Fn(&LocalJob) -> K) -> Vec<u32> {
    let mut places: Vec<u32> = (0..u32::try_from(jobs.len()).unwrap_or(u32::MAX)).collect();
    places.sort_by_key(|&at| key(&jobs[at as usize]));
    places
}
