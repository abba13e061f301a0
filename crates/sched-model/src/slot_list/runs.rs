//! The storage of a list: slots in sorted runs, and the slots of each node, for changes.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::sort;
use crate::exact::span_bound;
use crate::{NodeId, Slot, Time};

/// The most slots in a run. An insertion moves a run as a block, so this bounds the work of a change; it is long
/// enough that a scan spends its time within runs.
const RUN: usize = 256;

/// Slots in each run of a new list: three quarters of the most, so that the first changes do not split all runs.
const NEW_RUN: usize = RUN * 3 / 4;

/// Slots in (start, node) order.
#[derive(Default)]
pub(super) struct Runs {
    /// No run is empty, and all slots of a run come before all slots of the next.
    runs: Vec<Run>,
    len: usize,
    /// Node and start of each slot, from the first change that needs them; most lists are only read.
    by_node: Option<BTreeSet<(NodeId, Time)>>,
}

impl Clone for Runs {
    /// The clone shares the slots of each run until one of the two changes it. It has no index by node, because
    /// copying the index would take as long as building it.
    fn clone(&self) -> Self {
        Self { runs: self.runs.clone(), len: self.len, ..Self::default() }
    }
}

#[derive(Clone)]
struct Run {
    slots: Arc<Vec<Slot>>,
    /// The key of the first slot, stored with those of the other runs for look-ups.
    first: (Time, NodeId),
    /// No slot of the run ends later.
    latest_end: Time,
    /// An upper bound on the work that a slot of the run has room for.
    room: f64,
    /// The minimum price / speed of the slots.
    rate: f64,
}

impl Run {
    /// A run of slots that are in order; there must be at least one.
    fn new(slots: Vec<Slot>) -> Self {
        let (first, latest_end) = (slots[0].key(), latest_end(&slots));
        let (room, rate) = (most_room(&slots), least_rate(&slots));
        Self { slots: Arc::new(slots), first, latest_end, room, rate }
    }

    /// Updates the bounds for a slot that was added.
    fn admit(&mut self, slot: &Slot) {
        self.first = self.slots[0].key();
        self.latest_end = self.latest_end.max(slot.end);
        self.room = self.room.max(room(slot));
        self.rate = self.rate.min(rate(slot));
    }

    /// Updates the bounds after a slot was removed; a bound stays as long as another slot attains it.
    fn forget(&mut self, slot: &Slot) {
        self.first = self.slots[0].key();
        if slot.end == self.latest_end && self.slots.iter().all(|slot| slot.end != self.latest_end) {
            self.latest_end = latest_end(&self.slots);
        }
        if room(slot) == self.room {
            self.room = most_room(&self.slots);
        }
        if rate(slot) == self.rate {
            self.rate = least_rate(&self.slots);
        }
    }

    /// The slot with this key, and its position.
    fn find(&self, key: (Time, NodeId)) -> Option<(usize, Slot)> {
        let at = self.slots.partition_point(|slot| !up_to(key, slot.key()));
        self.slots.get(at).filter(|slot| slot.key() == key).map(|slot| (at, *slot))
    }
}

/// An upper bound on the work that the slot has room for: its length times its speed, rounded up.
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

fn most_room(slots: &[Slot]) -> f64 {
    slots.iter().map(room).fold(0.0, |most, room| if room > most { room } else { most })
}

fn rate(slot: &Slot) -> f64 {
    slot.price.get() / slot.speed.get()
}

fn least_rate(slots: &[Slot]) -> f64 {
    slots.iter().map(rate).fold(f64::INFINITY, f64::min)
}

/// Work at this price / speed costs no less, in computed numbers, whether a slot is held for its own span or a
/// longer one: ratio, span and cost are rounded once each, and so is this product. Relative bounds do not hold for
/// numbers near the subnormal range.
fn least_cost(rate: f64, work: f64) -> f64 {
    let least = rate * work;
    let is_coarse = rate < 1e-290 || work < 1e-200 || least < 1e-290;
    if is_coarse { 0.0 } else { least * (1.0 - 8.0 * f64::EPSILON) }
}

/// Runs made of slots that are in order.
fn chunked(mut slots: impl ExactSizeIterator<Item = Slot>) -> Vec<Run> {
    (0..slots.len().div_ceil(NEW_RUN)).map(|_| Run::new(slots.by_ref().take(NEW_RUN).collect())).collect()
}

/// Whether a key comes before another or is equal to it; the order of tuples, compared faster.
#[inline]
fn up_to(key: (Time, NodeId), other: (Time, NodeId)) -> bool {
    key.0 < other.0 || (key.0 == other.0 && key.1 <= other.1)
}

impl Runs {
    /// Makes runs of slots that are in order.
    pub(super) fn of_sorted(slots: impl ExactSizeIterator<Item = Slot>) -> Self {
        Self { len: slots.len(), runs: chunked(slots), by_node: None }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn slices(&self) -> impl Iterator<Item = &[Slot]> + Clone {
        self.runs.iter().map(|run| run.slots.as_slice())
    }

    /// The runs except those in which every slot has ended at `instant`.
    pub(super) fn alive_at(&self, instant: Time) -> impl Iterator<Item = &[Slot]> + Clone {
        self.runs.iter().filter(move |run| run.latest_end > instant).map(|run| run.slots.as_slice())
    }

    /// As [`alive_at`](Self::alive_at), with the [smallest cost](least_cost) of `priced` work if a slot of the run
    /// may have room for the work.
    pub(super) fn with_room(
        &self,
        instant: Time,
        work: f64,
        priced: f64,
    ) -> impl Iterator<Item = (&[Slot], Option<f64>)> {
        let alive = self.runs.iter().filter(move |run| run.latest_end > instant);
        alive.map(move |run| (run.slots.as_slice(), (run.room >= work).then(|| least_cost(run.rate, priced))))
    }

    /// The run of a slot with this key, present or not: the last run whose first slot does not come after it.
    fn run_of(&self, key: (Time, NodeId)) -> usize {
        self.runs.partition_point(|run| up_to(run.first, key)).saturating_sub(1)
    }

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
        let at = run.slots.partition_point(|other| !up_to(slot.key(), other.key()));
        Arc::make_mut(&mut run.slots).insert(at, slot);
        run.admit(&slot);
        if run.slots.len() > RUN {
            let mut left = Arc::unwrap_or_clone(std::mem::take(&mut run.slots));
            let right = left.split_off(RUN / 2);
            *run = Run::new(left);
            self.runs.insert(number + 1, Run::new(right));
        }
    }

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

    /// Moves the end of the slot with this key.
    pub(super) fn set_end(&mut self, key: (Time, NodeId), end: Time) {
        let number = self.run_of(key);
        let Some(run) = self.runs.get_mut(number) else { return };
        let Some((at, before)) = run.find(key) else { return };
        let slot = before.part(before.start, end);
        Arc::make_mut(&mut run.slots)[at] = slot;
        run.forget(&before);
        run.admit(&slot);
    }

    /// Sets the kind of each slot to that of its node.
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
        // All slots that start at `now` come first, by node; no two are equal.
        sort(&mut after);
        self.runs.splice(..0, chunked(after.into_iter()));
    }
}
