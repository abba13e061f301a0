//! `econsched multi-s-grid`: simulates a grid of failing machines and links slice by slice, under the strategy of its
//! provider.

use super::report::{Kind, Records};
use super::{Common, Run, Runs};
use crate::commands::settings::{Rare, Settings, at_most};
use crate::commands::{limits, prelude::*};
use econsched::auction_assign::strategy::Strategy;
use econsched::workload_gen::sample::stream;
use econsched_studies::multi_s_grid::{
    Config, GridName, JobProperties, MultiSGrid, SystemOutcome, UserGroup,
};

flags! {
    /// Simulate a grid of failing machines and links, slice by slice, under a provider's strategy
    #[command(after_long_help = include_str!("../../help/multi-s-grid.txt"), allow_negative_numbers = true)]
    pub(crate) struct MultiSGridArgs {
        /// Grid of the paper
        grid: GridName as "NAME" = "G1" => names::<GridName>(),
        /// Group of users of the paper
        users: UserGroup as "NAME" = "users1" => names::<UserGroup>(),
        /// Number of jobs
        jobs: u32 as "COUNT" = "1000" => count::<u32>(1, MOST),
        /// Mean of the exponential gaps between arrivals
        gap: f64 as "SECONDS" = "1",
        /// Starvation prevention: weight of the waiting time
        sp: f64 as "SHARE" = "0",
        /// Fail prevention: weight of the risk of failure
        fp: f64 as "SHARE" = "0",
        /// Quality of service: weight of the rank of the user
        qp: f64 as "SHARE" = "0",
        /// Assign by the auction of the paper, with this last epsilon (seconds of cost), instead of exactly
        auction: Option<f64> as "EPSILON",
        /// Number of slices of one second after which the run ends even if jobs are left
        slices: u32 as "COUNT" = "100000" => count::<u32>(1, MOST),
        [flatten] rare: Rare,
        [flatten] pub(crate) common: Common,
    }
}

/// Maximum number of machines, and of users.
const MOST_MACHINES: u64 = 1_000_000;

impl Command for MultiSGridArgs {
    fn report(&self, context: &Context<'_>) -> Result<Report, CliError> {
        let mut given = self.rare.read()?;
        let grid = given.take("grid").over(self.grid.properties())?;
        let users = given.take("users").over(self.users.properties())?;
        let jobs = JobProperties::default().with_jobs(self.jobs).with_mean_gap(self.gap);
        let jobs = given.take("jobs").over(jobs)?;
        let config = self.config(given)?;
        let machines = u64::from(grid.sites).saturating_mul((*grid.machines.end()).into());
        at_most(MOST_MACHINES, "machines or users", machines.max(users.users.into()))?;
        at_most(MOST, "jobs", jobs.jobs.into())?;
        if !(jobs.mean_gap * f64::from(jobs.jobs) <= f64::from(config.slices)) {
            let why = "the jobs would not all arrive within the slices of one second";
            return Err(CliError::usage(format!("--gap {}: {why}", jobs.mean_gap)));
        }
        let limit = self.common.limits.start(!context.sweep);
        let mut traces = Vec::new();
        let all = Runs::of_seeds("multi-s-grid", &self.common, |seed| {
            let drawn = (grid.clone(), users.clone(), jobs.clone());
            let (sites, users, jobs) = limits::within(&limit, "before the jobs were generated", move || {
                let ((grid, users, jobs), mut rng) = (drawn, stream(seed, 0));
                let (sites, users) = (grid.generate(&mut rng)?, users.generate(&mut rng)?);
                let jobs = jobs.generate(&users, &mut rng)?;
                Ok((sites, users, jobs))
            })?;
            let mut meter = limit.meter().with_observer(limits::progress_observer("simulation"));
            let run = MultiSGrid::new(&sites).with_users(&users).with_config(config.clone()).with_seed(seed);
            let outcome = run.run_within(&jobs, &mut meter)?;
            let machines = sites.iter().map(|site| site.machines.len()).sum();
            let SystemOutcome { slices, assignments, .. } = &outcome;
            if context.files {
                traces.push(serde_json::to_value(object! {
                    seed: seed, sites: sites, slices: slices, assignments: assignments
                })?);
            }
            let more = vec![
                ("mean transfer and processing time".to_owned(), Kind::Span, outcome.mean_cost),
                ("jobs starved".to_owned(), Kind::Number, outcome.starved as f64),
                ("CPU time of lost jobs".to_owned(), Kind::Span, outcome.lost_time.get()),
            ];
            let SystemOutcome { records, report, events, stopped, .. } = outcome;
            let records = Records::List(records);
            Ok((Run { seed, machines, records, report, more, events, stopped }, Vec::new()))
        })?;
        let report = all.report(context.files)?;
        Ok(if context.files { report.with_file("trace.json", files::json(&traces)?) } else { report })
    }
}

impl MultiSGridArgs {
    fn config(&self, given: Settings) -> Result<Config, CliError> {
        let strategy = Strategy::default()
            .with_fail_prevention(self.fp)
            .with_quality_of_service(self.qp)
            .with_starvation_prevention(self.sp);
        let usual = Config::default()
            .with_strategy(strategy)
            .with_slices(self.slices)
            .with_trace(true)
            .with_auction(self.auction);
        let config: Config = given.over(usual.clone())?;
        if !config.failures && (config.repair, config.retries) != (usual.repair, usual.retries) {
            return Err(CliError::usage("--set failures: repair and retries are for what fails"));
        }
        Ok(config)
    }
}
