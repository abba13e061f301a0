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
use sched_model::{ExactSum, Proof, Proven as Outcome};
use std::cmp::Ordering;

/// Exact on real numbers.
///
/// The Lagrange multiplier of the budget bounds the value from above; its secants meet an affordable subset. Any better
/// one is the bound's own subset but for a few exchanges: removals and additions that together lose less reduced value
/// z - l c than lies between bound and incumbent. Both are listed and matched by count and cost. Should these lists come
/// to some 10^5 entries, partial choices take over that are kept by dominance (cheaper and worth more).
///
/// * **Guarantee**: exact, on any finite numbers. Bounds carry a margin for rounding, so that nothing better is cut off;
///   sums within it are compared as real numbers.
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
        let SubsetProblem { values, costs, count: n, budget } = *problem;
        let start = Start { floor: Floor::None, lambda: 0.0, effort: self.effort };
        let items = Items { values, costs, n, budget, given: Given::default() };
        let proof = match search(items, start, &mut scratch.search) {
            Found::Nothing => return Ok(None),
            Found::Best => Proof::Exact,
            Found::Cut => Proof::LimitReached,
        };
        let Incumbent { value, cost, indices, .. } = &scratch.search.best;
        let indices = indices.iter().map(|&item| item as usize).collect();
        Ok(Some(Outcome { solution: Subset { indices, value: *value, cost: *cost }, proof }))
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

/// Value and cost of what is in every subset beside the items chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Given {
    pub(crate) value: f64,
    pub(crate) cost: f64,
}

/// A subset problem as the kernels see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Items<'a> {
    pub(crate) values: &'a [f64],
    pub(crate) costs: &'a [f64],
    /// How many to choose.
    pub(crate) n: usize,
    pub(crate) budget: f64,
    pub(crate) given: Given,
}

impl Items<'_> {
    /// Whether these items are affordable, with what is given: the definition.
    #[cold]
    pub(crate) fn affordable(&self, items: impl Iterator<Item = u32>) -> bool {
        let costs = items.map(|item| self.costs[item as usize]);
        sched_model::affordable(costs.chain([self.given.cost]), self.budget)
    }

    /// The exact sum, rounded once, of the values or costs of these items and of what is given.
    fn exact(of: &[f64], items: &[u32], given: f64) -> f64 {
        sched_model::exact_sum(items.iter().map(|&item| of[item as usize]).chain([given]))
    }
}

/// Compares the sums of the numbers of two lists of items, as real numbers.
fn compare(of: &[f64], ours: &[u32], theirs: &[u32]) -> Ordering {
    let mut difference = ExactSum::new();
    ours.iter().for_each(|&item| difference.add(of[item as usize]));
    theirs.iter().for_each(|&item| difference.remove(of[item as usize]));
    difference.value().total_cmp(&0.0)
}

/// The best subset so far: the greatest value, the least cost, the first indices. Sums are compared as real numbers.
#[derive(Debug, Default)]
pub(crate) struct Incumbent {
    pub(crate) found: bool,
    /// With what is given: a plain sum, until the end of the search makes it exact.
    pub(crate) value: f64,
    /// Known at the end of the search.
    pub(crate) cost: f64,
    /// Ascending.
    pub(crate) indices: Vec<u32>,
    /// By how much rounding may have moved the value.
    doubt: f64,
    trial: Vec<u32>,
}

/// What came of an offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offer {
    TooDear,
    Affordable,
}

impl Incumbent {
    /// Takes a subset in if it is affordable, above the floor and better than the one before.
    ///
    /// Plain sums decide, unless they are too near to one another, to the floor or to the budget.
    pub(crate) fn offer(&mut self, of: &Items<'_>, floor: Floor, items: impl Iterator<Item = u32>) -> Offer {
        self.trial.clear();
        self.trial.extend(items);
        let (mut value, mut cost, mut size) = (of.given.value, of.given.cost, of.given.value.abs());
        for &item in &self.trial {
            value += of.values[item as usize];
            size += of.values[item as usize].abs();
            cost += of.costs[item as usize];
        }
        let share = f64::EPSILON * (self.trial.len() as f64 + 2.0);
        let is_affordable = if (cost - of.budget).abs() > cost * share {
            cost < of.budget
        } else {
            of.affordable(self.trial.iter().copied())
        };
        if !is_affordable {
            return Offer::TooDear;
        }
        let doubt = size * share;
        let is_above = match floor {
            Floor::None => true,
            Floor::Above(least) if (value - least).abs() > doubt => value > least,
            Floor::Above(least) => Items::exact(of.values, &self.trial, of.given.value) > least,
        };
        if !is_above {
            return Offer::Affordable;
        }
        let is_better = if !self.found {
            true
        } else if (value - self.value).abs() > doubt + self.doubt {
            value > self.value
        } else {
            self.trial.sort_unstable();
            self.trial_is_better(of)
        };
        if is_better {
            self.trial.sort_unstable();
            std::mem::swap(&mut self.indices, &mut self.trial);
            (self.found, self.value, self.doubt) = (true, value, doubt);
        }
        Offer::Affordable
    }

    /// Whether the trial is better than the best so far, by exact sums.
    #[cold]
    fn trial_is_better(&self, of: &Items<'_>) -> bool {
        compare(of.values, &self.trial, &self.indices)
            .reverse()
            .then_with(|| compare(of.costs, &self.trial, &self.indices))
            .then_with(|| self.trial.cmp(&self.indices))
            .is_lt()
    }

    /// Ends the search: value and cost become exact sums, rounded once.
    fn finish(&mut self, of: &Items<'_>) {
        if self.found {
            self.value = Items::exact(of.values, &self.indices, of.given.value);
            self.cost = Items::exact(of.costs, &self.indices, of.given.cost);
        }
    }
}

/// What the relaxation has left to better.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Problem<'a> {
    pub(crate) of: Items<'a>,
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
        (self.of.budget.abs() + cost) * f64::EPSILON * (2 * self.inside.len() + 18) as f64 + f64::MIN_POSITIVE
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
pub(crate) fn search(of: Items<'_>, start: Start, memory: &mut Search) -> Found {
    let Start { floor, lambda, effort } = start;
    let Search { order, best, exchanges, lists, lambda: last } = memory;
    best.found = false;
    let prior = Prior { lambda, floor: floor.least(), slack: 0.0 };
    let complete = match relax(&of, prior, order) {
        Relaxed::Infeasible(lambda) | Relaxed::Low(lambda) => {
            *last = lambda;
            return Found::Nothing;
        }
        Relaxed::Solved => {
            best.offer(&of, floor, order.items[..of.n].iter().map(|item| item.index));
            true
        }
        Relaxed::Bound(multiplier) => {
            *last = multiplier.lambda;
            best.offer(&of, floor, order.feasible.iter().copied());
            let (inside, outside) = order.items.split_at(of.n);
            let problem = Problem { of, floor, multiplier, inside, outside };
            exchanges.search(&problem, best, effort.max_steps)
                || dominance::search(&problem, best, lists, effort.max_states)
        }
    };
    best.finish(&of);
    match (best.found, complete) {
        (true, true) => Found::Best,
        (true, false) => Found::Cut,
        (false, _) => Found::Nothing,
    }
}
