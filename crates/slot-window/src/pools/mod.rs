//! Windows where nodes are packed or spread, or where the spans of tasks are given.
//!
//! The live slots are kept in pools, one for each value of the label to pack by (one for all, where nodes are
//! not packed). A *group* of a pool are its slots with one value of the label to spread by. A pool keeps the
//! n cheapest of its slots, at most the allowed number of each group. The scans of requests without such
//! demands use none of this code.

mod bounded;
mod candidates;
mod cheapest;
mod classes;
mod least;
mod search;

pub(crate) use candidates::{Candidate, Level, Shared, again, candidates, levels, sweep};
pub(crate) use search::{most_at_once, optimise};

use crate::{
    error::Stop,
    scan::{entry::Entry, live::Live},
};
use candidates::Arrival;
use least::Least;
use sched_model::{Eligible, Spread};
use std::collections::BTreeMap;

/// The greatest number of slots of one group in a window.
pub(crate) fn most_of_a_group(eligible: &Eligible) -> usize {
    eligible.demands().spread().map_or(usize::MAX, Spread::most)
}

/// Live slots that go together.
type Pool = Live<(Entry, u32)>;

/// The pools of one level, and the numbers of those with an arrival since the last test.
struct Pools<'l> {
    n: usize,
    most: usize,
    pools: BTreeMap<u32, Pool>,
    touched: Vec<u32>,
    /// Lower bounds of costs, where the least cost is searched for.
    least: Option<&'l Least>,
    /// The greatest cost of a window.
    budget: f64,
}

impl Pools<'_> {
    fn new(n: usize, most: usize) -> Self {
        Self { n, most, pools: BTreeMap::new(), touched: Vec::new(), least: None, budget: f64::INFINITY }
    }

    fn insert(&mut self, arrival: &Arrival<'_>, now: f64) {
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
    fn tested(&mut self, mut test: impl FnMut(&mut Pool) -> Result<(), Stop>) -> Result<(), Stop> {
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
