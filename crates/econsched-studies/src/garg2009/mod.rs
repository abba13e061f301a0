//! S. K. Garg, R. Buyya, H. J. Siegel, "Scheduling Parallel Applications on Utility Grids: Time and Cost
//! Trade-off Management", 2009: MinCTT, MaxCTT and Greedy on the EDG testbed.

mod again;
pub mod broker;
mod by_setting;
mod claims;
mod distance;
mod evidence;
mod figures;
mod shares;
mod variants;

use crate::Study;
use crate::StudyError;
use crate::again::JudgedAgain;
use crate::record::record;
use crate::report::StudyReport;
use crate::stats::{Estimate, Moments, Ratio};
use crate::{Failure, Replicates};
use broker::{Config, bounds, simulate_with};
use econsched::grid_heuristics::{TradeOffKind, TradeOffMetric};
use econsched::grid_sim::TradeOffBroker;
use econsched::sched_model::{Span, TradeOff};
use econsched::workload_gen::meta_broker::{EDG_TESTBED, MetaBrokerConfiguration, MetaBrokerWorkload};
use variants::Variants;

/// The paper's three, and a second reading of the last.
const HEURISTICS: [&str; 4] = ["MinCTT", "MaxCTT", "Greedy", "blind Greedy"];
const MIN: usize = 0;
const MAX: usize = 1;
const GREEDY: usize = 2;
const BLIND: usize = 3;

const FACTORS: [f64; 6] = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0];
/// Case 1: low variation is figure 2, high variation figure 3. Both have inconsistent prices.
const CASE_1: [MetaBrokerConfiguration; 2] = [MetaBrokerConfiguration::Louc, MetaBrokerConfiguration::Hiuc];
const SITES: usize = EDG_TESTBED.len();
const CONFIGURATIONS: usize = 4;

/// MinCTT, MaxCTT and Greedy on the EDG testbed.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
#[must_use]
pub struct Garg2009 {
    /// Seed of all that is drawn; 1 by default.
    pub seed: u64,
    /// Workloads, each run under all heuristics, trade-off factors and configurations; 400 by default.
    pub seeds: u64,
    /// Applications of a workload; 1,000 in the paper and by default.
    pub jobs: usize,
    /// Schedule interval of the meta-broker in seconds; 50 in the paper and by default.
    pub interval: f64,
    /// Local jobs of each resource, under EASY backfilling; the paper names none, and there is none by
    /// default.
    pub local_jobs: usize,
    /// Workloads from which the claims that are open after `seeds` are judged once more; of those beyond
    /// `seeds` only the runs are made that these claims need. None by default.
    pub open_seeds: u64,
}

impl Default for Garg2009 {
    fn default() -> Self {
        Self { seed: 1, seeds: 400, jobs: 1_000, interval: 50.0, local_jobs: 0, open_seeds: 0 }
    }
}

econsched::sched_model::setters!(Garg2009 {
    /// The same with this seed.
    with_seed: seed: u64,
    /// The same with this number of workloads.
    with_seeds: seeds: u64,
    /// The same with this number of applications in each workload.
    with_jobs: jobs: usize,
    /// The same with this schedule interval in seconds.
    with_interval: interval: f64,
    /// The same with this number of local jobs of each resource.
    with_local_jobs: local_jobs: usize,
    /// The same with claims that are open judged once more from so many workloads.
    with_open_seeds: open_seeds: u64,
});

/// One simulated run.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Run {
    cost: f64,
    makespan: f64,
    /// Mean time that an application runs.
    time: f64,
    /// Share of the applications on each resource, in per cent.
    shares: [f64; SITES],
}

type ByHeuristic<T> = [T; HEURISTICS.len()];

fn broker(heuristic: usize, metric: TradeOffMetric) -> TradeOffBroker {
    match heuristic {
        MIN => TradeOffBroker::of_kind(TradeOffKind::MinCtt, metric),
        MAX => TradeOffBroker::of_kind(TradeOffKind::MaxCtt, metric),
        GREEDY => TradeOffBroker::of_kind(TradeOffKind::Greedy, metric),
        _ => TradeOffBroker::of_kind(TradeOffKind::BlindGreedy, metric),
    }
}

/// All runs of one workload.
#[derive(Clone)]
pub(crate) struct Replicate {
    /// By configuration of case 1, then by factor.
    case_1: [[ByHeuristic<Run>; FACTORS.len()]; 2],
    /// In the order of [`MetaBrokerConfiguration::ALL`].
    case_2: Case2,
    /// Lower bounds on cost and makespan, likewise.
    bounds: [[f64; 2]; CONFIGURATIONS],
}

