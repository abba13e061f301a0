//! The Lagrange multiplier of the budget, by selection.
//!
//! For a multiplier l >= 0 no feasible subset has a greater value than l C + the sum of the n greatest z - l
//! c. The least such bound is where an affordable and an unaffordable subset both have the greatest sum of
//! z - l c; secants find it in a few selections of the n greatest of k numbers, O(k) each. A multiplier that
//! is likely to be near the best one saves most of them: that of the last instant of a scan, or of the next
//! speed.
//!
//! Source: the Lagrangian dual is textbook (H. Kellerer, U. Pferschy, D. Pisinger, *Knapsack Problems*, 2004,
//! sections 3.8 and 9.7 on the cardinality-constrained problem).

use super::{
    Start,
    grouped::Counts,
    incumbent::{Incumbent, Items},
    rounding,
};
use sched_model::{End, Meter};
use std::cmp::Ordering;

/// A multiplier with its bound.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Multiplier {
    /// The multiplier, l.
    pub(crate) lambda: f64,
    /// No subset within the budget has a greater value, up to rounding.
    pub(crate) bound: f64,
    /// The rounding error of the bound, and of any other sum of reduced values.
    pub(crate) margin: f64,
}

impl Multiplier {
    /// This one, unless the other gives a lower bound.
    fn lower_of(self, other: Option<Self>) -> Self {
        match other {
            Some(other) if other.bound + other.margin < self.bound + self.margin => other,
            _ => self,
        }
    }
}

/// The result of the relaxation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Relaxed {
    /// No affordable subset exceeds the floor; with a multiplier that proves it, or, where none is affordable,
    /// may prove it.
    Nothing(f64),
    /// The n items of greatest value are affordable: they are the first items, and attain the bound.
    Solved(Multiplier),
    /// A bound; the n items of greatest reduced value are the first items, and an affordable subset is in
    /// `feasible`.
    Bound(Multiplier),
}

/// Memory of the relaxation.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// The items; after a selection the n greatest keys come first.
    pub(crate) items: Vec<Keyed>,
    /// The most valuable affordable subset that the secants found.
    pub(crate) feasible: Vec<u32>,
}

/// The problem, with the bounds of its rounding errors.
struct Relaxation<'a> {
    of: &'a Items<'a>,
    /// Greatest magnitudes.
    max_value: f64,
    max_cost: f64,
    /// The greatest error of a plain sum of costs.
    doubt: f64,
    /// The error of a sum of reduced values, as a share of n times the greatest.
    share: f64,
    /// The error of the budget's part, divided by the multiplier.
    budget_doubt: f64,
}

impl<'a> Relaxation<'a> {
    fn new(of: &'a Items<'a>, items: &mut Vec<Keyed>) -> Self {
        items.clear();
        let (mut max_value, mut max_cost) = (of.given.value.abs(), of.given.cost.abs());
        for ((&value, &cost), index) in of.values.iter().zip(of.costs).zip(0..) {
            max_value = max_value.max(value.abs());
            max_cost = max_cost.max(cost.abs());
            items.push(Keyed { key: 0.0, value, cost, index });
        }
        if max_cost > of.budget {
            // An item that is too expensive by itself would only increase the rounding errors.
            items.retain(|item| item.cost <= of.budget);
            let greatest = |numbers: fn(&Keyed) -> f64, least: f64| {
                items.iter().map(numbers).fold(least, |greatest, number| greatest.max(number.abs()))
            };
            max_value = greatest(|item| item.value, of.given.value.abs());
            max_cost = greatest(|item| item.cost, of.given.cost.abs());
        }
        let count = of.n as f64 + 1.0;
        let share = count * f64::EPSILON * (count + 8.0);
        let budget_doubt = of.budget.abs() * f64::EPSILON * 4.0;
        Self { of, max_value, max_cost, doubt: max_cost * share, share, budget_doubt }
    }

    /// The rounding error of a sum of reduced values. The last term is for products too small for a double.
    fn margin(&self, lambda: f64) -> f64 {
        (self.max_value + lambda * self.max_cost) * self.share + f64::MIN_POSITIVE
    }

    fn given(&self, lambda: f64) -> Sums {
        let given = self.of.given;
        Sums { key: given.value - lambda * given.cost, value: given.value, cost: given.cost }
    }

    /// Selects the n items of greatest reduced value, of equal ones the lower index; returns their sums and
    /// bound.
    fn at(&self, lambda: f64, items: &mut [Keyed]) -> (Sums, Multiplier) {
        let given = self.given(lambda);
        let sums = self.select(items, given, |item| item.value - lambda * item.cost, |_, _| false);
        // `budget` is finite where there is a bound: an infinite one is never exceeded.
        let margin = self.margin(lambda) + lambda * self.budget_doubt;
        (sums, Multiplier { lambda, bound: sums.key + lambda * self.of.budget, margin })
    }

