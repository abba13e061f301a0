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
use std::{cell::Cell, collections::BTreeMap};

/// The greatest number of slots of one group in a window.
pub(crate) fn most_of_a_group(eligible: &Eligible) -> usize {
    eligible.demands().spread().map_or(usize::MAX, Spread::most)
}

/// Live slots that go together.
pub(super) type Pool = Live<(Entry, u32)>;

/// A pool, with an instant and the cost beyond which no slot that is free there matters to it any more.
struct Settled {
    pool: Pool,
    at: (f64, f64),
    /// Slots that have arrived since it was looked at.
    arrived: usize,
}

/// The pools of one level, and the numbers of those with an arrival since the last test.
pub(super) struct Pools<'l> {
    n: usize,
    most: usize,
    pools: BTreeMap<u32, Settled>,
    touched: Vec<u32>,
    /// Lower bounds of costs, where the least cost is searched for.
    pub(super) least: Option<&'l Least>,
    /// The greatest cost of a window.
    pub(super) budget: f64,
    /// Whether the first instant with a window within the budget is final: what a pool has settled is told here, if
    /// there is but one.
    pub(super) is_final: Option<&'l Cell<(f64, f64)>>,
    pub(super) is_one: bool,
}

/// So many slots arrive between two looks at one instant.
const LOOK: usize = 256;

impl Pools<'_> {
    pub(super) fn new(n: usize, most: usize) -> Self {
        let (pools, touched) = (BTreeMap::new(), Vec::new());
        Self { n, most, pools, touched, least: None, budget: f64::INFINITY, is_final: None, is_one: false }
    }

    pub(super) fn insert(&mut self, arrival: &Arrival<'_>, now: f64) {
        let (Candidate { pack, spread, .. }, cost) = (arrival.candidate, arrival.entry.cost);
        if self.least.is_some_and(|least| least.with(pack, cost) > self.budget) {
            return;
        }
        let of = self.pools.entry(pack).or_insert_with(|| {
            let mut pool = Pool::default();
            pool.reset(self.n, self.most);
            Settled { pool, at: (f64::NEG_INFINITY, f64::INFINITY), arrived: 0 }
        });
        if now <= of.at.0 && cost > of.at.1 {
            return;
        }
        of.pool.insert((arrival.entry, spread), now, self.budget);
        if of.pool.armed && self.touched.last() != Some(&pack) {
            self.touched.push(pack);
        }
        let Some(settled) = self.is_final else { return };
        of.arrived += 1;
        if of.arrived >= LOOK {
            of.arrived = 0;
            if of.pool.armed && of.pool.look(self.budget) {
                of.at = (now, of.pool.settle());
                if self.is_one {
                    settled.set(of.at);
                }
            }
        }
    }

    /// Calls `test` for each pool with an arrival that has a window within the budget at this instant, in the
    /// order of their labels' values.
    pub(super) fn tested(&mut self, mut test: impl FnMut(&mut Pool) -> Result<(), Stop>) -> Result<(), Stop> {
        self.touched.sort_unstable();
        self.touched.dedup();
        for pack in self.touched.drain(..) {
            if let Some(Settled { pool, .. }) = self.pools.get_mut(&pack)
                && pool.look(self.budget)
            {
                test(pool)?;
            }
        }
        Ok(())
    }
}
