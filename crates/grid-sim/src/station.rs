//! A cluster within a simulation: its local jobs, their records, and the events that drive it.

use crate::SimError;
use crate::cluster::{Cluster, Hold, Holder, LocalJob, LocalPolicy, PassResult, QueuedJob};
use crate::job_store::Recorded;
use crate::log::{EventLog, LogEvent};
use crate::quantity::times;
use crate::report::{Ending, JobRecord, Part};
use sched_model::{JobId, Money, Refusal, SiteId, Span, Time};

/// The site of a cluster that is simulated alone.
pub(crate) const SITE: SiteId = SiteId(0);

/// An event of a station.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub(crate) enum StationEvent {
    /// A local job arrives.
    Arrival(LocalJob),
    /// A running job is done, or its requested time is over.
    Due(Holder),
    /// The queue is served.
    Pass,
}

/// Classes of events: the order of service at one instant. Ends come before limits, so that a job can be extended on
/// CPUs that become free at that instant. CPUs come back before others fail, and both before jobs start. Arrivals
/// come next, then the pass, which sees all of them, then the broker, which sees the result of the pass.
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

/// The end of a part of a broker's job, which ran in a reservation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PartEnded {
    pub(crate) job: JobId,
    pub(crate) part: Part,
    pub(crate) done: bool,
}

/// A cluster with its policy, the records of its local jobs, and the events that it asks for.
#[derive(Debug)]
pub(crate) struct Station {
    pub(crate) site: SiteId,
    pub(crate) cluster: Cluster,
    policy: Box<dyn LocalPolicy>,
    /// Whether local jobs pay for their CPU time.
    local_pays: bool,
    /// The records of local jobs that have left, until the driver takes them.
    pub(crate) departed: Vec<Recorded>,
    /// When the next pass is scheduled.
    pub(crate) pass_at: Option<Time>,
    /// Events to be scheduled, with their instants and classes, until the driver takes them.
    pub(crate) agenda: Vec<(Time, u8, StationEvent)>,
}

impl Station {
    pub(crate) fn new(
        site: SiteId,
        cluster: Cluster,
        policy: Box<dyn LocalPolicy>,
        local_pays: bool,
    ) -> Self {
        Self { site, cluster, policy, local_pays, departed: Vec::new(), pass_at: None, agenda: Vec::new() }
    }

    /// Serves an event. Returns the end of a part of a broker's job, if the event was one.
    pub(crate) fn serve(
        &mut self,
        now: Time,
        event: StationEvent,
        log: &mut EventLog,
    ) -> Result<Option<PartEnded>, SimError> {
        match event {
            StationEvent::Arrival(job) => self.arrive(now, job, log).map(|()| None),
            StationEvent::Due(holder) => self.due(now, holder, log),
            StationEvent::Pass => self.pass(now, log).map(|()| None),
        }
    }

    /// Serves the arrival of a local job: queues it, or refuses it if the machine is too small.
    fn arrive(&mut self, now: Time, job: LocalJob, log: &mut EventLog) -> Result<(), SimError> {
        log.note(now, Some(self.site), LogEvent::Submitted(job.id));
        match job.amounts().beyond(&self.cluster.machine) {
            Some(reason) => self.refuse(now, &job, reason, log),
            None => self.cluster.submit(job)?,
        }
        self.request_pass(now);
        Ok(())
    }

    /// Serves the end of a running job or of its requested time; does nothing if the job was stopped or extended
    /// since the event was scheduled.
    fn due(&mut self, now: Time, holder: Holder, log: &mut EventLog) -> Result<Option<PartEnded>, SimError> {
        if self.cluster.due(holder).is_none_or(|(at, _)| at != now) {
            return Ok(None);
        }
        self.request_pass(now);
        let (Holder::Local(job) | Holder::Reserved(job)) = holder;
        if let Some(until) = self.cluster.extend(now, holder)? {
            log.note(now, Some(self.site), LogEvent::Extended { job, until });
            self.schedule_due(holder);
            return Ok(None);
        }
        let hold = self.cluster.stop(now, holder)?;
        let done = hold.done <= now;
        log.note(now, Some(self.site), if done { LogEvent::Ended(job) } else { LogEvent::Killed(job) });
        let cpu_time = times(now - hold.start, f64::from(hold.amounts.cpus));
        let pays = self.local_pays || hold.local.is_none();
        let cost = if pays { self.cluster.machine.price * cpu_time } else { Money::ZERO };
        let part = self.part(&hold, now, cost);
        if hold.local.is_none() {
            return Ok(Some(PartEnded { job, part, done }));
        }
        self.leave(&hold, part, if done { Ending::Done } else { Ending::Killed });
        Ok(None)
    }

