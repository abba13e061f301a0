//! A cluster in a simulation: its local jobs, their records, and the events that drive it.

use crate::SimError;
use crate::cluster::{Cluster, Holder, LocalJob, Settled, Started};
use crate::log::{EventLog, Happening};
use crate::report::{Ending, JobRecord, Part, times};
use sched_model::{JobId, Money, Refusal, SiteId, Span, Time};
use std::collections::BTreeMap;

/// What happens on a station.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StationEvent {
    Arrival(usize),
    Due(Holder),
    Pass,
}

/// Order of what happens at one instant. Ends come before limits, so that nothing is refused an extension for want of
/// CPUs that become free at that instant; arrivals come next, a pass sees them all, and a broker sees what it did.
pub(crate) mod class {
    pub(crate) const END: u8 = 0;
    pub(crate) const LIMIT: u8 = 1;
    pub(crate) const CLAIM: u8 = 2;
    pub(crate) const ARRIVAL: u8 = 3;
    pub(crate) const PASS: u8 = 4;
    pub(crate) const CYCLE: u8 = 5;
}

/// Where a station puts what will happen on it.
pub(crate) type Agenda<'q> = dyn FnMut(Time, u8, StationEvent) -> Result<(), SimError> + 'q;

/// A job that held a reservation has left.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Left {
    pub(crate) job: JobId,
    pub(crate) part: Part,
    pub(crate) done: bool,
}

#[derive(Debug)]
pub(crate) struct Station<'a> {
    pub(crate) site: SiteId,
    pub(crate) cluster: Cluster,
    /// Whether local jobs pay.
    local_pays: bool,
    jobs: &'a [LocalJob],
    index: BTreeMap<JobId, usize>,
    pub(crate) records: Vec<JobRecord>,
    pub(crate) promises: Vec<Option<Time>>,
    /// The next pass that is scheduled.
    pass_at: Option<Time>,
    pub(crate) earned: Money,
}

impl<'a> Station<'a> {
    pub(crate) fn new(
        site: SiteId,
        cluster: Cluster,
        jobs: &'a [LocalJob],
        local_pays: bool,
        agenda: &mut Agenda<'_>,
    ) -> Result<Self, SimError> {
        let mut index = BTreeMap::new();
        for (at, job) in jobs.iter().enumerate() {
            if index.insert(job.id(), at).is_some() {
                return Err(SimError::RepeatedJob { job: job.id() });
            }
            agenda(job.submit(), class::ARRIVAL, StationEvent::Arrival(at))?;
        }
        Ok(Self {
            site,
            cluster,
            local_pays,
            jobs,
            index,
            records: jobs.iter().map(record).collect(),
            promises: vec![None; jobs.len()],
            pass_at: None,
            earned: Money::ZERO,
        })
    }

    /// Serves an event; says so when a job leaves its reservation.
    pub(crate) fn serve(
        &mut self,
        now: Time,
        event: StationEvent,
        agenda: &mut Agenda<'_>,
        log: &mut EventLog,
    ) -> Result<Option<Left>, SimError> {
        match event {
            StationEvent::Arrival(index) => {
                self.arrive(now, index, log)?;
                self.ask_pass(now, agenda)?;
            }
            StationEvent::Due(holder) => {
                let left = self.settle(now, holder, agenda, log)?;
                self.ask_pass(now, agenda)?;
                return Ok(left);
            }
            // One that an earlier pass has replaced is stale: that pass has asked anew where need be.
            StationEvent::Pass if self.pass_at == Some(now) => {
                self.pass_at = None;
                self.pass(now, agenda, log)?;
            }
            StationEvent::Pass => {}
        }
        Ok(None)
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

    /// One pass at each instant at which something may start.
    fn ask_pass(&mut self, at: Time, agenda: &mut Agenda<'_>) -> Result<(), SimError> {
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

    fn arrive(&mut self, now: Time, index: usize, log: &mut EventLog) -> Result<(), SimError> {
        let job = self.jobs[index];
        let largest = self.cluster.machine().cpus();
        log.note(now, Some(self.site), Happening::Submitted(job.id()));
        if job.cpus() > largest {
            let (needed, largest) = (job.cpus() as usize, largest as usize);
            self.records[index].ending = Ending::Refused(Refusal::TooWide { needed, largest });
            log.note(now, Some(self.site), Happening::Refused(job.id()));
            return Ok(());
        }
        self.cluster.submit(job)
    }

    fn pass(&mut self, now: Time, agenda: &mut Agenda<'_>, log: &mut EventLog) -> Result<(), SimError> {
        for Started { job, promise } in self.cluster.pass(now)? {
            let index = self.index[&job.id()];
            self.records[index].start = Some(now);
            self.promises[index] = promise;
            log.note(now, Some(self.site), Happening::Started { job: job.id(), cpus: job.cpus() });
            self.watch(Holder::Local(job.id()), agenda)?;
        }
        for job in self.cluster.take_refused() {
            let needed = job.cpus() as usize;
            self.records[self.index[&job.id()]].ending =
                Ending::Refused(Refusal::Horizon { needed, most: 0 });
            log.note(now, Some(self.site), Happening::Refused(job.id()));
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
    ) -> Result<Option<Left>, SimError> {
        let (Holder::Local(job) | Holder::Reserved(job)) = holder;
        let held = self.cluster.held(holder);
        let done = match self.cluster.settle(now, holder)? {
            Settled::Extended(until) => {
                log.note(now, Some(self.site), Happening::Extended { job, until });
                self.watch(holder, agenda)?;
                return Ok(None);
            }
            Settled::Done => true,
            Settled::Killed => false,
        };
        log.note(now, Some(self.site), if done { Happening::Ended(job) } else { Happening::Killed(job) });
        let (cpus, start) = held.unwrap_or((0, now));
        let pays = self.local_pays || holder == Holder::Reserved(job);
        let cpu_time = times(now - start, f64::from(cpus));
        let cost = if pays { self.cluster.machine().price() * cpu_time } else { Money::ZERO };
        self.earned += cost;
        let part = Part { site: self.site, cpus, end: now, cost };
        if holder == Holder::Reserved(job) {
            return Ok(Some(Left { job, part, done }));
        }
        let record = &mut self.records[self.index[&job]];
        record.parts.push(part);
        record.ending = if done { Ending::Done } else { Ending::Killed };
        Ok(None)
    }
}

fn record(job: &LocalJob) -> JobRecord {
    let record = JobRecord::waiting(job.id(), job.user(), job.submit(), job.cpus());
    JobRecord { requested: job.requested(), ..record }
}
