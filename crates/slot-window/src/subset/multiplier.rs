//! The Lagrange multiplier of the budget, by selection.
//!
//! For a multiplier l >= 0 no feasible subset is worth more than l C + the n greatest of z - l c. The least such bound
//! lies where the line through an affordable and an unaffordable subset of greatest z - l c supports both; secants
//! find it in a few selections of the n greatest of k numbers, O(k) each. A multiplier that is likely to be near saves
//! most of them: that of the last instant of a scan, or of the next speed.
//!
//! Source: the Lagrangian dual is textbook (H. Kellerer, U. Pferschy, D. Pisinger, *Knapsack Problems*, 2004, sections
//! 3.8 and 9.7 on the cardinality-constrained problem).

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

/// What the relaxation says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Relaxed {
    /// There are not n items, or the n cheapest are too dear.
    Infeasible,
    /// No affordable subset is worth more than the floor that was asked for; the multiplier that shows it.
    Low(f64),
    /// The n items of greatest value are affordable: they stand first in the order.
    Solved,
    /// A bound; the n items of greatest reduced value stand first in the order, an affordable subset in `feasible`.
    Bound(Multiplier),
}

/// What is known before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Prior {
    /// A multiplier to begin with; 0 for none.
    pub(crate) lambda: f64,
    /// A bound as low as this ends the search.
    pub(crate) floor: f64,
}

/// Memory of the relaxation.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// Key and index of each item; after a selection the n greatest keys stand first.
    pub(crate) keys: Vec<(f64, u32)>,
    /// The most valuable affordable subset that the secants met.
    pub(crate) feasible: Vec<u32>,
}

/// Value and cost of a subset together.
#[derive(Debug, Clone, Copy)]
struct Sums {
    value: f64,
    cost: f64,
}

/// Up to this many are kept in order by insertion.
const SHORT: usize = 24;

/// Puts the n that come first by a strict order in front; `before` decides ties too.
fn select(keys: &mut [(f64, u32)], n: usize, before: impl Fn(&(f64, u32), &(f64, u32)) -> bool) {
    if n == 0 || n >= keys.len() {
        return;
    }
    if n > SHORT {
        keys.select_nth_unstable_by(n - 1, |a, b| {
            if before(a, b) {
                std::cmp::Ordering::Less
            } else if a.1 == b.1 {
                std::cmp::Ordering::Equal
            } else {
                std::cmp::Ordering::Greater
            }
        });
        return;
    }
    let (front, rest) = keys.split_at_mut(n);
    let sift = |front: &mut [(f64, u32)], mut at: usize, key: (f64, u32)| {
        while at > 0 && before(&key, &front[at - 1]) {
            front[at] = front[at - 1];
            at -= 1;
        }
        front[at] = key;
    };
    for at in 1..n {
        sift(front, at, front[at]);
    }
    for key in rest {
        if before(key, &front[n - 1]) {
            let entering = std::mem::replace(key, front[n - 1]);
            sift(front, n - 1, entering);
        }
    }
}

/// The problem, and what bounds its rounding.
struct Relaxation<'a> {
    values: &'a [f64],
    costs: &'a [f64],
    n: usize,
    budget: f64,
    /// Greatest magnitudes.
    max_value: f64,
    max_cost: f64,
}

impl Relaxation<'_> {
    fn sums(&self, keys: &[(f64, u32)]) -> Sums {
        keys.iter().fold(Sums { value: 0.0, cost: 0.0 }, |sums, &(_, i)| Sums {
            value: sums.value + self.values[i as usize],
            cost: sums.cost + self.costs[i as usize],
        })
    }

    /// How far rounding may move a sum of reduced values.
    fn margin(&self, lambda: f64) -> f64 {
        let count = self.n as f64;
        (self.max_value + lambda * self.max_cost) * count * f64::EPSILON * (count + 8.0)
    }

    /// Puts the n of greatest reduced value first; of equal ones the lower index.
    fn at(&self, lambda: f64, keys: &mut [(f64, u32)]) -> Sums {
        for key in keys.iter_mut() {
            let i = key.1 as usize;
            key.0 = self.values[i] - lambda * self.costs[i];
        }
        select(keys, self.n, |a, b| a.0 > b.0 || (a.0 == b.0 && a.1 < b.1));
        self.sums(&keys[..self.n])
    }

    fn bound(&self, lambda: f64, keys: &[(f64, u32)]) -> Multiplier {
        let reduced: f64 = keys[..self.n].iter().map(|key| key.0).sum();
        // `budget` is finite where there is a bound: an infinite one is never exceeded.
        let margin = self.margin(lambda) + lambda * self.budget.abs() * f64::EPSILON * 4.0;
        Multiplier { lambda, bound: reduced + lambda * self.budget, margin }
    }

    /// Whether the first n of the order are affordable, their costs added in order of index as the definition asks.
    fn affordable(&self, keys: &[(f64, u32)], sum: f64) -> bool {
        let doubt = self.max_cost * self.n as f64 * f64::EPSILON * (self.n as f64 + 2.0);
        if (sum - self.budget).abs() > doubt {
            return sum < self.budget;
        }
        let mut indices: Vec<u32> = keys[..self.n].iter().map(|key| key.1).collect();
        indices.sort_unstable();
        indices.iter().map(|&i| self.costs[i as usize]).sum::<f64>() <= self.budget
    }

    /// The greatest values, of equal ones the cheaper.
    fn most_valuable(&self, keys: &mut [(f64, u32)]) -> Sums {
        for key in keys.iter_mut() {
            key.0 = self.values[key.1 as usize];
        }
        let cost = |key: &(f64, u32)| self.costs[key.1 as usize];
        select(keys, self.n, |a, b| {
            a.0 > b.0 || (a.0 == b.0 && (cost(a) < cost(b) || (cost(a) == cost(b) && a.1 < b.1)))
        });
        self.sums(&keys[..self.n])
    }

    /// The cheapest, of equally cheap ones the more valuable.
    fn cheapest(&self, keys: &mut [(f64, u32)]) -> Sums {
        for key in keys.iter_mut() {
            key.0 = self.costs[key.1 as usize];
        }
        let value = |key: &(f64, u32)| self.values[key.1 as usize];
        select(keys, self.n, |a, b| {
            a.0 < b.0 || (a.0 == b.0 && (value(a) > value(b) || (value(a) == value(b) && a.1 < b.1)))
        });
        self.sums(&keys[..self.n])
    }
}

