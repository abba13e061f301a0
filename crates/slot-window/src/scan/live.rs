//! The slots that are live at the scan's instant, and the n cheapest of them.
//!
//! At first slots are only collected, as long as a lower bound proves that no window can be affordable: the
//! sum of the n - 1 lowest costs collected since the last test, expired or not, plus the cost of the slot
//! that arrives. Only where the bound fails are expired slots removed and the n cheapest selected, in O(w).
//! Where the work of this exceeds a credit that each arrival adds to, [`Heaps`] take over, with O(log w) for
//! each arrival. Where cost has no limit, no bound is kept: each arrival may complete a window. So a scan
//! costs O(m log w) at worst, and mostly little more than reading the slots.

use super::{
    entry::{Entry, Sum},
    heaps::Heaps,
    low::Low,
};
use sched_model::{affordable, exact_sum};
use std::collections::BinaryHeap;

/// Live slots under arrivals in time order.
#[derive(Debug, Default)]
pub(crate) struct Live {
    n: usize,
    now: f64,
    /// All slots that have arrived since the last sweep, and those that it left; the n cheapest first after
    /// one.
    pool: Vec<Entry>,
    /// The n - 1 lowest costs of the pool and of what has expired since the last sweep.
    low: Low,
    /// Slots have arrived while cost had no limit, which `low` lacks.
    low_is_stale: bool,
    /// The pool is swept when it is as long as this.
    sweep_at: usize,
    /// The work that sweeps may still take before the heaps take over.
    credit: usize,
    /// They have taken it: the next arrival fills the heaps. A test that ends the scan needs none.
    overdrawn: bool,
    heaps: Heaps,
    in_heaps: bool,
    /// A slot has arrived since the last test that may complete an affordable window.
    pub(crate) armed: bool,
    order: Vec<Entry>,
}

/// Slots that are collected at least before expired ones are dropped: a sweep of fewer saves nothing.
const SWEEP: usize = 128;

/// The credit of each arrival.
const CREDIT: usize = 4;

impl Live {
    /// Empties it for windows of `n` slots.
    pub(crate) fn reset(&mut self, n: usize) {
        self.n = n;
        self.now = f64::NEG_INFINITY;
        self.pool.clear();
        self.low.reset(n - 1);
        self.low_is_stale = false;
        self.sweep_at = SWEEP;
        self.credit = 16 * SWEEP;
        self.overdrawn = false;
        self.in_heaps = false;
        self.armed = false;
    }

    /// A slot arrives, on which the task can start at `now`, which never falls.
    // Inlined, with rare parts in functions of their own: passing an entry through memory would take more
    // time than all the rest.
    #[inline(always)]
    pub(crate) fn insert(&mut self, entry: Entry, now: f64, budget: f64) {
        self.now = now;
        if self.overdrawn {
            self.insert_ordered(entry);
            return;
        }
        if budget == f64::INFINITY {
            self.armed = true;
            self.low_is_stale = true;
            if self.pool.len() >= self.sweep_at {
                self.drop_expired();
            }
        } else {
            if std::mem::take(&mut self.low_is_stale) {
                self.sweep();
            }
            self.armed |= self.low.allows(entry.cost, budget);
            if self.pool.len() >= self.sweep_at {
                self.sweep();
            }
            self.low.take(entry.cost);
        }
        self.pool.push(entry);
    }

    #[inline(never)]
    fn insert_ordered(&mut self, entry: Entry) {
        if !self.in_heaps {
            self.fill_heaps();
        }
        self.heaps.advance(self.now);
        self.armed |= self.heaps.insert(entry);
    }

    #[inline(never)]
    fn drop_expired(&mut self) {
        let now = self.now;
        self.pool.retain(|entry| entry.fits(now));
        self.sweep_at = 3 * self.pool.len() + SWEEP;
    }

    /// Drops expired slots, and moves the n cheapest to the front.
    #[inline(never)]
    fn sweep(&mut self) {
        self.drop_expired();
        if self.pool.len() > self.n {
            self.pool.select_nth_unstable(self.n - 1);
        }
        if self.low_is_stale {
            return;
        }
        self.low.reset(self.n - 1);
        for entry in self.pool.iter().take(self.n) {
            self.low.take(entry.cost);
        }
    }

