//! The scheduling pass: what a local policy can read and do.

use super::free::{FreeTime, Look};
use super::profiles::{Amounts, Profiles};
use super::queue::{LocalQueue, QueuedJob};
use super::state::LocalJob;
use crate::SimError;
use sched_model::{JobId, Profile, Span, Time};
use std::collections::BTreeSet;

/// The order in which the queue of a cluster is served: the trait that a local policy implements.
///
/// [`pass`](Self::pass) is called once at each instant at which a job came, ended or was promised to start,
/// after all that happens at that instant. Whatever a policy does through [`Pass`], no CPU is given twice:
/// what is held by running jobs, advance reservations or promises is not free.
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
///             let mut order: Vec<usize> = (0..pass.queue().len()).collect();
///             order.sort_by_key(|&at| pass.queue()[at].job.cpus);
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
/// Jobs are named by their place in [`queue`](Self::queue). A job that starts leaves the queue, and the jobs
/// after it move up by one place.
#[derive(Debug)]
pub struct Pass<'a> {
    pub(super) now: Time,
    free: &'a mut FreeTime,
    queue: &'a mut LocalQueue,
    freed: bool,
    pub(super) started: Vec<QueuedJob>,
    /// Jobs whose start plus requested time rounds to the start.
    pub(super) untimed: BTreeSet<JobId>,
    /// The space that is free from now on, if nothing has changed since it was looked for.
    space_now: Option<Space>,
    /// A job and the earliest start that it can have, with the position in the record of freed time at which
    /// that was found.
    best: Option<(JobId, Time, Look)>,
}

impl<'a> Pass<'a> {
    pub(super) fn new(now: Time, free: &'a mut FreeTime, queue: &'a mut LocalQueue, freed: bool) -> Self {
        let (started, untimed) = (Vec::new(), BTreeSet::new());
        Self { now, free, queue, freed, started, untimed, space_now: None, best: None }
    }

    /// The present.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The jobs that wait, in order of arrival.
    pub fn queue(&self) -> &LocalQueue {
        self.queue
    }

    /// CPUs that are free over time, given what runs, what is reserved and what is promised.
    pub fn profile(&self) -> &Profile {
        &self.free.profiles.cpus
    }

