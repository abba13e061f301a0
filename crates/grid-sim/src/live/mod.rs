//! The live broker under jobs, early ends, overruns, failing CPUs and cancellations.

mod prepare;
mod runs;
mod world;

use crate::SimError;
use crate::cluster::LocalJob;
use crate::fault_load::Outage;
use crate::grid::GridJob;
use crate::report::{JobRecord, Report, SiteInfo, check_count};
use live_broker::{Broker, Config, Entry};
use sched_model::{End, Features, JobId, Machine, Meter, SiteId, Time};
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

sched_model::builder! {
    /// A simulation of machines whose CPUs a [live broker](live_broker::Broker) gives to jobs. Every CPU is a
    /// node; the simulated broker is the same code as in production.
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
    /// let jobs = [job(1, 2, 100.0)?.with_actual_share(0.25), job(2, 2, 10.0)?];
    /// let grid = LiveGrid::new(vec![(SiteId(0), "one".to_owned(), machine)]);
    /// let outcome = grid.run(&jobs, Config::new(Span::must(1000.0)), &mut Limit::none().meter())?;
    /// let starts: Vec<f64> = outcome.records.iter().filter_map(|record| Some(record.start?.get())).collect();
    /// assert_eq!(starts, [0.0, 100.0]);
    /// assert_eq!(outcome.report.cost, Money::must(2.0 * 25.0 + 2.0 * 10.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[derive(Debug, Clone)]
    #[must_use]
    pub struct LiveGrid {
        /// These machines, with their sites and names. Sites may repeat.
        new(machines: Vec<(SiteId, String, Machine)>);
        _: machines: Vec<(SiteId, String, Machine)> = machines,
        // By machine.
        _: local: BTreeMap<usize, Vec<LocalJob>> = BTreeMap::new(),
        _: features: BTreeMap<usize, Features> = BTreeMap::new(),
        /// With these outages. A CPU that is down already does not fail again.
        with_outages: outages: Vec<Outage> = Vec::new(),
        /// With cancellations of jobs by their owners.
        with_cancellations: cancellations: Vec<(Time, JobId)> = Vec::new(),
        /// With this rule for jobs whose time is up.
        with_time_up: time_up: TimeUp = TimeUp::default(),
    }
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

impl LiveGrid {
    /// With these local jobs of the machine at this place: the same broker serves them, each on its own
    /// machine alone, and they pay nothing. They wait in one queue with all others, by the time of
    /// submission.
    ///
    /// ```
    /// use grid_sim::{GridJob, LiveGrid, LocalJob};
    /// use live_broker::Config;
    /// use sched_model::*;
    /// let machine = |id, cpus| Machine::new(MachineId(id), cpus, Speed::ETALON, Price::must(1.0));
    /// let local = LocalJob::new(JobId(1), Time::ZERO, 1, Span::must(60.0), Span::must(60.0))?;
    /// let machines =
    ///     vec![(SiteId(0), "small".into(), machine(0, 1)?), (SiteId(1), "large".into(), machine(1, 2)?)];
    /// let grid = LiveGrid::new(machines).with_local_jobs(0, vec![local, local.with_user(UserId(7))]);
    /// let job = Job::new(JobId(1), ResourceRequest::new(3, Work::must(10.0))?);
    /// let outcome = grid.run(&[GridJob::new(job)], Config::new(Span::must(1000.0)), &mut Limit::none().meter())?;
    /// let starts = |records: &[grid_sim::JobRecord]| {
    ///     records.iter().map(|record| record.start.unwrap().get()).collect::<Vec<_>>()
    /// };
    /// // The job of the grid was first; the local ones have only the one CPU, though two others are free.
    /// assert_eq!((starts(&outcome.records), starts(&outcome.local[0])), (vec![0.0], vec![10.0, 70.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_local_jobs(mut self, machine: usize, jobs: Vec<LocalJob>) -> Self {
        self.local.insert(machine, jobs);
        self
    }

    /// With these labels and amounts of each CPU of the machine at this place, for jobs that
    /// [demand](sched_model::Demands) them. A label that all CPUs of a machine share, such as `site=north`, lets
    /// jobs ask for CPUs of one machine.
    ///
    /// ```
    /// use grid_sim::{GridJob, LiveGrid};
    /// use live_broker::Config;
    /// use sched_model::*;
    /// let machine = |id, price| Machine::new(MachineId(id), 1, Speed::ETALON, Price::must(price));
    /// let machines =
    ///     vec![(SiteId(0), "cheap".into(), machine(0, 1.0)?), (SiteId(1), "fit".into(), machine(1, 5.0)?)];
    /// let features = Features::new().with_label("gpu").with_amount("memory", 64.0)?;
    /// let grid = LiveGrid::new(machines).with_features(1, features);
    /// let any = ResourceRequest::must(1, 10.0);
    /// let picky = any.clone().with_demands(Demands::new().with_label("gpu").with_at_least("memory", 64.0)?);
    /// let jobs = [(1, &any), (2, &picky), (3, &picky)]
    ///     .map(|(id, request)| GridJob::new(Job::new(JobId(id), request.clone())));
    /// let outcome = grid.run(&jobs, Config::new(Span::must(1000.0)), &mut Limit::none().meter())?;
    /// let starts = outcome.records.iter().filter_map(|record| Some(record.start?.get()));
    /// // The third waits for the only CPU that it may have: the first leaves the other one at 10.
    /// assert_eq!(starts.collect::<Vec<f64>>(), [0.0, 0.0, 10.0]);
    /// assert_eq!(outcome.report.cost, Money::must(10.0 * 1.0 + 2.0 * 10.0 * 5.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_features(mut self, machine: usize, features: Features) -> Self {
        self.features.insert(machine, features);
        self
    }

    /// Runs until nothing more happens, or the meter ends. Work is one unit for each instant at which something
    /// happens, and the work of the broker's cycles; the signal stops a cycle, too. Nothing of a cycle that
    /// exceeds the limit is carried out. Jobs that wait then, also because no CPUs suit them, are
    /// [`Waiting`](crate::Ending::Waiting); jobs that need more fast CPUs than there are, are refused when
    /// they come.
    ///
    /// # Errors
    /// [`SimError::Length`] if a job has expected times for another number of machines, or there are local
    /// jobs or features of a machine that does not exist, [`SimError::RepeatedJob`] for an id given twice,
    /// [`SimError::OutOfRange`] for an outage of a CPU that does not exist, and [`SimError::Scheduler`] for
    /// errors of the broker.
    pub fn run(&self, jobs: &[GridJob], config: Config, meter: &mut Meter) -> Result<LiveOutcome, SimError> {
        self.run_with(jobs, config, meter, None)
    }

    /// As [`run`](Self::run), with an observer: it gets each input as the journal records it,
    /// with the broker that has just taken it, before its decisions are carried out. It may put another
    /// broker in its place, for example one that was restored; the simulation continues with that one.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    ///
    /// ```
    /// use grid_sim::{GridJob, LiveGrid};
    /// use live_broker::{Broker, Config};
    /// use sched_model::*;
    /// let machine = Machine::new(MachineId(0), 2, Speed::ETALON, Price::must(1.0))?;
    /// let jobs = [GridJob::new(Job::new(JobId(1), ResourceRequest::new(2, Work::must(10.0))?))];
    /// let grid = LiveGrid::new(vec![(SiteId(0), "one".to_owned(), machine)]);
    /// let config = Config::new(Span::must(100.0));
    /// let mut journal = Vec::new();
    /// let limit = Limit::none();
    /// let watch = &mut |_: &mut Broker, entry: &_| journal.push(Clone::clone(entry));
    /// grid.run_watched(&jobs, config.clone(), &mut limit.meter(), watch)?;
    /// // With the journal alone a broker reaches the same end.
    /// let mut broker = Broker::new(config)?;
    /// for entry in &journal {
    ///     broker.replay(entry)?;
    /// }
    /// assert_eq!(broker.jobs().count(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_watched(
        &self,
        jobs: &[GridJob],
        config: Config,
        meter: &mut Meter,
        watch: &mut dyn FnMut(&mut Broker, &Entry),
    ) -> Result<LiveOutcome, SimError> {
        self.run_with(jobs, config, meter, Some(watch))
    }

    fn run_with(
        &self,
        jobs: &[GridJob],
        config: Config,
        meter: &mut Meter,
        watch: Option<world::Watch<'_>>,
    ) -> Result<LiveOutcome, SimError> {
        let all = self.all_jobs(jobs)?;
        check_count("jobs", all.jobs.len())?;
        let broker = Broker::new(config).map_err(world::broker_error)?;
        World::new(self, &all, broker, watch.map(|watch| -> world::Watch<'_> { watch }))?.run(meter)
    }

    fn sites(&self) -> Vec<SiteInfo> {
        SiteInfo::of_machines(self.machines.iter().map(|(site, name, machine)| (*site, &**name, machine)))
    }
}
