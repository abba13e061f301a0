//! The n cheapest of a changing set of slots, kept in heaps: O(log w) for each arrival in any case.

use super::entry::{Entry, Expiring, Sum};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// `near` holds the n cheapest live slots (all, while fewer than n are live), `far` the others. Expired slots
/// are dropped late: those of `near` when the clock passes them, by a heap of expiries; those of `far` when
/// they reach the top. Heaps that have filled with expired slots are swept, so that the memory stays O(w) for
/// w live slots and an arrival costs amortised O(log w).
#[derive(Debug, Default)]
pub(crate) struct Heaps {
    n: usize,
    now: f64,
    /// Most expensive on top; some below may have expired.
    near: BinaryHeap<Entry>,
    near_live: usize,
    /// Cheapest on top; any may have expired. No key is below one of `near` that is live.
    far: BinaryHeap<Reverse<Entry>>,
    /// Every live slot of `near`; others were displaced from it since.
    expiry: BinaryHeap<Reverse<Expiring>>,
    sum: Sum,
    far_sweep: usize,
    expiry_sweep: usize,
}

/// Entries from which on heaps are swept of expired slots: a sweep of fewer saves nothing.
const SWEEP: usize = 64;

impl Heaps {
    /// Empties it for windows of `n` slots.
    pub(crate) fn reset(&mut self, n: usize) {
        self.n = n;
        self.now = f64::NEG_INFINITY;
        self.clear();
    }

    fn clear(&mut self) {
        self.near.clear();
        self.far.clear();
        self.expiry.clear();
        self.near_live = 0;
        self.sum = Sum::default();
        self.far_sweep = SWEEP;
        self.expiry_sweep = SWEEP;
    }

    /// Moves the clock; slots whose latest start is before `now` expire.
    #[inline]
    pub(crate) fn advance(&mut self, now: f64) {
        self.now = now;
        if self.expiry.peek().is_some_and(|Reverse(first)| first.latest < now) {
            self.expire();
        }
    }

    fn expire(&mut self) {
        let mut last = None;
        while let Some(Reverse(Expiring { latest, entry })) = self.expiry.peek().copied() {
            if latest >= self.now {
                break;
            }
            self.expiry.pop();
            // A slot that was displaced and came back is here twice; equal entries are adjacent.
            if last == Some(entry) {
                continue;
            }
            last = Some(entry);
            // `near` lies below all of `far`; a slot above was displaced.
            if self.far.peek().is_none_or(|Reverse(next)| entry < *next) {
                self.near_live -= 1;
                self.sum.add(-entry.cost);
            }
        }
        while self.near_live < self.n {
            let Some(Reverse(entry)) = self.far.pop() else { break };
            if entry.fits(self.now) {
                self.push_near(entry);
            }
        }
        if self.near.len() > 2 * self.near_live + SWEEP {
            let now = self.now;
            self.near.retain(|entry| entry.fits(now));
        }
    }

    #[inline]
    fn push_near(&mut self, entry: Entry) {
        self.near.push(entry);
        self.near_live += 1;
        self.sum.add(entry.cost);
        self.expiry.push(Reverse(Expiring::from(entry)));
    }

    /// A slot arrives, on which the task can start now. Returns whether it is among the n cheapest.
    #[inline]
    pub(crate) fn insert(&mut self, entry: Entry) -> bool {
        if self.near_live < self.n {
            self.push_near(entry);
            return true;
        }
        while let Some(top) = self.near.peek() {
            if top.fits(self.now) {
                break;
            }
            self.near.pop();
        }
        if self.near.peek().is_none_or(|top| entry > *top) {
            self.push_far(entry);
            return false;
        }
        let Some(displaced) = self.near.peek_mut().map(|mut top| std::mem::replace(&mut *top, entry)) else {
            return false;
        };
        self.sum.add(-displaced.cost);
        self.sum.add(entry.cost);
        self.expiry.push(Reverse(Expiring::from(entry)));
        self.push_far(displaced);
        if self.expiry.len() > self.expiry_sweep {
            self.sweep_expiry();
        }
        true
    }

    #[inline]
    fn push_far(&mut self, entry: Entry) {
        self.far.push(Reverse(entry));
        if self.far.len() > self.far_sweep {
            let now = self.now;
            self.far.retain(|Reverse(entry)| entry.fits(now));
            self.far_sweep = 2 * self.far.len() + SWEEP;
        }
    }

    fn sweep_expiry(&mut self) {
        self.expiry.clear();
        let now = self.now;
        self.expiry.extend(
            self.near.iter().filter(|entry| entry.fits(now)).map(|&entry| Reverse(Expiring::from(entry))),
        );
        self.expiry_sweep = 2 * self.expiry.len() + SWEEP;
    }

    /// Whether n slots are live.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.near_live == self.n
    }

    /// Whether the n cheapest may be within the budget. The running sum is exact except for the last bits; a
    /// window's own sum, off by n roundings at most, must decide.
    pub(crate) fn may_cost(&self, budget: f64) -> bool {
        let running = self.sum.at_least();
        running - running * f64::EPSILON * (self.n as f64 + 2.0) <= budget
    }

    /// At least as many as are live.
    pub(crate) fn most(&self) -> usize {
        self.near.len() + self.far.len()
    }

    /// The n cheapest live slots, in no order.
    pub(crate) fn near(&self) -> impl Iterator<Item = Entry> {
        self.near.iter().copied().filter(|entry| entry.fits(self.now))
    }

    /// The other live slots, in no order.
    pub(crate) fn far(&self) -> impl Iterator<Item = Entry> {
        self.far.iter().map(|Reverse(entry)| *entry).filter(|entry| entry.fits(self.now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::live::tests::{Plain, arrivals};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn holds_the_n_cheapest(n in 1usize..6, arrivals in arrivals()) {
            let mut heaps = Heaps::default();
            heaps.reset(n);
            let mut plain = Plain::default();
            for (now, entry) in arrivals {
                heaps.advance(now);
                let entered = heaps.insert(entry);
                plain.insert(entry, now);
                prop_assert_eq!(heaps.is_full(), plain.len() >= n);
                let nearest = plain.cheapest(n);
                let mut near: Vec<Entry> = heaps.near().collect();
                near.sort_unstable();
                prop_assert_eq!(&near, nearest);
                prop_assert_eq!(entered, nearest.contains(&entry));
                prop_assert_eq!(heaps.far().count(), plain.len() - nearest.len());
                prop_assert_eq!(heaps.sum.get(), plain.cost(n));
            }
        }
    }

    #[test]
    fn long_scans_do_not_drift() {
        let mut heaps = Heaps::default();
        heaps.reset(2);
        for step in 0..100_000_u32 {
            let now = f64::from(step);
            heaps.advance(now);
            let cost = 0.1 + f64::from(step % 7) * 1e9;
            heaps.insert(Entry { cost, end: now + 4.0, span: 1.0, node: step, at: step });
        }
        let mut costs: Vec<f64> = (99_996..100_000_u32).map(|step| 0.1 + f64::from(step % 7) * 1e9).collect();
        costs.sort_unstable_by(f64::total_cmp);
        assert_eq!(heaps.sum.get(), costs[0] + costs[1]);
    }
}
