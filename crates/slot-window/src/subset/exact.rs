//! The exact solver: a multiplier, exchanges against the subset that it gives, and dominance where there are
//! too many exchanges.
//!
//! Source: the ingredients are those of the knapsack literature (H. Kellerer, U. Pferschy, D. Pisinger,
//! *Knapsack Problems*, 2004): Lagrangian bound, reduction by reduced cost, dominance. V. Toporkov and D.
//! Yemelyanov (*Optimization of Resources Selection for Jobs Scheduling in Heterogeneous Distributed
//! Computing Environments*, 2018) pose the problem and solve it by a table: see
//! [`SubsetTable`](super::SubsetTable).

use super::{
    Subset, SubsetProblem, SubsetScratch, SubsetSolver,
    dominance::{self, Lists},
    exchange::Exchanges,
    incumbent::Incumbent,
    items::{Floor, Given, Items},
    multiplier::{Order, Prior, Relaxed, relax},
    problem::Problem,
};
use sched_model::{End, Limit, Meter, Outcome};

/// The exact solver on real numbers.
///
/// The Lagrange multiplier of the budget bounds the value from above; the secants that find it also find an
/// affordable subset. Any better one differs from the subset of the bound by a few exchanges: removals and
/// additions that together lose less reduced value z - l c than the difference between bound and incumbent.
/// Both are listed and matched by count and cost. If these lists reach some 10^5 entries, lists of partial
/// choices are used instead, reduced by dominance (a cheaper choice of greater value).
///
/// * **Source**: the Lagrangian bound and the reduction are textbook (H. Kellerer, U. Pferschy, D. Pisinger,
///   *Knapsack Problems*, 2004); matching two lists: E. Horowitz, S. Sahni, 1974.
/// * **Guarantee**: exact, on any finite numbers. Bounds carry a margin for rounding, so that no better
///   subset is excluded; sums within it are compared as real numbers.
/// * **Complexity**: O(k) for the bound, times a handful of secants. The problem is NP-hard; the rest depends
///   on how many items have nearly the reduced value of the last one chosen, a dozen as a rule; where values
///   follow costs closely, some hundreds to thousands of list entries, each with a binary search. The lists
///   of exchanges take some 10 MB at most; partial choices are counted against the limit of memory. A unit of
///   work is an item, an entry or a partial choice that is examined.
/// * **Ties**: the lower cost, then the lexicographically smaller list of indices.
///
/// ```
/// use sched_model::{Limit, Proof};
/// use slot_window::subset::{ExactSubset, SubsetProblem, SubsetScratch, SubsetSolver};
/// let problem = SubsetProblem::new(&[3.0, 2.0, 2.0, 1.0], &[4.0, 1.5, 1.5, 0.5], 2, 3.5)?;
/// let mut scratch = SubsetScratch::new();
/// let best = ExactSubset::new().solve(&problem, &Limit::default(), &mut scratch);
/// assert_eq!(best.proof(), Proof::Exact);
/// assert_eq!(best.best.unwrap().indices(), [1, 2]); // 3 + 1 costs 4.5; 2 + 2 costs 3
///
/// let poor = SubsetProblem::new(&[3.0, 2.0], &[4.0, 1.5], 2, 5.0)?;
/// // Both together cost 5.5.
/// assert!(ExactSubset::new().solve(&poor, &Limit::default(), &mut scratch).is_infeasible());
/// # Ok::<(), slot_window::WindowError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct ExactSubset {
    max_steps: usize,
}

/// Exchanges listed or tried before the partial choices take over.
pub(crate) const MAX_STEPS: usize = 1 << 17;

impl Default for ExactSubset {
    fn default() -> Self {
        Self { max_steps: MAX_STEPS }
    }
}

impl ExactSubset {
    /// With up to 2^17 exchanges before partial choices take over.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of entries or trials of exchanges above which lists of partial choices are used instead;
    /// 2^17 by default.
    pub fn with_max_steps(self, max_steps: usize) -> Self {
        Self { max_steps }
    }
}

