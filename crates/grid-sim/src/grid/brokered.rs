//! A simulated grid under a scheduler: its state, its events and their effects.

use super::Grid;
use super::job::{BatchScheduler, GridJob, GridPlace, Offer, PlacePart};
use crate::SimError;
use crate::engine::EventQueue;
use crate::fault_load::Fault;
use crate::log::{EventLog, LogEvent};
use crate::quantity::times;
use crate::report::{Ending, JobRecord, Part};
use crate::station::{PartEnded, Station, StationEvent, class};
use sched_model::{End, JobId, Meter, Refusal, Span, Time, internal::counted};
use std::collections::{BTreeMap, BTreeSet};

/// An event of a grid. Jobs and stations are given by their indices.
#[derive(Debug)]
pub(super) enum Event {
    Station(usize, StationEvent),
    Submit(usize),
    Claim(usize),
    Fault(Fault),
    Cycle,
}

/// The reservations and running parts of one job.
#[derive(Debug, Default)]
pub(super) struct JobParts {
    /// Its place, until it starts there.
    reserved: Option<GridPlace>,
    /// The resources on which parts of it are reserved or running.
    pub(super) on: BTreeSet<usize>,
    /// The parts that have ended, and whether one of them was killed.
    pub(super) ended: Vec<Part>,
    killed: bool,
}

/// The state of a simulation under a [`BatchScheduler`].
pub(super) struct Brokered<'a> {
    /// The settings; its resources have become stations.
    pub(super) grid: Grid,
    pub(super) stations: Vec<Station>,
    pub(super) jobs: &'a [GridJob],
    /// The index of each job.
    pub(super) index: BTreeMap<JobId, usize>,
    scheduler: &'a mut dyn BatchScheduler,
    pub(super) records: Vec<JobRecord>,
    /// Jobs that wait for a decision, in order of submission; then those that have lost their places.
    pub(super) pending: Vec<usize>,
    /// Number of calls of the scheduler that have left each job waiting.
    delays: Vec<u32>,
    /// The reservations and running parts of the jobs that have any.
    pub(super) held: BTreeMap<usize, JobParts>,
    /// The CPUs that are down, by resource and number: when each is expected back, and the index of its outage.
    pub(super) down: BTreeMap<(usize, u32), (Time, usize)>,
    /// When the next call of the scheduler is scheduled.
    cycle_at: Option<Time>,
    pub(super) cycles: usize,
    pub(super) queue: EventQueue<Event>,
    pub(super) log: EventLog,
}

impl<'a> Brokered<'a> {
    pub(super) fn new(
        grid: Grid,
        jobs: &'a [GridJob],
        index: BTreeMap<JobId, usize>,
        scheduler: &'a mut dyn BatchScheduler,
    ) -> Self {
        Self {
            stations: Vec::new(),
            jobs,
            index,
            scheduler,
            records: jobs.iter().map(|job| JobRecord::from(&job.job)).collect(),
            pending: Vec::new(),
            delays: vec![0; jobs.len()],
            held: BTreeMap::new(),
            down: BTreeMap::new(),
            cycle_at: None,
            cycles: 0,
            queue: EventQueue::default(),
            log: EventLog::new(grid.log),
            grid,
        }
    }

    /// Schedules a call of the scheduler at the end of the interval that contains `now`, or with `next` of the one
    /// after it; does nothing if a call is scheduled already.
    pub(super) fn request_cycle(&mut self, now: Time, next: bool) -> Result<(), SimError> {
        if self.cycle_at.is_some() {
            return Ok(());
        }
        let interval = self.grid.interval.get();
        let mut at = now;
        if interval > 0.0 {
            let count = (now.get() / interval).ceil() + f64::from(u8::from(next));
            // Rounding may put a multiple just before the present.
            at = Time::try_from(count * interval)?.max(now);
        }
        self.cycle_at = Some(at);
        self.queue.schedule(at, class::CYCLE, Event::Cycle)
    }

    /// Schedules the events on the agenda of a station.
    pub(super) fn schedule_agenda(&mut self, station: usize) -> Result<(), SimError> {
        let mut agenda = self.stations[station].agenda.drain(..);
        agenda
            .try_for_each(|(at, class, event)| self.queue.schedule(at, class, Event::Station(station, event)))
    }

    /// Serves events until none is left or the meter allows no more; returns why it ended.
    pub(super) fn run(&mut self, meter: &mut Meter) -> Result<End, SimError> {
        while let Some((_, event)) = self.queue.peek() {
            if let Err(end) = meter.spend(self.work(event)) {
                return Ok(end);
            }
            if let Some((now, event)) = self.queue.pop() {
                self.serve(now, event)?;
            }
        }
        Ok(End::Done)
    }

    /// Returns the units of work of an event: see [`Grid::run`].
    fn work(&self, event: &Event) -> u64 {
        match event {
            Event::Station(at, event) => self.stations[*at].work(event),
            // A call of the scheduler may take long, so the signal is checked before each call.
            Event::Cycle => Meter::POLL + self.pending.len() as u64 * self.stations.len() as u64,
            Event::Submit(_) | Event::Claim(_) | Event::Fault(_) => 1,
        }
    }

