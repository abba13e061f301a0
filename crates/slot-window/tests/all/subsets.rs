//! Exactly n of k items under a budget: complete and stopped searches, compared with all subsets.

use crate::judge::{Verdict, ensure, family, of};
use econsched::sched_model::{End, Proof};
use econsched::slot_window::subset::SubsetProblem;
use econsched::testkit::{Draw, Exact, Numbers, Seen, Stopped, Stops, limit_near, oracle, rounded_sum};
use serde::{Deserialize, Serialize};

family!(Subsets: Case, draw, judge);

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    items: Vec<Item>,
    count: usize,
    /// `None` if there is no limit.
    budget: Option<f64>,
    #[serde(default)]
    stops: Stops,
}

#[derive(Serialize, Deserialize)]
struct Item {
    value: f64,
    cost: f64,
}

/// The maximum number of items with which every subset is tried, and the maximum work of a complete search.
const FEW: usize = 9;
const MOST: u64 = 400_000;

fn draw(draw: &mut Draw) -> Case {
    let (value, cost) = (Numbers::any(draw), Numbers::any(draw));
    let k = if draw.chance(3) { draw.between(20, 200) } else { draw.between(1, FEW) };
    let count = if k > FEW { k / 3 } else { draw.below(k.min(5) + 1) };
    let (alike, signed) = (draw.chance(20), draw.chance(20));
    let item = |_| {
        let cost = cost.draw(draw);
        // Values equal to costs make all subsets nearly equal.
        let value = if alike { cost } else { value.draw(draw) };
        Item { value: if signed && draw.chance(50) { -value } else { value }, cost }
    };
    let items: Vec<Item> = (0..k).map(item).collect();
    let from = draw.below(k);
    let sum = rounded_sum((0..count).map(|at| items[(from + at) % k].cost));
    let budget = draw.chance(95).then(|| limit_near(draw, sum));
    Case { items, count, budget, stops: Stops::draw(draw) }
}

fn judge(case: &Case) -> Verdict<Seen> {
    let (values, costs): (Vec<f64>, Vec<f64>) = case.items.iter().map(|item| (item.value, item.cost)).unzip();
    let budget = case.budget.unwrap_or(f64::INFINITY);
    let Ok(problem) = SubsetProblem::new(&values, &costs, case.count, budget) else {
        return Ok(Seen::skipped());
    };
    let sums = |chosen: &[usize]| {
        let sum = |of: &[f64]| Exact::of(chosen.iter().map(|&at| of[at]));
        (sum(&values), sum(&costs))
    };
    let known = values.len() <= FEW;
    // Subsets come in order of their indices, so the first of equal ones is kept.
    let mut best: Option<(Exact, Exact, Vec<usize>)> = None;
    oracle::subsets(if known { values.len() } else { 0 }, case.count, |chosen| {
        let (value, cost) = sums(chosen);
        let better =
            |(most, least, _): &(Exact, Exact, _)| value > *most || (value == *most && cost < *least);
        if cost.rounded() <= budget && best.as_ref().is_none_or(better) {
            best = Some((value, cost, chosen.to_vec()));
        }
    });
    let most = best.as_ref().map(|best| best.0.rounded());
    let (mut seen, mut first) = (Seen::default(), None);
    // Also by the lists of partial choices alone, without exchanges before them.
    for (kind, problem) in [("exact", problem.clone()), ("lists", problem.with_max_exchanges(0))] {
        let judged = case.stops.check(MOST, |limit| {
            let found = problem.solve(&mut limit.meter());
            let (end, proof, bound) = (found.end, found.proof(), found.bound);
            let passed = bound.zip(most).is_some_and(|(bound, most)| bound < most);
            ensure!(!passed, "the bound {bound:?} is below {most:?}");
            let missed = known && found.best.is_none() && best.is_some() && end == End::Done;
            ensure!(!missed, "misses {most:?}");
            if let Some(subset) = &found.best {
                let (value, cost) = sums(&subset.indices);
                let ascending = subset.indices.windows(2).all(|pair| pair[0] < pair[1]);
                ensure!(ascending && subset.indices.len() == case.count, "{:?}", subset.indices);
                let cost = cost.rounded();
                ensure!(cost <= budget, "above the budget: {:?} costs {cost:?}", subset.indices);
                ensure!(subset.cost == cost, "says the cost {:?} of {cost:?}", subset.cost);
                let proven = known && proof == Proof::Exact;
                let right = !proven || most == Some(value.rounded());
                ensure!(right, "{proof}: {:?}, and {most:?} is the best", value.rounded());
                let first = best.as_ref().map(|best| &best.2);
                ensure!(
                    !proven || first == Some(&subset.indices),
                    "{:?}, and {first:?} is the cheapest, and first, of equal ones",
                    subset.indices
                );
            }
            let (value, bound) = (found.value.map(|value| -value), bound.map(|bound| -bound));
            let answer = format!("{:?}", found.best);
            Ok(Stopped { rank: 0.0, value, bound, work: found.work, end, answer })
        });
        let whole = of(&kind, judged)?;
        ensure!(!known || whole.end == End::Done, "{kind}: few items, and {}", whole.end);
        // Among equal subsets, each method finds the same.
        let same = !known || *first.get_or_insert_with(|| whole.answer.clone()) == whole.answer;
        ensure!(same, "{kind}: {}, another finds {first:?}", whole.answer);
        seen += if whole.value.is_some() { Seen::solved() } else { Seen::unsolved(best.is_some()) };
    }
    Ok(seen)
}
