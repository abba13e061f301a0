//! The live broker under jobs, early ends, overruns, failing CPUs and cancellations.

mod prepare;
mod world;

use crate::SimError;
use crate::grid::GridJob;
use crate::outage::Outage;
use crate::report::{JobRecord, Report, SiteInfo, check_count, default_threshold};
use live_broker::{Broker, Config};
use sched_model::{End, JobId, Limit, Machine, Meter, SiteId, Span, Time};
use std::collections::BTreeMap;
use world::World;

/// What happens to a job that is not done at the end of its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum TimeUp {
    /// It is killed, and counts as failed.
    #[default]
    Kill,
    /// It continues, and the jobs after it wait.
    GoOn,
}

/// A simulation of machines whose CPUs a [live broker](live_broker::Broker) gives to jobs. Every CPU is a node; the
/// simulated broker is the same code as in production.
///
/// ```
/// use grid_sim::{GridJob, LiveGrid};
/// use live_broker::Config;
/// use sched_model::*;
/// let machine = Machine::new(MachineId(0), 2, Speed::ETALON, Price::must(1.0))?;
/// let job = |id, cpus, work| {
///     Ok::<_, ModelError>(GridJob::new(Job::new(JobId(id), ResourceRequest::new(cpus, Work::must(work))?)))
/// };
/// // The first asks for 100 and takes 25; the second is promised 100 and stays there.
/// let jobs = [job(1, 2, 100.0)?.with_actual_share(0.25)?, job(2, 2, 10.0)?];
/// let grid = LiveGrid::new(vec![(SiteId(0), "one".to_owned(), machine)]);
/// let outcome = grid.run(&jobs, Config::new(Span::must(1000.0)))?;
/// let starts: Vec<f64> = outcome.records.iter().filter_map(|record| Some(record.start?.get())).collect();
/// assert_eq!(starts, [0.0, 100.0]);
/// assert_eq!(outcome.report.cost, Money::must(2.0 * 25.0 + 2.0 * 10.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct LiveGrid {
    machines: Vec<(SiteId, String, Machine)>,
    outages: Vec<Outage>,
    cancellations: Vec<(Time, JobId)>,
    time_up: TimeUp,
    threshold: Span,
}

/// The result of a simulation with a live broker.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct LiveOutcome {
    /// The jobs, in the order given.
    pub records: Vec<JobRecord>,
    /// Their figures.
    pub report: Report,
    /// The first start that each job was promised.
    pub promises: Vec<Option<Time>>,
    /// Cycles.
    pub cycles: u64,
    /// Units of work of all cycles.
    pub work: u64,
    /// Promises that were moved to a later start, and to an earlier one or to other nodes.
    pub moved: [u64; 2],
    /// Promises that were withdrawn.
    pub withdrawn: u64,
    /// Jobs that were stopped for others of higher priority, each time counted.
    pub preempted: u64,
    /// Number of inputs to the broker.
    pub inputs: u64,
    /// What stopped it before all jobs had left, if anything did.
    pub stopped: Option<End>,
}

impl LiveGrid {
    /// These machines, with their sites and names. Sites may repeat.
    pub fn new(machines: Vec<(SiteId, String, Machine)>) -> Self {
        Self {
            machines,
            outages: Vec::new(),
            cancellations: Vec::new(),
            time_up: TimeUp::default(),
            threshold: default_threshold(),
        }
    }

    /// With these outages. A CPU that is down already does not fail again.
    pub fn with_outages(self, outages: Vec<Outage>) -> Self {
        Self { outages, ..self }
    }

    /// With cancellations of jobs by their owners.
    pub fn with_cancellations(self, cancellations: Vec<(Time, JobId)>) -> Self {
        Self { cancellations, ..self }
    }

    /// With this rule for jobs whose time is up.
    pub fn with_time_up(self, time_up: TimeUp) -> Self {
        Self { time_up, ..self }
    }

    /// With this bound of the bounded slowdown.
    pub fn with_threshold(self, threshold: Span) -> Self {
        Self { threshold, ..self }
    }

    /// Runs until nothing more happens. Jobs that wait then, because no CPUs suit them, are
    /// [`Waiting`](crate::Ending::Waiting); jobs that need more fast CPUs than there are, are refused when they come.
    ///
    /// # Errors
    /// [`SimError::Length`] if a job has expected times for another number of machines, [`SimError::RepeatedJob`] for an
    /// id given twice, [`SimError::OutOfRange`] for an outage of a CPU that does not exist, and [`SimError::Scheduler`] for
    /// what the broker refuses.
    pub fn run(&self, jobs: &[GridJob], config: Config) -> Result<LiveOutcome, SimError> {
        self.run_within(jobs, config, &mut Limit::without_limit().meter())
    }

    /// As [`run`](Self::run), within the limit of the meter. Work is one unit for each instant at which something
    /// happens. Jobs that have not ended by then are [`Waiting`](crate::Ending::Waiting).
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub fn run_within(
        &self,
        jobs: &[GridJob],
        config: Config,
        meter: &mut Meter<'_>,
    ) -> Result<LiveOutcome, SimError> {
        check_count("jobs", jobs.len())?;
        let broker = Broker::new(config).map_err(world::broker_error)?;
        World::new(self, jobs, broker)?.run(meter)
    }

    fn sites(&self) -> Vec<SiteInfo> {
        let mut sites: BTreeMap<SiteId, SiteInfo> = BTreeMap::new();
        for (id, name, machine) in &self.machines {
            let site = sites.entry(*id).or_insert_with(|| SiteInfo { id: *id, name: name.clone(), cpus: 0 });
            site.cpus += u64::from(machine.cpus());
        }
        sites.into_values().collect()
    }
}
