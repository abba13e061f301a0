//! Grids under a live broker, with early ends, overruns, failing CPUs and cancellations.

mod runs;
mod world;

use super::{Grid, GridJob};
use crate::SimError;
use crate::error::check_count;
use crate::report::{JobRecord, Report};
use live_broker::{Broker, Config};
use sched_model::{End, Meter, Time};
use world::World;

/// The result of a grid simulated under a live broker.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct LiveOutcome {
    /// The record of each job, in the order given.
    pub records: Vec<JobRecord>,
    /// The statistics of these records.
    pub report: Report,
    /// The records of the local jobs of each machine. The numbers of cycles, moves, withdrawals, preemptions and
    /// inputs below include those of local jobs.
    pub local: Vec<Vec<JobRecord>>,
    /// The first start that each job was promised; `None` if it was promised none.
    pub promises: Vec<Option<Time>>,
    /// Number of cycles of the broker.
    pub cycles: u64,
    /// Work of all cycles, in the broker's units.
    pub work: u64,
    /// Numbers of promises moved to a later start, and of those moved otherwise.
    pub moved: [u64; 2],
    /// Number of promises withdrawn.
    pub withdrawn: u64,
    /// Number of times that a job was stopped for one of higher priority.
    pub preempted: u64,
    /// Number of inputs to the broker.
    pub inputs: u64,
    /// Why the run stopped before all jobs had left; `None` if nothing more could happen.
    pub stopped: Option<End>,
}

impl Grid {
    /// Simulates the grid under a [live broker](live_broker::Broker), which gives the CPUs to the jobs itself,
    /// instead of a scheduler at intervals. Every CPU is a node; the simulated broker is the same code as in
    /// production. It serves local jobs, too, each on its own machine alone; they pay nothing, take no memory and no
    /// GPUs, and wait in one queue with all others, in order of submission. The policies of the resources, the
    /// interval, the patience and the log have no effect. With [`Overrun::Extend`](crate::Overrun::Extend) a job that
    /// exceeds its time goes on until it is done, and the jobs after it wait.
    ///
    /// ```
    /// use grid_sim::{Grid, GridJob, LocalJob, Resource};
    /// use live_broker::Config;
    /// use sched_model::*;
    /// let machine = |id, cpus| Machine::new(MachineId(id), cpus, Speed::ETALON, Price::must(1.0));
    /// let job = |id, cpus, work| GridJob::from(Job::new(JobId(id), ResourceRequest::must(cpus, work)));
    /// let starts = |records: &[grid_sim::JobRecord]| {
    ///     records.iter().filter_map(|record| Some(record.start?.get())).collect::<Vec<_>>()
    /// };
    /// // The first job requests 100 and takes 25; the second is promised 100 and stays there.
    /// let jobs = [job(1, 2, 100.0).with_actual_share(0.25), job(2, 2, 10.0)];
    /// let grid = Grid::new(vec![Resource::new(SiteId(0), "one", machine(0, 2)?)]);
    /// let config = Config::new(Span::must(1000.0));
    /// let outcome = grid.run_live(&jobs, config.clone(), &mut Limit::none().meter())?;
    /// assert_eq!(starts(&outcome.records), [0.0, 100.0]);
    /// assert_eq!(outcome.report.cost, Money::must(2.0 * 25.0 + 2.0 * 10.0));
    ///
    /// // The job of the grid comes first; the local jobs can use only the one CPU of their machine, though two
    /// // others are free.
    /// let local = LocalJob::new(JobId(1), Time::ZERO, 1, Span::must(60.0), Span::must(60.0))?;
    /// let small = Resource::new(SiteId(0), "small", machine(0, 1)?);
    /// let small = small.with_local_jobs(vec![local, local.with_user(UserId(7))]);
    /// let grid = Grid::new(vec![small, Resource::new(SiteId(1), "large", machine(1, 2)?)]);
    /// let outcome = grid.run_live(&[job(1, 3, 10.0)], config.clone(), &mut Limit::none().meter())?;
    /// assert_eq!((starts(&outcome.records), starts(&outcome.local[0])), (vec![0.0], vec![10.0, 70.0]));
    ///
    /// // Only one CPU has what the jobs demand; the second job waits until the first leaves it.
    /// let resource = |id, name| Ok::<_, ModelError>(Resource::new(SiteId(id), name, machine(id, 1)?));
    /// let fit = resource(1, "fit")?.with_features(Features::default().with_label("gpu").with_amount("memory", 64.0)?);
    /// let demands = Demands::default().with_label("gpu").with_at_least("memory", 64.0)?;
    /// let picky = ResourceRequest::must(1, 10.0).with_demands(demands);
    /// let jobs = [1, 2].map(|id| GridJob::from(Job::new(JobId(id), picky.clone())));
    /// let grid = Grid::new(vec![resource(0, "other")?, fit]);
    /// let outcome = grid.run_live(&jobs, config, &mut Limit::none().meter())?;
    /// assert_eq!(starts(&outcome.records), [0.0, 10.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// The simulation runs until nothing more can happen, or the meter ends. Work is one unit for each instant at
    /// which something happens, and the work of the broker's cycles; the signal also stops a cycle. Nothing of a
    /// cycle that exceeds the limit is carried out. Jobs that wait at the end, also because no CPUs suit them, are
    /// [`Waiting`](crate::Ending::Waiting); jobs that need more fast CPUs than exist are refused on arrival.
    ///
    /// # Errors
    /// [`SimError::Length`] if a job has expected times for another number of machines, [`SimError::RepeatedJob`] for
    /// an identifier that occurs twice, [`SimError::UnknownJob`] for a cancellation of an unknown job,
    /// [`SimError::OutOfRange`] for an invalid time or share of a job, an outage of a CPU that does not exist, or
    /// more than 2^32 - 1 CPUs, [`SimError::TooMany`] for more than 20 million jobs, and [`SimError::Scheduler`] for
    /// errors of the broker.
    pub fn run_live(
        &self,
        jobs: &[GridJob],
        config: Config,
        meter: &mut Meter,
    ) -> Result<LiveOutcome, SimError> {
        let all = self.all_jobs(jobs)?;
        check_count("jobs", all.jobs.len())?;
        let broker = Broker::new(config).map_err(world::broker_error)?;
        World::new(self, &all, broker)?.run(meter)
    }
}
