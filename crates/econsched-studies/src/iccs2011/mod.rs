//! V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, "Resource Selection Algorithms for Economic
//! Scheduling in Distributed Systems", 2011, section 5: ALP against AMP on the same slots, over 25,000
//! scheduling cycles.

mod budgets;
mod claims;
mod example;
mod figures;
mod offers;
mod reading;

use crate::again::{Again, JudgedAgain};
use crate::report::StudyReport;
use crate::stats::{Estimate, Moments, Ratio, share};
use crate::{Claim, Failure, Replicates, Study, StudyError};
use budgets::{Budgets, RHOS};
use figures::{compare, describe};
use reading::{Cycle, Reading};

const SIDES: [&str; 2] = ["ALP", "AMP"];

/// What figure 5 shows.
const SHOWN: usize = 300;

/// A figure of the paper: what it is, and its value under ALP and AMP.
struct Figure {
    name: &'static str,
    paper: [f64; 2],
    decimals: usize,
}

const fn figure(name: &'static str, paper: [f64; 2], decimals: usize) -> Figure {
    Figure { name, paper, decimals }
}

/// Of one job, in the order of [`Side::figures`].
const FIGURES: [Figure; 4] = [
    figure("min time: time", [59.85, 39.01], 2),
    figure("min time: cost", [313.56, 369.69], 1),
    figure("min cost: cost", [313.09, 343.3], 1),
    figure("min cost: time", [61.04, 51.62], 2),
];
const ALTERNATIVES: Figure = figure("alternatives", [7.39, 34.28], 2);
/// 8,571 of 25,000 cycles (the minimisation of cost).
const COVERAGE: f64 = 100.0 * 8_571.0 / 25_000.0;
const JOBS_COUNTED: f64 = 4.18;
const SLOTS: f64 = 135.11;

/// ALP against AMP over 25,000 scheduling cycles.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
#[must_use]
pub struct Iccs2011 {
    /// Seed of all that is drawn; 1 by default.
    pub seed: u64,
    /// Scheduling cycles; 25,000 in the paper and by default.
    pub cycles: u64,
    /// Whether every reading of the points that the paper does not state is run; not by default.
    pub explore: bool,
    /// Cycles from which the claims that are open after `cycles` are judged once more; those beyond `cycles`
    /// are run with the full budgets alone. None by default.
    pub open_cycles: u64,
}

impl Default for Iccs2011 {
    fn default() -> Self {
        Self { seed: 1, cycles: 25_000, explore: false, open_cycles: 0 }
    }
}

econsched::sched_model::setters!(Iccs2011 {
    /// The same with this seed.
    with_seed: seed: u64,
    /// The same with this number of cycles.
    with_cycles: cycles: u64,
    /// The same with every reading of what the paper leaves open, or with the standard one only.
    with_explore: explore: bool,
    /// The same with claims that are open judged once more from so many cycles.
    with_open_cycles: open_cycles: u64,
});

/// The results of a reading over its cycles.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    slots: Moments,
    jobs: Moments,
    slots_counted: Moments,
    jobs_counted: Moments,
    figures: [[Moments; 2]; 4],
    /// The same as a mean over all jobs of all batches, and as sums over a batch.
    pooled: [[Ratio; 2]; 4],
    sums: [[Moments; 2]; 4],
    alternatives: [Ratio; 2],
    found: [f64; 2],
    /// The ratio of AMP to ALP.
    ratios: [Ratio; 4],
    amp_faster: u64,
    amp_dearer: u64,
    /// Cycles in whose first job ALP finds a window, and those of them where AMP's starts no later.
    alp_found: u64,
    amp_no_later: u64,
    /// Time and cost at least cost over those at least time, of ALP and of AMP.
    criteria: [[Ratio; 2]; 2],
    /// Cycles that count in which AMP costs more at least time.
    amp_dearer_fast: u64,
    /// Cycles of six jobs and more, and those of them that ALP does not cover.
    many_jobs: u64,
    alp_uncovered: u64,
    /// Figures of the alternatives: runtime, cost, performance and price of AMP's over ALP's; the spread of
    /// ALP's minus that of AMP's; the share of AMP's with a slot above C.
    offer_ratios: [Ratio; 4],
    spread_apart: [Moments; 2],
    dear: Moments,
    /// Cycles that count in which no two alternatives take the same time.
    apart: u64,
    /// Slots read by ALP and by AMP, in per cent of the list.
    read: [Moments; 2],
    correlation: Moments,
    /// Price of a unit of work on the faster slots over that on the slower.
    per_work: Ratio,
    /// Alternatives per job of AMP over ALP's.
    more_alternatives: Ratio,
    shown: Vec<[f64; 2]>,
}

