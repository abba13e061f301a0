//! A. Raeisi Gahrouei, M. Ghatee, "Auction-based approximate algorithm for Grid system scheduling under
//! resource provider strategies": the strategies of a provider on the grids and users of Tables 1 and 2.

mod auction;
mod claims;
mod figures;
mod inputs;
mod measures;
mod scenarios;
mod simulator;
mod site;
mod sweeps;

use crate::again::judge_again;
use crate::data::{Data, Figure};
use crate::report::StudyReport;
use crate::{Failure, Replicates, Study, StudyError};
use auction::{EXACT, JudgedAuction};
use econsched::sched_model::Limit;
use figures::{curves, describe};
pub use inputs::*;
use measures::{Judgement, Measure, Run, mean_speed};
use scenarios::{AT_PEAK, Scenario, UNDER_PEAK};
pub use simulator::*;
pub use site::Site;
use sweeps::{Sweep, curves_of, runs};

econsched::sched_model::settings! {
    /// Strategies of a provider on grids with failures.
    pub struct MultiSGridStudy {
        /// Seed of everything that is drawn; 1 by default.
        with_seed: seed: u64 = 1,
        /// Number of draws of grid, users and jobs: the ten grids of Table 1 in turn, each with both groups of Table
        /// 2; 800 by default.
        with_seeds: seeds: u64 = 800,
        /// Number of time slices of a run, one second each; jobs arrive in the first two thirds; 150 by default.
        with_slices: slices: u32 = 150,
        /// Work offered at peak over the capacity that is up on average; 1.5 by default. The paper states no load.
        with_at_peak: at_peak: f64 = AT_PEAK,
        /// Number of draws from which the claims that are open after `seeds` are judged again; of the draws beyond
        /// `seeds`, only the runs that these claims need are computed. 0 by default, for no second judgement.
        with_open_seeds: open_seeds: u64 = 0,
    }
}

/// The draw whose grid figures 12 to 15 show: the first on seven sites (G3).
const SHOWN_GRID: u64 = 2;

impl MultiSGridStudy {
    fn arrivals(&self) -> f64 {
        f64::from(self.slices) * 2.0 / 3.0
    }

    /// Returns the middle of a run, the 75th of 150 slices, after which figure 17 is at peak.
    fn middle(&self) -> f64 {
        f64::from(self.slices / 2)
    }

    fn simulate(
        &self,
        draw: u64,
        Scenario { sites, users, jobs, .. }: &Scenario,
        config: Config,
    ) -> Result<(SystemOutcome, Judgement), Failure> {
        let Config { strategy, local, auction, .. } = config;
        let grid = MultiSGrid::new(sites).with_users(users).with_seed(self.seed).with_replicate(draw);
        let grid = grid.with_config(config.with_slices(self.slices).with_trace(true));
        Ok(match auction {
            Some(epsilon) => {
                let mut judged = JudgedAuction::new(strategy, epsilon);
                let mut local = local.unwrap_or_default();
                let schedulers = Schedulers { global: &mut judged, local: &mut local };
                (grid.run_under(jobs, schedulers, &mut Limit::none().meter())?, judged.measures())
            }
            None => (grid.run(jobs)?, EXACT),
        })
    }

    /// Computes these runs of a draw: the measures of each, then, with `with_curves`, the curves that figures show.
    fn row(&self, runs: &[(Sweep, usize)], draw: u64, with_curves: bool) -> Result<Vec<f64>, Failure> {
        let scenarios = self.scenarios(draw)?;
        let (mut row, mut curves) = (Vec::new(), Vec::new());
        for &(sweep, value) in runs {
            let plan = sweep.build();
            let (scenario, config) = (&scenarios[plan.load as usize], plan.config(value));
            let machines = config.local.is_some();
            let (outcome, judged) = self.simulate(draw, scenario, config)?;
            let run = Run { study: self, scenario, outcome: &outcome, machines, judged };
            row.extend(Measure::ALL.iter().map(|measure| measure.build().1(&run)));
            for curve in plan.parameter.curves.iter().filter(|_| with_curves) {
                curves.extend(curve.of(&outcome, self.slices));
            }
        }
        row.extend(curves);
        Ok(row)
    }

