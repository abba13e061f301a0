//! Lower bounds on the cost of a window of a pool. Where the least cost is searched for, they exclude most
//! slots from the pools, and most levels from the sweeps.

use super::candidates::{Candidate, Level};
use crate::scan::{Hold, LeastByNode, Limits};
use sched_model::{Price, Tariff};
use std::collections::BTreeMap;

/// For each pool of a level: the least cost of n of its nodes, and of n - 1.
#[derive(Debug)]
pub(super) struct Least {
    pools: BTreeMap<u32, (f64, f64)>,
}

impl Least {
    /// The bounds of a level. Time O(m) for m candidates, and O(n) for each that is among the n cheapest so
    /// far.
    pub(super) fn of(
        candidates: &[Candidate<'_>],
        n: usize,
        level: Level,
        tariff: &Tariff,
        limits: &Limits,
    ) -> Self {
        let mut pools: BTreeMap<u32, LeastByNode> = BTreeMap::new();
        for candidate in candidates {
            if let Some(entry) = candidate.entry(level, tariff, limits) {
                let pool = pools.entry(candidate.pack).or_insert_with(|| LeastByNode::new(n));
                pool.add(entry.cost, entry.node);
            }
        }
        Self { pools: pools.into_iter().map(|(pack, cheapest)| (pack, least_sums(&cheapest, n))).collect() }
    }

    /// No window of the level costs less.
    pub(super) fn whole(&self) -> f64 {
        self.pools.values().map(|sums| sums.0).fold(f64::INFINITY, f64::min)
    }

    /// No window of this pool that holds a slot of this charge costs less.
    pub(super) fn with(&self, pack: u32, charge: f64) -> f64 {
        let rest = self.pools.get(&pack).map_or(f64::INFINITY, |sums| sums.1);
        let sum = rest + charge;
        sum - sum.abs() * (4.0 * f64::EPSILON)
    }
}

/// For each level a lower bound on the cost of its windows, whether or not slots are long enough. Levels
/// ascend.
///
/// Where all nodes are held for one span, the cheapest are those of least price, whatever the span; so those
/// of a level are among those of the one before and of the candidates that it adds. O(m log r) for m
/// candidates and r levels, and O(n) for each candidate that is among the n cheapest of its level, and for
/// each of these.
pub(super) fn floors(candidates: &[Candidate<'_>], levels: &[Level], n: usize, tariff: &Tariff) -> Vec<f64> {
    if levels.iter().any(|level| matches!(level.hold, Hold::Own(_))) {
        return vec![f64::NEG_INFINITY; levels.len()];
    }
    let mut added: Vec<BTreeMap<u32, LeastByNode>> = levels.iter().map(|_| BTreeMap::new()).collect();
    for candidate in candidates {
        let at = levels.partition_point(|level| level.longest < candidate.own.get());
        if let Some(pools) = added.get_mut(at) {
            let pool = pools.entry(candidate.pack).or_insert_with(|| LeastByNode::new(n));
            pool.add(candidate.slot.price().get(), candidate.slot.node().0);
        }
    }
    let mut pools: BTreeMap<u32, LeastByNode> = BTreeMap::new();
    let floor = |(level, added): (&Level, BTreeMap<u32, LeastByNode>)| {
        for (pack, cheapest) in added {
            let pool = pools.entry(pack).or_insert_with(|| LeastByNode::new(n));
            cheapest.iter().for_each(|(price, node)| pool.add(price, node));
        }
        let Hold::Same(span) = level.hold else { return f64::NEG_INFINITY };
        let charge = |price: f64| Price::new(price).map_or(0.0, |price| tariff.charge(price, span).get());
        let sums = pools.values().map(|pool| least_sum(pool.values().map(charge), n));
        sums.fold(f64::INFINITY, f64::min)
    };
    levels.iter().zip(added).map(floor).collect()
}

/// The least cost of n different nodes of these charges, and of n - 1; infinite where there are fewer. A
/// little less than the sums, which are rounded.
fn least_sums(charges: &LeastByNode, n: usize) -> (f64, f64) {
    let sum = |count: usize| least_sum(charges.values(), count);
    (sum(n), if charges.len() < n { f64::INFINITY } else { sum(n - 1) })
}

/// A little less than the sum of the first `count` charges; infinite where there are fewer.
fn least_sum(charges: impl Iterator<Item = f64>, count: usize) -> f64 {
    let first = charges.take(count).fold((0, 0.0, 0.0), |(number, sum, size), charge: f64| {
        (number + 1, sum + charge, size + charge.abs())
    });
    let (number, sum, size) = first;
    if number < count { f64::INFINITY } else { sum - size * f64::EPSILON * (count as f64 + 2.0) }
}
