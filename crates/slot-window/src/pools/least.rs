//! What a window of a pool costs at least. Where the least cost is searched for, this keeps most slots out of
//! the pools, and most levels from being swept.

use super::candidates::{Candidate, Level};
use crate::scan::{LeastByNode, Limits};
use sched_model::Tariff;
use std::collections::BTreeMap;

/// For each pool of a level: what n of its nodes cost at least, and n - 1 of them.
#[derive(Debug)]
pub(super) struct Least {
    pools: BTreeMap<u32, (f64, f64)>,
}

impl Least {
    /// O(m) for m candidates, and O(n) for each that is among the n cheapest so far.
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

/// What n different nodes of these charges cost at least, and n - 1; infinite where there are fewer. A little
/// less than the sums, which round.
fn least_sums(charges: &LeastByNode, n: usize) -> (f64, f64) {
    let sum = |count: usize| {
        if charges.len() < count {
            return f64::INFINITY;
        }
        let charges = charges.values().take(count);
        let (sum, size) = charges.fold((0.0, 0.0), |(sum, size), charge| (sum + charge, size + charge.abs()));
        sum - size * f64::EPSILON * (count as f64 + 2.0)
    };
    (sum(n), if charges.len() < n { f64::INFINITY } else { sum(n - 1) })
}
