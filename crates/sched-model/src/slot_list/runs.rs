//! The storage of a list: slots in sorted runs, and an index of the slots of each node, which changes use.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::sort;
use crate::exact::span_bound;
use crate::{NodeId, Slot, Time};

/// The maximum number of slots in a run. An insertion may move a whole run, so this bounds the work of a change; it
/// is large enough that a scan spends its time within runs.
const RUN: usize = 256;

/// The number of slots in each run of a new list: three quarters of the maximum, so that the first changes do not
/// split all runs.
const NEW_RUN: usize = RUN * 3 / 4;

/// Slots in (start, node) order.
#[derive(Default)]
pub(super) struct Runs {
    /// No run is empty, and all slots of a run come before all slots of the next.
    runs: Vec<Run>,
    len: usize,
    /// The node and start of each slot. Built by the first change that needs it, because most lists are only read.
    by_node: Option<BTreeSet<(NodeId, Time)>>,
}

impl Clone for Runs {
    /// The clone shares the slots of each run until one of the two lists changes the run. It has no index by node,
    /// because copying the index would take as long as building it.
    fn clone(&self) -> Self {
        Self { runs: self.runs.clone(), len: self.len, ..Self::default() }
    }
}

/// Adjacent slots of the list, with bounds by which a search skips the whole run.
#[derive(Clone)]
struct Run {
    slots: Arc<Vec<Slot>>,
    /// The key of the first slot, stored here so that look-ups need not read the slots.
    first: (Time, NodeId),
    /// The latest end of the slots.
    latest_end: Time,
    /// The maximum [`room`] of the slots.
    room: f64,
    /// The minimum price / speed of the slots.
    rate: f64,
}

impl Run {
    /// Creates a run of `slots`, which must be in order and at least one.
    fn new(slots: Vec<Slot>) -> Self {
        let (first, latest_end) = (slots[0].key(), latest_end(&slots));
        let (room, rate) = (max_room(&slots), min_rate(&slots));
        Self { slots: Arc::new(slots), first, latest_end, room, rate }
    }

    /// Updates the bounds for a slot that was added.
    fn admit(&mut self, slot: &Slot) {
        self.first = self.slots[0].key();
        self.latest_end = self.latest_end.max(slot.end);
        self.room = self.room.max(room(slot));
        self.rate = self.rate.min(rate(slot));
    }

    /// Updates the bounds after a slot was removed; a bound that another slot attains stays.
    fn forget(&mut self, slot: &Slot) {
        self.first = self.slots[0].key();
        if slot.end == self.latest_end && self.slots.iter().all(|slot| slot.end != self.latest_end) {
            self.latest_end = latest_end(&self.slots);
        }
        if room(slot) == self.room {
            self.room = max_room(&self.slots);
        }
        if rate(slot) == self.rate {
            self.rate = min_rate(&self.slots);
        }
    }

    /// The slot with this key, and its position.
    fn find(&self, key: (Time, NodeId)) -> Option<(usize, Slot)> {
        let at = self.slots.partition_point(|slot| !not_after(key, slot.key()));
        self.slots.get(at).filter(|slot| slot.key() == key).map(|slot| (at, *slot))
    }
}

/// An upper bound on the work that fits into `slot`: its length times its speed, rounded up.
fn room(slot: &Slot) -> f64 {
    let (start, end) = (slot.start.get(), slot.end.get());
    span_bound(start, end) * slot.speed.get() * (1.0 + 4.0 * f64::EPSILON)
}

fn latest_end(slots: &[Slot]) -> Time {
    slots
        .iter()
        .map(|slot| slot.end)
        .fold(Time::BEFORE_ALL, |latest, end| if end > latest { end } else { latest })
}

fn max_room(slots: &[Slot]) -> f64 {
    slots.iter().map(room).fold(0.0, |most, room| if room > most { room } else { most })
}

fn rate(slot: &Slot) -> f64 {
    slot.price.get() / slot.speed.get()
}

fn min_rate(slots: &[Slot]) -> f64 {
    slots.iter().map(rate).fold(f64::INFINITY, f64::min)
}

/// A lower bound on the computed cost of `work` on a node whose price / speed is `rate`, whether it is held for its
/// own span or a longer one. Ratio, span and cost are rounded once each, and so is the product here. Near the
/// subnormal range, relative error bounds do not hold, and the result is 0.
fn min_cost(rate: f64, work: f64) -> f64 {
    let least = rate * work;
    let is_coarse = rate < 1e-290 || work < 1e-200 || least < 1e-290;
    if is_coarse { 0.0 } else { least * (1.0 - 8.0 * f64::EPSILON) }
}

/// Divides slots, which must be in order, into runs.
fn chunked(mut slots: impl ExactSizeIterator<Item = Slot>) -> Vec<Run> {
    (0..slots.len().div_ceil(NEW_RUN)).map(|_| Run::new(slots.by_ref().take(NEW_RUN).collect())).collect()
}

/// Whether `key <= other`: the order of tuples, compared faster.
#[inline]
fn not_after(key: (Time, NodeId), other: (Time, NodeId)) -> bool {
    key.0 < other.0 || (key.0 == other.0 && key.1 <= other.1)
}

