//! The scheduling pass: all that a local policy may see and do.

use super::LocalJob;
use super::waiting::Waiting;
use crate::SimError;
use sched_model::{JobId, Profile, Time};
use std::collections::BTreeSet;

/// A job in the queue of a cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueuedJob {
    /// The job.
    pub job: LocalJob,
    /// The start for which CPUs are held at present.
    pub promise: Option<Time>,
    /// The first start that was ever promised.
    pub(crate) first_promise: Option<Time>,
}

/// The order in which the queue of a cluster is served: the trait that a local policy implements.
///
/// [`pass`](Self::pass) is called once at each instant at which a job came, ended or was promised to start, after all
/// that happens at that instant. Whatever a policy does through [`Pass`], no CPU is given twice: neither running jobs
/// nor advance reservations nor promises can be trodden upon.
///
/// ```
/// use grid_sim::{LocalJob, LocalPolicy, Pass, Replay, SimError, replay};
/// use sched_model::*;
///
/// /// Whatever fits starts, the narrowest first; nobody is promised anything.
/// #[derive(Debug)]
/// struct NarrowestFirst;
/// impl LocalPolicy for NarrowestFirst {
///     fn name(&self) -> &str { "narrowest first" }
///     fn pass(&mut self, pass: &mut Pass<'_>) -> Result<(), SimError> {
///         loop {
///             let mut order: Vec<usize> = (0..pass.queue().len()).collect();
///             order.sort_by_key(|&at| pass.queue()[at].job.cpus());
///             let mut started = false;
///             for at in order {
///                 if pass.start(at)? { started = true; break; }
///             }
///             if !started { return Ok(()); }
///         }
///     }
/// }
///
/// let machine = Machine::new(MachineId(0), 4, Speed::ETALON, Price::ZERO)?;
/// let job = |id, cpus| LocalJob::new(JobId(id), Time::ZERO, cpus, Span::must(10.0), Span::must(10.0));
/// let run = replay(&machine, Box::new(NarrowestFirst), &[job(1, 4)?, job(2, 1)?], &Default::default())?;
/// let starts: Vec<f64> = run.records.iter().filter_map(|r| r.start).map(Time::get).collect();
/// assert_eq!(starts, [10.0, 0.0]);
/// # Ok::<(), SimError>(())
/// ```
pub trait LocalPolicy: Send + Sync + std::fmt::Debug {
    /// For tables and messages.
    fn name(&self) -> &str;

    /// Starts what shall start now, and promises what shall be promised.
    ///
    /// # Errors
    /// What the methods of [`Pass`] give; a policy passes them on.
    fn pass(&mut self, pass: &mut Pass<'_>) -> Result<(), SimError>;
}

/// One scheduling pass over the queue of a cluster at one instant.
///
/// Jobs are named by their place in [`queue`](Self::queue). A job that starts leaves it, and those behind move up.
#[derive(Debug)]
pub struct Pass<'a> {
    pub(super) now: Time,
    profile: &'a mut Profile,
    queue: &'a mut Waiting,
    freed: bool,
    pub(super) started: Vec<QueuedJob>,
    /// Jobs whose time vanishes in the rounding of the instant at which they would start.
    pub(super) untimed: BTreeSet<JobId>,
    /// CPUs that are free now, if nothing has changed since they were counted.
    free_now: Option<u32>,
}

impl<'a> Pass<'a> {
    pub(super) fn new(
        now: Time,
        profile: &'a mut Profile,
        queue: &'a mut Waiting,
        freed: bool,
        started: Vec<QueuedJob>,
    ) -> Self {
        Self { now, profile, queue, freed, started, untimed: BTreeSet::new(), free_now: None }
    }

    /// The present.
    #[must_use]
    pub fn now(&self) -> Time {
        self.now
    }

    /// The jobs that wait, in order of arrival.
    #[must_use]
    pub fn queue(&self) -> &[QueuedJob] {
        self.queue
    }

    /// CPUs that are free over time, given what runs, what is reserved and what is promised.
    pub fn profile(&self) -> &Profile {
        self.profile
    }

