//! A grid: resources under local load, and a broker that collects jobs and reserves time for them in advance.
//!
//! Source: S. Garg, R. Buyya, H. J. Siegel, "Scheduling Parallel Applications on Utility Grids: Time and Cost
//! Trade-off Management", 2009, section 3: the meta-broker.

mod brokered;
mod failing;
mod job;
mod live;
mod resource;
mod terms;
mod trade_off;
mod two_phase;

use crate::SimError;
use crate::cluster::{Cluster, Overrun};
use crate::error::check_count;
use crate::fault_load::Faults;
use crate::job_store::JobList;
use crate::log::LogEntry;
use crate::report::{JobRecord, Report};
use crate::station::{Station, StationEvent, class};
use brokered::{Brokered, Event};
pub use job::{BatchScheduler, GridJob, GridPlace, Offer, PlacePart};
pub use live::LiveOutcome;
pub use resource::Resource;
use resource::{machines, sites};
use sched_model::{End, Meter, Span, Time};
pub use two_phase::TwoPhaseBroker;

sched_model::builder! {
    /// A grid to be simulated: [`run`](Self::run) does it under a scheduler that is called at intervals,
    /// [`run_live`](Self::run_live) under a live broker.
    ///
    /// Jobs come to the broker at their submission times. At the end of each schedule interval (at multiples of
    /// the interval; a job submitted at that very instant is included), the [`BatchScheduler`] decides about all
    /// jobs that wait. The jobs that it places are reserved in advance, start at their time, and pay the price of
    /// the resource for the CPU time that they hold. Jobs that end early give the rest back to the local queue.
    #[derive(Debug)]
    #[must_use]
    pub struct Grid {
        /// A grid of these resources; schedule interval 50, patience 1000.
        new(resources: Vec<Resource>);
        _: resources: Vec<Resource> = resources,
        /// The same grid with these faults, whatever the scheduler; a live broker is told of them. The CPUs of a
        /// resource are alike: if a free one can be spared, it counts as the failed one; else the job or reservation
        /// with the latest start loses its CPUs. A job of the broker then waits again and pays nothing for what it
        /// did; a local one is lost ([`Ending::MachineFailed`](crate::Ending::MachineFailed)). A job that is
        /// cancelled pays nothing ([`Ending::Cancelled`](crate::Ending::Cancelled)).
        ///
        /// ```
        /// use grid_sim::*;
        /// use sched_model::*;
        /// use live_broker::Config;
        /// let machine = Machine::new(MachineId(0), 1, Speed::ETALON, Price::must(1.0))?;
        /// let outage =
        ///     Outage { machine: 0, cpu: 0, from: Time::must(4.0), until: Time::must(20.0), announced: true };
        /// let job = GridJob::from(Job::new(JobId(1), ResourceRequest::new(1, Work::must(10.0))?));
        /// let mut broker = TwoPhaseBroker::new(Config::new(Span::must(100.0)));
        /// let faults = Faults { outages: vec![outage], ..Faults::default() };
        /// let grid = Grid::new(vec![Resource::new(SiteId(0), "one", machine)]).with_faults(faults);
        /// let outcome = grid.with_interval(Span::must(5.0)).run(&[job], &mut broker, &mut Limit::none().meter())?;
        /// // It runs from 0 to 4 in vain, waits for the cycle at 5, and then for the CPU.
        /// assert_eq!(outcome.records[0].start, Some(Time::must(20.0)));
        /// assert_eq!(outcome.report.cost, Money::must(10.0));
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        with_faults: faults: Faults = Faults::default(),
        /// The same grid with this schedule interval. With zero, the scheduler is called whenever jobs come
        /// (immediate mode).
        with_interval: interval: Span = Span::must(50.0),
        /// The same grid, which refuses a job that still waits after this many calls of the scheduler.
        with_patience: patience: u32 = 1000,
        /// The same grid with this rule for jobs whose time is up.
        with_overrun: overrun: Overrun = Overrun::default(),
        /// The same grid, keeping an event log or not.
        with_log: log: bool = false,
    }
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
    /// The local jobs of each resource.
    pub local: Vec<Vec<JobRecord>>,
    /// The number of calls of the scheduler, one at the end of an interval.
    pub cycles: usize,
    /// What happened; empty unless asked for.
    pub log: Vec<LogEntry>,
    /// Events served.
    pub events: u64,
    /// What stopped it before all jobs had left, if anything did.
    pub stopped: Option<End>,
}

