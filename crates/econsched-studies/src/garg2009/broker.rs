//! One replicate of the meta-broker study.
//!
//! Source: S. Garg, R. Buyya, H. J. Siegel, "Scheduling Parallel Applications on Utility Grids: Time and Cost
//! Trade-off Management", 2009, section 5: five clusters under EASY backfilling, 1000 Lublin jobs with arrival times
//! divided by 1000, schedule interval 50 s.
//!
//! Deviations. The paper does not state the local load; by default there is none, and [`Config::local_jobs`] adds
//! some. A job that is wider than every cluster is refused and counted.

use econsched::grid_heuristics::{Averages, TradeOffMetric};
use econsched::grid_sim::{
    BatchScheduler, Grid, GridBounds, GridJob, GridOutcome, LocalLoad, Resource, SimError, lower_bounds,
};
use econsched::sched_model::{Job, Limit, SiteId, Span, TradeOff};
use econsched::workload_gen::meta_broker::{EDG_TESTBED, EdgResource, MetaBrokerCase, MetaBrokerWorkload};
use econsched::workload_gen::sample::stream;

econsched::sched_model::registry! {
    /// The four configurations of case 2. The two of case 1 are HIUC (high variation) and LOUC (low variation), with
    /// one trade-off factor for all jobs.
    pub enum Configuration: "meta-broker configuration" {
        /// High variation of times, inconsistent prices.
        Hiuc = "HIUC",
        /// High variation of times, consistent prices.
        Hicc = "HICC",
        /// Low variation of times, inconsistent prices.
        Louc = "LOUC",
        /// Low variation of times, consistent prices.
        Locc = "LOCC",
    }
}

impl Configuration {
    /// Applies the configuration to a workload.
    pub fn of(self, workload: MetaBrokerWorkload) -> MetaBrokerWorkload {
        workload
            .with_high_variation(matches!(self, Configuration::Hiuc | Configuration::Hicc))
            .with_consistent_prices(self.has_consistent_prices())
    }

    /// Whether slower resources are cheaper.
    pub(super) fn has_consistent_prices(self) -> bool {
        matches!(self, Configuration::Hicc | Configuration::Locc)
    }
}

econsched::sched_model::settings! {
    /// The configuration of the simulation. The default is case 2 under HIUC.
    pub struct Config {
        /// The trade-off factor of all jobs (case 1); `None` for each job's own (case 2).
        with_trade_off: trade_off: Option<TradeOff> = None,
        /// The resources over which the metric takes averages.
        with_averages: averages: Averages = Averages::default(),
        /// The jobs; [`Configuration::of`] sets how their times and the prices vary.
        with_workload: workload: MetaBrokerWorkload = MetaBrokerWorkload::default(),
        /// The schedule interval; 50 in the paper.
        with_interval: interval: Span = Span::must(50.0),
        /// Number of local jobs of each resource: Lublin jobs of at most its size, arriving like those of the
        /// workload; 0 by default.
        with_local_jobs: local_jobs: usize = 0,
        /// Maximum factor by which a local job overestimates its time; 1 for exact requests, 3 by default.
        with_local_overestimate: local_overestimate: f64 = 3.0,
    }
}

impl Config {
    /// Returns the metric by which heuristics decide.
    pub fn metric(&self) -> TradeOffMetric {
        let metric = TradeOffMetric::default().with_averages(self.averages);
        match self.trade_off {
            Some(factor) => metric.with_factor(factor),
            None => metric,
        }
    }
}

/// Simulates one replicate under a scheduler: a trade-off heuristic with the [metric](Config::metric) of the
/// configuration, or one of your own. For the same configuration, seed and replicate, all schedulers get the same
/// jobs.
///
/// # Errors
/// [`SimError::Workload`] for a workload out of range; [`SimError::OutOfRange`] for an overestimate below 1; the
/// errors of [`Grid::run`].
///
/// ```
/// use econsched::grid_heuristics::TradeOffKind;
/// use econsched::workload_gen::meta_broker::MetaBrokerWorkload;
/// use econsched_studies::garg2009::broker::{Config, simulate};
/// let config = Config::default().with_workload(MetaBrokerWorkload::default().with_jobs(50));
/// let mut broker = TradeOffKind::MinCtt.build(config.metric());
/// let report = simulate(&config, 1, 0, &mut broker)?.report;
/// assert_eq!(report.jobs, 50);
/// assert!(report.sites.iter().map(|site| site.jobs).sum::<usize>() <= 50); // refused: wider than all
/// assert_eq!(report, simulate(&config, 1, 0, &mut broker)?.report);
/// # Ok::<(), econsched::grid_sim::SimError>(())
/// ```
pub fn simulate(
    config: &Config,
    seed: u64,
    replicate: u64,
    scheduler: &mut dyn BatchScheduler,
) -> Result<GridOutcome, SimError> {
    let (grid, jobs) = draw(config, seed, replicate)?;
    grid.run(&jobs, scheduler, &mut Limit::none().meter())
}

/// Computes lower bounds on this replicate that hold for every broker that runs each job on one resource: see
/// [`lower_bounds`].
///
/// # Errors
/// As for [`simulate`], without those of the scheduler.
pub fn bounds(config: &Config, seed: u64, replicate: u64) -> Result<GridBounds, SimError> {
    let case = config.workload.generate(&mut stream(seed, replicate))?;
    Ok(lower_bounds(&case.machines, &jobs_of(&case)?, false))
}

/// Returns the jobs of a case with their times on each resource.
///
/// # Errors
/// [`SimError::Model`] for a time that no job can have.
pub fn jobs_of(case: &MetaBrokerCase) -> Result<Vec<GridJob>, SimError> {
    let job = |(row, job): (usize, &Job)| {
        let times = case.etc[row].iter().map(|&time| Span::try_from(time)).collect::<Result<Vec<_>, _>>()?;
        Ok(GridJob::from(job.clone()).with_times(times))
    };
    case.jobs.iter().enumerate().map(job).collect()
}

/// Draws the resources with their local jobs, and the jobs of the broker.
fn draw(config: &Config, seed: u64, replicate: u64) -> Result<(Grid, Vec<GridJob>), SimError> {
    let mut rng = stream(seed, replicate);
    let case = config.workload.generate(&mut rng)?;
    let jobs = jobs_of(&case)?;
    let mut load = LocalLoad::default()
        .with_jobs(config.local_jobs)
        .with_arrival_divisor(config.workload.arrival_divisor)
        .with_model(config.workload.model.clone());
    load.overestimate = config.local_overestimate;
    let mut resources = Vec::new();
    for (machine, EdgResource { name, .. }) in case.machines.iter().zip(&EDG_TESTBED) {
        let local = load.draw(machine.cpus(), &mut rng)?;
        resources.push(Resource::new(SiteId(machine.id.0), *name, *machine).with_local_jobs(local));
    }
    Ok((Grid::new(resources).with_interval(config.interval), jobs))
}
