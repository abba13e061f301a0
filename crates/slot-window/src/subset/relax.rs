//! The Lagrangian relaxation of the budget.
//!
//! For a multiplier l >= 0, no feasible subset has a greater value than l C + the sum of the n largest z - l c, for a
//! budget C, values z and costs c. This bound is minimal where an affordable and an unaffordable subset both have the
//! maximum sum of z - l c. Secants find that multiplier in a few selections of the n largest of k numbers, O(k) each.
//!
//! Source: the Lagrangian dual is textbook (H. Kellerer, U. Pferschy, D. Pisinger, *Knapsack Problems*, 2004,
//! sections 3.8 and 9.7 on the cardinality-constrained problem).

use super::incumbent::{Counts, Instance, Item};
use sched_model::{End, Meter};
use std::cmp::Ordering;

/// A multiplier with the bound that it proves.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Multiplier {
    /// The multiplier, l.
    pub(crate) lambda: f64,
    /// The bound on the value of all subsets within the budget, up to rounding.
    pub(crate) bound: f64,
    /// A bound on the rounding error of `bound`, and of any other sum of reduced values.
    pub(crate) margin: f64,
}

impl Multiplier {
    /// An upper bound on the value of all subsets within the budget, rounding included.
    pub(crate) fn upper(self) -> f64 {
        self.bound + self.margin
    }
}

/// The rounding error of a sum of n numbers of at most the magnitude `max_magnitude` and a share of the budget.
pub(crate) fn error_of_sum(max_magnitude: f64, n: usize, share: f64) -> f64 {
    let n = n as f64;
    (max_magnitude * n * (n + 8.0) + 4.0 * share) * f64::EPSILON
}

/// The budget's share of a bound: multiplier times budget. With an infinite budget, the multiplier is 0.
pub(crate) fn share(lambda: f64, budget: f64) -> f64 {
    if lambda > 0.0 { lambda * budget } else { 0.0 }
}

/// The result of the relaxation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Relaxed {
    /// No affordable subset exceeds the floor, as this multiplier proves; or, without a multiplier, none is
    /// affordable.
    Nothing(Option<f64>),
    /// The n items of maximum value are affordable and attain the bound: they come first in [`Order::items`].
    Solved(Multiplier),
    /// A bound. The n items of maximum reduced value come first in [`Order::items`], and an affordable subset is in
    /// [`Order::feasible`].
    Bound(Multiplier),
}

/// The memory of the relaxation.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// The items; after a selection the n largest keys come first.
    pub(crate) items: Vec<Keyed>,
    /// The most valuable affordable subset that the secants found.
    pub(crate) feasible: Vec<u32>,
}

/// The search for the multiplier of minimum bound, with bounds on its rounding errors.
struct Relaxation<'a> {
    instance: &'a Instance<'a>,
    items: &'a mut Vec<Keyed>,
    feasible: &'a mut Vec<u32>,
    /// The maximum magnitudes of values and costs.
    max_value: f64,
    max_cost: f64,
    /// The maximum error of a plain sum of costs.
    cost_error: f64,
    /// The rounding error of a sum of reduced values, relative to the largest of them.
    share: f64,
    /// The rounding error of the budget's share, divided by the multiplier.
    budget_error: f64,
    /// The largest multiplier that is used, which keeps products finite; any multiplier gives a bound.
    cap: f64,
}

/// The maximum number of secants. A handful suffices in practice, and stopping early only weakens the bound.
const MAX_TURNS: u32 = 64;

/// Solves the relaxation of a subset problem.
pub(crate) fn relax(instance: &Instance<'_>, order: &mut Order, meter: &mut Meter) -> Result<Relaxed, End> {
    meter.spend(pass_work(instance))?;
    let mut relaxation = Relaxation::new(instance, order);
    if !relaxation.has_enough_items() {
        return Ok(Relaxed::Nothing(None));
    }
    relaxation.run(meter)
}

/// The work of one pass over all items, such as a selection.
fn pass_work(instance: &Instance<'_>) -> u64 {
    instance.list.len() as u64 + 1
}