    /// Moves the n items with the greatest keys to the front, at most so many of a group.
    #[inline(always)]
    fn select(
        &self,
        items: &mut [Keyed],
        given: Sums,
        key: impl Fn(&Keyed) -> f64,
        sooner: impl Fn(&Keyed, &Keyed) -> bool,
    ) -> Sums {
        let Items { n, groups, .. } = *self.of;
        let Some(groups) = groups else { return select(items, n, given, key, sooner) };
        for item in items.iter_mut() {
            item.key = key(item);
        }
        let by_key = |a: &Keyed, b: &Keyed| b.key.total_cmp(&a.key);
        let tied = |a: &Keyed, b: &Keyed| sooner(b, a).cmp(&sooner(a, b)).then(a.index.cmp(&b.index));
        items.sort_unstable_by(|a, b| by_key(a, b).then_with(|| tied(a, b)));
        let (mut counts, mut taken) = (Counts::default(), 0);
        for at in 0..items.len() {
            if taken < n && counts.take(groups.of[items[at].index as usize], groups.most) {
                items[taken..=at].rotate_right(1);
                taken += 1;
            }
        }
        sums(&items[..n], given)
    }

    /// Whether there are n items, with at most so many of a group.
    fn has_enough(&self, items: &[Keyed]) -> bool {
        let Items { n, groups, .. } = *self.of;
        let Some(groups) = groups else { return n <= items.len() };
        let mut counts = Counts::default();
        items.iter().filter(|item| counts.take(groups.of[item.index as usize], groups.most)).take(n).count()
            == n
    }

    /// Whether the first n items are affordable; `sum` is the plain sum of their costs and the given one.
    #[inline]
    fn affordable(&self, items: &[Keyed], sum: f64) -> bool {
        let budget = self.of.budget;
        if (sum - budget).abs() > self.doubt {
            return sum < budget;
        }
        self.of.affordable(items[..self.of.n].iter().map(|item| item.index))
    }

    /// The greatest values, of equal ones the cheaper.
    fn most_valuable(&self, items: &mut [Keyed]) -> Sums {
        self.select(items, self.given(0.0), |item| item.value, |a, b| a.cost < b.cost)
    }

    /// The cheapest, of equally cheap ones the more valuable.
    fn cheapest(&self, items: &mut [Keyed]) -> Sums {
        self.select(items, self.given(0.0), |item| -item.cost, |a, b| a.value > b.value)
    }
}

/// Subsets of greatest reduced value on both sides of the budget.
#[derive(Default)]
struct Bracket {
    above: Option<Sums>,
    below: Option<Sums>,
}

/// By how much a given multiplier is raised at once where no subset is affordable.
const STEEP: f64 = 8.0;

/// By how much a given multiplier is changed to find one on the other side.
const NEAR: f64 = 1.25;

/// The most secants. A handful suffices in practice, and stopping early only weakens the bound.
const TURNS: u32 = 64;

/// Why the search for a bound stops early.
enum Stop {
    /// The answer is known.
    Answer(Relaxed),
    /// A limit was reached.
    End(End),
}

impl From<End> for Stop {
    fn from(end: End) -> Self {
        Self::End(end)
    }
}

/// Solves the relaxation of a subset problem.
pub(crate) fn relax(
    of: &Items<'_>,
    start: Start,
    order: &mut Order,
    meter: &mut Meter,
) -> Result<Relaxed, End> {
    // Each selection reads every item.
    let looks = of.values.len() as u64 + 1;
    meter.spend(looks)?;
    let Order { items, feasible } = order;
    let problem = Relaxation::new(of, items);
    if !problem.has_enough(items) {
        return Ok(Relaxed::Nothing(start.lambda));
    }
    // Any multiplier gives a bound; this cap keeps the products finite.
    let cap = 1e250 / (problem.max_cost * (of.n as f64 + 1.0)).max(1.0);
    let mut secants = Secants { problem, start, cap, looks, items, feasible, least: None };
    match secants.bound(meter) {
        Ok(bound) => Ok(Relaxed::Bound(bound)),
        Err(Stop::Answer(answer)) => Ok(answer),
        Err(Stop::End(end)) => Err(end),
    }
}

/// The search for the multiplier of least bound.
struct Secants<'a> {
    problem: Relaxation<'a>,
    start: Start,
    cap: f64,
    /// Work of a selection.
    looks: u64,
    items: &'a mut Vec<Keyed>,
    feasible: &'a mut Vec<u32>,
    /// The least bound so far.
    least: Option<Multiplier>,
}

