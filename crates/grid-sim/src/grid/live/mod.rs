//! The live broker under jobs, early ends, overruns, failing CPUs and cancellations.

mod runs;
mod world;

use super::{Grid, GridJob};
use crate::SimError;
use crate::error::check_count;
use crate::report::{JobRecord, Report};
use live_broker::{Broker, Config};
use sched_model::{End, Meter, Time};
use world::World;

/// The result of a simulation with a live broker.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct LiveOutcome {
    /// The jobs, in the order given.
    pub records: Vec<JobRecord>,
    /// Their figures.
    pub report: Report,
    /// The local jobs of each machine. The counts of moves, withdrawals, cycles and inputs below include
    /// local jobs.
    pub local: Vec<Vec<JobRecord>>,
    /// The first start that each job was promised.
    pub promises: Vec<Option<Time>>,
    /// Cycles.
    pub cycles: u64,
    /// Units of work of all cycles.
    pub work: u64,
    /// [moves to a later start, other moves] of promises.
    pub moved: [u64; 2],
    /// Promises that were withdrawn.
    pub withdrawn: u64,
    /// How often a job was stopped for one of higher priority.
    pub preempted: u64,
    /// Number of inputs to the broker.
    pub inputs: u64,
    /// What stopped it before all jobs had left, if anything did.
    pub stopped: Option<End>,
}

impl Grid {
    /// Lets a [live broker](live_broker::Broker) give the CPUs to the jobs, instead of a scheduler at intervals. Every
    /// CPU is a node; the simulated broker is the same code as in production. It serves local jobs too, each on its own
    /// machine alone; they pay nothing, take no memory and no GPUs, and wait in one queue with all others, by the time
    /// of submission. The policies of the resources, the interval, the patience and the log have no effect. A job that
    /// would be extended goes on, and the jobs after it wait.
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
    /// // The first asks for 100 and takes 25; the second is promised 100 and stays there.
    /// let jobs = [job(1, 2, 100.0).with_actual_share(0.25), job(2, 2, 10.0)];
    /// let grid = Grid::new(vec![Resource::new(SiteId(0), "one", machine(0, 2)?)]);
    /// let config = Config::new(Span::must(1000.0));
    /// let outcome = grid.run_live(&jobs, config.clone(), &mut Limit::none().meter())?;
    /// assert_eq!(starts(&outcome.records), [0.0, 100.0]);
    /// assert_eq!(outcome.report.cost, Money::must(2.0 * 25.0 + 2.0 * 10.0));
    ///
    /// // A job of the grid comes first; the local ones have only the one CPU, though two others are free.
    /// let local = LocalJob::new(JobId(1), Time::ZERO, 1, Span::must(60.0), Span::must(60.0))?;
    /// let small = Resource::new(SiteId(0), "small", machine(0, 1)?);
    /// let small = small.with_local_jobs(vec![local, local.with_user(UserId(7))]);
    /// let grid = Grid::new(vec![small, Resource::new(SiteId(1), "large", machine(1, 2)?)]);
    /// let outcome = grid.run_live(&[job(1, 3, 10.0)], config.clone(), &mut Limit::none().meter())?;
    /// assert_eq!((starts(&outcome.records), starts(&outcome.local[0])), (vec![0.0], vec![10.0, 70.0]));
    ///
    /// // One CPU has what the job demands; the second job waits until the first leaves it.
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
    /// Runs until nothing more happens, or the meter ends. Work is one unit for each instant at which something
    /// happens, and the work of the broker's cycles; the signal stops a cycle, too. Nothing of a cycle that
    /// exceeds the limit is carried out. Jobs that wait then, also because no CPUs suit them, are
    /// [`Waiting`](crate::Ending::Waiting); jobs that need more fast CPUs than there are, are refused when
    /// they come.
    ///
    /// # Errors
    /// [`SimError::Length`] if a job has expected times for another number of machines,
    /// [`SimError::RepeatedJob`] for an id given twice, [`SimError::UnknownJob`] for a cancellation of an unknown
    /// job, [`SimError::OutOfRange`] for a time or a share that no job has, an outage of a CPU that does not
    /// exist, and more CPUs than 2^32 - 1, [`SimError::TooMany`] for more than 20 million jobs, and
    /// [`SimError::Scheduler`] for errors of the broker.
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
