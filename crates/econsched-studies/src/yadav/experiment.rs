//! One replicate of each of the three experiments of the job grouping study.
//!
//! Source: S. Yadav, A. Agarwal, R. Rastogi, "Cost-based job grouping and scheduling algorithm for grid
//! computing environments": sections 4 and 5, tables 1 to 4.
//!
//! # Readings and deviations
//! - Lengths are drawn uniformly from 200 to 240 MI, the range of experiment 1; service is GridSim's
//!   whole-second rule.
//! - The tables of grouping agree with ten CPUs per resource and groups of up to 7 seconds of its work. Both
//!   numbers are *fitted* to table 3: the text states neither, and its granularity time of 10 s, used
//!   literally, does not give the table. [`Config`] takes others.
//! - Without grouping, each gridlet goes to a resource drawn at random, on one CPU. This gives the times of
//!   table 2. Its costs are lower than the rates of table 1 allow, and are not reproduced.
//! - The rows of 50 gridlets in table 3 and of 75 in table 4 (one group, 9 and 10 s) are impossible on any
//!   single resource.

pub use super::published::Experiment;
use super::published::TABLE_1;
use econsched::grid_heuristics::{Dispatching, JobGrouping, JobOrder, ResourceOrder, ServiceRule};
use econsched::grid_sim::SimError;
use econsched::sched_model::{Job, JobId, Machine, MachineId, Price, ResourceRequest, Span, Speed, Work};
use econsched::workload_gen::internal::{Distribution, Uniform, UniformInt};
use econsched::workload_gen::sample::stream;

econsched::sched_model::settings! {
    /// The configuration of an experiment. The default is the reading that gives table 3, for 25 gridlets.
    pub struct Config {
        /// Number of gridlets; 25 to 150 in the paper.
        with_gridlets: gridlets: u32 = 25,
        /// Minimum and maximum length, MI.
        with_lengths: lengths: (f64, f64) = (200.0, 240.0),
        /// CPUs that work on a group together; fitted.
        with_cpus: cpus: u32 = 10,
        /// Maximum time that a group may run; fitted.
        with_granularity: granularity: Span = Span::must(7.0),
        /// The rule for the time that a resource works on jobs of a total length.
        with_service: service: ServiceRule = ServiceRule::WholeSeconds,
        /// Maximum number of gridlets in a group; no limit by default.
        with_max_jobs: max_jobs: Option<usize> = None,
        /// Maximum number of rounds over the resources; no limit by default.
        with_max_rounds: max_rounds: Option<usize> = None,
        /// Additional time of each dispatch; none by default.
        with_overhead: overhead: Span = Span::ZERO,
        /// Whether dispatches run one after another, or all resources at once.
        with_dispatching: dispatching: Dispatching = Dispatching::Sequential,
        /// MIPS of a CPU and rate per second of each resource.
        with_resources: resources: Vec<(f64, f64)> = TABLE_1.to_vec(),
        /// Whether the resources are in random order; table 1 has them in order of ascending rates.
        with_shuffled: shuffled: bool = false,
    }
}

/// The results of one replicate.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct GroupingReport {
    /// Number of dispatches, of groups or of single gridlets.
    pub dispatches: usize,
    /// Number of gridlets that are longer than any group may be, or were left after the last round.
    pub refused: usize,
    /// Sum over the dispatches of rate times time.
    pub cost: f64,
    /// Sum of the times of all dispatches.
    pub time: f64,
    /// When the last dispatch is done; equal to `time` if they run one after another.
    pub makespan: f64,
}