impl Secants<'_> {
    fn bound(&mut self, meter: &mut Meter) -> Result<Multiplier, Stop> {
        let bracket = self.around_prior(meter)?;
        let above = match bracket.above {
            Some(above) => above,
            None => self.most_valuable(meter)?,
        };
        let below = match bracket.below {
            Some(below) => below,
            None => self.cheapest(above, meter)?,
        };
        self.between(above, below, meter)
    }

    /// The subset and the bound at a multiplier.
    #[inline]
    fn at(&mut self, lambda: f64, meter: &mut Meter) -> Result<(Sums, Multiplier), Stop> {
        meter.spend(self.looks)?;
        let (sums, bound) = self.problem.at(lambda, self.items);
        if bound.bound + bound.margin <= self.start.floor {
            return Err(Stop::Answer(Relaxed::Nothing(lambda)));
        }
        Ok((sums, bound))
    }

    #[inline]
    fn affordable(&self, sums: Sums) -> bool {
        self.problem.affordable(self.items, sums.cost)
    }

    #[inline]
    fn keep_feasible(&mut self) {
        self.feasible.clear();
        self.feasible.extend(self.items[..self.problem.of.n].iter().map(|item| item.index));
    }

    /// Subsets at the multiplier that is likely to be near the best one, and at multipliers beside it.
    #[inline]
    fn around_prior(&mut self, meter: &mut Meter) -> Result<Bracket, Stop> {
        let mut bracket = Bracket::default();
        let mut lambda = self.start.lambda;
        if !(lambda > 0.0 && lambda * NEAR <= self.cap && self.problem.of.budget < f64::INFINITY) {
            return Ok(bracket);
        }
        for _ in 0..2 {
            let (sums, bound) = self.at(lambda, meter)?;
            self.least = Some(bound.lower_of(self.least));
            if !self.affordable(sums) {
                bracket.above = Some(sums);
            } else {
                if bracket.below.is_none_or(|below| sums.value > below.value) {
                    self.keep_feasible();
                }
                bracket.below = Some(sums);
            }
            match bracket {
                Bracket { above: Some(_), below: None } => lambda *= NEAR,
                Bracket { above: None, .. } => lambda /= NEAR,
                Bracket { above: Some(_), below: Some(_) } => break,
            }
        }
        Ok(bracket)
    }

    /// The most valuable subset, which is the answer if it is affordable.
    #[inline]
    fn most_valuable(&mut self, meter: &mut Meter) -> Result<Sums, Stop> {
        meter.spend(self.looks)?;
        let sums = self.problem.most_valuable(self.items);
        if self.affordable(sums) {
            let margin = rounding::of_sum(self.problem.max_value, self.problem.of.n, 0.0);
            let bound = Multiplier { lambda: 0.0, bound: sums.value, margin };
            return Err(Stop::Answer(Relaxed::Solved(bound)));
        }
        Ok(sums)
    }

    /// The cheapest subset; if it is not affordable, no subset is.
    #[inline]
    fn cheapest(&mut self, above: Sums, meter: &mut Meter) -> Result<Sums, Stop> {
        meter.spend(self.looks)?;
        let sums = self.problem.cheapest(self.items);
        if !self.affordable(sums) {
            // The bound falls with the multiplier, by the excess of the cost over the budget: below the floor
            // in the end.
            let lambda = (above.value - self.start.floor) / (sums.cost - self.problem.of.budget);
            let most = if self.start.lambda > 0.0 { STEEP * self.start.lambda } else { self.cap };
            let lambda = if lambda >= 0.0 && lambda <= most { lambda } else { most };
            return Err(Stop::Answer(Relaxed::Nothing(lambda)));
        }
        self.keep_feasible();
        Ok(sums)
    }

    /// Each turn replaces one end of the secant by a subset beyond it; there are finitely many.
    #[inline]
    fn between(&mut self, mut above: Sums, mut below: Sums, meter: &mut Meter) -> Result<Multiplier, Stop> {
        let mut turns = 0;
        loop {
            turns += 1;
            let rise = above.value - below.value;
            let run = above.cost - below.cost;
            // Where the costs differ only by rounding, their secant has no meaning.
            let mut lambda = if run > 2.0 * self.problem.doubt { rise / run } else { 0.0 };
            if !(lambda >= 0.0 && lambda <= self.cap) {
                lambda = if lambda < 0.0 { 0.0 } else { self.cap };
            }
            let (next, bound) = self.at(lambda, meter)?;
            let line = above.value - lambda * above.cost;
            let supports = next.value - lambda * next.cost <= line + self.problem.margin(lambda);
            let best = bound.lower_of(self.least);
            if supports || turns == TURNS || run <= 2.0 * self.problem.doubt {
                if best.lambda != bound.lambda {
                    self.problem.at(best.lambda, self.items);
                }
                return Ok(best);
            }
            self.least = Some(best);
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
}

/// The rest of the problem after the relaxation: to find a subset better than the incumbent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Problem<'a> {
    pub(crate) of: Items<'a>,
    pub(crate) floor: f64,
    pub(crate) multiplier: Multiplier,
    /// The relaxation's subset, and all others.
    pub(crate) inside: &'a [Keyed],
    pub(crate) outside: &'a [Keyed],
}

