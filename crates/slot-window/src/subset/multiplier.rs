//! The Lagrange multiplier of the budget, by selection.
//!
//! For a multiplier l >= 0 no feasible subset is worth more than l C + the n greatest of z - l c. The least such bound
//! lies where the line through an affordable and an unaffordable subset of greatest z - l c supports both; secants
//! find it in a few selections of the n greatest of k numbers, O(k) each.
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
    /// The n items of greatest value are affordable: they stand first in the order.
    Solved,
    /// A bound; the n items of greatest reduced value stand first in the order, an affordable subset in `feasible`.
    Bound(Multiplier),
}

/// Memory of the relaxation.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// Key and index of each item; after a selection the n greatest keys stand first.
    pub(crate) keys: Vec<(f64, u32)>,
    /// The most valuable affordable subset that the secants met.
    pub(crate) feasible: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Sums {
    value: f64,
    cost: f64,
}

/// Puts the n greatest keys first. Equal keys: the lower index.
fn select(keys: &mut [(f64, u32)], n: usize) {
    if n < keys.len() && n > 0 {
        keys.select_nth_unstable_by(n - 1, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    }
}

fn sums(keys: &[(f64, u32)], values: &[f64], costs: &[f64]) -> Sums {
    keys.iter().fold(Sums { value: 0.0, cost: 0.0 }, |sums, &(_, i)| Sums {
        value: sums.value + values[i as usize],
        cost: sums.cost + costs[i as usize],
    })
}

/// The cost of the first n of the order, added in order of index as the definition asks.
fn exact_cost(keys: &[(f64, u32)], costs: &[f64], memory: &mut Vec<u32>) -> f64 {
    memory.clear();
    memory.extend(keys.iter().map(|key| key.1));
    memory.sort_unstable();
    memory.iter().map(|&i| costs[i as usize]).sum()
}

/// Solves the relaxation of choosing `n` items within `budget`.
pub(crate) fn relax(values: &[f64], costs: &[f64], n: usize, budget: f64, order: &mut Order) -> Relaxed {
    let Order { keys, feasible } = order;
    keys.clear();
    if n > values.len() {
        return Relaxed::Infeasible;
    }
    // The greatest values, of equal ones the cheaper.
    keys.extend((0_u32..).zip(values).map(|(i, &value)| (value, i)));
    if n < keys.len() && n > 0 {
        keys.select_nth_unstable_by(n - 1, |a, b| {
            let by_cost = || costs[a.1 as usize].total_cmp(&costs[b.1 as usize]);
            b.0.total_cmp(&a.0).then_with(by_cost).then(a.1.cmp(&b.1))
        });
    }
    if exact_cost(&keys[..n], costs, feasible) <= budget {
        return Relaxed::Solved;
    }
    let mut above = sums(&keys[..n], values, costs);
    // The cheapest, of equally cheap ones the more valuable.
    for key in keys.iter_mut() {
        key.0 = -costs[key.1 as usize];
    }
    if n < keys.len() && n > 0 {
        keys.select_nth_unstable_by(n - 1, |a, b| {
            let by_value = || values[b.1 as usize].total_cmp(&values[a.1 as usize]);
            b.0.total_cmp(&a.0).then_with(by_value).then(a.1.cmp(&b.1))
        });
    }
    if exact_cost(&keys[..n], costs, feasible) > budget {
        return Relaxed::Infeasible;
    }
    let mut below = sums(&keys[..n], values, costs);
    let greatest =
        |numbers: &[f64]| numbers.iter().fold(0.0_f64, |greatest, number| greatest.max(number.abs()));
    let (count, max_value, max_cost) = (n as f64, greatest(values), greatest(costs));
    // Any multiplier gives a bound; this cap keeps the products finite.
    let cap = 1e250 / (max_cost * count).max(1.0);
    let mut lambda;
    let mut margin;
    // Each turn replaces one end of the secant by a subset beyond it; there are finitely many, and a handful in
    // practice. Stopping early would only weaken the bound.
    let mut turns = 0;
    loop {
        turns += 1;
        lambda = (above.value - below.value) / (above.cost - below.cost);
        if !(lambda >= 0.0 && lambda <= cap) {
            lambda = if lambda < 0.0 { 0.0 } else { cap };
        }
        margin = (max_value + lambda * max_cost) * count * f64::EPSILON * (count + 8.0);
        for key in keys.iter_mut() {
            let i = key.1 as usize;
            key.0 = values[i] - lambda * costs[i];
        }
        select(keys, n);
        let next = sums(&keys[..n], values, costs);
        let line = above.value - lambda * above.cost;
        if next.value - lambda * next.cost <= line + margin || turns == 64 {
            break;
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
    let reduced: f64 = keys[..n].iter().map(|key| key.0).sum();
    // `budget` is finite here: an infinite one is never exceeded.
    let margin = margin + lambda * budget.abs() * f64::EPSILON * 4.0;
    Relaxed::Bound(Multiplier { lambda, bound: reduced + lambda * budget, margin })
}