    /// Returns the loads of the sites of the shown grid under peak, by slice, without (0) or with (1) balancing;
    /// empty if the study does not draw that grid.
    fn loads(&self, scenario: &Scenario, balancing: usize) -> Result<Vec<Vec<Option<f64>>>, Failure> {
        if self.seeds <= SHOWN_GRID {
            return Ok(Vec::new());
        }
        let config = Sweep::BalanceUnder.build().config(balancing);
        let (outcome, _) = self.simulate(SHOWN_GRID, scenario, config)?;
        Ok(outcome.slices.into_iter().map(|slice| slice.loads).collect())
    }
}

/// Returns the index of a measure at a value of a sweep in the row of a draw.
fn index_of(sweep: Sweep, value: usize, measure: Measure) -> usize {
    sweep.run(value) * WIDTH + measure as usize
}

/// Number of measures of a run.
const WIDTH: usize = Measure::ALL.len();

/// Returns the mean of a measure at a value of a sweep.
fn mean(data: &Data, sweep: Sweep, measure: Measure, value: usize) -> Figure {
    let at = index_of(sweep, value, measure);
    if measure.is_share() { data.mean_share(|row| row[at]) } else { data.mean(at) }
}

impl Study for MultiSGridStudy {
    fn name(&self) -> &'static str {
        "multi-s-grid"
    }

    fn run(&self, replicates: &Replicates) -> Result<StudyReport, StudyError> {
        if self.seeds < 2 || self.slices < 15 {
            return Err(StudyError::Config("seeds must be at least 2, and slices at least 15".to_owned()));
        }
        if !(self.at_peak > UNDER_PEAK && self.at_peak <= 100.0) {
            return Err(StudyError::Config(format!("at_peak must be above {UNDER_PEAK} and at most 100")));
        }
        let runs = runs();
        let length = runs.len() * WIDTH + curves_of().len() * self.slices as usize;
        let one = |draw| self.row(&runs, draw, true);
        let data = replicates.run("grids", self.seeds, length, one)?.with_run_width(WIDTH);
        replicates.complete()?;
        let mut report =
            StudyReport::titled("report.md", "Strategies of a provider (Raeisi Gahrouei, Ghatee)");
        let (Self { seed, seeds, slices, at_peak, .. }, arrivals) = (self, self.arrivals());
        report.paragraph(format!(
            "{seeds} draws over the ten grids of Table 1 and both groups of Table 2, seed {seed}; {slices} slices of 1 s, \
             jobs arrive in the first {arrivals:.0} s. Work offered is {UNDER_PEAK} of what the grid can do under peak and \
             {at_peak} at peak. \
             Machines and links fail and are repaired after 10 s; failed jobs leave. ± is the 95% confidence interval. \
             Cost is transfer and processing time of assigned jobs; completion runs from arrival to end, for jobs done; \
             a job has starved after 10 s of waiting. What the grid can do is what works on average: machines and links that \
             wait for their repair are no capacity (the tables of load balancing give the work offered over all as well).",
        ));
        for &sweep in Sweep::ALL {
            describe(&data, sweep, &mut report);
        }
        let wrong = |failure| StudyError::Replicate { index: SHOWN_GRID, failure };
        let shown = self.scenario(SHOWN_GRID, UNDER_PEAK).map_err(wrong)?;
        let speeds: Vec<f64> = shown.sites.iter().map(mean_speed).collect();
        let loads = [self.loads(&shown, 0).map_err(wrong)?, self.loads(&shown, 1).map_err(wrong)?];
        let curves = curves(&data, self.slices as usize, &loads, &speeds);
        let part = |wanted: &[usize], draw| {
            self.row(&wanted.iter().map(|&run| runs[run]).collect::<Vec<_>>(), draw, false)
        };
        let claims = (include_str!("claims.txt"), claims::figure);
        report.judge("verdicts", judge_again(replicates, data, ("draws", self.open_seeds), claims, part)?);
        curves.into_iter().for_each(|(name, lines)| report.chart(name, lines));
        report.index(include_str!("index.txt"));
        Ok(report)
    }
}
