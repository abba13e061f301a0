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
}

impl Pools {
    /// Empties them for windows of `n` slots with at most `most` of each group.
    pub(super) fn reset(&mut self, n: usize, most: usize, packs: bool, any: bool) {
        (self.n, self.most, self.any) = (n, most, any);
        self.one.reset(n, most, any);
        self.packed = packs.then(BTreeMap::new);
        self.touched.clear();
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
        let (n, most, any) = (self.n, self.most, self.any);
        let pool = self.packed.get_or_insert_default().entry(pack).or_insert_with(|| {
            let mut pool = Live::default();
            pool.reset(n, most, any);
            pool
        });
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

    /// If the one pool has a window within the budget, keeps the slots that are chosen, for the rest of this instant;
    /// returns the cost beyond which no slot that starts now matters.
    pub(super) fn settle(&mut self, budget: f64) -> f64 {
        if self.packed.is_none() && self.one.look(budget) { self.one.settle() } else { f64::INFINITY }
    }

    /// The windows have been visited.
    pub(super) fn passed(&mut self) {
        self.touched.clear();
    }
}