/// Each user's own trade-off factor, by configuration.
type Case2 = [ByHeuristic<Run>; CONFIGURATIONS];

record!(Run { cost, makespan, time, shares });
record!(Replicate { case_1, case_2, bounds });

impl Garg2009 {
    fn config(&self, configuration: MetaBrokerConfiguration) -> Result<Config, Failure> {
        let workload = MetaBrokerWorkload::default().with_jobs(self.jobs);
        let config = Config::default().with_configuration(configuration).with_workload(workload);
        Ok(config.with_interval(Span::new(self.interval)?).with_local_jobs(self.local_jobs))
    }

    /// A heuristic on one workload: the same for the same seed and replicate.
    fn one(&self, config: &Config, heuristic: usize, replicate: u64) -> Result<Run, Failure> {
        let mut broker = broker(heuristic, config.metric());
        let report = simulate_with(config, self.seed, replicate, &mut broker)?.report;
        let mut shares = [0.0; SITES];
        for (share, site) in shares.iter_mut().zip(&report.sites) {
            *share = 100.0 * site.jobs as f64 / self.jobs as f64;
        }
        let time = report.response.mean - report.wait.mean;
        Ok(Run { cost: report.cost.get(), makespan: report.makespan.get(), time, shares })
    }

    /// All heuristics on one workload.
    fn all(&self, config: &Config, replicate: u64) -> Result<ByHeuristic<Run>, Failure> {
        let mut runs = ByHeuristic::<Run>::default();
        for (heuristic, run) in runs.iter_mut().enumerate() {
            *run = self.one(config, heuristic, replicate)?;
        }
        Ok(runs)
    }

    fn replicate(&self, index: u64) -> Result<Replicate, Failure> {
        let mut case_1 = [[ByHeuristic::default(); FACTORS.len()]; 2];
        for (runs, configuration) in case_1.iter_mut().zip(CASE_1) {
            for (runs, factor) in runs.iter_mut().zip(FACTORS) {
                let config = self.config(configuration)?.with_trade_off(Some(TradeOff::new(factor)?));
                *runs = self.all(&config, index)?;
            }
        }
        let case_2 = self.case_2(index, |config| config)?;
        let mut least = [[0.0; 2]; CONFIGURATIONS];
        for (least, &configuration) in least.iter_mut().zip(MetaBrokerConfiguration::ALL) {
            let bounds = bounds(&self.config(configuration)?, self.seed, index)?;
            *least = [bounds.cost.get(), bounds.makespan.get()];
        }
        Ok(Replicate { case_1, case_2, bounds: least })
    }

    /// Case 2 on one workload, with each configuration changed by `change`.
    fn case_2(&self, index: u64, change: impl Fn(Config) -> Config) -> Result<Case2, Failure> {
        let mut runs = Case2::default();
        for (runs, &configuration) in runs.iter_mut().zip(MetaBrokerConfiguration::ALL) {
            *runs = self.all(&change(self.config(configuration)?), index)?;
        }
        Ok(runs)
    }
}

/// The figures of one setting over all replicates.
#[derive(Default)]
struct Setting {
    cost: ByHeuristic<Moments>,
    makespan: ByHeuristic<Moments>,
    shares: ByHeuristic<[Moments; SITES]>,
    /// Row over column, paired.
    cost_ratio: ByHeuristic<ByHeuristic<Ratio>>,
    makespan_ratio: ByHeuristic<ByHeuristic<Ratio>>,
    /// Cost and makespan over their lower bounds.
    over_bound: ByHeuristic<[Ratio; 2]>,
}

impl Setting {
    fn push(&mut self, runs: &ByHeuristic<Run>, [least_cost, least_makespan]: [f64; 2]) {
        for (at, run) in runs.iter().enumerate() {
            self.over_bound[at][0].push(run.cost, least_cost);
            self.over_bound[at][1].push(run.makespan, least_makespan);
            self.cost[at].push(run.cost);
            self.makespan[at].push(run.makespan);
            for (moments, share) in self.shares[at].iter_mut().zip(run.shares) {
                moments.push(share);
            }
            for (other, base) in runs.iter().enumerate() {
                self.cost_ratio[at][other].push(run.cost, base.cost);
                self.makespan_ratio[at][other].push(run.makespan, base.makespan);
            }
        }
    }

    fn cost_excess(&self, of: usize, over: usize) -> Estimate {
        self.cost_ratio[of][over].excess_percent()
    }

    fn makespan_excess(&self, of: usize, over: usize) -> Estimate {
        self.makespan_ratio[of][over].excess_percent()
    }
}