    /// Returns the units of work of an event: 1, and for a pass 1 more for each waiting job.
    pub(crate) fn work(&self, event: &StationEvent) -> u64 {
        if matches!(event, StationEvent::Pass) { 1 + self.cluster.queue.len() as u64 } else { 1 }
    }

    /// Starts a job in its reservation.
    pub(crate) fn claim(&mut self, now: Time, job: JobId, actual: Span) -> Result<(), SimError> {
        self.cluster.claim(now, job, actual)?;
        self.schedule_due(Holder::Reserved(job));
        Ok(())
    }

    /// Stops a local job because its CPU failed.
    pub(crate) fn lose_local(&mut self, now: Time, job: JobId, log: &mut EventLog) -> Result<(), SimError> {
        let hold = self.cluster.stop(now, Holder::Local(job))?;
        log.note(now, Some(self.site), LogEvent::Lost(job));
        let part = self.part(&hold, now, Money::ZERO);
        self.leave(&hold, part, Ending::MachineFailed);
        Ok(())
    }

    /// Stops a job of the broker, or cancels its reservation. Returns the part that it held if it was running;
    /// nothing is paid for it.
    pub(crate) fn lose_reserved(&mut self, now: Time, job: JobId) -> Result<Option<Part>, SimError> {
        self.request_pass(now);
        let hold = self.cluster.stop(now, Holder::Reserved(job))?;
        Ok(hold.running.then(|| self.part(&hold, now, Money::ZERO)))
    }

    /// Returns the CPUs that an ended job held, as a part of its record.
    fn part(&self, hold: &Hold, end: Time, cost: Money) -> Part {
        Part { site: self.site, cpus: hold.amounts.cpus, end, cost }
    }

    /// Schedules a pass at `at`, unless one is scheduled for then or earlier.
    pub(crate) fn request_pass(&mut self, at: Time) {
        if self.pass_at.is_none_or(|scheduled| at < scheduled) {
            self.pass_at = Some(at);
            self.agenda.push((at, class::PASS, StationEvent::Pass));
        }
    }

    /// Schedules the end of a running job, or of its requested time if that is earlier.
    fn schedule_due(&mut self, holder: Holder) {
        if let Some((at, done)) = self.cluster.due(holder) {
            let class = if done { class::END } else { class::LIMIT };
            self.agenda.push((at, class, StationEvent::Due(holder)));
        }
    }

    /// Serves the queue. A pass whose time was moved to an earlier instant is ignored, since the earlier pass has
    /// scheduled the next one.
    fn pass(&mut self, now: Time, log: &mut EventLog) -> Result<(), SimError> {
        if self.pass_at != Some(now) {
            return Ok(());
        }
        self.pass_at = None;
        let PassResult { started, refused } = self.cluster.pass(now, self.policy.as_mut())?;
        for QueuedJob { job, .. } in started {
            log.note(now, Some(self.site), LogEvent::Started { job: job.id, cpus: job.cpus });
            self.schedule_due(Holder::Local(job.id));
        }
        for job in refused {
            self.refuse(now, &job, Refusal::Horizon { needed: job.cpus as usize, most: 0 }, log);
        }
        if let Some(at) = self.cluster.queue.next_promise() {
            self.request_pass(at);
        }
        Ok(())
    }

    fn refuse(&mut self, now: Time, job: &LocalJob, reason: Refusal, log: &mut EventLog) {
        log.note(now, Some(self.site), LogEvent::Refused(job.id));
        self.departed.push((JobRecord { ending: Ending::Refused(reason), ..JobRecord::from(job) }, None));
    }

    /// Records a local job that has left after it ran.
    fn leave(&mut self, hold: &Hold, part: Part, ending: Ending) {
        if let Some((job, promise)) = &hold.local {
            let record =
                JobRecord { start: Some(hold.start), parts: vec![part], ending, ..JobRecord::from(job) };
            self.departed.push((record, *promise));
        }
    }

    /// Returns the records of the local jobs in the system, waiting or running, in order of their identifiers.
    pub(crate) fn in_system(&self) -> Vec<Recorded> {
        let waiting =
            self.cluster.queue.iter().map(|queued| (JobRecord::from(&queued.job), queued.first_promise));
        let running = self.cluster.holds.values().filter_map(|hold| {
            let (job, promise) = hold.local?;
            Some((JobRecord { start: Some(hold.start), ..JobRecord::from(&job) }, promise))
        });
        let mut records: Vec<Recorded> = waiting.chain(running).collect();
        records.sort_by_key(|(record, _)| record.id);
        records
    }
}
