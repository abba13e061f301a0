//! The Lagrange multiplier of the budget, by selection.
//!
//! For a multiplier l >= 0 no feasible subset is worth more than l C + the n greatest of z - l c. The least such bound
//! lies where the line through an affordable and an unaffordable subset of greatest z - l c supports both; secants
//! find it in a few selections of the n greatest of k numbers, O(k) each. A multiplier that is likely to be near saves
//! most of them: that of the last instant of a scan, or of the next speed.
//!
//! Source: the Lagrangian dual is textbook (H. Kellerer, U. Pferschy, D. Pisinger, *Knapsack Problems*, 2004, sections
//! 3.8 and 9.7 on the cardinality-constrained problem).

use super::items::Items;
use sched_model::{End, Meter};
use std::cmp::Ordering;

/// A bound and what it rests on.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Multiplier {
    /// The multiplier, l.
    pub(crate) lambda: f64,
    /// No subset within the budget is worth more, but for rounding.
    pub(crate) bound: f64,
    /// How far rounding may have moved the bound, and any other sum of reduced values.
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

/// What the relaxation says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Relaxed {
    /// There are not n items, or the n cheapest are too dear; a multiplier that may show it.
    Infeasible(f64),
    /// No affordable subset is worth more than the floor that was asked for; the multiplier that shows it.
    Low(f64),
    /// The n items of greatest value are affordable: they stand at the top.
    Solved,
    /// A bound; the n items of greatest reduced value stand at the top, an affordable subset in `feasible`.
    Bound(Multiplier),
}

/// What is known before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Prior {
    /// A multiplier to begin with; 0 for none.
    pub(crate) lambda: f64,
    /// A bound as low as this ends the search.
    pub(crate) floor: f64,
    /// How far the bound may stay above the least one, as a share of what the budget takes from the greatest values.
    pub(crate) slack: f64,
}

/// An item and what it is selected by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keyed {
    pub(crate) key: f64,
    pub(crate) value: f64,
    pub(crate) cost: f64,
    pub(crate) index: u32,
}

/// Memory of the relaxation.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// The items; after a selection the n greatest keys stand first.
    pub(crate) items: Vec<Keyed>,
    /// The most valuable affordable subset that the secants met.
    pub(crate) feasible: Vec<u32>,
}

/// Sums over a subset.
#[derive(Debug, Clone, Copy)]
struct Sums {
    key: f64,
    value: f64,
    cost: f64,
}

/// Up to this many are kept in order by insertion.
const SHORT: usize = 24;

/// Puts the n items with the greatest keys first. Of equal keys the one that `sooner` says, else the lower index.
///
/// Items stand in the order that the last selection left: mostly it is nearly the new one.
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
    items[..n].iter().fold(given, |sums, item| Sums {
        key: sums.key + item.key,
        value: sums.value + item.value,
        cost: sums.cost + item.cost,
    })
}

