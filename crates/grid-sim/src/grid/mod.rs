//! A grid: resources with local load, and a broker that collects jobs and reserves time for them in advance.
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
    /// A grid to be simulated: with [`run`](Self::run) under a scheduler that is called at intervals, with
    /// [`run_live`](Self::run_live) under a live broker.
    ///
    /// Jobs come to the broker at their submission times. At the end of each schedule interval (at multiples of the
    /// interval; a job submitted at that very instant is included), the [`BatchScheduler`] decides about all waiting
    /// jobs. Jobs that it places get advance reservations, start at the reserved time, and pay the price of the
    /// resource for the CPU time that they hold. A job that ends early gives the rest of its reservation back to the
    /// local queue.
    #[derive(Debug)]
    #[must_use]
    pub struct Grid {
        /// Creates a grid of these resources, with schedule interval 50 and patience 1000.
        new(resources: Vec<Resource>);
        _: resources: Vec<Resource> = resources,
        /// Sets the faults, which happen under any scheduler. Under [`run`](Self::run) the CPUs of a resource are
        /// alike: if any free one can be spared, it counts as the failed one; otherwise the job or reservation with
        /// the latest start loses its CPUs. A job of the broker then waits again and pays nothing for what it did; a
        /// local job is lost ([`Ending::MachineFailed`](crate::Ending::MachineFailed)). Under
        /// [`run_live`](Self::run_live) the broker is told which CPU fails: the job that runs on it, local or not,
        /// waits again and pays nothing for what it did. A cancelled job pays nothing
        /// ([`Ending::Cancelled`](crate::Ending::Cancelled)).
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
        /// Sets the schedule interval; 50 by default. With zero, the scheduler is called whenever jobs arrive
        /// (immediate mode).
        with_interval: interval: Span = Span::must(50.0),
        /// Sets the patience: a job that still waits after this many calls of the scheduler is refused; 1000 by
        /// default.
        with_patience: patience: u32 = 1000,
        /// Sets what happens to jobs whose time is over.
        with_overrun: overrun: Overrun = Overrun::default(),
        /// Sets whether an event log is kept; by default it is not.
        with_log: log: bool = false,
    }
}

/// The result of a simulated grid.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct GridOutcome {
    /// The record of each job of the broker, in the order given.
    pub records: Vec<JobRecord>,
    /// The statistics of these records.
    pub report: Report,
    /// The records of the local jobs of each resource.
    pub local: Vec<Vec<JobRecord>>,
    /// Number of calls of the scheduler, each at the end of an interval.
    pub cycles: usize,
    /// The event log; empty unless it was [asked for](Grid::with_log).
    pub log: Vec<LogEntry>,
    /// Number of events served.
    pub events: u64,
    /// Why the run stopped before all jobs had left; `None` if they all left.
    pub stopped: Option<End>,
}

impl Grid {
    /// Simulates the grid until every job, local ones included, has left, or the meter ends. Work is one unit for
    /// each event, one for each waiting job whenever a queue is served, and, whenever the scheduler is called, 2^14
    /// units and one for each waiting job and resource. Jobs that have not ended when the meter does are
    /// [`Waiting`](crate::Ending::Waiting); the report counts what has happened until then.
    ///
    /// # Errors
    /// [`SimError::Length`] if a job has expected times for another number of resources, [`SimError::RepeatedJob`]
    /// for an identifier that occurs twice, [`SimError::Demands`] for a job with demands, [`SimError::OutOfRange`]
    /// for an invalid time or share of a job or an outage of a CPU that does not exist, [`SimError::TooMany`] for
    /// more than 20 million jobs, [`SimError::BadPlace`] and [`SimError::UnknownJob`] for an invalid answer of the
    /// scheduler, the latter also for a cancellation of an unknown job; and the errors of the scheduler and of the
    /// local policies.
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
        // Everything is scheduled before the first event, so that at one instant local jobs come resource by
        // resource.
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
            station.in_system().into_iter().chain(station.departed).for_each(|job| list.put(job));
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
