//! The scheduling pass: what a local policy can read and do.

use super::job::LocalJob;
use super::profiles::Profiles;
use super::queue::{LocalQueue, QueuedJob};
use crate::SimError;
use sched_model::{JobId, ModelError, Profile, Time};
use std::collections::BTreeSet;
use std::ops::Index;

/// The trait of local policies: the order in which the queue of a cluster is served.
///
/// [`pass`](Self::pass) is called at each instant at which a job arrives, ends or reaches the end of its requested
/// time, CPUs fail or come back, or a promised start is reached, after everything else that happens to the cluster at
/// that instant. It is called once more at the same instant if a job is refused, a job of no length has ended, or a
/// job was promised that instant and is not started; if it then starts no job, the run ends with
/// [`SimError::BadPlace`].
/// Whatever a policy does through [`Pass`], no CPU is given twice: CPUs held by running jobs, advance reservations or
/// promises are not free.
///
/// ```
/// use grid_sim::{LocalJob, LocalPolicy, Pass, Replay, SimError};
/// use sched_model::*;
///
/// /// Starts every job that fits, the narrowest first; promises no start.
/// #[derive(Debug)]
/// struct NarrowestFirst;
/// impl LocalPolicy for NarrowestFirst {
///     fn name(&self) -> &str { "narrowest first" }
///     fn pass(&mut self, pass: &mut Pass<'_>) -> Result<(), SimError> {
///         loop {
///             let mut order: Vec<usize> = (0..pass.waiting()).collect();
///             order.sort_by_key(|&at| pass[at].job.cpus);
///             let mut started = false;
///             for at in order {
///                 if pass.start(at)? { started = true; break; }
///             }
///             if !started { return Ok(()); }
///         }
///     }
/// }
///
/// let machine = Machine::new(MachineId(0), 4, Speed::ETALON, Price::must(0.0))?;
/// let job = |id, cpus| LocalJob::new(JobId(id), Time::ZERO, cpus, Span::must(10.0), Span::must(10.0));
/// let jobs = [job(1, 4)?, job(2, 1)?];
/// let run = Replay::new(&machine, Box::new(NarrowestFirst)).run(&jobs, &mut Limit::none().meter())?;
/// let starts: Vec<f64> = run.records.iter().filter_map(|r| r.start).map(Time::get).collect();
/// assert_eq!(starts, [10.0, 0.0]);
/// # Ok::<(), SimError>(())
/// ```
pub trait LocalPolicy: Send + Sync + std::fmt::Debug {
    /// Its name, as shown in tables and messages.
    fn name(&self) -> &str;

    /// Starts the jobs that are to start now, and promises starts to others.
    ///
    /// # Errors
    /// The errors of the methods of [`Pass`], passed on.
    fn pass(&mut self, pass: &mut Pass<'_>) -> Result<(), SimError>;
}

/// One scheduling pass over the queue of a cluster at one instant.
///
/// Jobs are addressed by their index in the queue, in order of arrival: the first is `pass[0]`. A job that starts
/// leaves the queue, and the jobs after it move up by one. With q jobs waiting in chunks of up to b = 256, a job is
/// read in O(q / b).
#[derive(Debug)]
pub struct Pass<'a> {
    now: Time,
    profiles: &'a mut Profiles,
    queue: &'a mut LocalQueue,
    freed: bool,
    pub(super) started: Vec<QueuedJob>,
    /// Jobs for which start plus requested time rounds to the start.
    pub(super) untimed: BTreeSet<JobId>,
    /// The instants from now on at which the number of free CPUs falls below all numbers before, with that number;
    /// the first instant is now. `None` before the first search and after each change.
    drops: Option<Vec<(Time, u32)>>,
}

impl<'a> Pass<'a> {
    pub(super) fn new(now: Time, profiles: &'a mut Profiles, queue: &'a mut LocalQueue, freed: bool) -> Self {
        Self { now, profiles, queue, freed, started: Vec::new(), untimed: BTreeSet::new(), drops: None }
    }

    /// Returns the present.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Returns the number of waiting jobs.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Returns the number of free CPUs over time, given what is running, reserved and promised.
    pub fn profile(&self) -> &Profile {
        &self.profiles.cpus
    }

    /// Whether CPUs have been given back early since the last pass: if not, no promise can be moved to an earlier
    /// start.
    #[must_use]
    pub fn freed(&self) -> bool {
        self.freed
    }

    /// Returns the earliest start of a job beside everything else that is held; for a job with a promise, the
    /// earliest start that it can have instead, which is no later than the promise.
    ///
    /// # Panics
    /// If there is no job at `index`, as for a slice, with a message that says how many wait; so do the methods
    /// below.
    pub fn earliest(&self, index: usize) -> Option<Time> {
        self.earliest_of(&self.queue[index])
    }

    fn earliest_of(&self, &QueuedJob { job, promise, .. }: &QueuedJob) -> Option<Time> {
        self.profiles.earliest_fit(job.amounts(), job.requested, self.now, promise)
    }

