//! A grid: resources under local load, and a broker that collects jobs and reserves time for them in advance.
//!
//! Source: S. Garg, R. Buyya, H. J. Siegel, "Scheduling Parallel Applications on Utility Grids: Time and Cost
//! Trade-off Management", 2009, section 3: the meta-broker.

mod job;
mod slots;
mod trade_off;
mod two_phase;

pub use job::{BatchScheduler, GridJob, GridPlace, Offer, PlacePart};
pub use slots::NodeSlots;
pub use trade_off::TradeOffBroker;
pub use two_phase::TwoPhaseBroker;

use crate::SimError;
use crate::cluster::{Cluster, Easy, LocalJob, LocalPolicy, Overrun};
use crate::engine::{EventQueue, Model, run_within};
use crate::log::{EventLog, LogEvent};
use crate::report::{Ending, JobRecord, Report, SiteInfo, check_count, default_threshold, money, times};
use crate::station::{Arrivals, Left, Station, StationEvent, class};
use sched_model::{End, Fate, JobId, Limit, Machine, Meter, Money, Refusal, SiteId, Span, Time};
use std::collections::{BTreeMap, BTreeSet};

/// A machine of a grid with its local jobs and the policy that serves them.
#[derive(Debug)]
pub struct Resource {
    site: SiteId,
    name: String,
    machine: Machine,
    policy: Box<dyn LocalPolicy>,
    local: Vec<LocalJob>,
}

impl Resource {
    /// An idle resource under EASY backfilling. Resources that share a site are reported as one.
    #[must_use]
    pub fn new(site: SiteId, name: impl Into<String>, machine: Machine) -> Self {
        Self { site, name: name.into(), machine, policy: Box::new(Easy), local: Vec::new() }
    }

    /// The same resource under this policy.
    #[must_use]
    pub fn with_policy(self, policy: Box<dyn LocalPolicy>) -> Self {
        Self { policy, ..self }
    }

    /// The same resource with these local jobs. They pay nothing.
    #[must_use]
    pub fn with_local_jobs(self, local: Vec<LocalJob>) -> Self {
        Self { local, ..self }
    }
}

/// A grid to be simulated: [`run`](Self::run) does it.
///
/// Jobs come to the broker at their submission times. At the end of each schedule interval (at multiples of the
/// interval; a job submitted at that very instant is in), the [`BatchScheduler`] decides about all jobs that wait. What
/// it places is reserved in advance, starts at its time, and is charged the price of the resource for the CPU time
/// that it held. Jobs that end early give the rest back, and the local queue profits.
#[derive(Debug)]
pub struct Grid {
    resources: Vec<Resource>,
    interval: Span,
    patience: u32,
    overrun: Overrun,
    threshold: Span,
    log: bool,
}

/// The results of a resource, local jobs included.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ResourceOutcome {
    /// Its site.
    pub site: SiteId,
    /// CPU time used by local jobs and jobs of the broker: busy CPUs integrated over time.
    pub used: Span,
    /// What jobs of the broker paid here.
    pub earned: Money,
    /// Its local jobs.
    pub local: Vec<JobRecord>,
}

/// The result of a simulated grid.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct GridOutcome {
    /// The jobs of the broker, in the order given.
    pub records: Vec<JobRecord>,
    /// Their figures.
    pub report: Report,
    /// By resource.
    pub resources: Vec<ResourceOutcome>,
    /// Intervals at whose end the scheduler was called.
    pub cycles: usize,
    /// What happened; empty unless asked for.
    pub log: EventLog,
    /// Events served.
    pub events: u64,
    /// What stopped it before all jobs had left, if anything did.
    pub stopped: Option<End>,
}

impl Grid {
    /// A grid of these resources; schedule interval 50, patience 1000.
    #[must_use]
    pub fn new(resources: Vec<Resource>) -> Self {
        Self {
            resources,
            interval: Span::must(50.0),
            patience: 1000,
            overrun: Overrun::default(),
            threshold: default_threshold(),
            log: false,
        }
    }

    /// The same grid with this schedule interval. With zero, the scheduler is called whenever jobs come (immediate
    /// mode).
    #[must_use]
    pub fn with_interval(self, interval: Span) -> Self {
        Self { interval, ..self }
    }

    /// The same grid, refusing a job that the scheduler has left waiting at the ends of this many intervals.
    #[must_use]
    pub fn with_patience(self, patience: u32) -> Self {
        Self { patience, ..self }
    }

