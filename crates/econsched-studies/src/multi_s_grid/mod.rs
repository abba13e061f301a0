//! A. Raeisi Gahrouei, M. Ghatee, "Auction-based approximate algorithm for Grid system scheduling under
//! resource provider strategies": the strategies of a provider on the grids and users of Tables 1 and 2.

mod again;
mod auction;
mod claims;
mod figures;
mod inputs;
mod measures;
mod scenarios;
mod simulator;
mod sweeps;

use crate::Study;
use crate::StudyError;
use crate::again::JudgedAgain;
use crate::record::record;
use crate::report::StudyReport;
use crate::stats::{Estimate, Moments};
use crate::{Failure, Replicates};
use again::Draw;
use auction::{EXACT, JudgedAuction};
use figures::{curves, describe};
pub use inputs::*;
use measures::{Measure, Measures, mean_speed};
use scenarios::{AT_PEAK, Scenario, UNDER_PEAK};
pub use simulator::*;
use sweeps::{BALANCE_UNDER, SWEEPS, Sweep};

/// Strategies of a provider on grids with failures.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
#[must_use]
pub struct MultiSGridStudy {
    /// Seed of all that is drawn; 1 by default.
    pub seed: u64,
    /// Draws of grid, users and jobs: the ten grids of Table 1 in turn, each with both groups of Table 2; 800
    /// by default.
    pub seeds: u64,
    /// Time slices of a run, one second each; jobs arrive in the first two thirds; 150 by default.
    pub slices: u32,
    /// Work offered at peak, over what works of the grid on average; 1.5 by default. The paper names no load.
    pub at_peak: f64,
    /// Draws from which the claims that are open after `seeds` are judged once more; of those beyond `seeds`
    /// only the runs are made that these claims need. None by default.
    pub open_seeds: u64,
}

impl Default for MultiSGridStudy {
    fn default() -> Self {
        Self { seed: 1, seeds: 800, slices: 150, at_peak: AT_PEAK, open_seeds: 0 }
    }
}

econsched::sched_model::setters!(MultiSGridStudy {
    /// The same with this seed.
    with_seed: seed: u64,
    /// The same with this number of draws.
    with_seeds: seeds: u64,
    /// The same with this number of slices.
    with_slices: slices: u32,
    /// The same with so much work offered at peak, over what works of the grid on average.
    with_at_peak: at_peak: f64,
    /// The same with claims that are open judged once more from so many draws.
    with_open_seeds: open_seeds: u64,
});

/// Jobs done so far (per cent of all), mean cost so far, variance of loads.
type Slice = [f64; 3];

struct Run {
    measures: Measures,
    curve: Vec<Slice>,
    /// Busy share of each site by slice; kept for the runs that figures 12 to 15 show.
    loads: Vec<Vec<Option<f64>>>,
}

record!(Run { measures, curve, loads });

/// The grid of figures 12 to 15: the first draw on seven sites (G3).
const SHOWN_GRID: u64 = 2;

impl MultiSGridStudy {
    fn arrivals(&self) -> f64 {
        f64::from(self.slices) * 2.0 / 3.0
    }

    /// The 75th of 150 slices, after which figure 17 is at peak.
    fn middle(&self) -> f64 {
        f64::from(self.slices / 2)
    }

