//! The subset problem: of k items choose exactly n of maximum total value whose total cost is within a
//! budget.
//!
//! It is a 0-1 knapsack problem with a fixed number of items. A window search with an additive criterion solves it at
//! single instants; it can also be used alone.
//!
//! The Lagrange multiplier of the budget bounds the value from above (`relax`); the secants that find it also find an
//! affordable subset. Any better one differs from the subset of the bound by a few exchanges: removals and additions
//! that together lose less reduced value than the gap. Both are listed and matched by count and cost (`exchange`). If
//! these lists reach some 10^5 entries, lists of partial choices are used instead, from which dominated ones are
//! removed (`dominance`). `grouped` solves the problem with a limit on the items of each group, by branch and bound.
//!
//! | word | meaning |
//! |---|---|
//! | multiplier | the Lagrange multiplier l: the price of one unit of budget |
//! | reduced value | value less l times cost: the value less the price of the budget that it takes |
//! | bound | an upper bound on the value of all affordable subsets |
//! | incumbent | the best affordable subset so far |
//! | inside, outside | the n items of maximum reduced value, and all others |
//! | gap | the difference between bound and incumbent |
//! | anchor | one of certain items, if at least one of them is required |
//! | floor | the value that a subset must exceed |

mod dominance;
mod exchange;
mod grouped;
mod incumbent;
mod relax;

pub(crate) use incumbent::{Counts, Instance, Item};
use incumbent::{Incumbent, MAX_STEPS};
pub(crate) use relax::{Multiplier, error_of_sum, share};

use crate::WindowError;
use dominance::Lists;
use exchange::Exchanges;
use relax::{Order, Problem, Relaxed, relax};
use sched_model::internal::exact_sum;
use sched_model::{End, Meter, Outcome};

/// The largest magnitude of a value or a cost: products with a multiplier must stay finite.
pub(crate) const MAX_NUMBER: f64 = 1e200;

/// A subset problem: the values and costs of k items, the number of items to choose, and the budget.
///
/// * **Source**: the Lagrangian bound and the reduction are textbook (H. Kellerer, U. Pferschy, D. Pisinger,
///   *Knapsack Problems*, 2004); matching two lists: E. Horowitz, S. Sahni, 1974.
/// * **Guarantee**: exact, on any finite numbers. Bounds carry a margin for rounding, so that no better
///   subset is excluded; sums within it are compared as real numbers.
/// * **Complexity**: O(k) for the bound, times a handful of secants. The problem is NP-hard; the rest depends on how
///   many items have nearly the same reduced value as the last one chosen: usually a dozen. If values follow costs
///   closely, there are some hundreds to thousands of list entries, each with a binary search. The lists of exchanges
///   take some 10 MB at most; partial choices are counted against the limit of memory. A unit of work is an item, an
///   entry or a partial choice that is examined.
/// * **Ties**: the lower cost, then the lexicographically smaller list of indices.
///
/// ```
/// use sched_model::{Limit, Proof};
/// use slot_window::subset::SubsetProblem;
/// let limit = Limit::default();
/// let mut meter = limit.meter();
/// // Values and costs of four items; two of them, for at most 3.5.
/// let best = SubsetProblem::new(&[3.0, 2.0, 2.0, 1.0], &[4.0, 1.5, 1.5, 0.5], 2, 3.5)?.solve(&mut meter);
/// assert_eq!(best.proof(), Proof::Exact);
/// let best = best.best.unwrap();
/// // 3 + 1 costs 4.5; 2 + 2 costs 3.
/// assert_eq!((&best.indices[..], best.value, best.cost), (&[1, 2][..], 4.0, 3.0));
///
/// // Both together cost 5.5.
/// assert!(SubsetProblem::new(&[3.0, 2.0], &[4.0, 1.5], 2, 5.0)?.solve(&mut meter).is_infeasible());
/// # Ok::<(), slot_window::WindowError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct SubsetProblem {
    items: Vec<Item>,
    count: usize,
    budget: f64,
    max_steps: usize,
}

