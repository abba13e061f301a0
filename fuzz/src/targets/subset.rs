//! Exactly n of k items under a budget.

use crate::exact::Exact;
use crate::number::{Family, limit_near};
use crate::rng::Rng;
use crate::target::{Target, Verdict, ensure};
use econsched::sched_model::{End, Limit, Proof};
use econsched::slot_window::subset::{SubsetKind, SubsetProblem, SubsetScratch};
use serde::{Deserialize, Serialize};

pub(crate) struct Subsets;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    items: Vec<Item>,
    count: usize,
    /// None: no limit.
    budget: Option<f64>,
}

#[derive(Serialize, Deserialize)]
struct Item {
    value: f64,
    cost: f64,
}

/// Value and cost of a subset: each its exact sum, rounded once.
struct Sums {
    value: f64,
    cost: f64,
}

impl Case {
    fn sums(&self, chosen: &[usize]) -> Sums {
        let of = |part: fn(&Item) -> f64| chosen.iter().map(move |&at| part(&self.items[at]));
        Sums {
            value: Exact::of(of(|item| item.value)).rounded(),
            cost: Exact::of(of(|item| item.cost)).rounded(),
        }
    }
}

/// Calls `visit` with every subset of `n` of `k`.
pub(crate) fn subsets(k: usize, n: usize, visit: &mut dyn FnMut(&[usize])) {
    if n > k {
        return;
    }
    let mut chosen: Vec<usize> = (0..n).collect();
    loop {
        visit(&chosen);
        let Some(at) = (0..n).rev().find(|&at| chosen[at] < k - n + at) else { return };
        chosen[at] += 1;
        for next in at + 1..n {
            chosen[next] = chosen[next - 1] + 1;
        }
    }
}

impl Target for Subsets {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let (value, cost) = (Family::any(rng), Family::any(rng));
        let k = rng.range(1, 9);
        let count = rng.below(k.min(5) + 1);
        let alike = rng.percent(20);
        let signed = rng.percent(20);
        let items: Vec<Item> = (0..k)
            .map(|_| {
                let cost = cost.draw(rng);
                // Values equal to costs, or falling as they rise, make all subsets nearly equal.
                let value = if alike { cost } else { value.draw(rng) };
                Item { value: if signed && rng.percent(50) { -value } else { value }, cost }
            })
            .collect();
        let mut order: Vec<usize> = (0..k).collect();
        for at in 0..count {
            let other = rng.range(at, k - 1);
            order.swap(at, other);
        }
        let sum = Exact::of(order[..count].iter().map(|&at| items[at].cost)).rounded();
        let budget = if rng.percent(5) { None } else { Some(limit_near(rng, sum)) };
        Case { items, count, budget }
    }

    fn judge(case: &Case) -> Verdict {
        let values: Vec<f64> = case.items.iter().map(|item| item.value).collect();
        let costs: Vec<f64> = case.items.iter().map(|item| item.cost).collect();
        let budget = case.budget.unwrap_or(f64::INFINITY);
        let Ok(problem) = SubsetProblem::new(&values, &costs, case.count, budget) else { return Ok(()) };
        let mut best: Option<(f64, f64)> = None;
        subsets(values.len(), case.count, &mut |chosen| {
            let sums = case.sums(chosen);
            let better =
                |(value, cost): (f64, f64)| sums.value > value || sums.value == value && sums.cost < cost;
            if sums.cost <= budget && best.is_none_or(better) {
                best = Some((sums.value, sums.cost));
            }
        });
        let mut scratch = SubsetScratch::new();
        for &kind in SubsetKind::ALL {
            let found = kind.build().solve(&problem, &Limit::default(), &mut scratch);
            let proof = found.proof();
            if let (Some(bound), Some((value, _))) = (found.bound, best) {
                ensure!(bound >= value, "{kind}: the bound {bound:?} is below {value:?}");
            }
            let Some(solution) = found.incumbent else {
                ensure!(best.is_none() || !is_exact(kind), "{kind}: misses the only subsets, best {best:?}");
                // The table gives up where it would need too many units.
                ensure!(best.is_none() || found.end != End::Done, "{kind}: no subset is done, best {best:?}");
                continue;
            };
            let sums = case.sums(solution.indices());
            ensure!(solution.indices().len() == case.count, "{kind}: {:?}", solution.indices());
            ensure!(solution.indices().windows(2).all(|pair| pair[0] < pair[1]), "{kind}: not ascending");
            ensure!(
                sums.cost <= budget,
                "{kind}: above the budget: {:?} costs {:?}",
                solution.indices(),
                sums.cost
            );
            ensure!(
                solution.cost() == sums.cost,
                "{kind}: the cost is not the exact sum, says {:?}, costs {:?}",
                solution.cost(),
                sums.cost
            );
            let Some((value, cost)) = best else {
                ensure!(false, "{kind}: nothing is affordable, but {:?}", solution.indices());
                continue;
            };
            if proof == Proof::Exact {
                ensure!(
                    sums.value == value,
                    "{kind}: not the best: {:?} worth {:?}, best {value:?} for {cost:?}",
                    solution.indices(),
                    sums.value
                );
            } else {
                ensure!(!is_exact(kind), "{kind}: {proof} for {} items", values.len());
            }
        }
        Ok(())
    }
}

/// Whether a solver promises the best of few items.
fn is_exact(kind: SubsetKind) -> bool {
    !kind.name().contains("table")
}