impl<'a> Relaxation<'a> {
    fn new(instance: &'a Instance<'a>, order: &'a mut Order) -> Self {
        let Order { items, feasible } = order;
        items.clear();
        let (mut max_value, mut max_cost) = (0.0_f64, 0.0_f64);
        for (&Item { value, cost, .. }, index) in instance.list.iter().zip(0..) {
            max_value = max_value.max(value.abs());
            max_cost = max_cost.max(cost.abs());
            items.push(Keyed { key: 0.0, value, cost, index });
        }
        if max_cost > instance.budget {
            // An item that is too expensive by itself would only increase the rounding errors.
            items.retain(|item| item.cost <= instance.budget);
            let max_of =
                |number: fn(&Keyed) -> f64| items.iter().map(|item| number(item).abs()).fold(0.0, f64::max);
            (max_value, max_cost) = (max_of(|item| item.value), max_of(|item| item.cost));
        }
        let count = instance.n as f64 + 1.0;
        let share = count * f64::EPSILON * (count + 8.0);
        let budget_error = instance.budget.abs() * f64::EPSILON * 4.0;
        let cap = 1e250 / (max_cost * count).max(1.0);
        let cost_error = max_cost * share;
        Self { instance, items, feasible, max_value, max_cost, cost_error, share, budget_error, cap }
    }

    /// Whether there are n items, with at most the allowed number of each group.
    fn has_enough_items(&self) -> bool {
        let n = self.instance.n;
        let Some(max_per_group) = self.instance.max_per_group else { return n <= self.items.len() };
        let mut counts = Counts::default();
        let mut taken =
            self.items.iter().filter(|item| counts.take(self.instance.at(item.index).group, max_per_group));
        n == 0 || taken.nth(n - 1).is_some()
    }

    /// Finds the subsets of maximum value and of minimum cost; if they are on both sides of the budget, continues
    /// with secants between them.
    fn run(&mut self, meter: &mut Meter) -> Result<Relaxed, End> {
        meter.spend(pass_work(self.instance))?;
        // Of equal values, the cheaper item comes first.
        let above = self.select(|item| item.value, |a, b| a.cost < b.cost);
        if self.affordable(above) {
            let margin = error_of_sum(self.max_value, self.instance.n, 0.0);
            return Ok(Relaxed::Solved(Multiplier { lambda: 0.0, bound: above.value, margin }));
        }
        meter.spend(pass_work(self.instance))?;
        // Of equal costs, the more valuable item comes first.
        let below = self.select(|item| -item.cost, |a, b| a.value > b.value);
        if !self.affordable(below) {
            return Ok(Relaxed::Nothing(None));
        }
        self.keep_feasible();
        self.secants(above, below, meter)
    }

    /// Finds the minimum bound between two subsets on both sides of the budget. Each turn replaces one end of the
    /// secant by a subset that lies above it, of which there are finitely many.
    fn secants(&mut self, mut above: Sums, mut below: Sums, meter: &mut Meter) -> Result<Relaxed, End> {
        let (mut turns, mut tightest) = (0, None::<Multiplier>);
        loop {
            turns += 1;
            let rise = above.value - below.value;
            let run = above.cost - below.cost;
            // If the costs differ only by rounding, their secant has no meaning.
            let mut lambda = if run > 2.0 * self.cost_error { rise / run } else { 0.0 };
            if !(lambda >= 0.0 && lambda <= self.cap) {
                lambda = if lambda < 0.0 { 0.0 } else { self.cap };
            }
            meter.spend(pass_work(self.instance))?;
            let (next, bound) = self.at(lambda);
            if bound.upper() <= self.instance.floor {
                return Ok(Relaxed::Nothing(Some(lambda)));
            }
            let line = above.value - lambda * above.cost;
            let supports = next.value - lambda * next.cost <= line + self.margin(lambda);
            let best = tightest.filter(|tightest| tightest.upper() < bound.upper()).unwrap_or(bound);
            if supports || turns == MAX_TURNS || run <= 2.0 * self.cost_error {
                if best.lambda != bound.lambda {
                    self.at(best.lambda);
                }
                return Ok(Relaxed::Bound(best));
            }
            tightest = Some(best);
            if !self.affordable(next) {
                above = next;
            } else {
                if next.value > below.value {
                    self.keep_feasible();
                }
                below = next;
            }
        }
    }

    /// Selects the subset of maximum reduced value at a multiplier. Returns its sums and the bound.
    #[inline]
    fn at(&mut self, lambda: f64) -> (Sums, Multiplier) {
        let sums = self.select(|item| item.value - lambda * item.cost, |_, _| false);
        // `budget` is finite here, because an infinite one is never exceeded.
        let margin = self.margin(lambda) + lambda * self.budget_error;
        (sums, Multiplier { lambda, bound: sums.key + lambda * self.instance.budget, margin })
    }

    /// The rounding error of a sum of reduced values. The last term is for products too small for a double.
    fn margin(&self, lambda: f64) -> f64 {
        (self.max_value + lambda * self.max_cost) * self.share + f64::MIN_POSITIVE
    }

