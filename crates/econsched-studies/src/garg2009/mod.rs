//! S. K. Garg, R. Buyya, H. J. Siegel, "Scheduling Parallel Applications on Utility Grids: Time and Cost
//! Trade-off Management", 2009: MinCTT, MaxCTT and Greedy on the EDG testbed.

pub mod broker;
mod by_setting;
mod claims;
mod figures;
mod variants;

use crate::again::judge_again;
use crate::data::{Data, Figure};
use crate::report::StudyReport;
use crate::{Failure, Replicates, Study, StudyError};
use broker::{Config, Configuration, bounds, simulate};
use econsched::grid_heuristics::TradeOffKind;
use econsched::sched_model::{Span, TradeOff};
use econsched::workload_gen::meta_broker::{EDG_TESTBED, EdgResource, MetaBrokerWorkload};
use std::ops::Range;

/// The three heuristics of the paper, and a second reading of the last.
const HEURISTICS: [&str; 4] = ["MinCTT", "MaxCTT", "Greedy", "blind Greedy"];
const KINDS: [TradeOffKind; 4] =
    [TradeOffKind::MinCtt, TradeOffKind::MaxCtt, TradeOffKind::Greedy, TradeOffKind::BlindGreedy];
const MIN: usize = 0;
const MAX: usize = 1;
const GREEDY: usize = 2;
const BLIND: usize = 3;

const FACTORS: [f64; 6] = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0];
/// The configurations of case 1: low variation is figure 2, high variation figure 3. Both have inconsistent prices.
const CASE_1: [Configuration; 2] = [Configuration::Louc, Configuration::Hiuc];
const SITES: usize = EDG_TESTBED.len();
const CONFIGURATIONS: usize = Configuration::ALL.len();

econsched::sched_model::settings! {
    /// MinCTT, MaxCTT and Greedy on the EDG testbed.
    pub struct Garg2009 {
        /// Seed of everything that is drawn; 1 by default.
        with_seed: seed: u64 = 1,
        /// Number of workloads, each run under all heuristics, trade-off factors and configurations; 400 by default.
        with_seeds: seeds: u64 = 400,
        /// Number of applications of a workload; 1,000 in the paper and by default.
        with_jobs: jobs: usize = 1_000,
        /// Schedule interval of the meta-broker in seconds; 50 in the paper and by default.
        with_interval: interval: f64 = 50.0,
        /// Number of local jobs of each resource, under EASY backfilling; the paper mentions none, and the default is
        /// 0.
        with_local_jobs: local_jobs: usize = 0,
        /// Number of workloads from which the claims that are open after `seeds` are judged again; of the workloads
        /// beyond `seeds`, only the runs that these claims need are computed. 0 by default, for no second judgement.
        with_open_seeds: open_seeds: u64 = 0,
    }
}

/// The columns of a run, which is one heuristic on one workload under one setting. The shares of the applications on
/// each site, in per cent, come last. The lower bounds are those of the setting, and stored in the run of its first
/// heuristic.
const COST: usize = 0;
const MAKESPAN: usize = 1;
/// Mean run time of an application.
const TIME: usize = 2;
const BOUNDS: [usize; 2] = [3, 4];
const SHARES: usize = 5;
const WIDTH: usize = SHARES + SITES;

/// Returns the setting of case 1 with low or high variation and one trade-off factor for all.
fn case_1(variation: usize, factor: usize) -> usize {
    variation * FACTORS.len() + factor
}

/// Returns the setting of case 2, with each user's own trade-off factor, under a configuration.
const fn case_2(configuration: Configuration) -> usize {
    BY_USER + configuration as usize
}

/// The first setting of case 2.
const BY_USER: usize = CASE_1.len() * FACTORS.len();

/// Returns the settings of case 2, with the names of their configurations.
fn configurations() -> impl Iterator<Item = (&'static str, usize)> {
    Configuration::ALL.iter().map(|&configuration| (configuration.name(), case_2(configuration)))
}

const SETTINGS: usize = BY_USER + CONFIGURATIONS;
const RUNS: usize = SETTINGS * HEURISTICS.len();

fn run(setting: usize, heuristic: usize) -> usize {
    setting * HEURISTICS.len() + heuristic
}

/// Returns the index of a number in the row of a workload.
fn index_of(setting: usize, heuristic: usize, column: usize) -> usize {
    run(setting, heuristic) * WIDTH + column
}

/// Returns the excess of one heuristic over another under a setting, in per cent.
fn excess(data: &Data, setting: usize, (of, over): (usize, usize), column: usize) -> Figure {
    data.excess(index_of(setting, of, column), index_of(setting, over, column))
}