    /// Whether n slots are live at `now`, the instant of the last arrival. Call it when
    /// [`armed`](Self::armed), before any method below.
    pub(crate) fn is_full(&mut self) -> bool {
        self.armed = false;
        if self.in_heaps {
            return self.heaps.is_full();
        }
        let work = self.pool.len();
        if work < self.n {
            return false;
        }
        self.sweep();
        // Every slot in the pool has arrived and added its credit.
        self.credit += CREDIT * (work - self.pool.len());
        self.overdrawn = self.credit < work;
        self.credit = self.credit.saturating_sub(work);
        self.pool.len() >= self.n
    }

    fn fill_heaps(&mut self) {
        self.in_heaps = true;
        self.heaps.reset(self.n);
        // The last test has swept the pool: all of it was live then.
        for &entry in &self.pool {
            self.heaps.insert(entry);
        }
    }

    /// Whether the n cheapest are affordable.
    pub(crate) fn affordable(&mut self, budget: f64) -> bool {
        self.order.clear();
        if self.in_heaps {
            if !self.heaps.may_cost(budget) {
                return false;
            }
            self.order.extend(self.heaps.near());
        } else {
            self.order.extend_from_slice(&self.pool[..self.n]);
        }
        let cost: f64 = self.order.iter().map(|entry| entry.cost).sum();
        let doubt = cost * f64::EPSILON * (self.n as f64 + 2.0);
        if (cost - budget).abs() > doubt { cost < budget } else { self.cost() <= budget }
    }

    /// The cost of the [chosen](Self::chosen) slots.
    #[cold]
    pub(crate) fn cost(&self) -> f64 {
        exact_sum(self.order.iter().map(|entry| entry.cost))
    }

    /// Keeps of the live slots the [chosen](Self::chosen) alone, for the rest of this instant; returns what the
    /// dearest of them costs.
    pub(crate) fn settle(&mut self) -> f64 {
        self.pool.clone_from(&self.order);
        (self.in_heaps, self.overdrawn) = (false, false);
        self.armed = true;
        self.order.iter().map(|entry| entry.cost).fold(0.0, f64::max)
    }

    /// At least as many as are live: the work of [`fastest`](Self::fastest).
    pub(crate) fn most(&self) -> usize {
        if self.in_heaps { self.heaps.most() } else { self.pool.len() }
    }

    /// The entries that the last successful [`affordable`](Self::affordable) or [`fastest`](Self::fastest)
    /// chose, in no order.
    pub(crate) fn chosen(&self) -> &[Entry] {
        &self.order
    }

    /// All that are live, in no order.
    fn all_live(&mut self) {
        self.order.clear();
        if self.in_heaps {
            self.order.extend(self.heaps.near());
            self.order.extend(self.heaps.far());
        } else {
            self.order.extend_from_slice(&self.pool);
        }
    }

    /// Of the live slots the choice of n whose longest span is least, within the budget; among those the
    /// cheapest.
    ///
    /// Slots are added in order of span; as soon as the n cheapest so far are affordable, the span of the
    /// last one is the answer.
    pub(crate) fn fastest(&mut self, budget: f64, spare: &mut BinaryHeap<Entry>) -> Option<f64> {
        self.all_live();
        self.order.sort_unstable_by(|a, b| a.span.total_cmp(&b.span).then_with(|| a.cmp(b)));
        spare.clear();
        let mut sum = Sum::default();
        let mut next = 0;
        while next < self.order.len() {
            // Slots of equal span are added together: their costs decide which of them are chosen.
            let span = self.order[next].span;
            while next < self.order.len() && self.order[next].span == span {
                let entry = self.order[next];
                next += 1;
                sum.add(entry.cost);
                spare.push(entry);
                if spare.len() > self.n
                    && let Some(dearest) = spare.pop()
                {
                    sum.add(-dearest.cost);
                }
            }
            let doubt = sum.get() * f64::EPSILON * (self.n as f64 + 2.0);
            if spare.len() == self.n
                && sum.at_least() - doubt <= budget
                && affordable(spare.iter().map(|entry| entry.cost), budget)
            {
                self.order.clear();
                self.order.extend(spare.iter());
                return Some(self.order.iter().map(|entry| entry.span).fold(0.0, f64::max));
            }
        }
        None
    }

