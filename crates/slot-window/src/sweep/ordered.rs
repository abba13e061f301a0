//! Live slots in order of cost, with the n cheapest of which at most a limited number are of one group.

use super::slots::{Entry, latest_start, order_key};
use sched_model::internal::ExactSum;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// The live slots of one group: `near` has its contenders, the cheapest ones, as many as a window may contain; `far`
/// has the others.
#[derive(Debug, Default)]
struct Group {
    near: BTreeSet<Entry>,
    far: BTreeSet<Entry>,
}

/// Live slots by group, while slots arrive in order of time and expire.
///
/// Of each group the `max_per_group` cheapest are contenders, and the n cheapest contenders are chosen: no choice of
/// n slots with at most `max_per_group` of each group is cheaper (the greedy choice is optimal in a truncated
/// partition matroid). An arrival or expiry moves at most one slot into each set and one out of it: O(log w) for w
/// live slots.
#[derive(Debug, Default)]
pub(crate) struct Ordered {
    n: usize,
    max_per_group: usize,
    groups: BTreeMap<u32, Group>,
    chosen: BTreeSet<Entry>,
    /// Contenders that are not chosen; none is cheaper than a chosen one.
    others: BTreeSet<Entry>,
    /// The exact cost of the chosen slots.
    sum: ExactSum,
    /// Every live slot, with the [position] of the latest instant at which the task can start on it.
    expiry: BinaryHeap<Reverse<(i64, Entry)>>,
}

impl Ordered {
    /// Creates an empty set for windows of `n` slots with at most `max_per_group` of each group.
    pub(crate) fn new(n: usize, max_per_group: usize) -> Self {
        Self { n, max_per_group: max_per_group.min(n), ..Self::default() }
    }

    /// Drops slots on which the task can no longer start at `now`, which must not decrease from call to call.
    pub(crate) fn advance(&mut self, now: f64) {
        let now = order_key(now);
        while self.expiry.peek().is_some_and(|Reverse((latest, _))| *latest < now) {
            let Some(Reverse((_, entry))) = self.expiry.pop() else { break };
            let Some(group) = self.groups.get_mut(&entry.group) else { continue };
            if group.near.remove(&entry) {
                let successor = group.far.pop_first();
                group.near.extend(successor);
                self.leave(entry);
                if let Some(successor) = successor {
                    self.join(successor);
                }
            } else {
                group.far.remove(&entry);
            }
        }
    }

    /// Adds a slot that arrives at `now`. Returns whether it is chosen.
    pub(crate) fn insert(&mut self, entry: Entry, now: f64) -> bool {
        self.advance(now);
        self.expiry.push(Reverse((order_key(latest_start(entry.end, entry.span)), entry)));
        self.take(entry)
    }

    /// As [`insert`](Self::insert), for a slot that never expires.
    pub(crate) fn take(&mut self, entry: Entry) -> bool {
        let group = self.groups.entry(entry.group).or_default();
        group.near.insert(entry);
        let displaced = if group.near.len() > self.max_per_group { group.near.pop_last() } else { None };
        if let Some(displaced) = displaced {
            group.far.insert(displaced);
            if displaced == entry {
                return false;
            }
            self.leave(displaced);
        }
        self.join(entry)
    }

    /// Makes a slot a contender. Returns whether it is chosen.
    fn join(&mut self, entry: Entry) -> bool {
        self.chosen.insert(entry);
        self.sum.add(entry.cost);
        if self.chosen.len() > self.n
            && let Some(most_expensive) = self.chosen.pop_last()
        {
            self.sum.remove(most_expensive.cost);
            self.others.insert(most_expensive);
            return most_expensive != entry;
        }
        true
    }

    /// Removes a slot from the contenders.
    fn leave(&mut self, entry: Entry) {
        if self.others.remove(&entry) || !self.chosen.remove(&entry) {
            return;
        }
        self.sum.remove(entry.cost);
        if let Some(next) = self.others.pop_first() {
            self.sum.add(next.cost);
            self.chosen.insert(next);
        }
    }

    /// Whether n slots are chosen.
    pub(crate) fn is_full(&self) -> bool {
        self.chosen.len() == self.n
    }

    /// The number of chosen slots: at most n, and the maximum that may be in one window.
    pub(crate) fn len(&self) -> usize {
        self.chosen.len()
    }

    /// Whether the chosen slots are affordable. It has a meaning only if [`is_full`](Self::is_full).
    pub(crate) fn affordable(&self, budget: f64) -> bool {
        self.sum.at_most(budget)
    }

    /// The chosen slots, the cheapest first.
    pub(crate) fn chosen(&self) -> impl Iterator<Item = Entry> {
        self.chosen.iter().copied()
    }

    /// All live slots.
    pub(crate) fn live(&self) -> impl Iterator<Item = &Entry> {
        self.groups.values().flat_map(|group| group.near.iter().chain(&group.far))
    }
}
