//! The running system: its state, and the effects of events.

use super::failures::Failures;
use super::gis::{Component, Gis};
use super::ledger::Ledger;
use super::{Config, MultiSGrid, Pool, Schedulers, SystemOutcome};
use econsched::grid_sim::internal::EventQueue;
use econsched::grid_sim::{Ending, LogEvent, SimError};
use econsched::sched_model::{Job, Meter, Refusal, Time};
use std::collections::BTreeSet;

/// An event. Jobs, users and failing components are given by their indices.
#[derive(Debug, Clone, Copy)]
pub(super) enum Event {
    /// A job ends; the second number is that of its assignment.
    End(usize, usize),
    Fail(usize),
    Repair(usize),
    Leave(usize),
    Cancel(usize),
    Slice(u32),
}

// Classes of events: the order of service at one instant, smaller first.
pub(super) const END: u8 = 0;
const FAILURE: u8 = 1;
const SLICE: u8 = 2;

/// A run: its configuration and schedulers, and its four parts (information system, pool, ledger, failures).
pub(super) struct System<'a, 's> {
    pub(super) config: &'a Config,
    pub(super) schedulers: Schedulers<'s>,
    pub(super) gis: Gis<'a>,
    pub(super) pool: Pool<'a>,
    pub(super) ledger: Ledger<'a>,
    failures: Failures,
    /// Users who have left for ever.
    gone: BTreeSet<usize>,
    /// Jobs that were withdrawn before the slice in which they arrive, or after they had left.
    withdrawn: BTreeSet<usize>,
    pub(super) queue: EventQueue<Event>,
    /// When the last event was served.
    end: Time,
}

impl<'a, 's> System<'a, 's> {
    /// Creates the system before its first event, with the first failures, the departures, the withdrawals and the
    /// first slice scheduled.
    pub(super) fn new(
        grid: &'a MultiSGrid<'a>,
        jobs: &'a [Job],
        schedulers: Schedulers<'s>,
    ) -> Result<Self, SimError> {
        let MultiSGrid { sites, users, config, seed, replicate } = grid;
        let (pool, gis) = (Pool::new(jobs, users)?, Gis::new(sites, users));
        let failures = Failures::new(&gis, jobs, config, (*seed, *replicate))?;
        let (ledger, queue) = (Ledger::new(jobs, config), EventQueue::default());
        let (gone, withdrawn, end) = (BTreeSet::new(), BTreeSet::new(), Time::ZERO);
        let mut system =
            Self { config, schedulers, gis, pool, ledger, failures, gone, withdrawn, queue, end };
        for at in 0..system.failures.failing.len() {
            system.next_failure(Time::ZERO, at)?;
        }
        for (user, &at) in system.failures.departures.iter().enumerate() {
            system.queue.schedule(at, FAILURE, Event::Leave(user))?;
        }
        for (job, &at) in system.failures.cancellations.iter().enumerate() {
            system.queue.schedule(at, FAILURE, Event::Cancel(job))?;
        }
        system.next_slice(0)?;
        Ok(system)
    }

    /// Runs until every job has left, the last slice of the configuration is over, or the meter allows no more.
    pub(super) fn run(mut self, meter: &mut Meter) -> Result<SystemOutcome, SimError> {
        // Failures go on for ever, so the number of slices bounds the run.
        let horizon = Time::try_from(self.config.strategy.slice.get() * f64::from(self.config.slices))?;
        let mut stopped = None;
        while self.ledger.left < self.pool.jobs.len() {
            let slice = matches!(self.queue.peek(), Some((_, Event::Slice(_))));
            // The schedulers may take long, so the signal is checked before each call.
            let pairs = self.pool.waiting().len() as u64 * self.gis.sites.len() as u64;
            stopped = meter.spend(if slice { 1 + Meter::POLL + pairs } else { 1 }).err();
            if stopped.is_some() {
                break;
            }
            let Some((now, event)) = self.queue.pop_until(horizon) else { break };
            self.end = now;
            self.serve(now, event)?;
        }
        for job in self.pool.waiting() {
            self.ledger.waited(self.end, job);
        }
        let running = self.gis.running.iter().map(|(&job, running)| (job, running));
        let ended = (self.queue.served, self.end, stopped);
        Ok(self.ledger.close(self.gis.sites, running, ended))
    }

    fn next_failure(&mut self, now: Time, at: usize) -> Result<(), SimError> {
        let failure = self.failures.next(now, at)?;
        self.queue.schedule(failure, FAILURE, Event::Fail(at))
    }