    /// The earliest start that a waiting job is promised. O(1) while one job is promised at most.
    #[must_use]
    pub fn next_promise(&self) -> Option<Time> {
        self.queue.next_promise()
    }

    /// Whether CPUs have been given back before their time since the last pass: if not, no promise can be brought
    /// forward.
    #[must_use]
    pub fn freed(&self) -> bool {
        self.freed
    }

    /// The earliest start of a job beside everything else that is held, its own promise included.
    ///
    /// # Panics
    /// If there is no job at `index`, as indexing does; so do the methods below.
    #[must_use]
    pub fn earliest(&self, index: usize) -> Option<Time> {
        let job = &self.queue[index].job;
        self.profile.earliest_fit(job.cpus(), job.requested(), self.now)
    }

    /// The earliest start of a job if it gave up its promise: no later than this. As [`earliest`](Self::earliest) if
    /// it has none.
    #[must_use]
    pub fn earliest_anew(&self, index: usize) -> Option<Time> {
        let QueuedJob { job, promise, .. } = &self.queue[index];
        // What it holds is free for it from its promise on, and at all times after an earlier start.
        promise.map_or_else(
            || self.earliest(index),
            |held| Some(self.profile.earliest_fit_until(job.cpus(), job.requested(), self.now, held)),
        )
    }

    /// Starts a job if it fits from now on; says whether it did.
    ///
    /// Its own promise makes room for it. If it does not fit, the promise stands. A job so short, at an instant so late,
    /// that the sum of both is that instant, does not fit at all: it leaves the queue after the pass, refused.
    ///
    /// # Errors
    /// [`SimError::Model`] never, as long as the cluster's books are right.
    pub fn start(&mut self, index: usize) -> Result<bool, SimError> {
        let QueuedJob { job, promise, .. } = self.queue[index];
        if promise.is_none() && self.free_now() < job.cpus() {
            return Ok(false); // the common case of a full machine, without a search
        }
        self.withdraw(index)?;
        let end = self.now + job.requested();
        if end <= self.now {
            self.untimed.insert(job.id());
            return Ok(false);
        }
        if self.profile.min_free(self.now, end) < job.cpus() {
            if let Some(start) = promise {
                self.promise(index, start)?;
            }
            return Ok(false);
        }
        self.profile.reserve(self.now, end, job.cpus())?;
        self.free_now = None;
        let queued = self.queue.remove(index);
        self.started.push(queued);
        Ok(true)
    }

    fn free_now(&mut self) -> u32 {
        *self.free_now.get_or_insert_with(|| self.profile.free_at(self.now))
    }

    /// Holds CPUs for a job from `start` on, in place of what was held for it before; as for [`start`](Self::start),
    /// nothing is held for a job too short for so late an instant, and it leaves the queue after the pass.
    ///
    /// # Errors
    /// [`SimError::BadPlace`] if `start` is past or the CPUs are not free then. The job is then promised nothing.
    pub fn promise(&mut self, index: usize, start: Time) -> Result<(), SimError> {
        self.withdraw(index)?;
        let job = self.queue[index].job;
        let bad =
            |why: String| SimError::BadPlace { who: "the local policy".into(), job: job.id(), start, why };
        if start < self.now {
            return Err(bad(format!("it is already {}", self.now)));
        }
        let end = start + job.requested();
        if end <= start {
            self.untimed.insert(job.id());
            return Ok(());
        }
        self.profile.reserve(start, end, job.cpus()).map_err(|error| bad(error.to_string()))?;
        self.free_now = None;
        self.queue.promise(index, start);
        Ok(())
    }

    /// Takes back what is held for a job; nothing happens if nothing is.
    ///
    /// # Errors
    /// As for [`start`](Self::start).
    pub fn withdraw(&mut self, index: usize) -> Result<(), SimError> {
        if self.queue.withdraw(index, self.profile)? {
            self.free_now = None;
        }
        Ok(())
    }

    /// The place of a job in the queue.
    #[must_use]
    pub fn position(&self, job: JobId) -> Option<usize> {
        self.queue.iter().position(|queued| queued.job.id() == job)
    }
}