impl SubsetProblem {
    /// Creates the problem of choosing exactly `count` items of maximum total value and total cost at most `budget`
    /// (which may be infinite). A total is the exact sum, rounded once, and does not depend on the order of addition.
    ///
    /// # Errors
    /// [`WindowError::Lengths`] unless there are as many costs as values; [`WindowError::Item`] for a value
    /// that is not finite, a cost that is negative or not finite, or a magnitude above 10^200;
    /// [`WindowError::Number`] if the budget is not a number.
    pub fn new(values: &[f64], costs: &[f64], count: usize, budget: f64) -> Result<Self, WindowError> {
        if values.len() != costs.len() {
            return Err(WindowError::Lengths { values: values.len(), costs: costs.len() });
        }
        let wrong = |what, index: usize, value| Err(WindowError::Item { what, index, value });
        if let Some(index) = values.iter().position(|value| !(value.abs() <= MAX_NUMBER)) {
            return wrong("value", index, values[index]);
        }
        if let Some(index) = costs.iter().position(|cost| !(0.0..=MAX_NUMBER).contains(cost)) {
            return wrong("cost", index, costs[index]);
        }
        if budget.is_nan() {
            return Err(WindowError::Number { what: "budget", value: budget });
        }
        let item = |(&value, &cost)| Item { value, cost, group: 0, is_anchor: false };
        let items = values.iter().zip(costs).map(item).collect();
        Ok(Self { items, count, budget, max_steps: MAX_STEPS })
    }

    /// Sets the number of exchanges above which partial choices are used instead, to test both methods.
    #[doc(hidden)]
    pub fn with_max_exchanges(self, max_steps: usize) -> Self {
        Self { max_steps, ..self }
    }

    /// Requires at least one of `items`, as windows of a level do; for tests.
    #[doc(hidden)]
    pub fn with_one_of(mut self, items: &[usize]) -> Self {
        items.iter().for_each(|&item| self.items[item].is_anchor = true);
        self
    }

    /// Finds the best subset within the limit of the meter, with its proof. The value of the outcome is that of the
    /// subset.
    pub fn solve(&self, meter: &mut Meter) -> Outcome<Subset> {
        let (before, mut solver) = (meter.work(), meter.take::<Solver>());
        let needs_anchor = self.items.iter().any(|item| item.is_anchor);
        let instance = Instance::new(&self.items, self.count, self.budget, usize::MAX, needs_anchor);
        let instance = Instance { max_steps: self.max_steps, ..instance };
        let found = solver.search(&instance, meter);
        let Solver { best, bound, .. } = &solver;
        let subset = best.found.then(|| {
            let indices = best.indices.iter().map(|&item| item as usize).collect();
            let cost = exact_sum(best.indices.iter().map(|&item| instance.at(item).cost));
            (Subset { indices, value: best.value, cost }, best.value)
        });
        let work = meter.work() - before;
        let outcome = match (found, subset) {
            (Ok(()), Some((subset, value))) => Outcome::solved(subset, value, work),
            (Ok(()), None) => Outcome::infeasible(work),
            (Err(end), subset) => Outcome::stopped(subset, bound.is_finite().then_some(*bound), work, end),
        };
        meter.put(solver);
        outcome
    }
}

/// A choice of items.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
#[must_use]
pub struct Subset {
    /// The indices of the items, ascending.
    pub indices: Vec<usize>,
    /// The exact sum of their values, rounded once.
    pub value: f64,
    /// The exact sum of their costs, rounded once.
    pub cost: f64,
}

/// The solver of one problem after the other: it keeps its lists for the next one, and has the results of the last one.
#[derive(Debug, Default)]
pub(crate) struct Solver {
    /// The best affordable subset above the floor, if there is one; after a stop, the best one so far.
    pub(crate) best: Incumbent,
    /// After a stop, an upper bound on the value of all affordable subsets.
    pub(crate) bound: f64,
    /// The multiplier of the relaxation; `None` if the budget does not bind, no subset is affordable, or the relaxation
    /// was stopped.
    pub(crate) lambda: Option<f64>,
    order: Order,
    exchanges: Exchanges,
    lists: Lists,
}

