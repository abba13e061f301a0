//! The n cheapest live slots, of which no more than so many are of one group, kept in order.

use super::slots::{Entry, latest_start, position};
use sched_model::internal::ExactSum;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// The slots of one group: the cheapest ones are contenders, as many as a window may hold.
#[derive(Debug, Default)]
struct Group {
    near: BTreeSet<Entry>,
    far: BTreeSet<Entry>,
}

/// Live slots under arrivals in time order, in groups.
///
/// Of each group the `most` cheapest are contenders, and the n cheapest contenders are chosen: no choice of n
/// slots with at most `most` of each group is cheaper, whatever the costs (a greedy choice is the smallest one
/// in a truncated partition matroid). An arrival or expiry moves at most one slot into each set and one out
/// of it: O(log w) for w live slots.
#[derive(Debug)]
pub(crate) struct Ordered {
    n: usize,
    most: usize,
    groups: BTreeMap<u32, Group>,
    chosen: BTreeSet<Entry>,
    /// Contenders that are not chosen; none is cheaper than one that is.
    others: BTreeSet<Entry>,
    /// The cost of the chosen slots.
    sum: ExactSum,
    /// Every live slot, with the [position] of the last instant at which the task can start.
    expiry: BinaryHeap<Reverse<(i64, Entry)>>,
}

impl Ordered {
    /// For windows of `n` slots with at most `most` of each group.
    pub(crate) fn new(n: usize, most: usize) -> Self {
        Self {
            n,
            most: most.min(n),
            groups: BTreeMap::new(),
            chosen: BTreeSet::new(),
            others: BTreeSet::new(),
            sum: ExactSum::new(),
            expiry: BinaryHeap::new(),
        }
    }

    /// Drops slots on which the task can no longer start at this instant, which never falls.
    pub(crate) fn advance(&mut self, now: f64) {
        let now = position(now);
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

    /// A slot arrives. Returns whether it is chosen.
    pub(crate) fn insert(&mut self, entry: Entry, now: f64) -> bool {
        self.advance(now);
        self.expiry.push(Reverse((position(latest_start(entry.end, entry.span)), entry)));
        self.take(entry)
    }

    /// The same for a slot that never expires.
    pub(crate) fn take(&mut self, entry: Entry) -> bool {
        let group = self.groups.entry(entry.group).or_default();
        group.near.insert(entry);
        let displaced = if group.near.len() > self.most { group.near.pop_last() } else { None };
        if let Some(displaced) = displaced {
            group.far.insert(displaced);
            if displaced == entry {
                return false;
            }
            self.leave(displaced);
        }
        self.join(entry)
    }

    /// A slot becomes a contender; returns whether it is chosen.
    fn join(&mut self, entry: Entry) -> bool {
        self.chosen.insert(entry);
        self.sum.add(entry.cost);
        if self.chosen.len() > self.n
            && let Some(dearest) = self.chosen.pop_last()
        {
            self.sum.remove(dearest.cost);
            self.others.insert(dearest);
            return dearest != entry;
        }
        true
    }

    /// A slot stops being a contender.
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

    /// Whether a window can be chosen.
    pub(crate) fn is_full(&self) -> bool {
        self.chosen.len() == self.n
    }

    /// The maximum number of slots that may be in one window.
    pub(crate) fn len(&self) -> usize {
        self.chosen.len()
    }

    /// Whether the n cheapest are affordable. Call it only when [`is_full`](Self::is_full).
    pub(crate) fn affordable(&self, budget: f64) -> bool {
        self.sum.at_most(budget)
    }

    /// The n cheapest.
    pub(crate) fn chosen(&self) -> impl Iterator<Item = Entry> {
        self.chosen.iter().copied()
    }

    /// All live slots.
    pub(crate) fn live(&self) -> impl Iterator<Item = &Entry> {
        self.groups.values().flat_map(|group| group.near.iter().chain(&group.far))
    }
}
