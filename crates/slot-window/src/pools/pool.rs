//! The n cheapest live slots, at most so many of each group: collected, and kept sorted where that saves
//! time.
//!
//! As in a scan without such demands (`scan/live.rs`), slots are only collected as long as a lower bound
//! proves that no window can be affordable. Where tests take more work than the arrivals have credited,
//! [`Ordered`] takes over.

use super::ordered::Ordered;
use crate::scan::{Limits, entry::Entry, fits, low::Low};
use sched_model::affordable;
use std::collections::BTreeMap;

/// Live slots under arrivals in time order, in groups.
#[derive(Debug)]
pub(super) struct Pool {
    n: usize,
    most: usize,
    /// All slots that have arrived since the last sweep, and those that it left, with their groups.
    slots: Vec<(Entry, u32)>,
    /// The n - 1 lowest costs of these and of what has expired since the last sweep, whatever their groups.
    low: Low,
    /// They are swept when there are so many.
    sweep_at: usize,
    /// The work that tests may still take before the slots are kept sorted.
    credit: usize,
    /// A slot has arrived since the last look that may complete an affordable window.
    armed: bool,
    chosen: Vec<Entry>,
    ordered: Option<Ordered>,
}

/// Slots that are collected at least before expired ones are dropped: a sweep of fewer saves nothing.
const SWEEP: usize = 128;

/// The credit of each arrival: sorting in a slot takes about as long as reading so many.
const CREDIT: usize = 64;

impl Pool {
    /// For windows of `n` slots with at most `most` of each group.
    pub(super) fn new(n: usize, most: usize) -> Self {
        let mut low = Low::default();
        low.reset(n.saturating_sub(1));
        Self {
            n,
            most: most.min(n),
            slots: Vec::new(),
            low,
            sweep_at: SWEEP,
            credit: CREDIT * SWEEP,
            armed: false,
            chosen: Vec::new(),
            ordered: None,
        }
    }

    /// A slot of this group arrives at this instant, which never falls. Returns whether it may complete a
    /// window within the budget.
    pub(super) fn insert(&mut self, entry: Entry, group: u32, now: f64, budget: f64) -> bool {
        if let Some(ordered) = &mut self.ordered {
            ordered.insert(entry, group, now);
            self.armed = true;
            return true;
        }
        self.armed |= self.low.allows(entry.cost, budget);
        if self.slots.len() >= self.sweep_at {
            self.sweep(now);
        }
        self.low.take(entry.cost);
        self.slots.push((entry, group));
        self.credit = self.credit.saturating_add(CREDIT);
        self.armed
    }

    /// Drops slots on which the task can no longer start, and moves the n cheapest to the front.
    fn sweep(&mut self, now: f64) {
        self.slots.retain(|(entry, _)| entry.fits(now));
        self.sweep_at = 3 * self.slots.len() + SWEEP;
        if self.slots.len() > self.n {
            self.slots.select_nth_unstable(self.n - 1);
        }
        self.low.reset(self.n - 1);
        for (entry, _) in self.slots.iter().take(self.n) {
            self.low.take(entry.cost);
        }
    }

    /// Whether a window within the budget can be chosen at this instant that could not at the last look. Then
    /// its slots are [`chosen`](Self::chosen).
    pub(super) fn look(&mut self, now: f64, budget: f64) -> bool {
        if !std::mem::take(&mut self.armed) {
            return false;
        }
        if self.ordered.is_none() {
            if let Some(left) = self.credit.checked_sub(self.slots.len()) {
                self.credit = left;
                self.sweep(now);
                return self.choose() && affordable(self.chosen.iter().map(|entry| entry.cost), budget);
            }
            self.put_in_order(now);
        }
        let Some(ordered) = &mut self.ordered else { return false };
        ordered.advance(now);
        if !ordered.is_full() || !ordered.affordable(budget) {
            return false;
        }
        self.chosen = ordered.chosen();
        true
    }

    fn put_in_order(&mut self, now: f64) {
        let mut ordered = Ordered::new(self.n, self.most);
        for (entry, group) in self.slots.drain(..).filter(|(entry, _)| entry.fits(now)) {
            ordered.insert(entry, group, now);
        }
        self.ordered = Some(ordered);
    }

