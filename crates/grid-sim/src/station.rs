//! A cluster in a simulation: its local jobs, their records, and the events that drive it.

use crate::SimError;
use crate::cluster::{Cluster, Holder, LocalJob, Settled, Started};
use crate::job_store::{Arrivals, JobList, JobStore};
use crate::log::{EventLog, LogEvent};
use crate::report::{Ending, Part, times};
use sched_model::{ExactSum, JobId, Money, Refusal, SiteId, Span, Time};

/// An event of a station.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub(crate) enum StationEvent {
    Arrival(usize),
    Due(Holder),
    Pass,
}

/// The order of the events at one instant. Ends come before limits, so that a job is extended with CPUs that
/// become free at that instant. CPUs come back before others fail, and both before jobs start. Arrivals come
/// next, then the pass, which sees all of them, then the broker, which sees the result of the pass.
pub(crate) mod class {
    pub(crate) const END: u8 = 0;
    pub(crate) const LIMIT: u8 = 1;
    pub(crate) const BACK: u8 = 2;
    pub(crate) const FAILURE: u8 = 3;
    pub(crate) const CANCEL: u8 = 4;
    pub(crate) const CLAIM: u8 = 5;
    pub(crate) const ARRIVAL: u8 = 6;
    pub(crate) const PASS: u8 = 7;
    pub(crate) const CYCLE: u8 = 8;
}

/// A function that schedules an event of a station.
pub(crate) type Agenda<'q> = dyn FnMut(Time, u8, StationEvent) -> Result<(), SimError> + 'q;

/// The end of a part of a job, which ran in a reservation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PartEnded {
    pub(crate) job: JobId,
    pub(crate) part: Part,
    pub(crate) done: bool,
}

#[derive(Debug)]
pub(crate) struct Station<B> {
    pub(crate) site: SiteId,
    pub(crate) cluster: Cluster,
    /// Whether local jobs pay.
    local_pays: bool,
    pub(crate) store: B,
    /// The next pass that is scheduled.
    pub(crate) pass_at: Option<Time>,
    /// The payments of reserved parts, and of local jobs if they pay.
    pub(crate) earned: ExactSum,
}

impl<'a> Station<JobList<'a>> {
    /// A station with a list of local jobs, which pay nothing and are all scheduled before the first event.
    pub(crate) fn beside_a_broker(
        site: SiteId,
        cluster: Cluster,
        jobs: &'a [LocalJob],
        agenda: &mut Agenda<'_>,
    ) -> Result<Self, SimError> {
        let store = JobList::new(jobs, Arrivals::AtOnce)?;
        for (at, job) in store.jobs().iter().enumerate() {
            agenda(job.submit(), class::ARRIVAL, StationEvent::Arrival(at))?;
        }
        Ok(Self::of(site, cluster, false, store))
    }
}

impl<B> Station<B> {
    fn of(site: SiteId, cluster: Cluster, local_pays: bool, store: B) -> Self {
        Self { site, cluster, local_pays, store, pass_at: None, earned: ExactSum::new() }
    }

    /// A station whose jobs pay, and are scheduled one after another, the first by the caller.
    pub(crate) fn alone(site: SiteId, cluster: Cluster, store: B) -> Self {
        Self::of(site, cluster, true, store)
    }

    /// The same station with another store, and the one that it had.
    pub(crate) fn with_store<C>(self, store: C) -> (Station<C>, B) {
        let Self { site, cluster, local_pays, store: before, pass_at, earned } = self;
        (Station { site, cluster, local_pays, store, pass_at, earned }, before)
    }
}

impl<B: JobStore> Station<B> {
    /// Serves an event; gives the part that ended with it, if it ran in a reservation.
    pub(crate) fn serve(
        &mut self,
        now: Time,
        event: StationEvent,
        agenda: &mut Agenda<'_>,
        log: &mut EventLog,
    ) -> Result<Option<PartEnded>, SimError> {
        match event {
            StationEvent::Arrival(number) => {
                self.arrive(now, number, log)?;
                if let Some(next) = self.store.next_arrival(number + 1) {
                    agenda(next, class::ARRIVAL, StationEvent::Arrival(number + 1))?;
                }
                self.ask_pass(now, agenda)?;
            }
            // The job was stopped before.
            StationEvent::Due(holder) if self.cluster.due(holder).is_none_or(|(at, _)| at != now) => {}
            StationEvent::Due(holder) => {
                let ended = self.settle(now, holder, agenda, log)?;
                self.ask_pass(now, agenda)?;
                return Ok(ended);
            }
            // A pass that an earlier one has replaced is ignored: that pass has scheduled the next one.
            StationEvent::Pass if self.pass_at == Some(now) => {
                self.pass_at = None;
                self.pass(now, agenda, log)?;
            }
            StationEvent::Pass => {}
        }
        Ok(None)
    }

    /// Units of work of an event: a pass reads all waiting jobs.
    pub(crate) fn work(&self, event: &StationEvent) -> u64 {
        if matches!(event, StationEvent::Pass) { 1 + self.cluster.queue().len() as u64 } else { 1 }
    }

    /// Starts a job in its reservation.
    pub(crate) fn claim(
        &mut self,
        now: Time,
        job: JobId,
        actual: Span,
        agenda: &mut Agenda<'_>,
    ) -> Result<(), SimError> {
        self.cluster.claim(now, job, actual)?;
        self.watch(Holder::Reserved(job), agenda)
    }

