//! The pools of live slots, one for each value of the label to pack by.

use super::{
    candidates::{Arrival, Candidate},
    least::Least,
};
use crate::{
    error::Stop,
    scan::{entry::Entry, live::Live},
};
use sched_model::{Eligible, Spread};
use std::collections::BTreeMap;

/// The greatest number of slots of one group in a window.
pub(crate) fn most_of_a_group(eligible: &Eligible) -> usize {
    eligible.demands().spread().map_or(usize::MAX, Spread::most)
}

/// Live slots that go together.
pub(super) type Pool = Live<(Entry, u32)>;

/// The pools of one level, and the numbers of those with an arrival since the last test.
pub(super) struct Pools<'l> {
    n: usize,
    most: usize,
    pools: BTreeMap<u32, Pool>,
    touched: Vec<u32>,
    /// Lower bounds of costs, where the least cost is searched for.
    pub(super) least: Option<&'l Least>,
    /// The greatest cost of a window.
    pub(super) budget: f64,
}

impl Pools<'_> {
    pub(super) fn new(n: usize, most: usize) -> Self {
        Self { n, most, pools: BTreeMap::new(), touched: Vec::new(), least: None, budget: f64::INFINITY }
    }

    pub(super) fn insert(&mut self, arrival: &Arrival<'_>, now: f64) {
        let Candidate { pack, spread, .. } = arrival.candidate;
        let too_expensive = |least: &&Least| least.with(pack, arrival.entry.cost) > self.budget;
        if self.least.as_ref().is_some_and(too_expensive) {
            return;
        }
        let pool = self.pools.entry(pack).or_insert_with(|| {
            let mut pool = Pool::default();
            pool.reset(self.n, self.most);
            pool
        });
        pool.insert((arrival.entry, spread), now, self.budget);
        if pool.armed && self.touched.last() != Some(&pack) {
            self.touched.push(pack);
        }
    }

    /// Calls `test` for each pool with an arrival that has a window within the budget at this instant, in the
    /// order of their labels' values.
    pub(super) fn tested(&mut self, mut test: impl FnMut(&mut Pool) -> Result<(), Stop>) -> Result<(), Stop> {
        self.touched.sort_unstable();
        self.touched.dedup();
        for pack in self.touched.drain(..) {
            if let Some(pool) = self.pools.get_mut(&pack)
                && pool.look(self.budget)
            {
                test(pool)?;
            }
        }
        Ok(())
    }
}
