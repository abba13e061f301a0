//! The exact solver: multiplier, fixing from both sides, branch and bound over the rest.
//!
//! Source: the ingredients are those of the knapsack literature (H. Kellerer, U. Pferschy, D. Pisinger, *Knapsack
//! Problems*, 2004): Lagrangian bound, reduction by reduced cost, a core sorted by reduced value. V. Toporkov and D.
//! Yemelyanov (*Optimization of Resources Selection for Jobs Scheduling in Heterogeneous Distributed Computing
//! Environments*, 2018) pose the problem and solve it by a table: see [`SubsetTable`](super::SubsetTable).

use super::{
    Subset, SubsetProblem, SubsetScratch, SubsetSolver,
    dominance::{self, Lists},
    multiplier::{Keyed, Multiplier, Order, Prior, Relaxed, relax},
};
use crate::WindowError;
use sched_model::{Outcome, Proof};

/// Exact on real numbers.
///
/// The Lagrange multiplier of the budget bounds the value from above; its secants meet an affordable subset. Items that
/// cannot be left out, and items that cannot be in, of any better subset are settled by their reduced values z - l c.
/// What remains is searched depth first in order of reduced value, cut by sums of the greatest reduced values and by
/// tables of least and greatest cost. Should that take more than some 10^5 steps, partial choices take over that
/// are kept by dominance (cheaper and worth more).
///
/// * **Guarantee**: exact, on any finite numbers. Bounds carry a margin for rounding, so that nothing better is cut off;
///   sums that differ by rounding alone may be taken for one another. With numbers whose sums are exact (multiples of
///   2^-16, say) the answer is exact to the bit.
/// * **Complexity**: O(k) for the bound, times a handful of secants. The problem is NP-hard; the rest depends on how
///   many items stay unsettled, a dozen as a rule. [`with_max_states`](Self::with_max_states) limits the memory of the
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
    /// Steps of the depth-first search before the lists take over.
    max_steps: usize,
    /// Partial choices kept in the lists before the search gives up.
    max_states: usize,
}

impl Effort {
    pub(crate) const DEFAULT: Self = Self { max_steps: 1 << 18, max_states: 1 << 24 };
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

    /// Let lists of partial choices take over from the depth-first search after this many steps instead of 2^18.
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

/// An item that the reduction has not settled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    pub(crate) reduced: f64,
    pub(crate) cost: f64,
    pub(crate) index: u32,
}

