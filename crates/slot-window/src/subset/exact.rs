//! The exact solver: multiplier, exchanges against the subset that it gives, dominance should these be too many.
//!
//! Source: the ingredients are those of the knapsack literature (H. Kellerer, U. Pferschy, D. Pisinger, *Knapsack
//! Problems*, 2004): Lagrangian bound, reduction by reduced cost, dominance. V. Toporkov and D.
//! Yemelyanov (*Optimization of Resources Selection for Jobs Scheduling in Heterogeneous Distributed Computing
//! Environments*, 2018) pose the problem and solve it by a table: see [`SubsetTable`](super::SubsetTable).

use super::{
    Subset, SubsetProblem, SubsetScratch, SubsetSolver,
    dominance::{self, Lists},
    exchange::Exchanges,
    multiplier::{Keyed, Multiplier, Order, Prior, Relaxed, relax},
};
use crate::WindowError;
use sched_model::{Outcome, Proof};

/// Exact on real numbers.
///
/// The Lagrange multiplier of the budget bounds the value from above; its secants meet an affordable subset. Any better
/// one is the bound's own subset but for a few exchanges: removals and additions that together lose less reduced value
/// z - l c than lies between bound and incumbent. Both are listed and matched by count and cost. Should these lists come
/// to some 10^5 entries, partial choices take over that are kept by dominance (cheaper and worth more).
///
/// * **Guarantee**: exact, on any finite numbers. Bounds carry a margin for rounding, so that nothing better is cut off;
///   sums that differ by rounding alone may be taken for one another. With numbers whose sums are exact (multiples of
///   2^-16, say) the answer is exact to the bit.
/// * **Complexity**: O(k) for the bound, times a handful of secants. The problem is NP-hard; the rest depends on how
///   many items are worth about as much as those at the edge, a dozen as a rule; where values follow costs closely, some
///   hundreds to thousands of list entries, each with a binary search. [`with_max_states`](Self::with_max_states) limits the memory of the
///   worst case; an answer cut short by it says so in its [`Proof`].
/// * **Ties**: the lower cost, then the lexicographically smaller list of indices.
///
/// ```
/// use slot_window::subset::{ExactSubset, SubsetProblem, SubsetScratch, SubsetSolver};
/// let problem = SubsetProblem::new(&[3.0, 2.0, 2.0, 1.0], &[4.0, 1.5, 1.5, 0.5], 2, 3.5)?;
/// let mut scratch = SubsetScratch::new();
/// let best = ExactSubset::new().solve(&problem, &mut scratch)?.unwrap();
/// assert_eq!(best.solution.indices(), [1, 2]); // 3 + 1 costs 4.5; 2 + 2 costs 3
/// assert_eq!(best.proof, sched_model::Proof::Exact);
///
/// let poor = SubsetProblem::new(&[3.0, 2.0], &[4.0, 1.5], 2, 5.0)?;
/// assert!(ExactSubset::new().solve(&poor, &mut scratch)?.is_none()); // both together cost 5.5
/// # Ok::<(), slot_window::WindowError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExactSubset {
    effort: Effort,
}

/// How long each way of searching is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Effort {
    /// Exchanges listed or tried before the partial choices take over.
    max_steps: usize,
    /// Partial choices kept in the lists before the search gives up.
    max_states: usize,
}

impl Effort {
    pub(crate) const DEFAULT: Self = Self { max_steps: 1 << 17, max_states: 1 << 24 };
}

impl Default for ExactSubset {
    fn default() -> Self {
        Self { effort: Effort::DEFAULT }
    }
}

impl ExactSubset {
    /// With at most 2^24 partial choices kept in the worst case (some 0.5 GB).
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Give up the proof, and return the best subset so far, once more than this many partial choices are kept.
    #[must_use]
    pub fn with_max_states(self, max_states: usize) -> Self {
        Self { effort: Effort { max_states, ..self.effort } }
    }

    /// Let lists of partial choices take over from the exchanges once these come to more than this many entries or
    /// trials instead of 2^17.
    #[must_use]
    pub fn with_max_steps(self, max_steps: usize) -> Self {
        Self { effort: Effort { max_steps, ..self.effort } }
    }
}

impl SubsetSolver for ExactSubset {
    fn name(&self) -> &str {
        "exact"
    }

    fn solve(
        &self,
        problem: &SubsetProblem<'_>,
        scratch: &mut SubsetScratch,
    ) -> Result<Option<Outcome<Subset>>, WindowError> {
        let SubsetProblem { values, costs, count, budget } = *problem;
        let start = Start { floor: Floor::None, lambda: 0.0, effort: self.effort };
        let proof = match search(values, costs, count, budget, start, &mut scratch.search) {
            Found::Nothing => return Ok(None),
            Found::Best => Proof::Exact,
            Found::Cut => Proof::LimitReached,
        };
        let indices = scratch.search.best.indices.iter().map(|&i| i as usize).collect();
        Ok(Some(Outcome { solution: problem.subset(indices), proof }))
    }
}

