//! The data of the verdicts: the replicates, and differences between heuristics over them.

use super::{ByHeuristic, FACTORS, GREEDY, MAX, MIN, Replicate, Run, SITES};
use crate::claims::Range;
use crate::stats::{Estimate, Moments, Ratio};
use econsched::workload_gen::meta_broker::{EDG_TESTBED, MetaBrokerConfiguration};

pub(super) const HIUC: usize = 0;
pub(super) const HICC: usize = 1;
pub(super) const LOUC: usize = 2;
pub(super) const LOCC: usize = 3;

pub(super) const RAL: usize = 0;
pub(super) const IMPERIAL: usize = 1;
pub(super) const NORDUGRID: usize = 2;
pub(super) const LYON: usize = 4;

/// The paper's three heuristics.
pub(super) const THREE: [usize; 3] = [MIN, MAX, GREEDY];
pub(super) const BOTH: [usize; 2] = [MIN, MAX];

/// What is measured of a run.
pub(super) type Measure = (&'static str, fn(&Run) -> f64);
pub(super) const COST: Measure = ("cost", |run| run.cost);
pub(super) const MAKESPAN: Measure = ("makespan", |run| run.makespan);

/// Replicates, and means over them.
pub(super) struct Evidence<'a>(pub(super) &'a [Replicate]);

impl Evidence<'_> {
    pub(super) fn mean(&self, value: impl Fn(&Replicate) -> f64) -> Estimate {
        self.0.iter().map(value).collect::<Moments>().estimate()
    }

    /// The mean of a share in per cent.
    pub(super) fn mean_share(&self, value: impl Fn(&Replicate) -> f64) -> Estimate {
        self.0.iter().map(value).collect::<Moments>().mean_share()
    }

    /// How much greater the first is than the second, in per cent, paired.
    pub(super) fn excess(&self, pair: impl Fn(&Replicate) -> (f64, f64)) -> Estimate {
        let mut ratio = Ratio::default();
        for replicate in self.0 {
            let (x, y) = pair(replicate);
            ratio.push(x, y);
        }
        ratio.excess_percent()
    }

    /// One heuristic compared with another, over these factors of case 1 together.
    pub(super) fn case_1(
        &self,
        variation: usize,
        factors: usize,
        (of, over): (usize, usize),
        measure: Measure,
    ) -> Estimate {
        self.excess(|replicate| {
            let sum = |heuristic: usize| {
                replicate.case_1[variation][..factors].iter().map(|runs| measure.1(&runs[heuristic])).sum()
            };
            (sum(of), sum(over))
        })
    }

    /// One heuristic against another in a configuration of case 2.
    pub(super) fn case_2(&self, configuration: usize, pair: (usize, usize), measure: Measure) -> Estimate {
        self.against(pair, measure, |replicate| &replicate.case_2[configuration])
    }

    /// One heuristic against another, by a measure of one run of each.
    fn against(
        &self,
        (of, over): (usize, usize),
        measure: Measure,
        runs: impl Fn(&Replicate) -> &ByHeuristic<Run>,
    ) -> Estimate {
        self.excess(|replicate| {
            let runs = runs(replicate);
            (measure.1(&runs[of]), measure.1(&runs[over]))
        })
    }

    /// From one factor to another in case 1, in per cent.
    pub(super) fn change(
        &self,
        variation: usize,
        heuristic: usize,
        (from, to): (usize, usize),
        measure: Measure,
    ) -> Estimate {
        self.excess(|replicate| {
            let runs = &replicate.case_1[variation];
            (measure.1(&runs[to][heuristic]), measure.1(&runs[from][heuristic]))
        })
    }

    /// In how many of the factors the difference lies on the side claimed (below 0), as a note.
    pub(super) fn settings(&self, variation: usize, pair: (usize, usize), measure: Measure) -> String {
        let below = Range::less();
        let held = (0..FACTORS.len()).filter(|&at| {
            let difference = self.against(pair, measure, |replicate| &replicate.case_1[variation][at]);
            below.judge(&difference) == crate::Verdict::Held
        });
        format!("held at {} of the {} factors by itself", held.count(), FACTORS.len())
    }

    /// At how many of the steps from a factor to the next the change lies in the range, as a note.
    pub(super) fn steps(
        &self,
        variation: usize,
        heuristic: usize,
        measure: Measure,
        (range, what): (Range, &str),
    ) -> String {
        let steps = FACTORS.len() - 1;
        let held = (0..steps).filter(|&at| {
            let change = self.change(variation, heuristic, (at, at + 1), measure);
            range.judge(&change) == crate::Verdict::Held
        });
        format!("{what} at {} of the {steps} steps of the factor by itself", held.count())
    }
}

pub(super) fn configuration(at: usize) -> &'static str {
    MetaBrokerConfiguration::ALL[at].name()
}

/// Mean list price of the resource that an application ran on.
pub(super) fn list_price(shares: &[f64; SITES], consistent: bool) -> f64 {
    let price = |at: usize| {
        let resource = &EDG_TESTBED[at];
        if consistent { resource.consistent_price } else { resource.inconsistent_price }
    };
    (0..SITES).map(|at| shares[at] * price(at)).sum::<f64>() / shares.iter().sum::<f64>()
}

/// Share of the applications that one distribution has elsewhere than another.
pub(super) fn to_be_moved(a: &[f64; SITES], b: &[f64; SITES]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0
}