/// Subsets of greatest reduced value on both sides of the budget.
#[derive(Default)]
struct Bracket {
    above: Option<Sums>,
    below: Option<Sums>,
}

impl Bracket {
    fn take(&mut self, sums: Sums, budget: f64, chosen: &[(f64, u32)], feasible: &mut Vec<u32>) {
        if sums.cost > budget {
            self.above = Some(sums);
            return;
        }
        if self.below.is_none_or(|below| sums.value > below.value) {
            feasible.clear();
            feasible.extend(chosen.iter().map(|key| key.1));
        }
        self.below = Some(sums);
    }
}

/// By how much a given multiplier is changed to find one on the other side.
const NEAR: f64 = 1.25;

/// Solves the relaxation of choosing `n` items within `budget`.
pub(crate) fn relax(
    values: &[f64],
    costs: &[f64],
    n: usize,
    budget: f64,
    prior: Prior,
    order: &mut Order,
) -> Relaxed {
    let Order { keys, feasible } = order;
    keys.clear();
    if n > values.len() {
        return Relaxed::Infeasible;
    }
    keys.extend((0_u32..).zip(values).map(|(i, &value)| (value, i)));
    let greatest =
        |numbers: &[f64]| numbers.iter().fold(0.0_f64, |greatest, number| greatest.max(number.abs()));
    let problem =
        Relaxation { values, costs, n, budget, max_value: greatest(values), max_cost: greatest(costs) };
    // Any multiplier gives a bound; this cap keeps the products finite.
    let cap = 1e250 / (problem.max_cost * n as f64).max(1.0);
    let mut bracket = Bracket::default();
    if prior.lambda > 0.0 && prior.lambda * NEAR <= cap && budget < f64::INFINITY {
        let mut lambda = prior.lambda;
        for _ in 0..2 {
            let sums = problem.at(lambda, keys);
            let bound = problem.bound(lambda, keys);
            if bound.bound + bound.margin <= prior.floor {
                return Relaxed::Low(lambda);
            }
            bracket.take(sums, budget, &keys[..n], feasible);
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
            let sums = problem.most_valuable(keys);
            if problem.affordable(keys, sums.cost) {
                return Relaxed::Solved;
            }
            sums
        }
    };
    let mut below = match bracket.below {
        Some(below) => below,
        None => {
            let sums = problem.cheapest(keys);
            if !problem.affordable(keys, sums.cost) {
                return Relaxed::Infeasible;
            }
            feasible.clear();
            feasible.extend(keys[..n].iter().map(|key| key.1));
            sums
        }
    };
    // Each turn replaces one end of the secant by a subset beyond it; there are finitely many, and a handful in
    // practice. Stopping early would only weaken the bound.
    let mut turns = 0;
    loop {
        turns += 1;
        let mut lambda = (above.value - below.value) / (above.cost - below.cost);
        if !(lambda >= 0.0 && lambda <= cap) {
            lambda = if lambda < 0.0 { 0.0 } else { cap };
        }
        let next = problem.at(lambda, keys);
        let bound = problem.bound(lambda, keys);
        if bound.bound + bound.margin <= prior.floor {
            return Relaxed::Low(lambda);
        }
        let line = above.value - lambda * above.cost;
        if next.value - lambda * next.cost <= line + problem.margin(lambda) || turns == 64 {
            return Relaxed::Bound(bound);
        }
        if next.cost > budget {
            above = next;
        } else {
            if next.value > below.value {
                feasible.clear();
                feasible.extend(keys[..n].iter().map(|key| key.1));
            }
            below = next;
        }
    }
}