impl SubsetSolver for ExactSubset {
    fn name(&self) -> &str {
        "exact"
    }

    fn solve(
        &self,
        problem: &SubsetProblem<'_>,
        limit: &Limit,
        scratch: &mut SubsetScratch,
    ) -> Outcome<Subset> {
        let SubsetProblem { values, costs, count: n, budget } = *problem;
        let start = Start { floor: Floor::None, lambda: 0.0, max_steps: self.max_steps };
        let items = Items { values, costs, n, budget, given: Given::default() };
        let mut meter = limit.meter();
        let found = search(&items, start, &mut scratch.search, &mut meter);
        let Search { best, bound, .. } = &scratch.search;
        let subset = best.found.then(|| {
            let indices = best.indices.iter().map(|&item| item as usize).collect();
            (Subset { indices, value: best.value, cost: best.cost }, best.value)
        });
        match (found, subset) {
            (Found::Best, Some((subset, value))) => Outcome::solved(subset, value, meter.work()),
            (Found::Cut(end), subset) => {
                Outcome::stopped(subset, bound.is_finite().then_some(*bound), meter.work(), end)
            }
            (Found::Nothing | Found::Best, _) => Outcome::infeasible(meter.work()),
        }
    }
}

/// The start values of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Start {
    pub(crate) floor: Floor,
    /// A multiplier that may be near the best one; 0 for none.
    pub(crate) lambda: f64,
    /// Exchanges listed or tried before the partial choices take over.
    pub(crate) max_steps: usize,
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// No affordable subset is above the floor.
    Nothing,
    /// The best subset is in the memory.
    Best,
    /// The search was stopped. Its best subset so far is in the memory.
    Cut(End),
}

/// Memory of the search.
#[derive(Debug, Default)]
pub(crate) struct Search {
    pub(crate) order: Order,
    pub(crate) best: Incumbent,
    /// After a stop: no affordable subset has a greater value.
    pub(crate) bound: f64,
    exchanges: Exchanges,
    lists: Lists,
    /// The multiplier of the last search that found one.
    pub(crate) lambda: f64,
}

/// Searches the best subset above the floor.
pub(crate) fn search(of: &Items<'_>, start: Start, memory: &mut Search, meter: &mut Meter) -> Found {
    memory.best.begin();
    memory.bound = f64::INFINITY;
    let ended = run(of, start, memory, meter);
    let Search { best, bound, .. } = memory;
    best.finish(of);
    match (ended, best.found) {
        (Ok(()), true) => Found::Best,
        (Ok(()), false) => Found::Nothing,
        (Err(end), found) => {
            if found {
                *bound = bound.max(best.value);
            }
            Found::Cut(end)
        }
    }
}

fn run(of: &Items<'_>, start: Start, memory: &mut Search, meter: &mut Meter) -> Result<(), End> {
    let Start { floor, lambda, max_steps } = start;
    let Search { order, best, bound, exchanges, lists, lambda: last } = memory;
    let prior = Prior { lambda, floor: floor.least(), slack: 0.0 };
    match relax(of, prior, order, meter)? {
        Relaxed::Infeasible(lambda) | Relaxed::Low(lambda) => *last = lambda,
        Relaxed::Solved => {
            best.offer(of, floor, order.items[..of.n].iter().map(|item| item.index));
        }
        Relaxed::Bound(multiplier) => {
            *last = multiplier.lambda;
            *bound = multiplier.bound + multiplier.margin;
            best.offer(of, floor, order.feasible.iter().copied());
            let (inside, outside) = order.items.split_at(of.n);
            let problem = Problem { of: *of, floor, multiplier, inside, outside };
            if !exchanges.search(&problem, best, bound, max_steps, meter)?
                && !dominance::search(&problem, best, lists, meter)?
            {
                exchanges.search(&problem, best, bound, u32::MAX as usize, meter)?;
            }
        }
    }
    Ok(())
}
