//! The figures of the claims: differences between heuristics and between factors.

use super::{FACTORS, GREEDY, MAX, MIN, SITES, at, case_1, excess, run};
use crate::claims::{Range, Verdict};
use crate::data::{Data, Figure};
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

/// One heuristic compared with another, over the first factors of case 1 together.
pub(super) fn over_factors(
    data: &Data,
    variation: usize,
    factors: usize,
    (of, over): (usize, usize),
    column: usize,
) -> Figure {
    let settings = || (0..factors).map(|factor| case_1(variation, factor));
    let ratio = data.ratio_of(|row| {
        let sum = |heuristic: usize| settings().map(|setting| row[at(setting, heuristic, column)]).sum();
        (sum(of), sum(over))
    });
    let runs = settings().flat_map(|setting| [run(setting, of), run(setting, over)]);
    Figure::of(runs, ratio.excess_percent())
}

/// From one factor to another in case 1, in per cent.
pub(super) fn change(
    data: &Data,
    variation: usize,
    heuristic: usize,
    (from, to): (usize, usize),
    column: usize,
) -> Figure {
    let place = |factor| at(case_1(variation, factor), heuristic, column);
    data.excess(place(to), place(from))
}

/// In how many of the factors the difference lies on the side claimed (below 0), as a note.
pub(super) fn by_factor(data: &Data, variation: usize, pair: (usize, usize), column: usize) -> String {
    let held = (0..FACTORS.len()).filter(|&factor| {
        let difference = excess(data, case_1(variation, factor), pair, column);
        Range::less().judge(&difference) == Verdict::Held
    });
    format!("held at {} of the {} factors by itself", held.count(), FACTORS.len())
}

/// At how many of the steps from a factor to the next the change lies in the range, as a note.
pub(super) fn steps(
    data: &Data,
    variation: usize,
    heuristic: usize,
    column: usize,
    (range, what): (Range, &str),
) -> String {
    let steps = FACTORS.len() - 1;
    let held = (0..steps).filter(|&from| {
        let change = change(data, variation, heuristic, (from, from + 1), column);
        range.judge(&change.estimate) == Verdict::Held
    });
    format!("{what} at {} of the {steps} steps of the factor by itself", held.count())
}

pub(super) fn configuration(at: usize) -> &'static str {
    MetaBrokerConfiguration::ALL[at].name()
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
