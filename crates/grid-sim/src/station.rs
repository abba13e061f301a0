//! A cluster in a simulation: its local jobs, their records, and the events that drive it.

use crate::SimError;
use crate::cluster::{Cluster, Holder, LocalJob, Settled, Started};
use crate::log::{EventLog, LogEvent};
use crate::report::{Ending, JobRecord, Part, check_count, times};
use sched_model::{ExactSum, JobId, Money, Refusal, SiteId, Span, Time};

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

/// The end of a part of a job, which ran in a reservation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PartEnded {
    pub(crate) job: JobId,
    pub(crate) part: Part,
    pub(crate) done: bool,
}

/// When the arrivals of a station are scheduled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrivals {
    /// All before the first: several stations share an agenda, and those of one instant come station by station.
    AtOnce,
    /// Each when the one before it is served: the agenda stays short.
    InTurn,
}

/// The places of so many jobs, which fit into `u32`: see [`MOST_JOBS`](crate::MOST_JOBS).
fn places(count: usize) -> Result<Vec<u32>, SimError> {
    check_count("local jobs", count)?;
    Ok((0..u32::try_from(count).unwrap_or(u32::MAX)).collect())
}

#[derive(Debug)]
pub(crate) struct Station<'a> {
    pub(crate) site: SiteId,
    pub(crate) cluster: Cluster,
    /// Whether local jobs pay.
    local_pays: bool,
    jobs: &'a [LocalJob],
    /// Places of the jobs, by their identifiers.
    by_id: Vec<u32>,
    /// Places of the jobs in order of submission, where they are scheduled one after another.
    arrivals: Vec<u32>,
    pub(crate) records: Vec<JobRecord>,
    pub(crate) promises: Vec<Option<Time>>,
    /// The next pass that is scheduled.
    pass_at: Option<Time>,
    /// What reserved parts, and local jobs if they pay, have paid.
    pub(crate) earned: ExactSum,
}

impl<'a> Station<'a> {
    pub(crate) fn new(
        site: SiteId,
        cluster: Cluster,
        jobs: &'a [LocalJob],
        local_pays: bool,
        order: Arrivals,
        agenda: &mut Agenda<'_>,
    ) -> Result<Self, SimError> {
        let mut by_id = places(jobs.len())?;
        by_id.sort_unstable_by_key(|&at| jobs[at as usize].id());
        if let Some(twins) =
            by_id.windows(2).find(|pair| jobs[pair[0] as usize].id() == jobs[pair[1] as usize].id())
        {
            return Err(SimError::RepeatedJob { job: jobs[twins[0] as usize].id() });
        }
        let mut arrivals = Vec::new();
        match order {
            Arrivals::AtOnce => {
                for (at, job) in jobs.iter().enumerate() {
                    agenda(job.submit(), class::ARRIVAL, StationEvent::Arrival(at))?;
                }
            }
            Arrivals::InTurn => {
                arrivals = places(jobs.len())?;
                arrivals.sort_by_key(|&at| jobs[at as usize].submit());
                if let Some(&first) = arrivals.first() {
                    agenda(jobs[first as usize].submit(), class::ARRIVAL, StationEvent::Arrival(0))?;
                }
            }
        }
        Ok(Self {
            site,
            cluster,
            local_pays,
            jobs,
            by_id,
            arrivals,
            records: jobs.iter().map(record).collect(),
            promises: vec![None; jobs.len()],
            pass_at: None,
            earned: ExactSum::new(),
        })
    }

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
                let index = self.arrivals.get(number).map_or(number, |&at| at as usize);
                self.arrive(now, index, log)?;
                if let Some(&next) = self.arrivals.get(number + 1) {
                    let submit = self.jobs[next as usize].submit();
                    agenda(submit, class::ARRIVAL, StationEvent::Arrival(number + 1))?;
                }
                self.ask_pass(now, agenda)?;
            }
            StationEvent::Due(holder) => {
                let ended = self.settle(now, holder, agenda, log)?;
                self.ask_pass(now, agenda)?;
                return Ok(ended);
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

    /// The place of a job in the list. O(log n).
    fn place(&self, job: JobId) -> Result<usize, SimError> {
        let found = self.by_id.binary_search_by_key(&job, |&at| self.jobs[at as usize].id());
        let unknown = || SimError::UnknownJob { who: "a station".into(), job };
        found.map(|at| self.by_id[at] as usize).map_err(|_| unknown())
    }

    /// Units of work of an event: a pass looks at all that wait.
    pub(crate) fn work(&self, event: &StationEvent) -> u64 {
        if matches!(event, StationEvent::Pass) { 1 + self.cluster.queue().len() as u64 } else { 1 }
    }

    /// The records of the jobs, and the first start that each was promised.
    pub(crate) fn into_results(self) -> (Vec<JobRecord>, Vec<Option<Time>>) {
        (self.records, self.promises)
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
        log.note(now, Some(self.site), LogEvent::Submitted(job.id()));
        if job.cpus() > largest {
            let (needed, largest) = (job.cpus() as usize, largest as usize);
            self.records[index].ending = Ending::Refused(Refusal::TooWide { needed, largest });
            log.note(now, Some(self.site), LogEvent::Refused(job.id()));
            return Ok(());
        }
        self.cluster.submit(job)
    }

    fn pass(&mut self, now: Time, agenda: &mut Agenda<'_>, log: &mut EventLog) -> Result<(), SimError> {
        for Started { job, promise } in self.cluster.pass(now)? {
            let index = self.place(job.id())?;
            self.records[index].start = Some(now);
            self.promises[index] = promise;
            log.note(now, Some(self.site), LogEvent::Started { job: job.id(), cpus: job.cpus() });
            self.watch(Holder::Local(job.id()), agenda)?;
        }
        for job in self.cluster.take_refused() {
            let needed = job.cpus() as usize;
            let index = self.place(job.id())?;
            self.records[index].ending = Ending::Refused(Refusal::Horizon { needed, most: 0 });
            log.note(now, Some(self.site), LogEvent::Refused(job.id()));
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
        let index = self.place(job)?;
        let record = &mut self.records[index];
        record.parts.reserve_exact(1);
        record.parts.push(part);
        record.ending = if done { Ending::Done } else { Ending::Killed };
        Ok(None)
    }
}

fn record(job: &LocalJob) -> JobRecord {
    let record = JobRecord::waiting(job.id(), job.user(), job.submit(), job.cpus());
    JobRecord { requested: job.requested(), ..record }
}