/// Simulates one replicate. For the same seed, replicate and number of gridlets, all experiments have the same
/// gridlets.
///
/// # Errors
/// [`SimError::Model`], [`SimError::Workload`] and [`SimError::Scheduler`] for a configuration out of range.
///
/// ```
/// use econsched_studies::yadav::experiment::{Config, Experiment, run};
/// let report = run(Experiment::Grouped, &Config::default(), 1, 0)?;
/// // The first row of table 3: 25 gridlets in 1 group on R1, 4 s at 100.
/// assert_eq!((report.dispatches, report.cost, report.time), (1, 400.0, 4.0));
/// let alone = run(Experiment::Ungrouped, &Config::default(), 1, 0)?;
/// assert!(alone.cost > 10.0 * report.cost && alone.time > 10.0 * report.time);
/// # Ok::<(), econsched::grid_sim::SimError>(())
/// ```
pub fn run(
    experiment: Experiment,
    config: &Config,
    seed: u64,
    replicate: u64,
) -> Result<GroupingReport, SimError> {
    let mut rng = stream(seed, replicate);
    let length = Uniform::new(config.lengths.0, config.lengths.1)?;
    let works = (0..config.gridlets)
        .map(|_| Work::try_from(length.sample(&mut rng)))
        .collect::<Result<Vec<_>, _>>()?;
    let mut table = config.resources.clone();
    if config.shuffled {
        for last in (1..table.len()).rev() {
            // There are no more resources than a u32 counts.
            table.swap(last, UniformInt::new(0, last as u32)?.sample(&mut rng) as usize);
        }
    }
    let failed = |error: econsched::grid_heuristics::HeuristicError| SimError::Scheduler {
        who: "grouping".into(),
        why: error.to_string(),
    };
    let job = |(id, &work): (u64, &Work)| Ok(Job::new(JobId(id), ResourceRequest::new(1, work)?));
    let jobs = (0..).zip(&works).map(job).collect::<Result<Vec<Job>, SimError>>()?;
    let cpus = if experiment == Experiment::Ungrouped { 1.0 } else { f64::from(config.cpus) };
    // All CPUs of a resource work on one group, so they count as one.
    let resource = |(id, &(mips, rate)): (u32, &(f64, f64))| {
        Ok(Machine::new(MachineId(id), 1, Speed::try_from(mips * cpus)?, Price::try_from(rate)?)?)
    };
    let resources = (0..).zip(&table).map(resource).collect::<Result<Vec<Machine>, SimError>>()?;
    let grouping =
        JobGrouping::new(config.granularity).with_service(config.service).with_overhead(config.overhead);
    if experiment == Experiment::Ungrouped {
        return alone(&grouping, config, &works, &resources, &mut rng);
    }
    let (job_order, resource_order) = match experiment {
        Experiment::Prioritised => (JobOrder::Priority, ResourceOrder::CostPerTime),
        Experiment::PrioritisedByWork => (JobOrder::Priority, ResourceOrder::CostPerWork),
        Experiment::Grouped | Experiment::Ungrouped => (JobOrder::Arrival, ResourceOrder::Given),
    };
    let mut grouping = grouping.with_job_order(job_order).with_resource_order(resource_order);
    (grouping.max_jobs, grouping.max_rounds) = (config.max_jobs, config.max_rounds);
    let grouped = grouping.group(&jobs, &resources).map_err(failed)?;
    let ends = grouped.dispatch(config.dispatching).into_iter().map(|(_, end)| end.get());
    let totals = grouped.totals();
    Ok(GroupingReport {
        dispatches: grouped.groups.len(),
        refused: grouped.refused.len(),
        cost: totals.cost.get(),
        time: totals.time.get(),
        makespan: ends.fold(0.0, f64::max),
    })
}

/// Runs each gridlet alone on a resource drawn at random.
fn alone(
    grouping: &JobGrouping,
    config: &Config,
    works: &[Work],
    resources: &[Machine],
    rng: &mut dyn rand::Rng,
) -> Result<GroupingReport, SimError> {
    let last = resources.len().checked_sub(1).ok_or_else(|| SimError::Length {
        what: "the resources".into(),
        expected: 1,
        got: 0,
    })?;
    let choice = UniformInt::new(0, last as u32)?;
    let mut busy = vec![Span::ZERO; resources.len()];
    let mut cost = 0.0;
    for &work in works {
        let at = choice.sample(rng) as usize;
        let time = grouping.overhead + grouping.service.span(work, resources[at].speed);
        busy[at] += time;
        cost += (resources[at].price * time).get();
    }
    let time: Span = busy.iter().copied().sum();
    let longest = busy.into_iter().max().unwrap_or(Span::ZERO);
    let makespan = if config.dispatching == Dispatching::Parallel { longest } else { time };
    let (time, makespan) = (time.get(), makespan.get());
    Ok(GroupingReport { dispatches: works.len(), refused: 0, cost, time, makespan })
}