    /// Calls the scheduler on all waiting jobs, and carries out its decisions.
    fn cycle(&mut self, now: Time) -> Result<(), SimError> {
        self.cycles += 1;
        self.cycle_at = None;
        let mut pending = std::mem::take(&mut self.pending);
        self.refuse_untimed(now, &mut pending);
        let jobs: Vec<&GridJob> = pending.iter().map(|&at| &self.jobs[at]).collect();
        self.stations.iter_mut().for_each(|station| station.cluster.tick(now));
        let clusters = self.stations.iter().map(|station| &station.cluster);
        let offers: Vec<Offer<'_>> =
            clusters.map(|cluster| Offer { machine: &cluster.machine, free: cluster.profile() }).collect();
        let schedule = self.scheduler.schedule(now, &jobs, &offers)?;
        let collected: BTreeSet<usize> = pending.iter().copied().collect();
        for (&job, fate) in schedule.iter() {
            let index = self.index.get(&job).copied().filter(|index| collected.contains(index));
            let Some(index) = index else {
                return Err(SimError::UnknownJob { who: self.scheduler.name().to_owned(), job });
            };
            match fate {
                Ok(place) => self.reserve(now, index, place)?,
                Err(reason) => self.refuse(now, index, reason.clone()),
            }
        }
        for index in pending {
            if schedule.get(&self.jobs[index].job.id).is_none() {
                self.delays[index] += 1;
                // In immediate mode no later event is sure to call the scheduler again.
                if self.delays[index] >= self.grid.patience || self.grid.interval <= Span::ZERO {
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
        if self.pending.is_empty() { Ok(()) } else { self.request_cycle(now, true) }
    }

    /// Refuses jobs for which `now` plus the time on some resource rounds to `now`.
    fn refuse_untimed(&mut self, now: Time, pending: &mut Vec<usize>) {
        let untimed = |&mut at: &mut usize| {
            let machines = self.stations.iter().map(|station| &station.cluster.machine);
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

    /// Reserves the parts of a place that the scheduler has chosen.
    fn reserve(&mut self, now: Time, index: usize, place: &GridPlace) -> Result<(), SimError> {
        let job = self.jobs[index].job.id;
        let who = self.scheduler.name();
        let bad = |why: String| SimError::BadPlace { who: who.to_owned(), job, start: place.start, why };
        let cpus: u64 = place.parts.iter().map(|part| u64::from(part.cpus)).sum();
        if place.start < now {
            return Err(bad(format!("it is already {now}")));
        }
        if cpus != u64::from(self.jobs[index].cpus()) {
            return Err(bad(format!("{} instead of {}", counted(cpus, "CPU"), self.jobs[index].cpus())));
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
        let on = place.parts.iter().map(|part| part.resource).collect();
        self.held.insert(index, JobParts { reserved: Some(place.clone()), on, ..JobParts::default() });
        self.queue.schedule(place.start, class::CLAIM, Event::Claim(index))
    }

    /// Starts a job in its reservations.
    fn claim(&mut self, now: Time, index: usize) -> Result<(), SimError> {
        let job = &self.jobs[index];
        // A reservation that was lost or cancelled in the meantime is not claimed.
        let held = self.held.get_mut(&index);
        let place = held.and_then(|held| held.reserved.take_if(|place| place.start == now));
        let Some(place) = place else { return Ok(()) };
        self.records[index].start = Some(now);
        for part in place.parts {
            let station = &mut self.stations[part.resource];
            let actual = times(part.span, job.actual_share);
            station.claim(now, job.job.id, actual)?;
            self.log.note(now, Some(station.site), LogEvent::Started { job: job.job.id, cpus: part.cpus });
            self.schedule_agenda(part.resource)?;
        }
        Ok(())
    }

    /// Records the end of a part of a job. The job ends with its last part, and is done if all its parts are.
    fn end_part(&mut self, resource: usize, PartEnded { job, part, done }: PartEnded) {
        let Some(&index) = self.index.get(&job) else { return };
        let Some(held) = self.held.get_mut(&index) else { return };
        held.on.remove(&resource);
        held.ended.push(part);
        held.killed |= !done;
        if held.on.is_empty() {
            let record = &mut self.records[index];
            record.ending = if held.killed { Ending::Killed } else { Ending::Done };
            record.parts = std::mem::take(&mut held.ended);
            self.held.remove(&index);
        }
    }

    fn serve(&mut self, now: Time, event: Event) -> Result<(), SimError> {
        match event {
            Event::Station(at, event) => {
                if let Some(ended) = self.stations[at].serve(now, event, &mut self.log)? {
                    self.end_part(at, ended);
                }
                self.schedule_agenda(at)
            }
            Event::Submit(index) => {
                self.log.note(now, None, LogEvent::Submitted(self.records[index].id));
                self.pending.push(index);
                self.request_cycle(now, false)
            }
            Event::Claim(index) => self.claim(now, index),
            Event::Fault(Fault::Fails(outage)) => self.fail(now, outage),
            Event::Fault(Fault::Back(outage)) => self.bring_back(now, outage),
            Event::Fault(Fault::Cancel(index)) => self.cancel(now, index),
            Event::Cycle => self.cycle(now),
        }
    }
}
