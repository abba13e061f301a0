//! The job pool: jobs that have not come yet, and jobs that wait.

use super::super::inputs::GridUser;
use econsched::grid_sim::{MOST_JOBS, SimError};
use econsched::sched_model::{Job, JobId, Time, UserId};
use std::collections::{BTreeMap, BTreeSet};

/// An error for more than [`MOST_JOBS`].
pub(super) fn check_count(what: &'static str, given: usize) -> Result<(), SimError> {
    if given > MOST_JOBS { Err(SimError::TooMany { what, most: MOST_JOBS, given }) } else { Ok(()) }
}

/// The job pool. Jobs and their owners are named by their places in the lists given.
pub(super) struct Pool<'a> {
    pub(super) jobs: &'a [Job],
    /// Owner of each job.
    pub(super) owners: Vec<usize>,
    /// Jobs in order of submission; those before `arrived` have come.
    order: Vec<usize>,
    arrived: usize,
    /// Jobs that wait, in order of submission.
    pub(super) waiting: Vec<usize>,
    /// Jobs that were cancelled between their submission and the slice in which they would have come.
    cancelled: BTreeSet<usize>,
}

impl<'a> Pool<'a> {
    pub(super) fn new(jobs: &'a [Job], users: &[GridUser]) -> Result<Self, SimError> {
        check_count("jobs", jobs.len())?;
        let by_id: BTreeMap<UserId, usize> =
            users.iter().enumerate().map(|(at, user)| (user.user.id, at)).collect();
        let mut owners = Vec::with_capacity(jobs.len());
        let mut seen: BTreeSet<JobId> = BTreeSet::new();
        for job in jobs {
            if !seen.insert(job.id) {
                return Err(SimError::RepeatedJob { job: job.id });
            }
            let owner = by_id.get(&job.user).copied();
            owners.push(owner.ok_or(SimError::UnknownUser { job: job.id, user: job.user })?);
        }
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        order.sort_by_key(|&at| (jobs[at].submit, at));
        Ok(Self { jobs, owners, order, arrived: 0, waiting: Vec::new(), cancelled: BTreeSet::new() })
    }

    /// When the next job comes.
    pub(super) fn next_arrival(&self) -> Option<Time> {
        self.order.get(self.arrived).map(|&job| self.jobs[job].submit)
    }

    /// The next job that has come by now; it does not wait yet.
    pub(super) fn take_arrived(&mut self, now: Time) -> Option<usize> {
        let job = self.order.get(self.arrived).copied().filter(|&job| self.jobs[job].submit <= now)?;
        self.arrived += 1;
        Some(job)
    }

    /// The job is withdrawn. True if it waited; if it has not come yet it will not wait when it comes.
    pub(super) fn cancel(&mut self, job: usize) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|&waiting| waiting != job);
        let waited = self.waiting.len() < before;
        if !waited {
            self.cancelled.insert(job);
        }
        waited
    }

    /// Whether the job was withdrawn before it came.
    pub(super) fn is_cancelled(&self, job: usize) -> bool {
        self.cancelled.contains(&job)
    }

    /// The job waits, behind those that were submitted before it.
    pub(super) fn wait(&mut self, job: usize) {
        let order = |at: usize| (self.jobs[at].submit, at);
        let place = self.waiting.partition_point(|&at| order(at) < order(job));
        self.waiting.insert(place, job);
    }

    /// These jobs, in ascending order, wait no longer.
    pub(super) fn remove(&mut self, gone: &[usize]) {
        self.waiting.retain(|job| gone.binary_search(job).is_err());
    }

    /// The jobs of this user wait no longer.
    pub(super) fn remove_user(&mut self, user: usize) -> Vec<usize> {
        let (gone, waiting) = self.waiting.iter().partition(|&&job| self.owners[job] == user);
        self.waiting = waiting;
        gone
    }
}