    /// The earliest start that a waiting job is promised.
    pub(super) fn next_promise(&self) -> Option<Time> {
        self.queue.next_promise()
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
    /// If there is no job at `index`, as indexing does; so do the methods below.
    pub fn earliest(&self, index: usize) -> Option<Time> {
        self.free.earliest_of(&self.queue[index], self.now)
    }

    /// The first job, from a place on, that is promised no start, or a start that is not after the present.
    /// All other jobs wait for their promised start. With q jobs waiting in chunks of b = 256: O(q / b + b).
    pub(super) fn next_due(&self, from: usize) -> Option<usize> {
        self.queue.first_due(from, self.now)
    }

    /// The first job, from a place on, that is promised no start, or a start that is not after the present,
    /// or a later start than it could have; with the [earliest](Self::earliest) start of that job. One
    /// search for each job, except: a job that an earlier call passed over, or that was promised the start
    /// returned here, is searched for again only if time for a job of its size may have become free since.
    pub(super) fn next_better(&mut self, from: usize) -> Option<(usize, Option<Time>)> {
        self.free.watch();
        let (now, free, look) = (self.now, &*self.free, self.free.look());
        let (index, start) = self.queue.find_from(from, |queued| {
            let start = match queued.promise {
                Some(promise) if promise > now => free.earliest_since(queued, promise, now),
                _ => free.earliest_of(queued, now),
            };
            if queued.promise != start || start.is_some_and(|start| start <= now) {
                return Some(start);
            }
            queued.looked = look;
            None
        })?;
        self.best = start.map(|start| (self.queue[index].job.id, start, look));
        Some((index, start))
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
        self.withdraw(index)?;
        let end = self.now + job.requested;
        if end <= self.now {
            self.untimed.insert(job.id);
            return Ok(false);
        }
        if !self.free.profiles.holds(job.amounts(), self.now, end) {
            if let Some(start) = promise {
                self.promise(index, start)?;
            }
            return Ok(false);
        }
        self.free.profiles.reserve(self.now, end, job.amounts())?;
        self.space_now = None;
        let queued = self.queue.remove(index);
        self.started.push(queued);
        Ok(true)
    }

    /// The first job, from a place on, that may start now; the jobs between do not fit. `None` if no job
    /// fits. A job that holds a promise always counts as one that may start.
    ///
    /// With q jobs waiting in chunks of b = 256, f on the front of each (no other job of the chunk is at most as great
    /// in both CPUs and time), and s steps down in the profile: O(f s q / b + b s), and O(b f) for each chunk that
    /// has lost a job of its front since the last search. Jobs for which only memory or GPUs are missing are passed one
    /// by one.
    pub fn next_that_fits(&mut self, from: usize) -> Option<usize> {
        if from >= self.queue.len() {
            return None;
        }
        let now = self.now;
        let profiles = &self.free.profiles;
        if profiles.cpus.free_at(now) == 0 && self.queue.promised() == 0 {
            return None; // the common case of a full machine
        }
        let space = &*self.space_now.get_or_insert_with(|| Space::new(now, profiles));
        let mut from = from;
        loop {
            let next = self.queue.first_that_fits(from, |(cpus, span)| space.holds(cpus, span))?;
            let QueuedJob { job, promise, .. } = self.queue[next];
            if promise.is_some() || space.holds_others(job.amounts(), job.requested) {
                return Some(next);
            }
            from = next + 1;
        }
    }

    /// Holds CPUs for a job from `start` on; its former promise is withdrawn. Nothing is held for a job whose
    /// start plus requested time rounds to the start, since CPUs may become free earlier than is known now; nor for
    /// one that leaves the queue after the pass.
    ///
    /// # Errors
    /// [`SimError::BadPlace`] if `start` is past or the CPUs are not free then. The job then has no promise.
    pub fn promise(&mut self, index: usize, start: Time) -> Result<(), SimError> {
        let QueuedJob { job, promise: before, .. } = self.queue[index];
        // No earlier start is possible then, and the time that the promise gives back does not allow one
        // either.
        let found = self.best.take().filter(|&(of, best, _)| (of, best) == (job.id, start));
        let best = found.is_some_and(|(.., look)| look.is(self.free.look()));
        self.space_now = None;
        if let Some(before) = before {
            self.free.profiles.release(before, before + job.requested, job.amounts())?;
        }
        let held = self.hold(&job, start);
        let is_held = matches!(held, Ok(true));
        if let Some(before) = before {
            let end = before + job.requested;
            let again = is_held && start <= before;
            self.free.note(if again { before.max(start + job.requested) } else { before }, end);
        }
        if is_held {
            let looked = if best { self.free.look() } else { Look::default() };
            self.queue.promise(index, start, looked);
        } else {
            self.queue.withdraw(index);
        }
        held.map(drop)
    }

    /// Takes what a job needs from `start` on. Returns whether the job can be timed then.
    fn hold(&mut self, job: &LocalJob, start: Time) -> Result<bool, SimError> {
        let bad =
            |why: String| SimError::BadPlace { who: "the local policy".into(), job: job.id, start, why };
        if start < self.now {
            return Err(bad(format!("it is already {}", self.now)));
        }
        let end = start + job.requested;
        if end <= start || self.untimed.contains(&job.id) {
            return Ok(false);
        }
        self.free.profiles.reserve(start, end, job.amounts()).map_err(|error| bad(error.to_string()))?;
        Ok(true)
    }

    /// Withdraws the promise of a job, if it has one.
    fn withdraw(&mut self, index: usize) -> Result<(), SimError> {
        if withdraw(index, self.queue, self.free)? {
            self.space_now = None;
        }
        Ok(())
    }
}

/// Gives back what is held for a waiting job. Returns whether anything was held.
pub(super) fn withdraw(index: usize, queue: &mut LocalQueue, free: &mut FreeTime) -> Result<bool, SimError> {
    let job = queue[index].job;
    let promise = queue.withdraw(index);
    if let Some(start) = promise {
        free.release(start, start + job.requested, job.amounts())?;
    }
    Ok(promise.is_some())
}

/// What is free from an instant on without a break: how much, and for how long.
#[derive(Debug)]
struct Space {
    now: Time,
    /// Of CPUs, memory and GPUs, as far as they are counted: the instants at which the least amount that is free
    /// since now falls, each with that amount. The first instant is now.
    drops: [Vec<(Time, u32)>; 3],
}

impl Space {
    fn new(now: Time, profiles: &Profiles) -> Self {
        let drops_of = |profile: Option<&Profile>| {
            let drops = |profile: &Profile| {
                std::iter::once((now, profile.free_at(now))).chain(profile.drops(now)).collect()
            };
            profile.map_or_else(Vec::new, drops)
        };
        let all = [Some(&profiles.cpus), profiles.memory.as_ref(), profiles.gpus.as_ref()];
        Self { now, drops: all.map(drops_of) }
    }

    /// Whether `cpus` CPUs are free for `span` from now on.
    fn holds(&self, cpus: u32, span: Span) -> bool {
        self.holds_of(0, cpus, span)
    }

    /// The same for memory and GPUs.
    fn holds_others(&self, amounts: Amounts, span: Span) -> bool {
        self.holds_of(1, amounts.memory, span) && self.holds_of(2, amounts.gpus, span)
    }

    fn holds_of(&self, which: usize, taken: u32, span: Span) -> bool {
        let end = self.now + span;
        // The present itself counts for any span, also if present plus span rounds to the present.
        let mut drops = self.drops[which].iter().take_while(|&&(at, _)| at < end || at == self.now);
        drops.all(|&(_, free)| taken <= free)
    }
}