impl Runs {
    /// Stores slots, which must be in order.
    pub(super) fn of_sorted(slots: impl ExactSizeIterator<Item = Slot>) -> Self {
        Self { len: slots.len(), runs: chunked(slots), by_node: None }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn slices(&self) -> impl Iterator<Item = &[Slot]> + Clone {
        self.runs.iter().map(|run| run.slots.as_slice())
    }

    /// The runs, except those in which every slot has ended by `instant`.
    pub(super) fn alive_at(&self, instant: Time) -> impl Iterator<Item = &[Slot]> + Clone {
        self.runs.iter().filter(move |run| run.latest_end > instant).map(|run| run.slots.as_slice())
    }

    /// As [`alive_at`](Self::alive_at), each run with a [lower bound](min_cost) on the cost of `priced` work if
    /// some slot may have room for `work`, and with `None` if no slot has.
    pub(super) fn with_room(
        &self,
        instant: Time,
        work: f64,
        priced: f64,
    ) -> impl Iterator<Item = (&[Slot], Option<f64>)> {
        let alive = self.runs.iter().filter(move |run| run.latest_end > instant);
        alive.map(move |run| (run.slots.as_slice(), (run.room >= work).then(|| min_cost(run.rate, priced))))
    }

    /// The position of the run to which a slot with this key belongs, whether present or not: the last run whose
    /// first slot does not come after it, or the first run.
    fn run_of(&self, key: (Time, NodeId)) -> usize {
        self.runs.partition_point(|run| not_after(run.first, key)).saturating_sub(1)
    }

    /// The slot with this key.
    pub(super) fn get(&self, key: (Time, NodeId)) -> Option<Slot> {
        self.runs.get(self.run_of(key))?.find(key).map(|(_, slot)| slot)
    }

    /// The last slot of `node` that starts before `instant`.
    pub(super) fn last_before(&mut self, node: NodeId, instant: Time) -> Option<Slot> {
        let starts = self.runs.iter().flat_map(|run| run.slots.iter().map(|slot| (slot.node, slot.start)));
        let by_node = self.by_node.get_or_insert_with(|| starts.collect());
        let &(last, start) = by_node.range(..(node, instant)).next_back()?;
        if last == node { self.get((start, node)) } else { None }
    }

    /// The slot of `node` that is free at `instant`, if there is one.
    pub(super) fn at(&mut self, node: NodeId, instant: Time) -> Option<Slot> {
        let starting = self.get((instant, node));
        starting.or_else(|| self.last_before(node, instant).filter(|slot| instant < slot.end))
    }

    pub(super) fn insert(&mut self, slot: Slot) {
        self.len += 1;
        if let Some(index) = &mut self.by_node {
            index.insert((slot.node, slot.start));
        }
        let number = self.run_of(slot.key());
        let Some(run) = self.runs.get_mut(number) else {
            self.runs.push(Run::new(vec![slot]));
            return;
        };
        let at = run.slots.partition_point(|other| !not_after(slot.key(), other.key()));
        Arc::make_mut(&mut run.slots).insert(at, slot);
        run.admit(&slot);
        if run.slots.len() > RUN {
            let mut left = Arc::unwrap_or_clone(std::mem::take(&mut run.slots));
            let right = left.split_off(RUN / 2);
            *run = Run::new(left);
            self.runs.insert(number + 1, Run::new(right));
        }
    }

    /// Removes the slot with this key, and returns it.
    pub(super) fn remove(&mut self, key: (Time, NodeId)) -> Option<Slot> {
        let number = self.run_of(key);
        let run = self.runs.get_mut(number)?;
        let (at, slot) = run.find(key)?;
        let _ = Arc::make_mut(&mut run.slots).remove(at);
        self.len -= 1;
        if run.slots.is_empty() {
            self.runs.remove(number);
        } else {
            run.forget(&slot);
        }
        if let Some(index) = &mut self.by_node {
            index.remove(&(slot.node, slot.start));
        }
        Some(slot)
    }

    /// Sets the end of the slot with this key.
    pub(super) fn set_end(&mut self, key: (Time, NodeId), end: Time) {
        let number = self.run_of(key);
        let Some(run) = self.runs.get_mut(number) else { return };
        let Some((at, before)) = run.find(key) else { return };
        let slot = before.part(before.start, end);
        Arc::make_mut(&mut run.slots)[at] = slot;
        run.forget(&before);
        run.admit(&slot);
    }

    /// Sets the kind of each slot to `kind_of` its node.
    pub(super) fn set_kinds(&mut self, kind_of: impl Fn(NodeId) -> u32) {
        for slot in self.runs.iter_mut().flat_map(|run| Arc::make_mut(&mut run.slots)) {
            *slot = slot.with_kind(kind_of(slot.node));
        }
    }

    /// Removes the time before `now`: slots that have ended are removed, slots that have begun start at
    /// `now`.
    pub(super) fn advance(&mut self, now: Time) {
        if self.runs.first().is_none_or(|run| run.first.0 >= now) {
            return;
        }
        let begun = self.runs.partition_point(|run| run.first.0 <= now);
        let before: Vec<Slot> =
            self.runs.drain(..begun).flat_map(|run| Arc::unwrap_or_clone(run.slots)).collect();
        let mut after = Vec::new();
        for &slot in &before {
            if slot.start >= now {
                after.push(slot);
                continue;
            }
            if let Some(index) = &mut self.by_node {
                index.remove(&(slot.node, slot.start));
            }
            if slot.end > now {
                let rest = slot.part(now, slot.end);
                if let Some(index) = &mut self.by_node {
                    index.insert((rest.node, rest.start));
                }
                after.push(rest);
            }
        }
        self.len -= before.len() - after.len();
        // The slots that were shortened now start at `now`, and must be sorted by node with those that did before.
        sort(&mut after);
        self.runs.splice(..0, chunked(after.into_iter()));
    }
}
