//! A cluster in a simulation: its local jobs, their records, and the events that drive it.

use crate::SimError;
use crate::cluster::{Cluster, Holder, LocalJob, Settled, Started};
use crate::job_store::Recorded;
use crate::log::{EventLog, LogEvent};
use crate::report::{Ending, JobRecord, Part, times};
use sched_model::internal::ExactSum;
use sched_model::{JobId, Money, Refusal, SiteId, Span, Time};
use std::collections::BTreeMap;

/// The site of a station that is alone.
pub(crate) const SITE: SiteId = SiteId(0);

/// An event of a station.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub(crate) enum StationEvent {
    /// The local job of this number, in order of arrival or of their list.
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

/// The end of a part of a job, which ran in a reservation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PartEnded {
    pub(crate) job: JobId,
    pub(crate) part: Part,
    pub(crate) done: bool,
}

#[derive(Debug)]
pub(crate) struct Station {
    pub(crate) site: SiteId,
    pub(crate) cluster: Cluster,
    /// Whether local jobs pay.
    local_pays: bool,
    /// The local jobs that have come and have not left.
    pub(crate) inside: BTreeMap<JobId, Recorded>,
    /// Those that have left, until the driver takes them.
    pub(crate) left: Vec<Recorded>,
    /// The next pass that is scheduled.
    pub(crate) pass_at: Option<Time>,
    /// What is to happen, by instant and class, until the driver schedules it.
    pub(crate) agenda: Vec<(Time, u8, StationEvent)>,
    /// The payments of reserved parts, and of local jobs if they pay.
    pub(crate) earned: ExactSum,
}

impl Station {
    pub(crate) fn new(site: SiteId, cluster: Cluster, local_pays: bool) -> Self {
        let (inside, left, agenda, earned) = (BTreeMap::new(), Vec::new(), Vec::new(), ExactSum::new());
        Self { site, cluster, local_pays, inside, left, pass_at: None, agenda, earned }
    }

    /// Serves an event; `arriving` is the job of an arrival. Returns the part of a job of the broker that has ended.
    pub(crate) fn serve(
        &mut self,
        now: Time,
        event: StationEvent,
        arriving: Option<LocalJob>,
        log: &mut EventLog,
    ) -> Result<Option<PartEnded>, SimError> {
        if let Some(job) = arriving {
            self.arrive(now, job, log)?;
        }
        match event {
            StationEvent::Arrival(_) => Ok(None),
            StationEvent::Due(holder) => self.due(now, holder, log),
            StationEvent::Pass => self.pass(now, log).map(|()| None),
        }
    }

    /// A local job arrives.
    fn arrive(&mut self, now: Time, job: LocalJob, log: &mut EventLog) -> Result<(), SimError> {
        self.inside.insert(job.id, (JobRecord::of_local(&job), None));
        log.note(now, Some(self.site), LogEvent::Submitted(job.id));
        let machine = self.cluster.machine();
        let too_large = if job.cpus > machine.cpus() {
            let (needed, largest) = (job.cpus as usize, machine.cpus() as usize);
            Some(Refusal::TooWide { needed, largest })
        } else {
            job.amounts().beyond(machine).map(|(what, needed, largest)| {
                let (needed, largest) = (needed as usize, largest as usize);
                Refusal::TooLarge { what: what.to_owned(), needed, largest }
            })
        };
        match too_large {
            Some(reason) => self.refuse(now, job.id, reason, log)?,
            None => self.cluster.submit(job)?,
        }
        self.ask_pass(now);
        Ok(())
    }

    /// A job is done or its time is up, unless it was stopped before.
    fn due(&mut self, now: Time, holder: Holder, log: &mut EventLog) -> Result<Option<PartEnded>, SimError> {
        if self.cluster.due(holder).is_none_or(|(at, _)| at != now) {
            return Ok(None);
        }
        let ended = self.settle(now, holder, log)?;
        self.ask_pass(now);
        Ok(ended)
    }

    /// Units of work of an event: a pass reads all waiting jobs.
    pub(crate) fn work(&self, event: &StationEvent) -> u64 {
        if matches!(event, StationEvent::Pass) { 1 + self.cluster.queue().len() as u64 } else { 1 }
    }

    /// Starts a job in its reservation.
    pub(crate) fn claim(&mut self, now: Time, job: JobId, actual: Span) -> Result<(), SimError> {
        self.cluster.claim(now, job, actual)?;
        self.watch(Holder::Reserved(job));
        Ok(())
    }