/// The problem, and what bounds its rounding.
struct Relaxation<'a> {
    of: &'a Items<'a>,
    /// Greatest magnitudes.
    max_value: f64,
    max_cost: f64,
    /// A plain sum of costs is off by no more.
    doubt: f64,
    /// Rounding moves a sum of reduced values by no more than this share of n of the greatest.
    share: f64,
    /// And the budget's part by no more than this, times the multiplier.
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
            // What is too dear by itself would only blur the bounds by its magnitude.
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

    /// How far rounding may move a sum of reduced values. The last term is for products too small for a double.
    fn margin(&self, lambda: f64) -> f64 {
        (self.max_value + lambda * self.max_cost) * self.share + f64::MIN_POSITIVE
    }

    fn given(&self, lambda: f64) -> Sums {
        let given = self.of.given;
        Sums { key: given.value - lambda * given.cost, value: given.value, cost: given.cost }
    }

    /// The n of greatest reduced value, of equal ones the lower index; and the bound that they give.
    fn at(&self, lambda: f64, items: &mut [Keyed]) -> (Sums, Multiplier) {
        let given = self.given(lambda);
        let sums = select(items, self.of.n, given, |item| item.value - lambda * item.cost, |_, _| false);
        // `budget` is finite where there is a bound: an infinite one is never exceeded.
        let margin = self.margin(lambda) + lambda * self.budget_doubt;
        (sums, Multiplier { lambda, bound: sums.key + lambda * self.of.budget, margin })
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
        select(items, self.of.n, self.given(0.0), |item| item.value, |a, b| a.cost < b.cost)
    }

    /// The cheapest, of equally cheap ones the more valuable.
    fn cheapest(&self, items: &mut [Keyed]) -> Sums {
        select(items, self.of.n, self.given(0.0), |item| -item.cost, |a, b| a.value > b.value)
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

/// Secants at most. A handful is enough in practice, and stopping early only weakens the bound.
const TURNS: u32 = 64;

/// Solves the relaxation of a subset problem.
pub(crate) fn relax(
    of: &Items<'_>,
    prior: Prior,
    order: &mut Order,
    meter: &mut Meter<'_>,
) -> Result<Relaxed, End> {
    let Order { items, feasible } = order;
    let Items { n, budget, .. } = *of;
    // Each selection looks at every item.
    let looks = of.values.len() as u64 + 1;
    meter.spend(looks)?;
    let problem = Relaxation::new(of, items);
    if n > items.len() {
        return Ok(Relaxed::Infeasible(prior.lambda));
    }
    // Any multiplier gives a bound; this cap keeps the products finite.
    let cap = 1e250 / (problem.max_cost * (n as f64 + 1.0)).max(1.0);
    let mut bracket = Bracket::default();
    // The least bound so far.
    let mut least: Option<Multiplier> = None;
    if prior.lambda > 0.0 && prior.lambda * NEAR <= cap && budget < f64::INFINITY {
        let mut lambda = prior.lambda;
        for _ in 0..2 {
            meter.spend(looks)?;
            let (sums, bound) = problem.at(lambda, items);
            if bound.bound + bound.margin <= prior.floor {
                return Ok(Relaxed::Low(lambda));
            }
            least = Some(bound.lower_of(least));
            if !problem.affordable(items, sums.cost) {
                bracket.above = Some(sums);
            } else {
                if bracket.below.is_none_or(|below| sums.value > below.value) {
                    feasible.clear();
                    feasible.extend(items[..n].iter().map(|item| item.index));
                }
                bracket.below = Some(sums);
            }
            match bracket {
                Bracket { above: Some(_), below: None } => lambda *= NEAR,
                Bracket { above: None, .. } => lambda /= NEAR,
                Bracket { above: Some(_), below: Some(_) } => break,
            }
        }
    }
    let mut above = match bracket.above {
        Some(above) => above,
        None => {
            meter.spend(looks)?;
            let sums = problem.most_valuable(items);
            if problem.affordable(items, sums.cost) {
                return Ok(Relaxed::Solved);
            }
            sums
        }
    };
    let mut below = match bracket.below {
        Some(below) => below,
        None => {
            meter.spend(looks)?;
            let sums = problem.cheapest(items);
            if !problem.affordable(items, sums.cost) {
                // The bound falls with the multiplier by what is missing: below the floor in the end.
                let lambda = (above.value - prior.floor) / (sums.cost - budget);
                let most = if prior.lambda > 0.0 { STEEP * prior.lambda } else { cap };
                return Ok(Relaxed::Infeasible(if lambda >= 0.0 && lambda <= most { lambda } else { most }));
            }
            feasible.clear();
            feasible.extend(items[..n].iter().map(|item| item.index));
            sums
        }
    };
    // Each turn replaces one end of the secant by a subset beyond it; there are finitely many.
    let enough = prior.slack * (above.value - below.value);
    let mut turns = 0;
    loop {
        turns += 1;
        let rise = above.value - below.value;
        let run = above.cost - below.cost;
        // Where the costs differ by rounding alone, their secant says nothing.
        let mut lambda = if run > 2.0 * problem.doubt { rise / run } else { 0.0 };
        if !(lambda >= 0.0 && lambda <= cap) {
            lambda = if lambda < 0.0 { 0.0 } else { cap };
        }
        meter.spend(looks)?;
        let (next, bound) = problem.at(lambda, items);
        if bound.bound + bound.margin <= prior.floor {
            return Ok(Relaxed::Low(lambda));
        }
        let line = above.value - lambda * above.cost;
        let ends = next.value - lambda * next.cost <= line + problem.margin(lambda).max(enough);
        if ends || turns == TURNS || run <= 2.0 * problem.doubt {
            let best = bound.lower_of(least);
            if best.lambda != bound.lambda {
                problem.at(best.lambda, items);
            }
            return Ok(Relaxed::Bound(best));
        }
        least = Some(bound.lower_of(least));
        if !problem.affordable(items, next.cost) {
            above = next;
        } else {
            if next.value > below.value {
                feasible.clear();
                feasible.extend(items[..n].iter().map(|item| item.index));
            }
            below = next;
        }
    }
}
