//! The scheduling pass: what a local policy can read and do.

use super::job::LocalJob;
use super::profiles::Profiles;
use super::queue::{LocalQueue, QueuedJob};
use crate::SimError;
use sched_model::{JobId, ModelError, Profile, Time};
use std::collections::BTreeSet;
use std::ops::Index;

/// The order in which the queue of a cluster is served: the trait that a local policy implements.
///
/// [`pass`](Self::pass) is called at each instant at which a job came, ended or was promised to start, after all that
/// happens at that instant; and again there where a job is refused, or one that takes no time has ended. Whatever a
/// policy does through [`Pass`], no CPU is given twice: what is held by running jobs, advance reservations or promises
/// is not free.
///
/// ```
/// use grid_sim::{LocalJob, LocalPolicy, Pass, Replay, SimError};
/// use sched_model::*;
///
/// /// Every job that fits starts, the narrowest first; no start is promised.
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
    /// Its name, for tables and messages.
    fn name(&self) -> &str;

    /// Starts the jobs that are to start now, and promises starts to others.
    ///
    /// # Errors
    /// The errors of the methods of [`Pass`], passed on.
    fn pass(&mut self, pass: &mut Pass<'_>) -> Result<(), SimError>;
}

/// One scheduling pass over the queue of a cluster at one instant.
///
/// Jobs are named by their place in the queue, in order of arrival: the first is `pass[0]`. A job that starts leaves
/// the queue, and the jobs after it move up by one place. With q jobs waiting in chunks of up to b = 256, one is read
/// in O(q / b).
#[derive(Debug)]
pub struct Pass<'a> {
    now: Time,
    profiles: &'a mut Profiles,
    queue: &'a mut LocalQueue,
    freed: bool,
    pub(super) started: Vec<QueuedJob>,
    /// Jobs whose start plus requested time rounds to the start.
    pub(super) untimed: BTreeSet<JobId>,
    /// The instants from now on at which fewer CPUs are free than at all before, each with their number, if nothing
    /// has changed since they were looked for. The first instant is now.
    drops: Option<Vec<(Time, u32)>>,
}

impl<'a> Pass<'a> {
    pub(super) fn new(now: Time, profiles: &'a mut Profiles, queue: &'a mut LocalQueue, freed: bool) -> Self {
        Self { now, profiles, queue, freed, started: Vec::new(), untimed: BTreeSet::new(), drops: None }
    }

    /// The present.
    pub fn now(&self) -> Time {
        self.now
    }

    /// How many jobs wait.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// CPUs that are free over time, given what runs, what is reserved and what is promised.
    pub fn profile(&self) -> &Profile {
        &self.profiles.cpus
    }

    /// Whether CPUs have been given back early since the last pass: if not, no promise can be moved to an
    /// earlier start.
    #[must_use]
    pub fn freed(&self) -> bool {
        self.freed
    }

    /// The earliest start of a job beside everything else that is held; if it holds a promise, the earliest
    /// start that it can have instead, no later than the promise.
    ///
    /// # Panics
    /// If no job waits at the place `index`, as a slice does, with a message that says how many wait; so do the methods
    /// below.
    pub fn earliest(&self, index: usize) -> Option<Time> {
        self.earliest_of(&self.queue[index])
    }

    fn earliest_of(&self, &QueuedJob { job, promise, .. }: &QueuedJob) -> Option<Time> {
        self.profiles.earliest_fit(job.amounts(), job.requested, self.now, promise)
    }

    /// The first job, from a place on, that starts now or is to be promised another start; and that start. A job that
    /// is promised a start could have an earlier one only if CPUs have been given back.
    pub(super) fn next_unsettled(&self, from: usize) -> Option<(usize, Option<Time>)> {
        let unsettled = |queued: &QueuedJob| {
            let stands = queued.promise.filter(|_| !self.freed);
            let start = stands.or_else(|| self.earliest_of(queued));
            let settled = start == queued.promise && start.is_none_or(|start| start > self.now);
            (!settled).then_some(start)
        };
        self.queue.first_due(from, (!self.freed).then_some(self.now), unsettled)
    }

    /// Starts a job if it fits from now on, and returns whether it fits.
    ///
    /// The CPUs of its own promise count as free. If it does not fit, the promise stays. A job whose present
    /// time plus requested time rounds to the present does not fit at all: it is refused and leaves the queue
    /// after the pass.
    ///
    /// # Errors
    /// [`SimError::Model`] if the profile of the cluster is wrong, which never happens.
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

    /// The first job, from a place on, that is promised no start and may start now. `None` if there is none.
    ///
    /// With q jobs waiting in chunks of b = 256, f on the front of each (no other job of the chunk is at most as great
    /// in both CPUs and time), and s steps down in the profile: O(f s q / b + b s), and O(b f) for each chunk that
    /// has lost a job of its front since the last search. Jobs for which only memory or GPUs are missing are passed one
    /// by one.
    pub fn next_that_fits(&mut self, from: usize) -> Option<usize> {
        let (now, profiles) = (self.now, &*self.profiles);
        let free = profiles.cpus.free_at(now);
        if free == 0 {
            return None; // the common case
        }
        let of_cpus = || std::iter::once((now, free)).chain(profiles.cpus.drops(now)).collect();
        let drops = &*self.drops.get_or_insert_with(of_cpus);
        let fits = |(cpus, span)| {
            // The present counts for any span, also if present plus span rounds to the present.
            let mut before = drops.iter().take_while(|&&(at, _)| at < now + span || at == now);
            before.all(|&(_, free)| cpus <= free)
        };
        let holds = |job: &LocalJob| profiles.holds(job.amounts(), now, now + job.requested);
        self.queue.first_that_fits(from, fits, holds)
    }

    /// Holds CPUs for a job from `start` on; its former promise is withdrawn. Nothing is held for a job whose
    /// start plus requested time rounds to the start, since CPUs may become free earlier than is known now; nor for
    /// one that leaves the queue after the pass.
    ///
    /// # Errors
    /// [`SimError::BadPlace`] if `start` is past or the CPUs are not free then. The job then has no promise.
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
    /// If there is no job at this place.
    fn index(&self, index: usize) -> &QueuedJob {
        &self.queue[index]
    }
}

/// Gives back what is held for a waiting job, if anything is.
pub(super) fn withdraw(
    index: usize,
    queue: &mut LocalQueue,
    profiles: &mut Profiles,
) -> Result<(), ModelError> {
    let job = queue[index].job;
    let held = queue.withdraw(index);
    held.map_or(Ok(()), |start| profiles.release(start, start + job.requested, job.amounts()))
}
