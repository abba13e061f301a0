//! Lower bounds on the cost of a window of a pool. Where the least cost is searched for, they exclude most
//! slots from the pools, and most levels from the sweeps.

use super::classes::{Class, Classes};
use crate::subset::Counts;
use sched_model::{End, Meter, Price, Span, Tariff, order::sort};
use std::collections::BTreeMap;

/// For each pool of a level: the least cost of n of its nodes, and of n - 1.
#[derive(Debug)]
pub(crate) struct Least {
    pools: BTreeMap<u32, (f64, f64)>,
}

/// The cheapest nodes of a pool that can be in one window.
#[derive(Debug, Default)]
struct Cheapest {
    costs: Vec<f64>,
    nodes: Vec<u32>,
    counts: Counts,
}

impl Cheapest {
    /// Takes a class that costs no less than those before, if its node can be in a window with them.
    fn take(&mut self, cost: f64, class: &Class, most: usize) {
        if !self.nodes.contains(&class.node) && self.counts.take(class.group, most) {
            self.nodes.push(class.node);
            self.costs.push(cost);
        }
    }

    /// The least cost of n nodes, and of n - 1; infinite where there are fewer than n.
    fn sums(&self, n: usize) -> (f64, f64) {
        let sum = |count: usize| least_sum(self.costs.iter().copied(), count);
        (sum(n), if self.costs.len() < n { f64::INFINITY } else { sum(n - 1) })
    }
}

impl Least {
    /// The bounds of a level, for windows of `n` nodes with at most `most` of a group: classes are read by
    /// rising cost, until each of so many pools has as many nodes.
    pub(super) fn of(
        classes: &Classes,
        (level, pools): (Span, usize),
        (n, most): (usize, usize),
        tariff: &Tariff,
        meter: &mut Meter,
    ) -> Result<Self, End> {
        let mut cheapest: BTreeMap<u32, Cheapest> = BTreeMap::new();
        let mut full = 0;
        for class in classes.on(level, tariff, meter) {
            let (cost, class) = class?;
            let pool = cheapest.entry(class.pack).or_default();
            if pool.costs.len() < n {
                pool.take(cost, class, most);
                full += usize::from(pool.costs.len() == n);
                if full == pools {
                    break;
                }
            }
        }
        Ok(Self { pools: cheapest.into_iter().map(|(pack, pool)| (pack, pool.sums(n))).collect() })
    }

    /// No window of the level costs less.
    pub(super) fn whole(&self) -> f64 {
        self.pools.values().map(|sums| sums.0).fold(f64::INFINITY, f64::min)
    }

    /// No window of this pool that holds a slot of this charge costs less.
    pub(super) fn with(&self, pack: u32, charge: f64) -> f64 {
        // A little less than the sum, which is rounded.
        let sum = self.pools.get(&pack).map_or(f64::INFINITY, |sums| sums.1) + charge;
        sum - sum.abs() * (4.0 * f64::EPSILON)
    }
}

/// For each level a lower bound on the cost of its windows, whether or not slots are long enough. Levels
/// ascend.
///
/// The cheapest nodes are those of least price, whatever the span; so those of a level are among those of the one
/// before and of the classes that it adds. O(K log K) for K classes, and O(n) for each class that is among the n
/// cheapest of its pool and for each pool of a level; each class and each of these is a unit of work.
pub(super) fn floors(
    Classes(classes): &Classes,
    levels: &[Span],
    n: usize,
    tariff: &Tariff,
    meter: &mut Meter,
) -> Result<Vec<f64>, End> {
    let mut by_span: Vec<&Class> = classes.iter().collect();
    sort(&mut by_span, &|a, b| a.own.cmp(&b.own));
    let mut added = by_span.into_iter().peekable();
    let mut pools: BTreeMap<u32, LeastByNode> = BTreeMap::new();
    let mut floor = |&level: &Span| {
        while let Some(class) = added.next_if(|class| class.own <= level) {
            meter.spend(1)?;
            let pool = pools.entry(class.pack).or_insert_with(|| LeastByNode::new(n));
            pool.add(class.price.get(), class.node);
        }
        let charge = |price: f64| Price::new(price).map_or(0.0, |price| tariff.charge(price, level).get());
        let mut least = f64::INFINITY;
        for pool in pools.values() {
            meter.spend(pool.len() as u64)?;
            least = least.min(least_sum(pool.values().map(charge), n));
        }
        Ok(least)
    };
    levels.iter().map(&mut floor).collect()
}

/// A little less than the sum of the first `count` charges; infinite where there are fewer.
fn least_sum(charges: impl Iterator<Item = f64>, count: usize) -> f64 {
    let first = charges.take(count).fold((0, 0.0, 0.0), |(number, sum, size), charge: f64| {
        (number + 1, sum + charge, size + charge.abs())
    });
    let (number, sum, size) = first;
    if number < count { f64::INFINITY } else { sum - size * f64::EPSILON * (count as f64 + 2.0) }
}

/// The least values of `count` different nodes, whenever they are free. A node counts once, at its least
/// value.
#[derive(Debug)]
pub(crate) struct LeastByNode {
    count: usize,
    /// (value, node), ascending.
    least: Vec<(f64, u32)>,
}

impl LeastByNode {
    pub(crate) fn new(count: usize) -> Self {
        Self { count, least: Vec::new() }
    }

    /// O(count) for a value that is among the least so far, else O(1).
    pub(crate) fn add(&mut self, value: f64, node: u32) {
        let least = &mut self.least;
        if least.len() == self.count && least.last().is_none_or(|last| value >= last.0) {
            return;
        }
        if let Some(same) = least.iter().position(|other| other.1 == node) {
            if value >= least[same].0 {
                return;
            }
            least.remove(same);
        }
        let at = least.partition_point(|other| other.0 <= value);
        least.insert(at, (value, node));
        least.truncate(self.count);
    }

    pub(crate) fn len(&self) -> usize {
        self.least.len()
    }

    /// Ascending.
    pub(crate) fn values(&self) -> impl Iterator<Item = f64> {
        self.least.iter().map(|least| least.0)
    }
}

#[cfg(test)]
mod tests {
    use super::LeastByNode;

    #[test]
    fn the_least_values_of_different_nodes_are_kept() {
        let mut least = LeastByNode::new(2);
        assert_eq!(least.len(), 0);
        least.add(5.0, 1);
        assert_eq!(least.len(), 1);
        // Node 1 again, then two more nodes, of which one is less than the greatest kept.
        for (value, node, kept) in [
            (4.0, 1, vec![4.0]),
            (6.0, 1, vec![4.0]),
            (9.0, 2, vec![4.0, 9.0]),
            (9.0, 3, vec![4.0, 9.0]),
            (7.0, 3, vec![4.0, 7.0]),
            (3.0, 3, vec![3.0, 4.0]),
            (3.5, 2, vec![3.0, 3.5]),
        ] {
            least.add(value, node);
            assert_eq!(least.values().collect::<Vec<_>>(), kept, "{value} of node {node}");
        }
        assert_eq!(least.len(), 2);
        assert_eq!(least.least, [(3.0, 3), (3.5, 2)]);
    }
}