    fn simulate(
        &self,
        replicate: u64,
        scenario: &Scenario,
        (sweep, value): (&Sweep, f64),
    ) -> Result<Run, Failure> {
        let (strategy, rule) = (sweep.strategy(value), sweep.rule(value));
        let config = Config::default()
            .with_strategy(strategy)
            .with_local(rule)
            .with_slices(self.slices)
            .with_trace(true);
        let Scenario { sites, users, jobs, .. } = scenario;
        let grid = MultiSGrid::new(sites).with_users(users).with_config(config);
        let grid = grid.with_seed(self.seed).with_replicate(replicate);
        let (outcome, judged) = match sweep.epsilon(value) {
            Some(epsilon) => {
                let mut judged = JudgedAuction::new(AuctionScheduler { strategy, epsilon });
                let mut local = rule.unwrap_or_default();
                let schedulers = Schedulers { global: &mut judged, local: &mut local };
                (grid.run_under(jobs, schedulers)?, judged.measures())
            }
            None => (grid.run(jobs)?, EXACT),
        };
        let mut curve = vec![[f64::NAN; 3]; self.slices as usize];
        let mut loads = Vec::new();
        for slice in &outcome.slices {
            let done = 100.0 * slice.done as f64 / jobs.len() as f64;
            if let Some(point) = curve.get_mut(slice.at.get() as usize) {
                // Before anything is assigned there is no mean.
                let cost = if slice.mean_cost > 0.0 { slice.mean_cost } else { f64::NAN };
                *point = [done, cost, slice.load_variance];
            }
            if replicate == SHOWN_GRID {
                loads.push(slice.loads.clone());
            }
        }
        carry_on(&mut curve);
        let measures = self.measure(&outcome, scenario, rule.is_some(), judged);
        Ok(Run { measures, curve, loads })
    }

    fn replicate(&self, index: u64) -> Result<Vec<Vec<Run>>, Failure> {
        let scenarios = self.scenarios(index)?;
        let sweep = |sweep: &Sweep| {
            let run = |&x: &f64| self.simulate(index, scenarios.of(sweep.load), (sweep, x));
            sweep.parameter.values.iter().map(run).collect()
        };
        SWEEPS.iter().map(sweep).collect()
    }
}

/// Extends the curves of a run after its last slice: the jobs done and their mean cost stay, and all loads
/// are 0. Without this the curves would end as means over the longest runs only.
fn carry_on(curve: &mut [Slice]) {
    let Some(last) = curve.iter().rposition(|point| point[0].is_finite()) else { return };
    let [done, cost, _] = curve[last];
    curve[last + 1..].fill([done, cost, 0.0]);
}

/// One value of a sweep over the replicates.
#[derive(Default, Clone)]
struct Point {
    measures: [Moments; Measure::ALL.len()],
    curve: Vec<[Moments; 3]>,
}

fn push(moments: &mut Moments, value: f64) {
    if value.is_finite() {
        moments.push(value);
    }
}

impl Point {
    /// The mean of a measure.
    fn estimate(&self, measure: Measure) -> Estimate {
        let moments = &self.measures[measure as usize];
        if measure.is_share() { moments.mean_share() } else { moments.estimate() }
    }

    fn push_measures(&mut self, measures: &Measures) {
        self.measures.iter_mut().zip(measures).for_each(|(moments, &value)| push(moments, value));
    }

    fn push_curve(&mut self, run: &Run) {
        self.curve.resize(run.curve.len(), Default::default());
        for (moments, slice) in self.curve.iter_mut().zip(&run.curve) {
            moments.iter_mut().zip(slice).for_each(|(moments, &value)| push(moments, value));
        }
    }
}

#[derive(Default)]
struct Tally {
    sweeps: Vec<Vec<Point>>,
    /// By replicate, sweep and value.
    measures: Vec<Draw>,
    /// Loads of the sites of one grid, without balancing and with it.
    loads: [Vec<Vec<Option<f64>>>; 2],
}

impl Tally {
    /// All of a draw but its curves and loads.
    fn push_measures(&mut self, draw: Draw) {
        self.sweeps.resize(SWEEPS.len(), Vec::new());
        for (points, runs) in self.sweeps.iter_mut().zip(&draw) {
            points.resize(runs.len(), Point::default());
            points.iter_mut().zip(runs).for_each(|(point, measures)| point.push_measures(measures));
        }
        self.measures.push(draw);
    }

    fn push(&mut self, mut replicate: Vec<Vec<Run>>) {
        let measures = |runs: &Vec<Run>| runs.iter().map(|run| run.measures).collect();
        self.push_measures(replicate.iter().map(measures).collect());
        for (points, runs) in self.sweeps.iter_mut().zip(&replicate) {
            points.iter_mut().zip(runs).for_each(|(point, run)| point.push_curve(run));
        }
        for (ours, run) in self.loads.iter_mut().zip(&mut replicate[BALANCE_UNDER]) {
            if !run.loads.is_empty() {
                *ours = std::mem::take(&mut run.loads);
            }
        }
    }
}

