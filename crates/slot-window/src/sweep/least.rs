//! Lower bounds on the cost of a window of a level, which exclude most levels from the sweeps.

use super::{list::Nodes, slots::Candidate};
use sched_model::{End, Meter, Price, Span, Tariff, order::sort};
use std::collections::BTreeMap;

/// A level with lower bounds on the costs of its windows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    pub(super) span: Span,
    /// No window costs less.
    pub(super) floor: f64,
    /// No node is in a window with others that cost less together.
    pub(super) others: f64,
}

/// The levels of these candidates, the shortest first, with bounds that hold whether or not slots are long enough.
///
/// The cheapest nodes are those of least price, whatever the span; so those of a level are among those of the one
/// before and of the nodes that it adds. O(m + k log k) for m candidates on k nodes, and O(n) for each node that is
/// among the n cheapest of its pool and for each pool of a level; each candidate and each of these is a unit of work.
pub(super) fn bounded(
    all: &[Candidate<'_>],
    n: usize,
    tariff: &Tariff,
    meter: &mut Meter,
) -> Result<Vec<Level>, End> {
    meter.spend(all.len() as u64)?;
    let numbers = Nodes::of(all.iter().map(|of| of.slot.node().0));
    let mut last: Vec<Option<(Span, Price)>> = vec![None; numbers.count()];
    let mut nodes: Vec<(Span, Price, u32, u32)> = Vec::new();
    for of in all {
        let (node, own) = (of.slot.node().0, (of.own, of.slot.price()));
        // Most slots of a node are alike.
        if last[numbers.number(node)].replace(own) != Some(own) {
            nodes.push((own.0, own.1, node, of.pack));
        }
    }
    sort(&mut nodes, &Ord::cmp);
    nodes.dedup();
    let mut pools: BTreeMap<u32, LeastByNode> = BTreeMap::new();
    let mut level = |added: &[(Span, Price, u32, u32)]| {
        let mut level = Level { span: added[0].0, floor: f64::INFINITY, others: f64::INFINITY };
        for &(_, price, node, pack) in added {
            meter.spend(1)?;
            pools.entry(pack).or_insert_with(|| LeastByNode::new(n)).add(price.get(), node);
        }
        for pool in pools.values().filter(|pool| pool.len() == n) {
            meter.spend(n as u64)?;
            let charge =
                |price| Price::new(price).map_or(0.0, |price| tariff.charge(price, level.span).get());
            let (mut sum, mut others) = (0.0, 0.0);
            for charge in pool.values().map(charge) {
                (others, sum) = (sum, sum + charge);
            }
            // A little less than the sums, which are rounded.
            let doubt = f64::EPSILON * (n as f64 + 2.0);
            level.floor = level.floor.min(sum - sum * doubt);
            level.others = level.others.min(others - others * doubt);
        }
        Ok(level)
    };
    nodes.chunk_by(|a, b| a.0 == b.0).map(&mut level).collect()
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
