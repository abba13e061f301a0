//! The slots that are live at the scan's instant, split into the n cheapest and the rest.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A slot that can carry a task of the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    /// What the task costs on it.
    pub(crate) cost: f64,
    /// Last instant at which the task can start.
    pub(crate) latest: f64,
    /// How long the task takes on it.
    pub(crate) span: f64,
    /// Its node.
    pub(crate) node: u32,
    /// Its position in the scan.
    pub(crate) at: u32,
}

impl Entry {
    /// Cheapest first, ties by node, then by place in the list. Costs are never negative, so that their bits are in
    /// the order of their values.
    #[inline]
    fn key(&self) -> (u64, u32, u32) {
        (self.cost.to_bits(), self.node, self.at)
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    #[inline]
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// An [`Entry`] in order of expiry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expiring(pub(crate) Entry);

impl PartialEq for Expiring {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Expiring {}

impl PartialOrd for Expiring {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Expiring {
    #[inline]
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.latest.total_cmp(&other.0.latest).then_with(|| self.0.cmp(&other.0))
    }
}

/// A sum whose rounding errors are carried along, so that additions and subtractions over a long scan do not drift.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    value: f64,
    error: f64,
}

impl Sum {
    #[inline]
    fn add(&mut self, term: f64) {
        // Knuth's two-sum.
        let sum = self.value + term;
        let virtual_term = sum - self.value;
        self.error += (self.value - (sum - virtual_term)) + (term - virtual_term);
        self.value = sum;
    }

    #[inline]
    fn get(self) -> f64 {
        self.value + self.error
    }
}

/// Live slots under arrivals in time order.
///
/// `near` holds the n cheapest live slots (all, while fewer than n are live), `far` the others. Expired slots are
/// dropped late: those of `near` when the clock passes them, told by a heap of expiries; those of `far` when they come
/// to the top. Heaps that have filled with expired slots are swept, so that the memory stays O(w) for w live slots and
/// an arrival costs amortised O(log w).
#[derive(Debug, Default)]
pub(crate) struct Live {
    n: usize,
    now: f64,
    /// Dearest on top; some below may have expired.
    near: BinaryHeap<Entry>,
    near_live: usize,
    /// Cheapest on top; any may have expired. No key is below one of `near` that is live.
    far: BinaryHeap<Reverse<Entry>>,
    /// Every live slot of `near`; others were displaced from it since.
    expiry: BinaryHeap<Reverse<Expiring>>,
    sum: Sum,
    far_sweep: usize,
    expiry_sweep: usize,
    /// A slot has entered `near` since the last test: only then can the n cheapest have become cheaper.
    pub(crate) arrived: bool,
    order: Vec<Entry>,
}

const SWEEP: usize = 64;

impl Live {
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
        self.arrived = false;
    }

    /// Moves the clock; slots that can start no later than before `now` expire.
    #[inline]
    pub(crate) fn advance(&mut self, now: f64) {
        self.now = now;
        if self.expiry.peek().is_some_and(|Reverse(first)| first.0.latest < now) {
            self.expire();
        }
    }

    fn expire(&mut self) {
        let mut last = None;
        while let Some(Reverse(Expiring(entry))) = self.expiry.peek().copied() {
            if entry.latest >= self.now {
                break;
            }
            self.expiry.pop();
            // A slot that was displaced and came back stands here twice; equal entries come one after the other.
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
            if entry.latest >= self.now {
                self.push_near(entry);
            }
        }
        if self.near.len() > 2 * self.near_live + SWEEP {
            let now = self.now;
            self.near.retain(|entry| entry.latest >= now);
        }
    }

    #[inline]
    fn push_near(&mut self, entry: Entry) {
        self.near.push(entry);
        self.near_live += 1;
        self.sum.add(entry.cost);
        self.expiry.push(Reverse(Expiring(entry)));
    }

    /// A slot arrives; it can start now.
    #[inline]
    pub(crate) fn insert(&mut self, entry: Entry) {
        if self.near_live < self.n {
            self.push_near(entry);
            self.arrived = true;
            return;
        }
        while let Some(top) = self.near.peek() {
            if top.latest >= self.now {
                break;
            }
            self.near.pop();
        }
        if self.near.peek().is_none_or(|top| entry > *top) {
            self.push_far(entry);
            return;
        }
        let Some(displaced) = self.near.peek_mut().map(|mut top| std::mem::replace(&mut *top, entry)) else {
            return;
        };
        self.sum.add(-displaced.cost);
        self.sum.add(entry.cost);
        self.expiry.push(Reverse(Expiring(entry)));
        self.push_far(displaced);
        self.arrived = true;
        if self.expiry.len() > self.expiry_sweep {
            self.sweep_expiry();
        }
    }

    #[inline]
    fn push_far(&mut self, entry: Entry) {
        self.far.push(Reverse(entry));
        if self.far.len() > self.far_sweep {
            let now = self.now;
            self.far.retain(|Reverse(entry)| entry.latest >= now);
            self.far_sweep = 2 * self.far.len() + SWEEP;
        }
    }

    fn sweep_expiry(&mut self) {
        self.expiry.clear();
        let now = self.now;
        self.expiry.extend(
            self.near.iter().filter(|entry| entry.latest >= now).map(|&entry| Reverse(Expiring(entry))),
        );
        self.expiry_sweep = 2 * self.expiry.len() + SWEEP;
    }

    /// Whether n slots are live.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.near_live == self.n
    }