/// Memory of the search.
#[derive(Debug, Default)]
pub(crate) struct Search {
    pub(crate) order: Order,
    pub(crate) best: Incumbent,
    /// In every better subset.
    pub(crate) settled: Vec<u32>,
    /// Undecided, greatest reduced value first.
    pub(crate) core: Vec<Item>,
    tree: Tree,
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
    let Search { order, best, settled, core, tree, lists, lambda: last } = memory;
    best.found = false;
    let least = match floor {
        Floor::None => f64::NEG_INFINITY,
        Floor::Above(least) => least,
    };
    let relaxed = relax(values, costs, n, budget, Prior { lambda, floor: least, slack: 0.0 }, order);
    let ended = |best: &Incumbent| if best.found { Found::Best } else { Found::Nothing };
    let multiplier = match relaxed {
        Relaxed::Infeasible => {
            *last = 2.0 * lambda;
            return Found::Nothing;
        }
        Relaxed::Low(lambda) => {
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
    reduce(n, &multiplier, floor, best, order, settled, core);
    if core.len() > 12 {
        swap(values, costs, budget, floor, best, core);
        reduce(n, &multiplier, floor, best, order, settled, core);
    }
    core.sort_unstable_by(|a, b| b.reduced.total_cmp(&a.reduced).then(a.index.cmp(&b.index)));
    let problem =
        Core { values, costs, budget, floor, multiplier, settled, items: core, pick: n - settled.len() };
    if tree.search(&problem, best, effort.max_steps)
        || dominance::search(&problem, best, lists, effort.max_states)
    {
        ended(best)
    } else if best.found {
        Found::Cut
    } else {
        Found::Nothing
    }
}

/// What a subset must at least be worth to be of interest.
fn needed(floor: Floor, best: &Incumbent) -> f64 {
    let floor = match floor {
        Floor::None => f64::NEG_INFINITY,
        Floor::Above(least) => least,
    };
    if best.found { best.value.max(floor) } else { floor }
}

/// Settles items by their reduced values. An item of the n greatest can be missing, or another be in, only at the price
/// of the difference to the one that takes, or gives up, its place.
#[allow(clippy::too_many_arguments)] // the memory of one search, borrowed in parts
fn reduce(
    n: usize,
    multiplier: &Multiplier,
    floor: Floor,
    best: &Incumbent,
    order: &Order,
    settled: &mut Vec<u32>,
    core: &mut Vec<Item>,
) {
    let (inside, outside) = order.items.split_at(n);
    let worst_inside = inside.iter().fold(f64::INFINITY, |worst, item| worst.min(item.key));
    let best_outside = outside.iter().fold(f64::NEG_INFINITY, |best, item| best.max(item.key));
    let gap = multiplier.bound - needed(floor, best) + 2.0 * multiplier.margin;
    let open = |item: &Keyed| Item { reduced: item.key, cost: item.cost, index: item.index };
    settled.clear();
    core.clear();
    for item in inside {
        if item.key - best_outside > gap {
            settled.push(item.index);
        } else {
            core.push(open(item));
        }
    }
    core.extend(outside.iter().filter(|item| worst_inside - item.key <= gap).map(open));
}

/// Tries to better the incumbent by one exchange within the core, from the incumbent itself.
fn swap(values: &[f64], costs: &[f64], budget: f64, floor: Floor, best: &mut Incumbent, core: &[Item]) {
    for _ in 0..3 {
        if !best.found {
            return;
        }
        let slack = budget - best.cost;
        let mut gain = 0.0;
        let mut exchange = None;
        for &out in &best.indices {
            let (value_out, cost_out) = (values[out as usize], costs[out as usize]);
            for item in core {
                let more = values[item.index as usize] - value_out;
                if more > gain && item.cost - cost_out <= slack && !best.indices.contains(&item.index) {
                    gain = more;
                    exchange = Some((out, item.index));
                }
            }
        }
        let Some((out, into)) = exchange else { return };
        let items: Vec<u32> = best.indices.iter().map(|&i| if i == out { into } else { i }).collect();
        best.offer(values, costs, budget, floor, items.into_iter());
    }
}

/// What is left to decide.
#[derive(Debug)]
pub(crate) struct Core<'a> {
    pub(crate) values: &'a [f64],
    pub(crate) costs: &'a [f64],
    pub(crate) budget: f64,
    pub(crate) floor: Floor,
    pub(crate) multiplier: Multiplier,
    pub(crate) settled: &'a [u32],
    /// Greatest reduced value first.
    pub(crate) items: &'a [Item],
    /// How many of them to choose.
    pub(crate) pick: usize,
}

impl Core<'_> {
    /// The reduced value of the settled items and the budget's part of the bound.
    pub(crate) fn base(&self) -> f64 {
        let Multiplier { lambda, .. } = self.multiplier;
        let reduced = |&i: &u32| self.values[i as usize] - lambda * self.costs[i as usize];
        self.settled.iter().map(reduced).sum()
    }

    pub(crate) fn settled_cost(&self) -> f64 {
        self.settled.iter().map(|&i| self.costs[i as usize]).sum()
    }

    /// How far rounding may move a sum of costs.
    pub(crate) fn cost_margin(&self) -> f64 {
        let n = (self.settled.len() + self.pick) as f64;
        self.budget.abs() * f64::EPSILON * (n + 8.0)
    }

    /// The worth below which nothing is of interest.
    pub(crate) fn needed(&self, best: &Incumbent) -> f64 {
        needed(self.floor, best)
    }
}

/// Memory of the depth-first search.
#[derive(Debug, Default)]
struct Tree {
    /// Sum of the first i reduced values.
    prefix: Vec<f64>,
    /// Least and greatest cost of j of the items from i on, at i * (pick + 1) + j; infinite where there are not as many.
    least: Vec<f64>,
    greatest: Vec<f64>,
    sorted: Vec<f64>,
    /// Items chosen so far, by position in the core.
    chosen: Vec<usize>,
    /// Reduced value and cost before the choice at each depth.
    before: Vec<(f64, f64)>,
}