impl Study for MultiSGridStudy {
    fn name(&self) -> &'static str {
        "multi-s-grid"
    }

    fn command(&self) -> String {
        let Self { seed, seeds, slices, at_peak, open_seeds } = self;
        let peak = if *at_peak == AT_PEAK { String::new() } else { format!(" --at-peak {at_peak}") };
        let open = if open_seeds > seeds { format!(" --open-seeds {open_seeds}") } else { String::new() };
        format!("econsched study multi-s-grid --seeds {seeds} --slices {slices}{peak}{open} --seed {seed}")
    }

    fn run(&self, replicates: &Replicates) -> Result<StudyReport, StudyError> {
        if self.seeds < 2 || self.slices < 15 {
            return Err(StudyError::config("--seeds must be at least 2, and --slices at least 15"));
        }
        if !(self.at_peak > UNDER_PEAK && self.at_peak <= 100.0) {
            return Err(StudyError::config(format!("--at-peak must be above {UNDER_PEAK} and at most 100")));
        }
        let mut tally = Tally::default();
        let one = |index| self.replicate(index);
        replicates.run("grids", self.seeds, one, |replicate| tally.push(replicate))?;
        replicates.complete()?;
        let mut report =
            StudyReport::titled("report.md", "Strategies of a provider (Raeisi Gahrouei, Ghatee)");
        report.paragraph(format!(
            "{} draws over the ten grids of Table 1 and both groups of Table 2, seed {}; {} slices of 1 s, jobs arrive in \
             the first {:.0} s. Work offered is {UNDER_PEAK} of what the grid can do under peak and {} at peak. \
             Machines and links fail and are repaired after 10 s; failed jobs leave. ± is the 95% confidence interval. \
             Cost is transfer and processing time of assigned jobs; completion runs from arrival to end, for jobs done; \
             a job has starved after 10 s of waiting. What the grid can do is what works on average: machines and links that \
             wait for their repair are no capacity (the tables of load balancing give the work offered over all as well).",
            self.seeds,
            self.seed,
            self.slices,
            self.arrivals(),
            self.at_peak,
        ));
        for (sweep, points) in SWEEPS.iter().zip(&tally.sweeps) {
            describe(sweep, points, &mut report);
        }
        report.judge("verdicts", self.judged(tally.measures.clone(), replicates)?);
        let shown = |failure| StudyError::Replicate { index: SHOWN_GRID, failure };
        let shown = self.scenario(SHOWN_GRID, UNDER_PEAK).map_err(shown)?;
        curves(&tally, &shown.sites.iter().map(mean_speed).collect::<Vec<_>>(), &mut report);
        let none = "curves without numbers";
        report.index(&[
            ("fig. 7", "processed jobs by sp", "fig7", none),
            ("fig. 8", "average cost of assigned jobs by sp", "fig8", none),
            ("fig. 9", "completion time by sp", "fig9", none),
            ("fig. 10", "failed jobs by fp", "fig10", none),
            ("fig. 11", "processed jobs by qp", "fig11", none),
            ("fig. 12", "loads with balancing, under peak", "fig12", none),
            ("fig. 13", "of these, sites 4 and 5", "fig13", none),
            ("fig. 14", "loads without balancing, under peak", "fig14", none),
            ("fig. 15", "of these, sites 4 and 5", "fig15", none),
            ("fig. 16", "variance of loads, under peak", "fig16", none),
            ("fig. 17", "variance of loads, at peak after the middle", "fig17", none),
        ]);
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_go_on_as_they_ended() {
        let none = [f64::NAN; 3];
        let mut curve = [[1.0, 2.0, 0.5], none, [40.0, 3.0, 0.1], none, none];
        carry_on(&mut curve);
        assert_eq!(curve[2..], [[40.0, 3.0, 0.1], [40.0, 3.0, 0.0], [40.0, 3.0, 0.0]]);
        assert!(curve[1][0].is_nan());
        let mut empty = [none; 2];
        carry_on(&mut empty);
        assert!(empty.iter().all(|point| point[0].is_nan()));
    }
}