impl Tally {
    fn push(&mut self, cycle: Cycle) {
        self.slots.push(cycle.slots);
        self.jobs.push(cycle.jobs);
        self.alp_found += u64::from(cycle.amp_no_later.is_some());
        self.amp_no_later += u64::from(cycle.amp_no_later == Some(true));
        if cycle.jobs >= 6.0 {
            self.many_jobs += 1;
            self.alp_uncovered += u64::from(!cycle.alp_plans);
        }
        for (moments, read) in self.read.iter_mut().zip(cycle.read) {
            moments.push(read);
        }
        self.correlation.push(cycle.prices.correlation);
        let [slow, fast] = cycle.prices.per_work;
        if slow.is_finite() && fast.is_finite() {
            self.per_work.push(fast, slow);
        }
        let Some(sides) = cycle.sides else { return };
        self.slots_counted.push(cycle.slots);
        self.jobs_counted.push(cycle.jobs);
        for (at, side) in sides.iter().enumerate() {
            for (figure, value) in side.figures.into_iter().enumerate() {
                self.figures[figure][at].push(value);
                self.sums[figure][at].push(value * cycle.jobs);
                self.pooled[figure][at].push(value * cycle.jobs, cycle.jobs);
            }
            self.alternatives[at].push(side.alternatives, cycle.jobs);
            self.found[at] += side.alternatives;
        }
        self.more_alternatives.push(sides[1].alternatives, sides[0].alternatives);
        for (ratios, side) in self.criteria.iter_mut().zip(&sides) {
            let [min_time, cost, min_cost, time] = side.figures;
            ratios[0].push(time, min_time);
            ratios[1].push(cost, min_cost);
        }
        let [alp, amp] = sides.map(|side| side.offers);
        for (ratio, (amp, alp)) in self.offer_ratios.iter_mut().zip(amp.means.into_iter().zip(alp.means)) {
            ratio.push(amp, alp);
        }
        for at in 0..2 {
            let apart = alp.spread[at] - amp.spread[at];
            if apart.is_finite() {
                self.spread_apart[at].push(apart);
            }
        }
        self.dear.push(amp.dear);
        self.apart += u64::from(alp.apart && amp.apart);
        let [alp, amp] = sides.map(|side| side.figures);
        for (ratio, (amp, alp)) in self.ratios.iter_mut().zip(amp.into_iter().zip(alp)) {
            ratio.push(amp, alp);
        }
        self.amp_faster += u64::from(amp[0] < alp[0]);
        self.amp_dearer += u64::from(amp[2] > alp[2]);
        self.amp_dearer_fast += u64::from(amp[1] > alp[1]);
        if self.shown.len() < SHOWN {
            self.shown.push([alp[0], amp[0]]);
        }
    }

    fn counted(&self) -> u64 {
        self.jobs_counted.count()
    }

    /// Share of the cycles that count, in per cent.
    fn coverage(&self) -> Estimate {
        share(self.counted(), self.jobs.count())
    }

    /// The root mean square of the relative deviations from the paper: four figures and the alternatives of
    /// both searches, the coverage, the jobs in a counted cycle.
    fn distance(&self) -> f64 {
        let of = |ours: f64, paper: f64| {
            let deviation = ours / paper - 1.0;
            deviation * deviation
        };
        let mut sum = of(self.coverage().mean, COVERAGE) + of(self.jobs_counted.mean(), JOBS_COUNTED);
        for side in 0..2 {
            sum += of(self.alternatives[side].estimate().mean, ALTERNATIVES.paper[side]);
            for (figure, moments) in FIGURES.iter().zip(&self.figures) {
                sum += of(moments[side].mean(), figure.paper[side]);
            }
        }
        100.0 * (sum / 12.0).sqrt()
    }
}

impl JudgedAgain for Iccs2011 {
    /// Of further cycles there are no budgets.
    type Sample = (Tally, Budgets);
    type Part = Cycle;
    const REPLICATES: &'static str = "cycles";

    fn counts(&self) -> (u64, u64) {
        (self.cycles, self.open_cycles)
    }

    fn claims(&self, (tally, budgets): &(Tally, Budgets)) -> Vec<Claim> {
        claims::claims(tally, budgets)
    }

    fn open(&self, claims: &[Claim], _: &(Tally, Budgets)) -> Again {
        Again::every(claims)
    }

    fn part(&self, _: &[usize], cycle: u64) -> Result<Cycle, Failure> {
        Reading::standard().run(self.seed, cycle)
    }

    fn add((tally, _): &mut (Tally, Budgets), _: &[usize], cycle: Cycle) {
        tally.push(cycle);
    }
}