    /// Stops a local job whose CPU has failed.
    pub(crate) fn lose_local(&mut self, now: Time, job: JobId, log: &mut EventLog) -> Result<(), SimError> {
        let held = self.cluster.held(Holder::Local(job));
        self.cluster.stop(now, Holder::Local(job))?;
        log.note(now, Some(self.site), LogEvent::Lost(job));
        let part =
            Part { site: self.site, cpus: held.map_or(0, |(cpus, _)| cpus), end: now, cost: Money::ZERO };
        let record = self.store.entry(job)?.record;
        record.parts.push(part);
        record.ending = Ending::MachineFailed;
        self.store.leave(job)
    }

    /// Stops a job of the broker, or cancels its reservation. Returns the part that it held, for which it
    /// pays nothing.
    pub(crate) fn lose_reserved(
        &mut self,
        now: Time,
        job: JobId,
        agenda: &mut Agenda<'_>,
    ) -> Result<Option<Part>, SimError> {
        self.ask_pass(now, agenda)?;
        let Some((cpus, _)) = self.cluster.held(Holder::Reserved(job)) else {
            return self.cluster.unreserve(now, job).map(|()| None);
        };
        self.cluster.stop(now, Holder::Reserved(job))?;
        Ok(Some(Part { site: self.site, cpus, end: now, cost: Money::ZERO }))
    }

    /// Schedules a pass, at most one at each instant.
    pub(crate) fn ask_pass(&mut self, at: Time, agenda: &mut Agenda<'_>) -> Result<(), SimError> {
        if self.pass_at.is_none_or(|scheduled| at < scheduled) {
            self.pass_at = Some(at);
            agenda(at, class::PASS, StationEvent::Pass)?;
        }
        Ok(())
    }

    fn watch(&self, holder: Holder, agenda: &mut Agenda<'_>) -> Result<(), SimError> {
        match self.cluster.due(holder) {
            Some((at, true)) => agenda(at, class::END, StationEvent::Due(holder)),
            Some((at, false)) => agenda(at, class::LIMIT, StationEvent::Due(holder)),
            None => Ok(()),
        }
    }

    fn arrive(&mut self, now: Time, number: usize, log: &mut EventLog) -> Result<(), SimError> {
        let job = self.store.arrive(number)?;
        log.note(now, Some(self.site), LogEvent::Submitted(job.id()));
        let machine = self.cluster.machine();
        let too_large = if job.cpus() > machine.cpus() {
            let (needed, largest) = (job.cpus() as usize, machine.cpus() as usize);
            Some(Refusal::TooWide { needed, largest })
        } else {
            job.amounts().beyond(machine).map(|(what, needed, largest)| {
                let (needed, largest) = (needed as usize, largest as usize);
                Refusal::TooLarge { what: what.to_owned(), needed, largest }
            })
        };
        if let Some(reason) = too_large {
            return self.refuse(now, job.id(), reason, log);
        }
        self.cluster.submit(job)
    }

    fn pass(&mut self, now: Time, agenda: &mut Agenda<'_>, log: &mut EventLog) -> Result<(), SimError> {
        for Started { job, promise } in self.cluster.pass(now)? {
            let entry = self.store.entry(job.id())?;
            entry.record.start = Some(now);
            *entry.promise = promise;
            log.note(now, Some(self.site), LogEvent::Started { job: job.id(), cpus: job.cpus() });
            self.watch(Holder::Local(job.id()), agenda)?;
        }
        for job in self.cluster.take_refused() {
            let needed = job.cpus() as usize;
            self.refuse(now, job.id(), Refusal::Horizon { needed, most: 0 }, log)?;
        }
        match self.cluster.next_promise() {
            Some(at) => self.ask_pass(at, agenda),
            None => Ok(()),
        }
    }

    fn settle(
        &mut self,
        now: Time,
        holder: Holder,
        agenda: &mut Agenda<'_>,
        log: &mut EventLog,
    ) -> Result<Option<PartEnded>, SimError> {
        let (Holder::Local(job) | Holder::Reserved(job)) = holder;
        let held = self.cluster.held(holder);
        let done = match self.cluster.settle(now, holder)? {
            Settled::Extended(until) => {
                log.note(now, Some(self.site), LogEvent::Extended { job, until });
                self.watch(holder, agenda)?;
                return Ok(None);
            }
            Settled::Done => true,
            Settled::Killed => false,
        };
        log.note(now, Some(self.site), if done { LogEvent::Ended(job) } else { LogEvent::Killed(job) });
        let (cpus, start) = held.unwrap_or((0, now));
        let pays = self.local_pays || holder == Holder::Reserved(job);
        let cpu_time = times(now - start, f64::from(cpus));
        let cost = if pays { self.cluster.machine().price() * cpu_time } else { Money::ZERO };
        self.earned.add(cost.get());
        let part = Part { site: self.site, cpus, end: now, cost };
        if holder == Holder::Reserved(job) {
            return Ok(Some(PartEnded { job, part, done }));
        }
        let record = self.store.entry(job)?.record;
        record.parts.reserve_exact(1);
        record.parts.push(part);
        record.ending = if done { Ending::Done } else { Ending::Killed };
        self.store.leave(job)?;
        Ok(None)
    }

    fn refuse(&mut self, now: Time, job: JobId, reason: Refusal, log: &mut EventLog) -> Result<(), SimError> {
        self.store.entry(job)?.record.ending = Ending::Refused(reason);
        log.note(now, Some(self.site), LogEvent::Refused(job));
        self.store.leave(job)
    }
}