#[derive(Default)]
struct Tally {
    case_1: [[Setting; FACTORS.len()]; 2],
    case_2: [Setting; CONFIGURATIONS],
    /// Cost at factor 1 over cost at factor 0, by configuration of case 1 and heuristic.
    fall: [ByHeuristic<Ratio>; 2],
    /// Makespan likewise.
    rise: [ByHeuristic<Ratio>; 2],
}

impl Tally {
    fn push(&mut self, replicate: &Replicate) {
        let least = |configuration: MetaBrokerConfiguration| {
            let all = MetaBrokerConfiguration::ALL.iter().zip(replicate.bounds);
            all.filter(|(other, _)| **other == configuration).fold([f64::NAN; 2], |_, (_, bounds)| bounds)
        };
        for ((settings, runs), configuration) in self.case_1.iter_mut().zip(&replicate.case_1).zip(CASE_1) {
            let pairs = settings.iter_mut().zip(runs);
            pairs.for_each(|(setting, runs)| setting.push(runs, least(configuration)));
        }
        for ((setting, runs), bounds) in self.case_2.iter_mut().zip(&replicate.case_2).zip(replicate.bounds) {
            setting.push(runs, bounds);
        }
        for (at, runs) in replicate.case_1.iter().enumerate() {
            let ends = runs[0].iter().zip(&runs[FACTORS.len() - 1]);
            for (heuristic, (first, last)) in ends.enumerate() {
                self.fall[at][heuristic].push(last.cost, first.cost);
                self.rise[at][heuristic].push(last.makespan, first.makespan);
            }
        }
    }
}

impl Study for Garg2009 {
    fn name(&self) -> &'static str {
        "garg2009"
    }

    fn command(&self) -> String {
        let Self { seed, seeds, jobs, interval, local_jobs, open_seeds } = self;
        let load = if *local_jobs > 0 { format!(" --local-jobs {local_jobs}") } else { String::new() };
        let open = if open_seeds > seeds { format!(" --open-seeds {open_seeds}") } else { String::new() };
        format!(
            "econsched study garg2009 --seeds {seeds} --jobs {jobs} --interval {interval}{load}{open} --seed {seed}"
        )
    }

    fn run(&self, replicates: &Replicates) -> Result<StudyReport, StudyError> {
        if self.seeds < 2 || self.jobs == 0 {
            return Err(StudyError::config("--seeds must be at least 2, and --jobs at least 1"));
        }
        let (mut tally, mut all) = (Tally::default(), Vec::new());
        let run = |index| self.replicate(index);
        replicates.run("workloads", self.seeds, run, |replicate| {
            tally.push(&replicate);
            all.push(replicate);
        })?;
        let variants = Variants::run(self, replicates)?;
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
        for ((name, charts, what), settings) in both.into_iter().zip(&tally.case_1) {
            figures::case_1(settings, self.jobs, (name, charts, what), &mut report);
        }
        figures::case_2(&tally.case_2, self.jobs, &mut report);
        figures::distribution(&tally.case_2, &mut report);
        distance::describe(&tally, &mut report);
        variants.describe(&all, &mut report);
        by_setting::claims(&tally, &mut report);
        report.judge("verdicts", self.judged(all, replicates)?);
        let (curves, bars) = ("curves without numbers", "bars without numbers");
        report.index(&[
            ("fig. 2 (a)", "average cost, low variation", "fig2a", curves),
            ("fig. 2 (b)", "makespan, low variation", "fig2b", curves),
            ("fig. 3 (a)", "average cost, high variation", "fig3a", curves),
            ("fig. 3 (b)", "makespan, high variation", "fig3b", curves),
            ("fig. 4 (a)", "total cost", "fig4a", bars),
            ("fig. 4 (b)", "total makespan", "fig4b", bars),
            ("fig. 5 (a)", "applications by resource, MinCTT", "fig5a", "bars; 1 and 20% in the text"),
            ("fig. 5 (b)", "applications by resource, MaxCTT", "fig5b", bars),
            ("fig. 5 (c)", "applications by resource, Greedy", "fig5c", bars),
        ]);
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_application_runs_somewhere() {
        let options = Garg2009::default().with_seeds(2).with_jobs(60);
        let replicate = options.replicate(0).unwrap();
        for runs in replicate.case_1.iter().flatten().chain(&replicate.case_2) {
            for run in runs {
                assert!((run.shares.iter().sum::<f64>() - 100.0).abs() < 1e-9);
                assert!(run.cost > 0.0 && run.makespan > 0.0);
            }
        }
    }
}