    /// Schedules the slice of this number, or a later one if nothing can happen before that.
    pub(super) fn next_slice(&mut self, number: u32) -> Result<(), SimError> {
        let slice = self.config.strategy.slice.get();
        let mut number = number;
        // Only an arrival can fill the pool again, or a running job that is lost and retried.
        let retrying = self.config.retries > 0 && !self.gis.running.is_empty();
        if self.pool.waiting().len() == 0 && !retrying && !self.config.trace {
            let Some(next) = self.pool.next_arrival() else { return Ok(()) };
            // Rounded up: a job that arrives at the beginning of a slice is in it. Casts saturate.
            number = number.max((next.get() / slice).ceil() as u32);
        }
        if number >= self.config.slices {
            return Ok(());
        }
        let at = Time::try_from(f64::from(number) * slice)?.max(self.end);
        self.queue.schedule(at, SLICE, Event::Slice(number))
    }

    fn serve(&mut self, now: Time, event: Event) -> Result<(), SimError> {
        match event {
            Event::End(job, assignment) => {
                if self.gis.running.get(&job).is_some_and(|running| running.number == assignment) {
                    self.leave(now, job, Ending::Done);
                }
            }
            Event::Fail(at) => self.fail(now, at)?,
            Event::Repair(at) => {
                self.set_component(now, at, true);
                self.next_failure(now, at)?;
            }
            Event::Leave(user) => self.user_leaves(now, user),
            Event::Cancel(job) => self.cancel(now, job),
            Event::Slice(number) => self.slice(now, number)?,
        }
        Ok(())
    }

    /// Fails a component: the jobs that need it are lost, and its repair is scheduled.
    fn fail(&mut self, now: Time, at: usize) -> Result<(), SimError> {
        self.failures.count()?;
        let component = self.set_component(now, at, false);
        for job in self.gis.depending(now, component) {
            self.leave(now, job, component.ending());
        }
        match self.config.repair {
            Some(span) => self.queue.schedule(now + span, FAILURE, Event::Repair(at)),
            None => Ok(()),
        }
    }

    /// Sets whether a component is up from now on.
    fn set_component(&mut self, now: Time, at: usize, up: bool) -> Component {
        let component = self.failures.failing[at].component;
        self.gis.set_up(component, up);
        let (site, what) = self.gis.log_event(component, up);
        self.ledger.log.note(now, site, what);
        component
    }

    /// Removes a user for ever, together with the user's jobs.
    fn user_leaves(&mut self, now: Time, user: usize) {
        self.ledger.log.note(now, None, LogEvent::UserLeft(self.gis.users[user].id));
        self.gone.insert(user);
        let running = self.gis.jobs(|running| running.owner == user);
        let waiting: Vec<usize> = self.pool.waiting().filter(|&job| self.pool.owners[job] == user).collect();
        for job in running.into_iter().chain(waiting) {
            self.pool.remove(job);
            self.leave(now, job, Ending::OwnerGone);
        }
    }

    /// Withdraws a job for its owner, wherever it is (`S_j = 0` in equation 1).
    fn cancel(&mut self, now: Time, job: usize) {
        if self.gis.running.contains_key(&job) || self.pool.remove(job) {
            self.leave(now, job, Ending::Cancelled);
        } else {
            self.withdrawn.insert(job);
        }
    }

    /// Takes the job's processor back, if it holds one, and ends the job, unless it is to be tried again.
    fn leave(&mut self, now: Time, job: usize, ending: Ending) {
        match self.gis.release(now, job) {
            Some((running, cost)) => self.ledger.release(now, job, running, cost, &ending),
            None => self.ledger.waited(now, job),
        }
        if self.ledger.end(now, job, ending) {
            self.pool.wait(job);
        }
    }

    /// Moves the jobs that have arrived by now into the pool.
    pub(super) fn arrive(&mut self, now: Time) {
        while let Some(job) = self.pool.take_arrived(now) {
            self.ledger.log.note(now, None, LogEvent::Submitted(self.pool.jobs[job].id));
            let needed = self.pool.jobs[job].request.nodes();
            if self.gone.contains(&self.pool.owners[job]) {
                self.leave(now, job, Ending::OwnerGone);
            } else if self.withdrawn.contains(&job) {
                self.leave(now, job, Ending::Cancelled);
            } else if needed > 1 {
                self.leave(now, job, Ending::Refused(Refusal::TooWide { needed, largest: 1 }));
            } else {
                self.pool.wait(job);
            }
        }
    }
}