    /// Chooses from the slots, of which the n cheapest come first: always the cheapest whose group is not yet
    /// full, which gives the cheapest choice, as for [`Ordered`].
    fn choose(&mut self) -> bool {
        let mut looked = if self.most < self.n { self.n.saturating_mul(2) } else { self.n };
        loop {
            looked = looked.min(self.slots.len());
            if (1..self.slots.len()).contains(&looked) {
                self.slots.select_nth_unstable(looked - 1);
            }
            let nearest = &mut self.slots[..looked];
            nearest.sort_unstable();
            self.chosen.clear();
            let mut of_group: BTreeMap<u32, usize> = BTreeMap::new();
            for &(entry, group) in nearest.iter() {
                if self.most < self.n {
                    let count = of_group.entry(group).or_default();
                    if *count == self.most {
                        continue;
                    }
                    *count += 1;
                }
                self.chosen.push(entry);
                if self.chosen.len() == self.n {
                    return true;
                }
            }
            if looked == self.slots.len() {
                return false;
            }
            looked = looked.saturating_mul(4);
        }
    }

    /// The number of slots kept, at least as many as are live: the work of [`fastest`](Self::fastest).
    pub(super) fn most(&self) -> usize {
        self.slots.len() + self.ordered.as_ref().map_or(0, |ordered| ordered.live().count())
    }

    /// The n cheapest, after a [`look`](Self::look) that found them.
    pub(super) fn chosen(&self) -> &[Entry] {
        &self.chosen
    }

    /// Of the live slots within the limits at this instant, the choice of n whose longest span is least,
    /// within the budget; among those the cheapest. Call it only after a [`look`](Self::look) that found a
    /// window.
    ///
    /// Slots are added in order of span; as soon as the n cheapest so far are affordable, the span of the
    /// last one is the answer.
    pub(super) fn fastest(&self, now: f64, limits: &Limits) -> Option<Vec<Entry>> {
        let keeps = |entry: &Entry| entry.span < limits.span_below && fits(now, entry.span, limits.finish);
        let collected = self.slots.iter().map(|&(entry, group)| (group, entry));
        let ordered = self.ordered.iter().flat_map(Ordered::live).map(|(group, entry)| (group, *entry));
        let mut live: Vec<(u32, Entry)> =
            collected.chain(ordered).filter(|(_, entry)| keeps(entry)).collect();
        live.sort_unstable_by(|a, b| a.1.span.total_cmp(&b.1.span).then_with(|| a.1.cmp(&b.1)));
        let mut so_far = Ordered::new(self.n, self.most);
        for (at, &(group, entry)) in live.iter().enumerate() {
            so_far.take(entry, group);
            // Slots of equal span are added together: their costs decide which of them are chosen.
            let is_last = live.get(at + 1).is_none_or(|next| next.1.span > entry.span);
            if is_last && so_far.is_full() && so_far.affordable(limits.budget) {
                return Some(so_far.chosen());
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::live::tests::arrivals;
    use proptest::prelude::*;

    /// The cheapest choice of n with at most so many of a group, by reading all in order.
    fn plainly(live: &[(Entry, u32)], n: usize, most: usize) -> Option<Vec<Entry>> {
        let mut of_group = [0; 4];
        let chosen = live.iter().filter(|(_, group)| {
            of_group[*group as usize] += 1;
            of_group[*group as usize] <= most
        });
        let chosen: Vec<Entry> = chosen.take(n).map(|(entry, _)| *entry).collect();
        (chosen.len() == n).then_some(chosen)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn finds_the_first_window_within_the_budget_and_each_that_is_cheaper(
            n in 1usize..6,
            most in 1usize..4,
            groups in prop::collection::vec(0u32..4, 80),
            arrivals in arrivals(),
            mut budget in prop_oneof![Just(f64::INFINITY), (0u32..120).prop_map(f64::from)],
            ordered_at in 0usize..100,
        ) {
            let mut pool = Pool::new(n, most);
            let mut live: Vec<(Entry, u32)> = Vec::new();
            for (step, ((now, entry), group)) in arrivals.into_iter().zip(groups).enumerate() {
                if step == ordered_at {
                    pool.put_in_order(now);
                }
                pool.insert(entry, group, now, budget);
                live.push((entry, group));
                live.retain(|(entry, _)| entry.fits(now));
                live.sort_unstable();
                let found = pool.look(now, budget).then(|| pool.chosen().to_vec());
                let cost = |chosen: &Vec<Entry>| chosen.iter().map(|entry| entry.cost).sum::<f64>();
                let plain = plainly(&live, n, most).filter(|chosen| cost(chosen) <= budget);
                prop_assert_eq!(&found, &plain);
                // From now on only what is cheaper counts.
                if let Some(found) = found {
                    budget = cost(&found) - 1.0;
                }
            }
        }
    }
}