impl Problem<'_> {
    /// The least value of a subset that can improve the incumbent.
    pub(crate) fn needed(&self, best: &Incumbent) -> f64 {
        if best.found { best.value.max(self.floor) } else { self.floor }
    }

    /// The rounding error of a sum of costs.
    pub(crate) fn cost_margin(&self, cost: f64) -> f64 {
        (self.of.budget.abs() + cost) * f64::EPSILON * (2 * self.inside.len() + 18) as f64 + f64::MIN_POSITIVE
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

/// Up to this many items are sorted by insertion.
const SHORT: usize = 24;

/// Moves the n items with the greatest keys to the front. Of equal keys `sooner` decides, then the lower
/// index.
///
/// Items are in the order that the last selection left, which is mostly nearly the new one.
#[inline(always)]
fn select(
    items: &mut [Keyed],
    n: usize,
    given: Sums,
    key: impl Fn(&Keyed) -> f64,
    sooner: impl Fn(&Keyed, &Keyed) -> bool,
) -> Sums {
    let before = |a: &Keyed, b: &Keyed| {
        a.key > b.key || (a.key == b.key && (sooner(a, b) || (!sooner(b, a) && a.index < b.index)))
    };
    let n = n.min(items.len());
    if n > SHORT {
        for item in items.iter_mut() {
            item.key = key(item);
        }
        if n < items.len() {
            items.select_nth_unstable_by(n - 1, |a, b| match (before(a, b), a.index == b.index) {
                (true, _) => Ordering::Less,
                (_, true) => Ordering::Equal,
                _ => Ordering::Greater,
            });
        }
    } else if n > 0 {
        let (front, rest) = items.split_at_mut(n);
        let sift = |front: &mut [Keyed], mut at: usize, entering: Keyed| {
            while at > 0 && before(&entering, &front[at - 1]) {
                front[at] = front[at - 1];
                at -= 1;
            }
            front[at] = entering;
        };
        for at in 0..n {
            let entering = Keyed { key: key(&front[at]), ..front[at] };
            sift(front, at, entering);
        }
        for item in rest {
            item.key = key(item);
            if item.key >= front[n - 1].key && before(item, &front[n - 1]) {
                let entering = std::mem::replace(item, front[n - 1]);
                sift(front, n - 1, entering);
            }
        }
    }
    sums(&items[..n], given)
}

#[inline(always)]
fn sums(items: &[Keyed], given: Sums) -> Sums {
    items.iter().fold(given, |sums, item| Sums {
        key: sums.key + item.key,
        value: sums.value + item.value,
        cost: sums.cost + item.cost,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subset::Groups;
    use sched_model::Limit;

    #[test]
    fn greatest_values_are_taken_while_their_groups_have_room() {
        let (values, costs, groups) = ([5.0, 5.0, 4.0, 1.0, 0.0], [2.0; 5], [9, 4, 9, 2, 4]);
        let taken = |n: usize, most: usize, budget: f64| {
            let groups = Groups { of: &groups, most, own: None };
            let items = Items { groups: Some(groups), ..Items::new(&values, &costs, n, budget) };
            let (mut order, limit) = (Order::default(), Limit::none());
            let start = Start::above(f64::NEG_INFINITY);
            let relaxed = relax(&items, start, &mut order, &mut limit.meter()).unwrap();
            let solved = matches!(relaxed, Relaxed::Solved(_));
            solved.then(|| order.items[..n].iter().map(|item| item.index).collect::<Vec<u32>>())
        };
        assert_eq!(taken(3, 1, 10.0), Some(vec![0, 1, 3]));
        assert_eq!(taken(3, 1, 5.0), None);
        assert_eq!(taken(4, 1, 10.0), None);
        assert_eq!(taken(4, 2, 10.0), Some(vec![0, 1, 2, 3]));
    }
}