    /// The cost of the n cheapest, if n are live and it is at most `budget`: added in node order, as a window does.
    pub(crate) fn affordable(&mut self, budget: f64) -> Option<f64> {
        if !self.is_full() {
            return None;
        }
        // The running sum is exact but for the last bits, a window's sum is off by n roundings at most. Only between
        // the two the window's own sum must decide.
        let running = self.sum.get();
        let doubt = running * f64::EPSILON * (self.n as f64 + 2.0);
        if running - doubt > budget {
            return None;
        }
        let now = self.now;
        self.order.clear();
        self.order.extend(self.near.iter().filter(|entry| entry.latest >= now));
        self.order.sort_unstable_by_key(|entry| entry.node);
        let cost: f64 = self.order.iter().map(|entry| entry.cost).sum();
        (cost <= budget).then_some(cost)
    }

    /// The entries that the last successful [`affordable`](Self::affordable) or [`fastest`](Self::fastest) chose, in
    /// node order.
    pub(crate) fn chosen(&self) -> &[Entry] {
        &self.order
    }

    /// Of the live slots the choice of n whose longest span is least, within the budget; among those the cheapest.
    ///
    /// Slots come in order of span; as soon as the n cheapest so far are affordable, the last one decides.
    pub(crate) fn fastest(&mut self, budget: f64, spare: &mut BinaryHeap<Entry>) -> Option<f64> {
        let now = self.now;
        self.order.clear();
        self.order.extend(self.near.iter().filter(|entry| entry.latest >= now));
        self.order.extend(self.far.iter().map(|Reverse(entry)| entry).filter(|entry| entry.latest >= now));
        self.order.sort_unstable_by(|a, b| a.span.total_cmp(&b.span).then_with(|| a.cmp(b)));
        spare.clear();
        let mut sum = Sum::default();
        let mut next = 0;
        while next < self.order.len() {
            // Slots of equal span come in together: which of them is chosen is a matter of cost.
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
            if spare.len() == self.n && sum.get() - doubt <= budget {
                let mut choice: Vec<Entry> = spare.iter().copied().collect();
                choice.sort_unstable_by_key(|entry| entry.node);
                if choice.iter().map(|entry| entry.cost).sum::<f64>() <= budget {
                    let longest = choice.iter().map(|entry| entry.span).fold(0.0, f64::max);
                    self.order = choice;
                    return Some(longest);
                }
            }
        }
        None
    }

    /// Drops the slots that `keep` refuses; it may also shorten their time.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&mut Entry) -> bool) {
        let now = self.now;
        let mut entries: Vec<Entry> = self.near.drain().collect();
        entries.extend(self.far.drain().map(|Reverse(entry)| entry));
        entries.retain_mut(|entry| keep(entry) && entry.latest >= now);
        entries.sort_unstable();
        self.clear();
        for entry in entries {
            self.insert(entry);
        }
        self.arrived = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        // Against a plain list that is sorted anew at every step.
        #[test]
        fn holds_the_n_cheapest(
            n in 1usize..6,
            arrivals in prop::collection::vec((0u32..3, 0u32..40, 0u32..30), 1..80),
        ) {
            let mut live = Live::default();
            live.reset(n);
            let mut plain: Vec<Entry> = Vec::new();
            let mut now = 0.0;
            for (at, (step, cost, length)) in arrivals.into_iter().enumerate() {
                now += f64::from(step);
                live.advance(now);
                let entry = Entry {
                    cost: f64::from(cost), latest: now + f64::from(length), span: 1.0, node: at as u32, at: at as u32,
                };
                live.insert(entry);
                plain.push(entry);
                plain.retain(|entry| entry.latest >= now);
                plain.sort_unstable();
                let cost = (plain.len() >= n).then(|| plain[..n].iter().map(|entry| entry.cost).sum::<f64>());
                prop_assert_eq!(live.affordable(f64::INFINITY), cost);
                if cost.is_some() {
                    let mut chosen: Vec<u32> = live.chosen().iter().map(|entry| entry.at).collect();
                    let mut expected: Vec<u32> = plain[..n].iter().map(|entry| entry.at).collect();
                    chosen.sort_unstable();
                    expected.sort_unstable();
                    prop_assert_eq!(chosen, expected);
                }
            }
        }
    }

    #[test]
    fn long_scans_do_not_drift() {
        let mut live = Live::default();
        live.reset(2);
        for step in 0..100_000_u32 {
            let now = f64::from(step);
            live.advance(now);
            let cost = 0.1 + f64::from(step % 7) * 1e9;
            live.insert(Entry { cost, latest: now + 3.0, span: 1.0, node: step, at: step });
        }
        let mut costs: Vec<f64> = (99_996..100_000_u32).map(|step| 0.1 + f64::from(step % 7) * 1e9).collect();
        costs.sort_unstable_by(f64::total_cmp);
        assert_eq!(live.sum.get(), costs[0] + costs[1]);
    }
}
