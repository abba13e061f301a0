//! The pools of live slots.

use super::{entry::Entry, live::Live};
use crate::error::Stop;
use std::collections::BTreeMap;

/// One pool, or one for each value of the label to pack by.
#[derive(Debug, Default)]
pub(crate) struct Pools {
    n: usize,
    most: usize,
    any: bool,
    one: Live,
    /// By the number of the value, where nodes are packed.
    packed: Option<BTreeMap<u32, Live>>,
    /// The numbers of those with an arrival that may complete a window; after a [look](Self::look), of those with
    /// a window.
    touched: Vec<u32>,
    /// Slots that have arrived, and are not settled.
    arrived: usize,
}

/// Pools are settled when so many slots have arrived for each of them.
const MANY: usize = 256;

impl Pools {
    /// Empties them for windows of `n` slots with at most `most` of each group.
    pub(super) fn reset(&mut self, n: usize, most: usize, packs: bool, any: bool) {
        (self.n, self.most, self.any) = (n, most, any);
        self.one.reset(n, most, any);
        self.packed = packs.then(BTreeMap::new);
        self.touched.clear();
        self.arrived = 0;
    }

    /// Whether a slot has arrived since the last look that may complete a window.
    #[inline(always)]
    pub(super) fn is_armed(&self) -> bool {
        self.one.armed | !self.touched.is_empty()
    }

    #[inline(always)]
    pub(super) fn insert(&mut self, entry: Entry, pack: u32, now: f64, budget: f64) {
        if self.packed.is_none() {
            self.one.insert(entry, now, budget);
        } else {
            self.insert_packed(entry, pack, now, budget);
        }
    }

    #[inline(never)]
    fn insert_packed(&mut self, entry: Entry, pack: u32, now: f64, budget: f64) {
        self.arrived += 1;
        let (n, most, any) = (self.n, self.most, self.any);
        let pool = self.packed.get_or_insert_default().entry(pack).or_insert_with(|| {
            let mut pool = Live::default();
            pool.reset(n, most, any);
            pool
        });
        if entry.cost > pool.settled {
            return;
        }
        pool.insert(entry, now, budget);
        if pool.armed && self.touched.last() != Some(&pack) {
            self.touched.push(pack);
        }
    }

    /// Whether some pool has a window within the budget at the instant of the last arrival.
    pub(super) fn look(&mut self, budget: f64) -> bool {
        let Some(packed) = &mut self.packed else { return self.one.look(budget) };
        self.touched.sort_unstable();
        self.touched.dedup();
        self.touched.retain(|pack| packed.get_mut(pack).is_some_and(|pool| pool.look(budget)));
        !self.touched.is_empty()
    }

    /// Calls `with` for each pool that has a window after a [look](Self::look), in the order of their labels'
    /// values.
    pub(crate) fn each(
        &mut self,
        mut with: impl FnMut(u32, &mut Live) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let Some(packed) = &mut self.packed else { return with(0, &mut self.one) };
        self.touched.iter().try_for_each(|pack| packed.get_mut(pack).map_or(Ok(()), |pool| with(*pack, pool)))
    }

    /// Drops the slots that `keep` refuses, in all pools; it may also shorten their time.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(&mut Entry) -> bool) {
        self.one.retain(&mut keep);
        self.packed.iter_mut().flat_map(BTreeMap::values_mut).for_each(|pool| pool.retain(&mut keep));
    }

    /// Whether so many slots have arrived that they are worth to be settled.
    pub(super) fn are_many(&self) -> bool {
        self.packed.as_ref().is_none_or(|packed| self.arrived >= MANY * packed.len())
    }

    /// Keeps of the slots of each pool with a window those that are chosen, for the rest of this instant; returns
    /// the cost beyond which no slot that starts now matters.
    pub(super) fn settle(&mut self) -> f64 {
        let Some(packed) = &mut self.packed else { return self.one.settle() };
        self.arrived = 0;
        for pack in &self.touched {
            packed.get_mut(pack).map(Live::settle);
        }
        f64::INFINITY
    }

    /// The windows have been visited.
    pub(super) fn passed(&mut self) {
        self.touched.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settled_pools_take_what_costs_no_more() {
        let mut pools = Pools::default();
        pools.reset(2, usize::MAX, true, false);
        let entry = |node: u32, cost: f64| Entry { cost, end: 9.0, span: 1.0, node, at: node, group: 0 };
        let insert = |pools: &mut Pools, node: u32, cost: f64| {
            pools.insert(entry(node, cost), 7, 0.0, 100.0);
            assert!(pools.is_armed() && pools.look(100.0));
            let mut nodes = Vec::new();
            pools
                .each(|pack, pool| {
                    assert_eq!(pack, 7);
                    nodes.extend(pool.chosen().iter().map(|entry| entry.node));
                    nodes.sort_unstable();
                    Ok(())
                })
                .unwrap();
            nodes
        };
        pools.insert(entry(1000, 3.0), 7, 0.0, 100.0);
        for node in 0..MANY as u32 - 2 {
            insert(&mut pools, 500 - node, 5.0);
        }
        assert!(!pools.are_many());
        let first = insert(&mut pools, 501, 5.0);
        assert!(pools.are_many());
        pools.settle();
        assert!(!pools.are_many());
        assert_eq!(insert(&mut pools, 1, 5.5), first);
        assert_eq!(insert(&mut pools, 2, 5.0), [2, 1000]);
        assert_eq!(insert(&mut pools, 3, 1.0), [3, 1000]);
    }
}