    /// Returns the first job at or after `from` that can start now or is to be promised another start, with that
    /// start. A job with a promise can have an earlier start only if CPUs have been given back.
    pub(super) fn next_unsettled(&self, from: usize) -> Option<(usize, Option<Time>)> {
        let unsettled = |queued: &QueuedJob| {
            let stands = queued.promise.filter(|_| !self.freed);
            let start = stands.or_else(|| self.earliest_of(queued));
            let settled = start == queued.promise && start.is_none_or(|start| start > self.now);
            (!settled).then_some(start)
        };
        self.queue.first_due(from, (!self.freed).then_some(self.now), unsettled)
    }

    /// Starts the job at `index` if it fits from now on, and returns whether it did.
    ///
    /// The CPUs held for its own promise count as free. If the job does not fit, it keeps its promise. A job for
    /// which the present plus the requested time rounds to the present never fits: it is refused and leaves the queue
    /// after the pass.
    ///
    /// # Errors
    /// [`SimError::Model`] if the profile of the cluster is inconsistent, which never happens.
    pub fn start(&mut self, index: usize) -> Result<bool, SimError> {
        let QueuedJob { job, promise, .. } = self.queue[index];
        if promise.is_none() && self.profile().free_at(self.now) < job.cpus {
            return Ok(false); // the common case of a full machine, without a search
        }
        withdraw(index, self.queue, self.profiles)?;
        self.drops = None;
        let end = self.now + job.requested;
        if end <= self.now {
            self.untimed.insert(job.id);
            return Ok(false);
        }
        if !self.profiles.holds(job.amounts(), self.now, end) {
            if let Some(start) = promise {
                self.promise(index, start)?;
            }
            return Ok(false);
        }
        self.profiles.reserve(self.now, end, job.amounts())?;
        self.started.push(self.queue.remove(index));
        Ok(true)
    }

    /// Returns the index of the first job at or after `from` that has no promise and can start now; `None` if there
    /// is none.
    ///
    /// With q jobs waiting in chunks of b = 256, at most f jobs on the front of each chunk (those for which no other
    /// job of the chunk requests at most as many CPUs for at most as long), and s drops in the number of free CPUs:
    /// O(f s q / b + b s), and O(b f) for each chunk that has lost a job of its front since the last search. Jobs
    /// that lack only memory or GPUs are skipped one by one.
    pub fn next_that_fits(&mut self, from: usize) -> Option<usize> {
        let (now, profiles) = (self.now, &*self.profiles);
        let free = profiles.cpus.free_at(now);
        if free == 0 {
            return None; // the common case
        }
        let of_cpus = || std::iter::once((now, free)).chain(profiles.cpus.drops(now)).collect();
        let drops = &*self.drops.get_or_insert_with(of_cpus);
        let fits = |(cpus, span)| {
            // The present counts for any span, even if present plus span rounds to the present.
            let mut before = drops.iter().take_while(|&&(at, _)| at < now + span || at == now);
            before.all(|&(_, free)| cpus <= free)
        };
        let holds = |job: &LocalJob| profiles.holds(job.amounts(), now, now + job.requested);
        self.queue.first_that_fits(from, fits, holds)
    }

    /// Promises `start` to the job at `index` and holds CPUs for it; its former promise is withdrawn. Nothing is held
    /// for a job for which start plus requested time rounds to the start, since CPUs may become free earlier than is
    /// known now; nor for a job that will leave the queue after the pass.
    ///
    /// # Errors
    /// [`SimError::BadPlace`] if `start` is in the past or the CPUs are not free then. The job then has no promise.
    pub fn promise(&mut self, index: usize, start: Time) -> Result<(), SimError> {
        withdraw(index, self.queue, self.profiles)?;
        self.drops = None;
        let job = self.queue[index].job;
        let bad =
            |why: String| SimError::BadPlace { who: "the local policy".into(), job: job.id, start, why };
        if start < self.now {
            return Err(bad(format!("it is already {}", self.now)));
        }
        let end = start + job.requested;
        if start < end && !self.untimed.contains(&job.id) {
            self.profiles.reserve(start, end, job.amounts()).map_err(|error| bad(error.to_string()))?;
            self.queue.promise(index, start);
        }
        Ok(())
    }
}

impl Index<usize> for Pass<'_> {
    type Output = QueuedJob;

    /// # Panics
    /// If there is no job at `index`.
    fn index(&self, index: usize) -> &QueuedJob {
        &self.queue[index]
    }
}

/// Releases what is held for a waiting job, if anything is.
pub(super) fn withdraw(
    index: usize,
    queue: &mut LocalQueue,
    profiles: &mut Profiles,
) -> Result<(), ModelError> {
    let job = queue[index].job;
    let held = queue.withdraw(index);
    held.map_or(Ok(()), |start| profiles.release(start, start + job.requested, job.amounts()))
}