    /// The same grid with this rule for jobs whose time is up.
    #[must_use]
    pub fn with_overrun(self, overrun: Overrun) -> Self {
        Self { overrun, ..self }
    }

    /// The same grid with this bound of the bounded slowdown.
    #[must_use]
    pub fn with_threshold(self, threshold: Span) -> Self {
        Self { threshold, ..self }
    }

    /// The same grid, keeping an event log or not.
    #[must_use]
    pub fn with_log(self, log: bool) -> Self {
        Self { log, ..self }
    }

    /// Runs until every job, local ones included, has left.
    ///
    /// # Errors
    /// [`SimError::Length`] if a job has expected times for another number of resources, [`SimError::RepeatedJob`] for
    /// an id given twice, [`SimError::BadPlace`] and [`SimError::UnknownJob`] for a bad answer of the scheduler, and
    /// whatever the scheduler and the local policies give.
    pub fn run(self, jobs: &[GridJob], scheduler: &mut dyn BatchScheduler) -> Result<GridOutcome, SimError> {
        self.run_within(jobs, scheduler, &mut Limit::without_limit().meter())
    }

    /// As [`run`](Self::run), but no further than the meter allows: one unit of work for each event, one for each waiting
    /// job whenever a queue is served, and [`Meter::POLL`] and one for each waiting job and resource whenever the scheduler is
    /// called. Jobs that
    /// have not ended by then are [`Waiting`](crate::Ending::Waiting); the figures are of what has happened.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub fn run_within(
        self,
        jobs: &[GridJob],
        scheduler: &mut dyn BatchScheduler,
        meter: &mut Meter<'_>,
    ) -> Result<GridOutcome, SimError> {
        check_count("jobs", jobs.len())?;
        let mut index = BTreeMap::new();
        for (at, job) in jobs.iter().enumerate() {
            if index.insert(job.job.id, at).is_some() {
                return Err(SimError::RepeatedJob { job: job.job.id });
            }
            if let Some(given) = job.times().filter(|given| given.len() != self.resources.len()) {
                let what = format!("the expected times of job {}", job.job.id);
                return Err(SimError::Length { what, expected: self.resources.len(), got: given.len() });
            }
        }
        let mut sites: BTreeMap<SiteId, SiteInfo> = BTreeMap::new();
        for resource in &self.resources {
            let site = sites.entry(resource.site).or_insert_with(|| SiteInfo {
                id: resource.site,
                name: resource.name.clone(),
                cpus: 0,
            });
            site.cpus += u64::from(resource.machine.cpus());
        }
        let submits = jobs.iter().map(|job| job.job.submit);
        let local = self.resources.iter().flat_map(|resource| resource.local.iter().map(LocalJob::submit));
        let start = submits.chain(local).min().unwrap_or(Time::ZERO);
        let mut queue = EventQueue::new();
        let mut stations = Vec::new();
        let mut keep = Vec::new();
        for Resource { site, machine, policy, local, .. } in self.resources {
            keep.push(local);
            stations.push((site, Cluster::new(&machine, policy, start).with_overrun(self.overrun)));
        }
        let stations = stations.into_iter().zip(&keep).enumerate().map(|(at, ((site, cluster), local))| {
            Station::new(site, cluster, local, false, Arrivals::AtOnce, &mut agenda(&mut queue, at))
        });
        let stations = stations.collect::<Result<Vec<_>, _>>()?;
        for (at, job) in jobs.iter().enumerate() {
            queue.schedule(job.job.submit, class::ARRIVAL, Event::Submit(at))?;
        }
        let mut model = Brokered {
            stations,
            jobs,
            index,
            scheduler,
            records: jobs
                .iter()
                .map(|job| JobRecord::waiting(job.job.id, job.job.user, job.job.submit, job.cpus()))
                .collect(),
            pending: Vec::new(),
            tries: vec![0; jobs.len()],
            places: BTreeMap::new(),
            interval: self.interval,
            patience: self.patience,
            cycle_at: None,
            cycles: 0,
            log: EventLog::new(self.log),
        };
        let end = run_within(&mut model, &mut queue, meter)?;
        let sites: Vec<SiteInfo> = sites.into_values().collect();
        let resources = model.stations.into_iter().map(|station| ResourceOutcome {
            site: station.site,
            used: station.cluster.used(),
            earned: money(&station.earned),
            local: station.records,
        });
        Ok(GridOutcome {
            report: Report::new(&model.records, &sites, self.threshold),
            resources: resources.collect(),
            records: model.records,
            cycles: model.cycles,
            log: model.log,
            events: queue.served(),
            stopped: (end != End::Done).then_some(end),
        })
    }
}