    /// Drops the slots that `keep` refuses; it may also shorten their time.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&mut Entry) -> bool) {
        let now = self.now;
        self.all_live();
        std::mem::swap(&mut self.pool, &mut self.order);
        self.pool.retain_mut(|entry| keep(entry) && entry.fits(now));
        self.sweep();
        if self.in_heaps {
            self.fill_heaps();
        }
        self.armed = false;
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All that are live, sorted anew at every arrival: what heaps and pool are tested against.
    #[derive(Debug, Default)]
    pub(crate) struct Plain(Vec<Entry>);

    impl Plain {
        pub(crate) fn insert(&mut self, entry: Entry, now: f64) {
            self.0.push(entry);
            self.0.retain(|entry| entry.fits(now));
            self.0.sort_unstable();
        }

        pub(crate) fn len(&self) -> usize {
            self.0.len()
        }

        pub(crate) fn cheapest(&self, n: usize) -> &[Entry] {
            &self.0[..n.min(self.0.len())]
        }

        pub(crate) fn cost(&self, n: usize) -> f64 {
            self.cheapest(n).iter().map(|entry| entry.cost).sum()
        }
    }

    /// Slots with the instants at which they arrive, in time order; whole numbers, so that sums are exact.
    pub(crate) fn arrivals() -> impl Strategy<Value = Vec<(f64, Entry)>> {
        prop::collection::vec((0u32..3, 0u32..40, 0u32..30), 1..80).prop_map(|steps| {
            let mut now = 0.0;
            let arrival = |(at, (step, cost, length)): (usize, (u32, u32, u32))| {
                now += f64::from(step);
                let (cost, end) = (f64::from(cost), now + f64::from(length) + 1.0);
                (now, Entry { cost, end, span: 1.0, node: at as u32, at: at as u32 })
            };
            steps.into_iter().enumerate().map(arrival).collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn holds_the_n_cheapest(n in 1usize..6, credit in 0usize..2048, arrivals in arrivals()) {
            let mut live = Live::default();
            live.reset(n);
            live.credit = credit;
            let mut plain = Plain::default();
            for (now, entry) in arrivals {
                live.insert(entry, now, f64::INFINITY);
                plain.insert(entry, now);
                let found = (live.is_full() && live.affordable(f64::INFINITY)).then(|| live.cost());
                prop_assert_eq!(found, (plain.len() >= n).then(|| plain.cost(n)));
                if found.is_some() {
                    let mut chosen: Vec<Entry> = live.chosen().to_vec();
                    chosen.sort_unstable();
                    prop_assert_eq!(&chosen, plain.cheapest(n));
                }
            }
        }

        /// A limit of the cost that comes after some arrivals counts for all that are live.
        #[test]
        fn no_affordable_window_is_missed(
            n in 1usize..6,
            without_limit in 0usize..80,
            limit in 0u32..120,
            credit in 0usize..2048,
            arrivals in arrivals(),
        ) {
            let mut live = Live::default();
            live.reset(n);
            live.credit = credit;
            let mut plain = Plain::default();
            for (at, (now, entry)) in arrivals.into_iter().enumerate() {
                let budget = if at < without_limit { f64::INFINITY } else { f64::from(limit) };
                live.insert(entry, now, budget);
                plain.insert(entry, now);
                let completes = plain.len() >= n && plain.cheapest(n).contains(&entry);
                if completes && plain.cost(n) <= budget {
                    prop_assert!(live.armed && live.is_full() && live.affordable(budget));
                    prop_assert_eq!(live.cost(), plain.cost(n));
                }
            }
        }
    }
}