    /// Moves the n items with the largest keys to the front, at most the allowed number of each group. Of equal keys,
    /// the one that is `sooner` comes first, then the lower index. Returns their sums.
    fn select(&mut self, key: impl Fn(&Keyed) -> f64, sooner: Sooner) -> Sums {
        let (instance, n) = (self.instance, self.instance.n);
        let items = &mut self.items[..];
        for item in items.iter_mut() {
            item.key = key(item);
        }
        if let Some(max_per_group) = instance.max_per_group {
            sort(items, sooner);
            let (mut counts, mut taken) = (Counts::default(), 0);
            for at in 0..items.len() {
                if taken < n && counts.take(instance.at(items[at].index).group, max_per_group) {
                    items[taken..=at].rotate_right(1);
                    taken += 1;
                }
            }
        } else {
            select(items, n, sooner);
        }
        let none = Sums { key: 0.0, value: 0.0, cost: 0.0 };
        items[..n].iter().fold(none, |sums, item| Sums {
            key: sums.key + item.key,
            value: sums.value + item.value,
            cost: sums.cost + item.cost,
        })
    }

    /// Whether the first n items, whose plain sums are `sums`, are affordable.
    #[inline]
    fn affordable(&self, sums: Sums) -> bool {
        let budget = self.instance.budget;
        if (sums.cost - budget).abs() > self.cost_error {
            return sums.cost < budget;
        }
        self.instance.affordable(self.items[..self.instance.n].iter().map(|item| item.index))
    }

    /// Keeps the first n items as the affordable subset.
    #[inline]
    fn keep_feasible(&mut self) {
        self.feasible.clear();
        self.feasible.extend(self.items[..self.instance.n].iter().map(|item| item.index));
    }
}

/// The problem that is left after the relaxation: to find a subset better than the incumbent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Problem<'a> {
    pub(crate) instance: Instance<'a>,
    pub(crate) multiplier: Multiplier,
    /// The items of the relaxation's subset, and all others.
    pub(crate) inside: &'a [Keyed],
    pub(crate) outside: &'a [Keyed],
}

impl Problem<'_> {
    /// A bound on the rounding error of a sum of costs.
    pub(crate) fn cost_margin(&self, cost: f64) -> f64 {
        (self.instance.budget.abs() + cost) * f64::EPSILON * (2 * self.inside.len() + 18) as f64
            + f64::MIN_POSITIVE
    }
}

/// An item and the key by which it is selected.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keyed {
    pub(crate) key: f64,
    pub(crate) value: f64,
    pub(crate) cost: f64,
    pub(crate) index: u32,
}

/// Sums over a subset.
#[derive(Debug, Clone, Copy)]
struct Sums {
    key: f64,
    value: f64,
    cost: f64,
}

/// The maximum number of items that are selected by insertion.
const SHORT: usize = 24;

/// Which of two items with equal keys comes first; where neither does, the lower index.
pub(super) type Sooner = fn(&Keyed, &Keyed) -> bool;

/// The order of two items: the larger key first, of equal keys the one that is `sooner`, then the lower index.
#[inline]
fn compare(a: &Keyed, b: &Keyed, sooner: Sooner) -> Ordering {
    // Keys of 0 are equal, whatever their signs.
    if a.key != b.key {
        return b.key.total_cmp(&a.key);
    }
    sooner(b, a).cmp(&sooner(a, b)).then(a.index.cmp(&b.index))
}

/// Sorts items by their keys, the largest first.
pub(super) fn sort(items: &mut [Keyed], sooner: Sooner) {
    items.sort_unstable_by(|a, b| compare(a, b, sooner));
}

/// Moves the n items with the largest keys to the front.
///
/// Items are in the order that the last selection left, which is usually close to the new one.
fn select(items: &mut [Keyed], n: usize, sooner: Sooner) {
    let n = n.min(items.len());
    if n > SHORT {
        if n < items.len() {
            items.select_nth_unstable_by(n - 1, |a, b| compare(a, b, sooner));
        }
    } else if n > 0 {
        let (front, rest) = items.split_at_mut(n);
        let sift = |front: &mut [Keyed], mut at: usize, entering: Keyed| {
            while at > 0 && compare(&entering, &front[at - 1], sooner).is_lt() {
                front[at] = front[at - 1];
                at -= 1;
            }
            front[at] = entering;
        };
        for at in 0..n {
            sift(front, at, front[at]);
        }
        for item in rest {
            if item.key >= front[n - 1].key && compare(item, &front[n - 1], sooner).is_lt() {
                let entering = std::mem::replace(item, front[n - 1]);
                sift(front, n - 1, entering);
            }
        }
    }
}