#[derive(Debug)]
enum Event {
    Station(usize, StationEvent),
    Submit(usize),
    Claim(usize),
    Cycle,
}

/// The events of one station go into the one queue.
fn agenda(
    queue: &mut EventQueue<Event>,
    station: usize,
) -> impl FnMut(Time, u8, StationEvent) -> Result<(), SimError> + '_ {
    move |at, class, event| queue.schedule(at, class, Event::Station(station, event))
}

struct Brokered<'a> {
    stations: Vec<Station<'a>>,
    jobs: &'a [GridJob],
    index: BTreeMap<JobId, usize>,
    scheduler: &'a mut dyn BatchScheduler,
    records: Vec<JobRecord>,
    /// Jobs about which nothing is decided, in order of submission.
    pending: Vec<usize>,
    tries: Vec<u32>,
    /// Of the jobs that are reserved and have not started.
    places: BTreeMap<usize, GridPlace>,
    interval: Span,
    patience: u32,
    cycle_at: Option<Time>,
    cycles: usize,
    log: EventLog,
}

impl Brokered<'_> {
    /// Lets the scheduler be called at the end of the interval in which `now` lies, or at the end of the next.
    fn ask_cycle(&mut self, now: Time, next: bool, queue: &mut EventQueue<Event>) -> Result<(), SimError> {
        let interval = self.interval.get();
        let at = if interval > 0.0 {
            // Rounding may put a multiple just before the present.
            let count = (now.get() / interval).ceil() + f64::from(u8::from(next));
            Time::new(count * interval)?.max(now)
        } else {
            now
        };
        if self.cycle_at.is_none() {
            self.cycle_at = Some(at);
            queue.schedule(at, class::CYCLE, Event::Cycle)?;
        }
        Ok(())
    }

    fn cycle(&mut self, now: Time, queue: &mut EventQueue<Event>) -> Result<(), SimError> {
        self.cycles += 1;
        self.cycle_at = None;
        let mut pending = std::mem::take(&mut self.pending);
        self.refuse_untimed(now, &mut pending);
        let jobs: Vec<&GridJob> = pending.iter().map(|&at| &self.jobs[at]).collect();
        for station in &mut self.stations {
            station.cluster.tick(now);
        }
        let offers: Vec<Offer<'_>> = self
            .stations
            .iter()
            .map(|station| Offer { machine: station.cluster.machine(), free: station.cluster.profile() })
            .collect();
        let schedule = self.scheduler.schedule(now, &jobs, &offers)?;
        let collected: BTreeSet<usize> = pending.iter().copied().collect();
        for (job, fate) in schedule.fates() {
            let index = self.index.get(&job).copied().filter(|index| collected.contains(index));
            let Some(index) = index else {
                return Err(SimError::UnknownJob { who: self.scheduler.name().to_owned(), job });
            };
            match fate {
                Fate::Placed(place) => self.reserve(now, index, place, queue)?,
                Fate::Refused(reason) => self.refuse(now, index, reason.clone()),
            }
        }
        for index in pending {
            if schedule.fate(self.jobs[index].job.id).is_none() {
                self.tries[index] += 1;
                // In immediate mode nothing would call the scheduler again at a later time.
                if self.tries[index] >= self.patience || self.interval <= Span::ZERO {
                    self.refuse(now, index, Refusal::NoCapacity);
                } else {
                    self.pending.push(index);
                }
            }
        }
        #[cfg(feature = "tracing")]
        tracing::info!(
            now = now.get(),
            jobs = collected.len(),
            placed = schedule.placed().count(),
            refused = schedule.refused().count(),
            waiting = self.pending.len(),
            "{} has decided",
            self.scheduler.name()
        );
        if self.pending.is_empty() { Ok(()) } else { self.ask_cycle(now, true, queue) }
    }

    /// Refuses jobs so short, at an instant so late, that the sum of both is that instant.
    fn refuse_untimed(&mut self, now: Time, pending: &mut Vec<usize>) {
        let untimed = |&mut at: &mut usize| {
            let machines = self.stations.iter().map(|station| station.cluster.machine());
            machines
                .enumerate()
                .any(|(resource, machine)| now + self.jobs[at].time_on(resource, machine) <= now)
        };
        let refused: Vec<usize> = pending.extract_if(.., untimed).collect();
        for index in refused {
            let needed = self.jobs[index].cpus() as usize;
            self.refuse(now, index, Refusal::Horizon { needed, most: 0 });
        }
    }

    fn refuse(&mut self, now: Time, index: usize, reason: Refusal) {
        #[cfg(feature = "tracing")]
        tracing::debug!(now = now.get(), job = self.jobs[index].job.id.0, %reason, "refused");
        self.records[index].ending = Ending::Refused(reason);
        self.log.note(now, None, LogEvent::Refused(self.records[index].id));
    }

    fn reserve(
        &mut self,
        now: Time,
        index: usize,
        place: &GridPlace,
        queue: &mut EventQueue<Event>,
    ) -> Result<(), SimError> {
        let job = self.jobs[index].job.id;
        let who = self.scheduler.name();
        let bad = |why: String| SimError::BadPlace { who: who.to_owned(), job, start: place.start, why };
        let cpus: u64 = place.parts.iter().map(|part| u64::from(part.cpus)).sum();
        if place.start < now {
            return Err(bad(format!("it is already {now}")));
        }
        if cpus != u64::from(self.jobs[index].cpus()) {
            return Err(bad(format!("{cpus} CPUs instead of {}", self.jobs[index].cpus())));
        }
        for &PlacePart { resource, cpus, span } in &place.parts {
            let Some(station) = self.stations.get_mut(resource) else {
                return Err(bad(format!("there is no resource {resource}")));
            };
            let reserved = station.cluster.reserve(job, cpus, place.start, span);
            reserved.map_err(|error| bad(format!("resource {resource}: {error}")))?;
            let what = LogEvent::Reserved { job, cpus, start: place.start };
            self.log.note(now, Some(station.site), what);
        }
        self.records[index].requested = place.parts.iter().map(|part| part.span).max().unwrap_or(Span::ZERO);
        self.places.insert(index, place.clone());
        queue.schedule(place.start, class::CLAIM, Event::Claim(index))
    }

    fn claim(&mut self, now: Time, index: usize, queue: &mut EventQueue<Event>) -> Result<(), SimError> {
        let job = &self.jobs[index];
        self.records[index].start = Some(now);
        for part in self.places.remove(&index).map(|place| place.parts).unwrap_or_default() {
            let station = &mut self.stations[part.resource];
            let actual = times(part.span, job.actual_share());
            station.claim(now, job.job.id, actual, &mut agenda(queue, part.resource))?;
            self.log.note(now, Some(station.site), LogEvent::Started { job: job.job.id, cpus: part.cpus });
        }
        Ok(())
    }

    /// A part of a job has ended; a job is done if all its parts are.
    fn leave(&mut self, left: Left) {
        let Left { job, part, done } = left;
        if let Some(&index) = self.index.get(&job) {
            let record = &mut self.records[index];
            record.parts.push(part);
            record.ending =
                if done && record.ending != Ending::Killed { Ending::Done } else { Ending::Killed };
        }
    }
}

impl Model<Event> for Brokered<'_> {
    fn serve(&mut self, now: Time, event: Event, queue: &mut EventQueue<Event>) -> Result<(), SimError> {
        match event {
            Event::Station(at, event) => {
                let left = self.stations[at].serve(now, event, &mut agenda(queue, at), &mut self.log)?;
                if let Some(left) = left {
                    self.leave(left);
                }
                Ok(())
            }
            Event::Submit(index) => {
                self.log.note(now, None, LogEvent::Submitted(self.records[index].id));
                self.pending.push(index);
                self.ask_cycle(now, false, queue)
            }
            Event::Claim(index) => self.claim(now, index, queue),
            Event::Cycle => self.cycle(now, queue),
        }
    }

    fn work(&self, event: &Event) -> u64 {
        match event {
            Event::Station(at, event) => self.stations[*at].work(event),
            // A call of the scheduler may be long: the signal is asked before each.
            Event::Cycle => Meter::POLL + self.pending.len() as u64 * self.stations.len() as u64,
            Event::Submit(_) | Event::Claim(_) => 1,
        }
    }
}