/// Returns the indices of the shares of the applications on each site.
fn shares(setting: usize, heuristic: usize) -> Range<usize> {
    index_of(setting, heuristic, SHARES)..index_of(setting, heuristic, WIDTH)
}

impl Garg2009 {
    fn config(&self, configuration: Configuration) -> Result<Config, Failure> {
        let workload = MetaBrokerWorkload::default().with_jobs(self.jobs);
        let config = Config::default().with_workload(configuration.of(workload));
        Ok(config.with_interval(Span::try_from(self.interval)?).with_local_jobs(self.local_jobs))
    }

    fn setting(&self, setting: usize) -> Result<Config, Failure> {
        match setting.checked_sub(BY_USER) {
            Some(configuration) => self.config(Configuration::ALL[configuration]),
            None => {
                let factor = TradeOff::try_from(FACTORS[setting % FACTORS.len()])?;
                Ok(self.config(CASE_1[setting / FACTORS.len()])?.with_trade_off(Some(factor)))
            }
        }
    }

    /// Runs a heuristic on one workload. The same seed and workload give the same result.
    fn run_heuristic(
        &self,
        config: &Config,
        heuristic: usize,
        workload: u64,
    ) -> Result<[f64; WIDTH], Failure> {
        let mut broker = KINDS[heuristic].build(config.metric());
        let report = simulate(config, self.seed, workload, &mut broker)?.report;
        let mut row = [f64::NAN; WIDTH];
        row[COST] = report.cost.get();
        row[MAKESPAN] = report.makespan.get();
        row[TIME] = report.response.mean - report.wait.mean;
        if heuristic == MIN {
            let bounds = bounds(config, self.seed, workload)?;
            row[BOUNDS[COST]] = bounds.cost.get();
            row[BOUNDS[MAKESPAN]] = bounds.makespan.get();
        }
        for (share, site) in row[SHARES..].iter_mut().zip(&report.sites) {
            *share = 100.0 * site.jobs as f64 / self.jobs as f64;
        }
        Ok(row)
    }

    /// Computes these runs of a workload.
    fn runs(&self, runs: &[usize], workload: u64) -> Result<Vec<f64>, Failure> {
        let mut row = Vec::new();
        for run in runs {
            let config = self.setting(run / HEURISTICS.len())?;
            row.extend(self.run_heuristic(&config, run % HEURISTICS.len(), workload)?);
        }
        Ok(row)
    }
}

impl Study for Garg2009 {
    fn name(&self) -> &'static str {
        "garg2009"
    }

    fn run(&self, replicates: &Replicates) -> Result<StudyReport, StudyError> {
        if self.seeds < 2 || self.jobs == 0 {
            return Err(StudyError::Config("seeds must be at least 2, and jobs at least 1".to_owned()));
        }
        let all: Vec<usize> = (0..RUNS).collect();
        let all_runs = |workload| self.runs(&all, workload);
        let data = replicates.run("workloads", self.seeds, RUNS * WIDTH, all_runs)?.with_run_width(WIDTH);
        let of_variants = variants::run(self, replicates)?;
        replicates.complete()?;
        let mut report =
            StudyReport::titled("report.md", "The meta-broker on the EDG testbed (Garg et al. 2009)");
        report.paragraph(format!(
            "{} workloads of {} applications, seed {}; schedule interval {} s; {} local jobs on each resource. Money \
             in G$, time in seconds; ± is the 95% confidence interval. Every heuristic runs on the same workloads, so \
             differences are paired.",
            self.seeds, self.jobs, self.seed, self.interval, self.local_jobs,
        ));
        let both = [
            ("fig2", ["fig2a", "fig2b", "fig2a_paired", "fig2b_paired"], "low variation of times"),
            ("fig3", ["fig3a", "fig3b", "fig3a_paired", "fig3b_paired"], "high variation of times"),
        ];
        for (variation, figure) in both.into_iter().enumerate() {
            figures::case_1(&data, variation, self.jobs, figure, &mut report);
        }
        figures::case_2(&data, self.jobs, &mut report);
        figures::distribution(&data, &mut report);
        by_setting::distances(&data, &mut report);
        variants::describe(&of_variants, &data, &mut report);
        by_setting::claims(&data, &mut report);
        let all = ("workloads", self.open_seeds);
        let claims = (include_str!("claims.txt"), claims::figure);
        let part = |runs: &[usize], workload| self.runs(runs, workload);
        report.judge("verdicts", judge_again(replicates, data, all, claims, part)?);
        report.index(include_str!("index.txt"));
        Ok(report)
    }
}