impl Tree {
    /// Whether the search came to its end within `max_steps`.
    ///
    /// Items are chosen in order of reduced value, so that with j to go from item i on, no completion has a reduced
    /// value above that of the j items that follow directly, and this bound falls with i.
    fn search(&mut self, core: &Core<'_>, best: &mut Incumbent, max_steps: usize) -> bool {
        let (items, pick) = (core.items, core.pick);
        if pick == 0 {
            best.offer(core.values, core.costs, core.budget, core.floor, core.settled.iter().copied());
            return true;
        }
        if items.len() < pick {
            return true;
        }
        self.tabulate(items, pick);
        let Multiplier { lambda, margin, .. } = core.multiplier;
        let cost_limit = core.budget + core.cost_margin();
        let row = pick + 1;
        self.chosen.clear();
        self.before.clear();
        let (mut reduced, mut cost) = (core.base(), core.settled_cost());
        let mut next = 0;
        let mut steps = 0;
        loop {
            steps += 1;
            if steps > max_steps {
                return false;
            }
            let depth = self.chosen.len();
            let left = pick - depth;
            // What an unused part of the budget is worth in the bound is lost; the dearest completion uses most.
            let mut deeper = false;
            if next + left <= items.len() {
                let worth = reduced + (self.prefix[next + left] - self.prefix[next]);
                let spent = (cost + self.greatest[next * row + left]).min(core.budget);
                let hopeless = worth + lambda * spent + 2.0 * margin < core.needed(best)
                    || cost + self.least[next * row + left] > cost_limit;
                if !hopeless {
                    if left == 1 {
                        // The last item must fit, and be worth what is missing: most of the time goes here.
                        let least_reduced = core.needed(best) - 2.0 * margin - lambda * core.budget - reduced;
                        for (at, item) in items.iter().enumerate().skip(next) {
                            if item.reduced < least_reduced {
                                break;
                            }
                            steps += 1;
                            let total = cost + item.cost;
                            if total > cost_limit
                                || reduced + item.reduced + lambda * total + 2.0 * margin < core.needed(best)
                            {
                                continue;
                            }
                            let chosen = self.chosen.iter().chain(std::iter::once(&at));
                            let indices = chosen.map(|&at| items[at].index);
                            let indices = core.settled.iter().copied().chain(indices);
                            best.offer(core.values, core.costs, core.budget, core.floor, indices);
                        }
                    } else {
                        let item = items[next];
                        if cost + item.cost + self.least[(next + 1) * row + left - 1] > cost_limit {
                            next += 1;
                            continue;
                        }
                        self.chosen.push(next);
                        self.before.push((reduced, cost));
                        reduced += item.reduced;
                        cost += item.cost;
                        next += 1;
                        deeper = true;
                    }
                }
            }
            if !deeper {
                let (Some(last), Some(before)) = (self.chosen.pop(), self.before.pop()) else { return true };
                (reduced, cost) = before;
                next = last + 1;
            }
        }
    }

    fn tabulate(&mut self, items: &[Item], pick: usize) {
        self.prefix.clear();
        self.prefix.push(0.0);
        let mut sum = 0.0;
        for item in items {
            sum += item.reduced;
            self.prefix.push(sum);
        }
        let row = pick + 1;
        self.least.clear();
        self.least.resize((items.len() + 1) * row, f64::INFINITY);
        self.greatest.clear();
        self.greatest.resize((items.len() + 1) * row, f64::INFINITY);
        self.sorted.clear();
        self.least[items.len() * row] = 0.0;
        self.greatest[items.len() * row] = 0.0;
        for (at, item) in items.iter().enumerate().rev() {
            let place = self.sorted.partition_point(|&cost| cost < item.cost);
            self.sorted.insert(place, item.cost);
            let (mut low, mut high) = (0.0, 0.0);
            let start = at * row;
            self.least[start] = 0.0;
            self.greatest[start] = 0.0;
            for j in 1..=pick.min(self.sorted.len()) {
                low += self.sorted[j - 1];
                high += self.sorted[self.sorted.len() - j];
                self.least[start + j] = low;
                self.greatest[start + j] = high;
            }
        }
    }
}