/// What a subset must surpass to be of interest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Floor {
    /// Any subset will do.
    None,
    /// It must be worth more than this.
    Above(f64),
}

impl Floor {
    fn least(self) -> f64 {
        match self {
            Self::None => f64::NEG_INFINITY,
            Self::Above(least) => least,
        }
    }
}

/// What a search begins with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Start {
    pub(crate) floor: Floor,
    /// A multiplier that may be near the best; 0 for none.
    pub(crate) lambda: f64,
    pub(crate) effort: Effort,
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// No subset keeps to the budget and surpasses the floor.
    Nothing,
    /// The best subset stands in the memory.
    Best,
    /// The best that was found before the limit stands in the memory.
    Cut,
}

/// The best subset so far, with the preference of [`Subset::is_better_than`].
#[derive(Debug, Default)]
pub(crate) struct Incumbent {
    pub(crate) found: bool,
    pub(crate) value: f64,
    pub(crate) cost: f64,
    /// Ascending.
    pub(crate) indices: Vec<u32>,
    trial: Vec<u32>,
}

impl Incumbent {
    /// Takes a subset in if it is affordable, above the floor and better than the one before. Its sums are added anew in
    /// order of index.
    pub(crate) fn offer(
        &mut self,
        values: &[f64],
        costs: &[f64],
        budget: f64,
        floor: Floor,
        items: impl Iterator<Item = u32>,
    ) {
        self.trial.clear();
        self.trial.extend(items);
        self.trial.sort_unstable();
        let value: f64 = self.trial.iter().map(|&i| values[i as usize]).sum();
        let cost: f64 = self.trial.iter().map(|&i| costs[i as usize]).sum();
        if cost > budget || matches!(floor, Floor::Above(least) if value <= least) {
            return;
        }
        let better = !self.found
            || value > self.value
            || (value == self.value
                && (cost < self.cost || (cost == self.cost && self.trial < self.indices)));
        if better {
            self.found = true;
            self.value = value;
            self.cost = cost;
            std::mem::swap(&mut self.indices, &mut self.trial);
        }
    }
}

/// What the relaxation has left to better.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Problem<'a> {
    pub(crate) values: &'a [f64],
    pub(crate) costs: &'a [f64],
    pub(crate) budget: f64,
    pub(crate) floor: Floor,
    pub(crate) multiplier: Multiplier,
    /// The relaxation's subset, and all others.
    pub(crate) inside: &'a [Keyed],
    pub(crate) outside: &'a [Keyed],
}

impl Problem<'_> {
    /// What a subset must at least be worth to be of interest.
    pub(crate) fn needed(&self, best: &Incumbent) -> f64 {
        if best.found { best.value.max(self.floor.least()) } else { self.floor.least() }
    }

    /// How far rounding may move a sum of costs.
    pub(crate) fn cost_margin(&self, cost: f64) -> f64 {
        (self.budget.abs() + cost) * f64::EPSILON * (2 * self.inside.len() + 16) as f64
    }
}

/// Memory of the search.
#[derive(Debug, Default)]
pub(crate) struct Search {
    pub(crate) order: Order,
    pub(crate) best: Incumbent,
    exchanges: Exchanges,
    lists: Lists,
    /// The multiplier of the last search that came to one.
    pub(crate) lambda: f64,
}

/// Searches the best subset above the floor.
pub(crate) fn search(
    values: &[f64],
    costs: &[f64],
    n: usize,
    budget: f64,
    start: Start,
    memory: &mut Search,
) -> Found {
    let Start { floor, lambda, effort } = start;
    let Search { order, best, exchanges, lists, lambda: last } = memory;
    best.found = false;
    let prior = Prior { lambda, floor: floor.least(), slack: 0.0 };
    let relaxed = relax(values, costs, n, budget, prior, order);
    let ended = |best: &Incumbent| if best.found { Found::Best } else { Found::Nothing };
    let multiplier = match relaxed {
        Relaxed::Infeasible(lambda) | Relaxed::Low(lambda) => {
            *last = lambda;
            return Found::Nothing;
        }
        Relaxed::Solved => {
            best.offer(values, costs, budget, floor, order.items[..n].iter().map(|item| item.index));
            return ended(best);
        }
        Relaxed::Bound(multiplier) => multiplier,
    };
    *last = multiplier.lambda;
    best.offer(values, costs, budget, floor, order.feasible.iter().copied());
    let (inside, outside) = order.items.split_at(n);
    let problem = Problem { values, costs, budget, floor, multiplier, inside, outside };
    if exchanges.search(&problem, best, effort.max_steps)
        || dominance::search(&problem, best, lists, effort.max_states)
    {
        ended(best)
    } else if best.found {
        Found::Cut
    } else {
        Found::Nothing
    }
}