impl Grid {
    /// Runs until every job, local ones included, has left, or the meter ends. Work is one unit for each event,
    /// one for each waiting job whenever a queue is served, and 2^14 and one for each waiting job and
    /// resource whenever the scheduler is called. Jobs that have not ended by then are
    /// [`Waiting`](crate::Ending::Waiting); the figures count what has happened up to then.
    ///
    /// # Errors
    /// [`SimError::Length`] if a job has expected times for another number of resources,
    /// [`SimError::RepeatedJob`] for an id given twice, [`SimError::Demands`] for a job with demands,
    /// [`SimError::OutOfRange`] for a time or a share that no job has and for an outage of a CPU that does not
    /// exist, [`SimError::TooMany`] for more than 20 million jobs, [`SimError::BadPlace`] and
    /// [`SimError::UnknownJob`] for a bad answer of the scheduler, the latter for a cancellation of an unknown job,
    /// too; and the errors of the scheduler and of the local policies.
    pub fn run(
        mut self,
        jobs: &[GridJob],
        scheduler: &mut dyn BatchScheduler,
        meter: &mut Meter,
    ) -> Result<GridOutcome, SimError> {
        check_count("jobs", jobs.len())?;
        let places = GridJob::places(jobs, self.resources.len())?;
        if let Some(job) = jobs.iter().find(|job| !job.job.request.demands().is_empty()) {
            return Err(SimError::Demands { job: job.job.id });
        }
        let sites = sites(&self.resources);
        let faults = self.faults.events(&machines(&self.resources), &places)?;
        let resources = std::mem::take(&mut self.resources);
        let mut model = Brokered::new(self, jobs, places, scheduler);
        // All is scheduled before the first event: of one instant, local jobs come resource by resource.
        for (at, resource) in resources.iter().enumerate() {
            for &job in &resource.local {
                let arrival = Event::Station(at, StationEvent::Arrival(job));
                model.queue.schedule(job.submit, class::ARRIVAL, arrival)?;
            }
        }
        for (at, fault) in faults {
            model.queue.schedule(at, fault.class(), Event::Fault(fault))?;
        }
        for (at, job) in jobs.iter().enumerate() {
            model.queue.schedule(job.job.submit, class::ARRIVAL, Event::Submit(at))?;
        }
        let start = model.queue.peek().map_or(Time::ZERO, |(first, _)| first);
        let mut locals = Vec::new();
        for Resource { site, machine, policy, local, .. } in resources {
            let cluster = Cluster::new(&machine, model.grid.overrun, start);
            model.stations.push(Station::new(site, cluster, policy, false));
            locals.push(local);
        }
        let lists = locals.iter().map(|jobs| JobList::new(jobs)).collect::<Result<Vec<_>, _>>()?;
        let end = model.run(meter)?;
        let local = |(station, mut list): (Station, JobList<'_>)| {
            station.inside().into_iter().chain(station.left).for_each(|job| list.put(job));
            list.records
        };
        Ok(GridOutcome {
            report: Report::of(&model.records, &sites),
            local: model.stations.into_iter().zip(lists).map(local).collect(),
            records: model.records,
            cycles: model.cycles,
            log: model.log.into_entries(),
            events: model.queue.served,
            stopped: (end != End::Done).then_some(end),
        })
    }
}