impl Study for Iccs2011 {
    fn name(&self) -> &'static str {
        "iccs2011"
    }

    fn command(&self) -> String {
        let Self { seed, cycles, open_cycles, .. } = self;
        let explore = if self.explore { " --explore" } else { "" };
        let open = if open_cycles > cycles { format!(" --open-cycles {open_cycles}") } else { String::new() };
        format!("econsched study iccs2011 --cycles {cycles}{open} --seed {seed}{explore}")
    }

    fn run(&self, replicates: &Replicates) -> Result<StudyReport, StudyError> {
        if self.cycles == 0 {
            return Err(StudyError::config("--cycles must be at least 1"));
        }
        let readings = if self.explore { Reading::all() } else { vec![Reading::standard()] };
        let mut tallies = Vec::new();
        for reading in &readings {
            let mut tally = Tally::default();
            let run = |cycle| reading.run(self.seed, cycle);
            replicates.run(&reading.name, self.cycles, run, |cycle| tally.push(cycle))?;
            tallies.push(tally);
        }
        let mut budgets = Budgets::default();
        let run = |cycle| Reading::standard().run_budgets(RHOS, self.seed, cycle);
        replicates.run("budgets", self.cycles, run, |sides| budgets.push(&sides))?;
        replicates.complete()?;
        let mut report =
            StudyReport::titled("report.md", "ALP and AMP over scheduling cycles (Toporkov et al. 2011)");
        report.paragraph(format!(
            "{} cycles, seed {}; {} of them count, as both searches cover every job of the batch. Price limit C = \
             1.7^P_min, budget S = C t N. Times and costs are means over the jobs of a batch, then over batches; ± is \
             the 95% confidence interval. Ratio is ours over the paper's.",
            self.cycles,
            self.seed,
            tallies[0].counted(),
        ));
        describe(&tallies[0], &mut report);
        budgets.describe(&mut report);
        report.judge("verdicts", self.judged((tallies[0].clone(), budgets), replicates)?);
        if self.explore {
            compare(&readings, &tallies, &mut report);
        }
        example::charts(&mut report)
            .map_err(|failure| StudyError::config(format!("the worked example: {failure}")))?;
        report.index(&[
            (
                "fig. 2",
                "worked example: local tasks and W1 to W3",
                "fig2",
                "bars on lines of time; W1 to W3 in the text",
            ),
            ("fig. 3", "worked example: all alternatives", "fig3", "bars on lines of time"),
            ("fig. 4 (a)", "time of a job, minimising time", "fig4a", "59.85 and 39.01, as bars"),
            ("fig. 4 (b)", "cost of a job, minimising time", "fig4b", "313.56 and 369.69, as bars"),
            ("fig. 5", "time of a job, cycle by cycle", "fig5", "a curve without numbers"),
            ("fig. 6 (a)", "cost of a job, minimising cost", "fig6a", "313.09 and 343.30, as bars"),
            ("fig. 6 (b)", "time of a job, minimising cost", "fig6b", "61.04 and 51.62, as bars"),
            ("section 6", "smaller budgets", "rho", "in words"),
        ]);
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As by a study of all cycles; what is said of budgets has no more.
    #[test]
    fn open_claims_are_judged_as_by_more_cycles() {
        let study = Iccs2011::default().with_cycles(50);
        let claims =
            |study: &Iccs2011| study.run(&Replicates::new(Some(2)).unwrap()).unwrap().claims().to_vec();
        let (few, all) = (claims(&study), claims(&study.clone().with_cycles(200)));
        let again = claims(&study.with_open_cycles(200));
        let mut judged = 0;
        for ((few, all), again) in few.iter().zip(&all).zip(&again) {
            let ours = if few.verdict() == crate::Verdict::Open && !few.text.contains("rho") {
                judged += 1;
                all.ours
            } else {
                few.ours
            };
            assert_eq!(again.ours, ours, "{}", few.text);
        }
        assert!(judged > 5, "{judged}");
    }

    #[test]
    fn a_few_hundred_cycles_come_near_the_paper() {
        let mut tally = Tally::default();
        let reading = Reading::standard();
        Replicates::new(None)
            .unwrap()
            .run("test", 400, |cycle| reading.run(1, cycle), |cycle| tally.push(cycle))
            .unwrap();
        assert!((40..=160).contains(&tally.counted()), "{}", tally.counted());
        for (at, tolerance) in [(0, 0.08), (3, 0.08), (1, 0.3), (2, 0.2)] {
            for (side, name) in SIDES.into_iter().enumerate() {
                let ratio = tally.figures[at][side].mean() / FIGURES[at].paper[side];
                assert!((ratio - 1.0).abs() < tolerance, "{} {name}: {ratio}", FIGURES[at].name);
            }
        }
        assert!(tally.ratios[0].excess_percent().mean < -30.0);
    }
}
