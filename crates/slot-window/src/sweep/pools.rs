//! The pools of live slots.

use super::{entry::Entry, live::Live};
use crate::WindowError;

/// One pool, or one for each value of the label to pack by.
#[derive(Debug, Default)]
pub(crate) struct Pools {
    n: usize,
    most: usize,
    packs: bool,
    /// By the number of the value; the first alone where nodes are not packed.
    pools: Vec<Live>,
    /// The numbers of those with an arrival that may complete a window; after a [look](Self::look), of those with
    /// a window.
    touched: Vec<u32>,
}

impl Pools {
    /// Empties them for windows of `n` slots with at most `most` of each group.
    pub(super) fn reset(&mut self, n: usize, most: usize, packs: bool) {
        (self.n, self.most, self.packs) = (n, most, packs);
        self.pools.truncate(1);
        self.pools.iter_mut().for_each(|pool| pool.reset(n, most));
        self.touched.clear();
    }

    /// Whether a slot has arrived since the last look that may complete a window.
    #[inline(always)]
    pub(super) fn is_armed(&self) -> bool {
        !self.touched.is_empty()
    }

    #[inline(always)]
    pub(super) fn insert(&mut self, entry: Entry, pack: u32, now: f64, budget: f64) {
        if pack as usize >= self.pools.len() {
            self.grow(pack);
        }
        let pool = &mut self.pools[pack as usize];
        pool.insert(entry, now, budget);
        if pool.armed && self.touched.last() != Some(&pack) {
            self.touched.push(pack);
        }
    }

    #[inline(never)]
    fn grow(&mut self, pack: u32) {
        let (n, most) = (self.n, self.most);
        self.pools.resize_with(pack as usize + 1, || {
            let mut pool = Live::default();
            pool.reset(n, most);
            pool
        });
    }

    /// Whether some pool has a window within the budget at the instant of the last arrival.
    pub(super) fn look(&mut self, budget: f64) -> bool {
        let Self { pools, touched, .. } = self;
        touched.sort_unstable();
        touched.dedup();
        touched.retain(|&pack| pools[pack as usize].look(budget));
        !touched.is_empty()
    }

    /// Calls `with` for each pool that has a window after a [look](Self::look), in the order of their labels'
    /// values.
    pub(crate) fn each(
        &mut self,
        mut with: impl FnMut(&mut Live) -> Result<(), WindowError>,
    ) -> Result<(), WindowError> {
        self.touched.iter().try_for_each(|&pack| with(&mut self.pools[pack as usize]))
    }

    /// Drops the slots that `keep` refuses, in all pools; it may also shorten their time.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(&mut Entry) -> bool) {
        self.pools.iter_mut().for_each(|pool| pool.retain(&mut keep));
    }

    /// Where nodes are not packed and there is a window within the budget, keeps the slots that are chosen, for the
    /// rest of this instant; returns the cost beyond which no slot that starts now matters.
    pub(super) fn settle(&mut self, budget: f64) -> f64 {
        if !self.packs && self.look(budget) { self.pools[0].settle() } else { f64::INFINITY }
    }

    /// The windows have been visited.
    pub(super) fn passed(&mut self) {
        self.touched.clear();
    }
}