    /// Stops a local job whose CPU has failed.
    pub(crate) fn lose_local(&mut self, now: Time, job: JobId, log: &mut EventLog) -> Result<(), SimError> {
        let held = self.cluster.held(Holder::Local(job));
        self.cluster.stop(now, Holder::Local(job))?;
        log.note(now, Some(self.site), LogEvent::Lost(job));
        let part =
            Part { site: self.site, cpus: held.map_or(0, |(cpus, _)| cpus), end: now, cost: Money::ZERO };
        self.leave(job, Some(part), Ending::MachineFailed)
    }

    /// Stops a job of the broker, or cancels its reservation. Returns the part that it held, for which it
    /// pays nothing.
    pub(crate) fn lose_reserved(&mut self, now: Time, job: JobId) -> Result<Option<Part>, SimError> {
        self.ask_pass(now);
        let Some((cpus, _)) = self.cluster.held(Holder::Reserved(job)) else {
            return self.cluster.unreserve(now, job).map(|()| None);
        };
        self.cluster.stop(now, Holder::Reserved(job))?;
        Ok(Some(Part { site: self.site, cpus, end: now, cost: Money::ZERO }))
    }

    /// Schedules a pass, at most one at each instant.
    pub(crate) fn ask_pass(&mut self, at: Time) {
        if self.pass_at.is_none_or(|scheduled| at < scheduled) {
            self.pass_at = Some(at);
            self.agenda.push((at, class::PASS, StationEvent::Pass));
        }
    }

    fn watch(&mut self, holder: Holder) {
        if let Some((at, done)) = self.cluster.due(holder) {
            let class = if done { class::END } else { class::LIMIT };
            self.agenda.push((at, class, StationEvent::Due(holder)));
        }
    }

    /// Serves the queue. A pass that an earlier one has replaced is ignored: that one has scheduled the next.
    fn pass(&mut self, now: Time, log: &mut EventLog) -> Result<(), SimError> {
        if self.pass_at != Some(now) {
            return Ok(());
        }
        self.pass_at = None;
        for Started { job, promise } in self.cluster.pass(now)? {
            let (record, promised) = self.inside.get_mut(&job.id).ok_or_else(|| unknown(job.id))?;
            (record.start, *promised) = (Some(now), promise);
            log.note(now, Some(self.site), LogEvent::Started { job: job.id, cpus: job.cpus });
            self.watch(Holder::Local(job.id));
        }
        for job in self.cluster.take_refused() {
            let needed = job.cpus as usize;
            self.refuse(now, job.id, Refusal::Horizon { needed, most: 0 }, log)?;
        }
        if let Some(at) = self.cluster.next_promise() {
            self.ask_pass(at);
        }
        Ok(())
    }

    fn settle(
        &mut self,
        now: Time,
        holder: Holder,
        log: &mut EventLog,
    ) -> Result<Option<PartEnded>, SimError> {
        let (Holder::Local(job) | Holder::Reserved(job)) = holder;
        let held = self.cluster.held(holder);
        let done = match self.cluster.settle(now, holder)? {
            Settled::Extended(until) => {
                log.note(now, Some(self.site), LogEvent::Extended { job, until });
                self.watch(holder);
                return Ok(None);
            }
            Settled::Done => true,
            Settled::Killed => false,
        };
        log.note(now, Some(self.site), if done { LogEvent::Ended(job) } else { LogEvent::Killed(job) });
        let (cpus, start) = held.unwrap_or((0, now));
        let pays = self.local_pays || holder == Holder::Reserved(job);
        let cpu_time = times(now - start, f64::from(cpus));
        let cost = if pays { self.cluster.machine().price * cpu_time } else { Money::ZERO };
        self.earned.add(cost.get());
        let part = Part { site: self.site, cpus, end: now, cost };
        if holder == Holder::Reserved(job) {
            return Ok(Some(PartEnded { job, part, done }));
        }
        self.leave(job, Some(part), if done { Ending::Done } else { Ending::Killed })?;
        Ok(None)
    }

    fn refuse(&mut self, now: Time, job: JobId, reason: Refusal, log: &mut EventLog) -> Result<(), SimError> {
        log.note(now, Some(self.site), LogEvent::Refused(job));
        self.leave(job, None, Ending::Refused(reason))
    }

    fn leave(&mut self, job: JobId, part: Option<Part>, ending: Ending) -> Result<(), SimError> {
        let (mut record, promise) = self.inside.remove(&job).ok_or_else(|| unknown(job))?;
        (record.parts, record.ending) = (part.into_iter().collect(), ending);
        self.left.push((record, promise));
        Ok(())
    }
}

fn unknown(job: JobId) -> SimError {
    SimError::UnknownJob { who: "a station".into(), job }
}
