//! The figures of the claims: differences between heuristics and between factors.

use super::{FACTORS, GREEDY, MAX, MIN, SITES, at, case_1, excess};
use crate::claims::{Range, Verdict};
use crate::data::{Data, Figure};
use econsched::workload_gen::meta_broker::EDG_TESTBED;

pub(super) const RAL: usize = 0;
pub(super) const IMPERIAL: usize = 1;
pub(super) const NORDUGRID: usize = 2;
pub(super) const LYON: usize = 4;

/// The paper's three heuristics.
pub(super) const THREE: [usize; 3] = [MIN, MAX, GREEDY];
pub(super) const BOTH: [usize; 2] = [MIN, MAX];

/// Case 1 with low (0) or high (1) variation of times.
#[derive(Clone, Copy)]
pub(super) struct Case1<'a> {
    pub(super) data: &'a Data,
    pub(super) variation: usize,
}

impl Case1<'_> {
    pub(super) fn at(self, factor: usize, heuristic: usize, column: usize) -> usize {
        at(case_1(self.variation, factor), heuristic, column)
    }

    /// One heuristic compared with another at a factor, in per cent.
    pub(super) fn excess(self, factor: usize, pair: (usize, usize), column: usize) -> Figure {
        excess(self.data, case_1(self.variation, factor), pair, column)
    }

    /// One heuristic compared with another over the first factors together, in per cent.
    pub(super) fn over_factors(self, factors: usize, (of, over): (usize, usize), column: usize) -> Figure {
        self.data.excess_of(|row| {
            let sum = |heuristic| (0..factors).map(|factor| row[self.at(factor, heuristic, column)]).sum();
            (sum(of), sum(over))
        })
    }

    /// From one factor to another, in per cent.
    pub(super) fn change(self, heuristic: usize, (from, to): (usize, usize), column: usize) -> Figure {
        self.data.excess(self.at(to, heuristic, column), self.at(from, heuristic, column))
    }

    /// In how many of the factors the difference lies on the side claimed (below 0), as a note.
    pub(super) fn by_factor(self, pair: (usize, usize), column: usize) -> String {
        let differences = (0..FACTORS.len()).map(|factor| self.excess(factor, pair, column).estimate);
        let held = differences.filter(|difference| Range::less().judge(difference) == Verdict::Held);
        format!("held at {} of the {} factors by itself", held.count(), FACTORS.len())
    }

    /// At how many of the steps from a factor to the next the change lies in the range, as a note.
    pub(super) fn steps(self, heuristic: usize, column: usize, (range, what): (Range, &str)) -> String {
        let steps = FACTORS.len() - 1;
        let changes = (0..steps).map(|from| self.change(heuristic, (from, from + 1), column).estimate);
        let held = changes.filter(|change| range.judge(change) == Verdict::Held);
        format!("{what} at {} of the {steps} steps of the factor by itself", held.count())
    }
}

/// Mean list price of the resource that an application ran on, from the share on each.
pub(super) fn list_price(shares: &[f64], consistent: bool) -> f64 {
    let price = |at: usize| {
        let resource = &EDG_TESTBED[at];
        if consistent { resource.consistent_price } else { resource.inconsistent_price }
    };
    (0..SITES).map(|at| shares[at] * price(at)).sum::<f64>() / shares.iter().sum::<f64>()
}

/// Share of the applications that one distribution has elsewhere than another.
pub(super) fn to_be_moved(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0
}