impl Solver {
    /// Solves a problem.
    pub(crate) fn search(&mut self, instance: &Instance<'_>, meter: &mut Meter) -> Result<(), End> {
        match self.relaxed(instance, meter)? {
            Some(multiplier) => self.exact(instance, multiplier, meter),
            None => Ok(()),
        }
    }

    /// The multiplier that solves the relaxation; `None` if no subset is affordable. The results stay as they are.
    pub(crate) fn multiplier(
        &mut self,
        instance: &Instance<'_>,
        meter: &mut Meter,
    ) -> Result<Option<Multiplier>, End> {
        Ok(match relax(instance, &mut self.order, meter)? {
            Relaxed::Nothing(_) => None,
            Relaxed::Solved(multiplier) | Relaxed::Bound(multiplier) => Some(multiplier),
        })
    }

    /// Solves the relaxation alone: the results are the subset that it finds and its bound. Returns the multiplier for
    /// [`exact`](Self::exact), unless the relaxation decides the problem.
    pub(crate) fn relaxed(
        &mut self,
        instance: &Instance<'_>,
        meter: &mut Meter,
    ) -> Result<Option<Multiplier>, End> {
        let Self { order, best, bound, lambda, .. } = self;
        best.begin();
        (*bound, *lambda) = (f64::INFINITY, None);
        let multiplier = match relax(instance, order, meter)? {
            Relaxed::Nothing(proof) => {
                *lambda = proof;
                return Ok(None);
            }
            Relaxed::Solved(multiplier) => {
                if best.offer(instance, order.items[..instance.n].iter().map(|item| item.index)) {
                    best.finish(instance);
                    return Ok(None);
                }
                multiplier
            }
            Relaxed::Bound(multiplier) => {
                *lambda = Some(multiplier.lambda);
                best.offer(instance, order.feasible.iter().copied());
                multiplier
            }
        };
        *bound = multiplier.upper();
        Ok(Some(multiplier))
    }

    /// Solves the problem exactly, after the relaxation.
    pub(crate) fn exact(
        &mut self,
        instance: &Instance<'_>,
        multiplier: Multiplier,
        meter: &mut Meter,
    ) -> Result<(), End> {
        let may_improve = !instance.needs_anchor || self.anchor_may_improve(instance, multiplier);
        let ended = if may_improve { self.run(instance, multiplier, meter) } else { Ok(()) };
        let Self { best, bound, .. } = self;
        best.finish(instance);
        if ended.is_err() && best.found {
            *bound = bound.max(best.value);
        }
        ended
    }

    /// Whether a subset with the anchor of maximum reduced value, in place of the last item inside, may improve the
    /// best.
    fn anchor_may_improve(&self, instance: &Instance<'_>, multiplier: Multiplier) -> bool {
        let Self { order, best, .. } = self;
        let last = order.items[..instance.n].iter().fold(f64::INFINITY, |last, item| last.min(item.key));
        let anchors = order.items.iter().filter(|item| instance.at(item.index).is_anchor);
        let anchor = anchors.fold(f64::NEG_INFINITY, |max, item| max.max(item.key));
        multiplier.upper() + 2.0 * multiplier.margin - (last - anchor).max(0.0) >= best.needed(instance)
    }

    /// Runs the exact method: branch and bound with groups; otherwise exchanges, then partial choices if there are too
    /// many exchanges, and all exchanges if partial choices do not work either.
    fn run(&mut self, instance: &Instance<'_>, multiplier: Multiplier, meter: &mut Meter) -> Result<(), End> {
        let Self { order, best, bound, exchanges, lists, .. } = self;
        if let Some(max_per_group) = instance.max_per_group {
            return grouped::search(instance, max_per_group, multiplier, &mut order.items, best, meter);
        }
        let (inside, outside) = order.items.split_at(instance.n);
        let problem = Problem { instance: *instance, multiplier, inside, outside };
        if !exchanges.search(&problem, best, bound, instance.max_steps, meter)?
            && !meter.scratch(|meter| dominance::search(&problem, best, lists, meter))?
        {
            exchanges.search(&problem, best, bound, u32::MAX as usize, meter)?;
        }
        Ok(())
    }
}
