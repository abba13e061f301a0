//! Slots in sorted runs, the storage of a list; and the slots of each node, for changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::sort;
use crate::{NodeId, Slot, Time, span_bound};

/// Slots in one run at most. A run is moved as a block on insertion, so this bounds the work of a change; it
/// is long enough that a scan spends its time within runs.
const RUN: usize = 256;

/// Slots in a run of a new list: three quarters, so that the first changes do not split them all.
const NEW_RUN: usize = RUN * 3 / 4;

/// Slots in (start, node) order.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// None empty, all slots of one before all slots of the next.
    runs: Vec<Run>,
    len: usize,
    /// The slots of each node, from the first change on that needs them: most lists are only read.
    by_node: Option<ByNode>,
}

impl Clone for Runs {
    /// The clone shares the slots of each run until one of the two changes it. It has no index by
    /// node, which would take as long to copy as to make.
    fn clone(&self) -> Self {
        Self { runs: self.runs.clone(), len: self.len, ..Self::default() }
    }
}

#[derive(Debug, Clone)]
struct Run {
    slots: Arc<Vec<Slot>>,
    /// The key of the first slot: stored beside those of the other runs, for look-ups.
    first: (Time, NodeId),
    /// No slot of the run ends later.
    latest_end: Time,
    /// An upper bound on the work that a slot of the run has room for.
    room: f64,
    /// The least price / speed of its slots.
    rate: f64,
}

impl Run {
    fn new(slots: Vec<Slot>) -> Self {
        let slots = Arc::new(slots);
        let first = (Time::ZERO, NodeId(0));
        let mut run = Self { slots, first, latest_end: Time::ZERO, room: 0.0, rate: 0.0 };
        run.refresh();
        run
    }

    fn refresh(&mut self) {
        if let Some(first) = self.slots.first() {
            self.first = first.key();
        }
        if let Some(latest) = self.slots.iter().map(Slot::end).max() {
            self.latest_end = latest;
        }
        self.room = most_room(&self.slots);
        self.rate = least_rate(&self.slots);
    }

    /// Updates the bounds after a slot was removed: they stay as long as another slot attains them.
    fn forget(&mut self, slot: &Slot) {
        self.first = self.slots.first().map_or(self.first, Slot::key);
        if slot.end() == self.latest_end && self.slots.iter().all(|slot| slot.end() != self.latest_end) {
            self.latest_end = self.slots.iter().map(Slot::end).max().unwrap_or(self.latest_end);
        }
        if room(slot) == self.room {
            self.room = most_room(&self.slots);
        }
        if rate(slot) == self.rate {
            self.rate = least_rate(&self.slots);
        }
    }

    /// The slot with this key, and its place.
    fn find(&self, key: (Time, NodeId)) -> Option<(usize, Slot)> {
        let at = self.slots.partition_point(|slot| !up_to(key, slot.key()));
        self.slots.get(at).filter(|slot| slot.key() == key).map(|slot| (at, *slot))
    }
}

/// An upper bound on the work that the slot has room for: its length times its speed, rounded up.
fn room(slot: &Slot) -> f64 {
    let (start, end) = (slot.start().get(), slot.end().get());
    span_bound(start, end) * slot.speed().get() * (1.0 + 4.0 * f64::EPSILON)
}

fn most_room(slots: &[Slot]) -> f64 {
    slots.iter().map(room).fold(0.0, |most, room| if room > most { room } else { most })
}

fn rate(slot: &Slot) -> f64 {
    slot.price().get() / slot.speed().get()
}

fn least_rate(slots: &[Slot]) -> f64 {
    slots.iter().map(rate).fold(f64::INFINITY, f64::min)
}

/// Work at this price / speed costs no less, in computed numbers, whether a slot is held for its own span or
/// a longer one: ratio, span and cost are rounded once each, and so is this product. Relative bounds do not
/// hold for numbers near the subnormal ones.
fn least_cost(rate: f64, work: f64) -> f64 {
    let least = rate * work;
    let is_coarse = rate < 1e-290 || work < 1e-200 || least < 1e-290;
    if is_coarse { 0.0 } else { least * (1.0 - 8.0 * f64::EPSILON) }
}

/// Runs of slots that are in order.
fn chunked(slots: &[Slot]) -> impl Iterator<Item = Run> {
    slots.chunks(NEW_RUN).map(|chunk| Run::new(chunk.to_vec()))
}

/// Whether a key stands before another, or is the same: as tuples compare, and faster than they do.
#[inline]
fn up_to(key: (Time, NodeId), other: (Time, NodeId)) -> bool {
    key.0 < other.0 || (key.0 == other.0 && key.1 <= other.1)
}

impl Runs {
    pub(super) fn of_sorted(slots: &[Slot]) -> Self {
        Self { runs: chunked(slots).collect(), len: slots.len(), ..Self::default() }
    }

    /// The free time from an instant on, as the runs of a new list: slots that have ended are left out, slots
    /// that have begun start at the instant.
    pub(super) fn since(&self, now: Time) -> Self {
        let mut slots = Vec::with_capacity(self.len);
        let left = self.alive_at(now).flatten().filter(|slot| slot.end() > now);
        slots.extend(left.map(|slot| slot.part(slot.start().max(now), slot.end())));
        // Those that have begun start at the same instant, so that they are sorted by node.
        let begun = slots.partition_point(|slot| slot.start() <= now);
        sort(&mut slots[..begun]);
        Self::of_sorted(&slots)
    }

    /// Of slots that come in order.
    pub(super) fn of_sorted_iter(mut slots: impl ExactSizeIterator<Item = Slot>) -> Self {
        let len = slots.len();
        let chunks = (0..len.div_ceil(NEW_RUN)).map(|_| Run::new(slots.by_ref().take(NEW_RUN).collect()));
        Self { runs: chunks.collect(), len, ..Self::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn slices(&self) -> impl Iterator<Item = &[Slot]> + Clone {
        self.runs.iter().map(|run| run.slots.as_slice())
    }

    /// Without those runs in which every slot has ended at `instant`.
    pub(super) fn alive_at(&self, instant: Time) -> impl Iterator<Item = &[Slot]> + Clone {
        self.runs.iter().filter(move |run| run.latest_end > instant).map(|run| run.slots.as_slice())
    }

    /// As [`alive_at`](Self::alive_at), with the [least cost](least_cost) of `priced` work where a slot of the
    /// run may have room for this work.
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

    /// Start and end of the last slot of `node` that starts before `instant`.
    pub(super) fn interval_before(&mut self, node: NodeId, instant: Time) -> Option<(Time, Time)> {
        let runs = self.runs.iter().map(|run| run.slots.as_slice());
        self.by_node.get_or_insert_with(|| ByNode::new(runs)).last_before(node, instant)
    }

    /// The last slot of `node` that starts before `instant`.
    pub(super) fn last_before(&mut self, node: NodeId, instant: Time) -> Option<Slot> {
        let (start, _) = self.interval_before(node, instant)?;
        self.get((start, node))
    }

    /// The slot of `node` that is free at `instant`, if there is one.
    pub(super) fn at(&mut self, node: NodeId, instant: Time) -> Option<Slot> {
        let starting = self.get((instant, node));
        starting.or_else(|| self.last_before(node, instant).filter(|slot| instant < slot.end()))
    }

    pub(super) fn insert(&mut self, slot: Slot) {
        self.len += 1;
        if let Some(index) = &mut self.by_node {
            index.insert(&slot);
        }
        let number = self.run_of(slot.key());
        let Some(run) = self.runs.get_mut(number) else {
            self.runs.push(Run::new(vec![slot]));
            return;
        };
        let at = run.slots.partition_point(|other| !up_to(slot.key(), other.key()));
        let slots = Arc::make_mut(&mut run.slots);
        slots.insert(at, slot);
        run.first = run.slots[0].key();
        run.latest_end = run.latest_end.max(slot.end());
        run.room = run.room.max(room(&slot));
        run.rate = run.rate.min(rate(&slot));
        if run.slots.len() > RUN {
            let right = Run::new(Arc::make_mut(&mut run.slots).split_off(RUN / 2));
            run.refresh();
            self.runs.insert(number + 1, right);
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
            index.remove(&slot);
        }
        Some(slot)
    }

    /// Moves the end of the slot with this key.
    pub(super) fn set_end(&mut self, key: (Time, NodeId), end: Time) {
        let number = self.run_of(key);
        let Some(run) = self.runs.get_mut(number) else { return };
        let Some((at, before)) = run.find(key) else { return };
        let slot = before.part(before.start(), end);
        Arc::make_mut(&mut run.slots)[at] = slot;
        if end < before.end() {
            run.forget(&before);
        } else {
            run.latest_end = run.latest_end.max(end);
            run.room = run.room.max(room(&slot));
        }
        if let Some(index) = &mut self.by_node {
            index.set_end(&slot);
        }
    }

    /// Gives each slot the kind of its node.
    pub(super) fn set_kinds(&mut self, kind_of: impl Fn(NodeId) -> u32) {
        for slot in self.runs.iter_mut().flat_map(|run| Arc::make_mut(&mut run.slots)) {
            *slot = slot.with_kind(kind_of(slot.node()));
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
            if slot.start() >= now {
                after.push(slot);
                continue;
            }
            if let Some(index) = &mut self.by_node {
                index.remove(&slot);
            }
            if slot.end() > now {
                let rest = slot.part(now, slot.end());
                if let Some(index) = &mut self.by_node {
                    index.insert(&rest);
                }
                after.push(rest);
            }
        }
        self.len -= before.len() - after.len();
        // All that start at `now` come first, by node; no two are equal.
        sort(&mut after);
        self.runs.splice(..0, chunked(&after));
    }
}

/// Start and end of each slot of a node, in order.
type Intervals = Vec<(Time, Time)>;

/// The slots of each node. O(1) to find those of a node with a low id, O(log n) for others among n nodes.
#[derive(Debug, Clone, Default)]
struct ByNode {
    /// Of the nodes with low ids, by id. Most callers number their nodes from 0 or 1.
    low: Vec<Intervals>,
    /// Of the other nodes.
    high: BTreeMap<NodeId, Intervals>,
}

impl ByNode {
    /// Of slots in (start, node) order, which come in runs. O(m) for m slots of nodes with low ids: three
    /// passes.
    fn new<'a>(runs: impl Iterator<Item = &'a [Slot]> + Clone) -> Self {
        let slots = || runs.clone().flatten();
        // So many lists without a slot take no more memory than the slots.
        let many = runs.clone().map(<[Slot]>::len).sum::<usize>().saturating_add(1024);
        let ids = slots().map(|slot| slot.node().0 as usize);
        let lows = ids.filter(|id| *id < many).map(|id| id + 1).max().unwrap_or(0);
        let mut counts = vec![0_usize; lows];
        for slot in slots() {
            if let Some(count) = counts.get_mut(slot.node().0 as usize) {
                *count += 1;
            }
        }
        // One more than there are now, so that the first change finds room.
        let low = counts.into_iter().map(|count| Vec::with_capacity(if count == 0 { 0 } else { count + 1 }));
        let mut index = Self { low: low.collect(), high: BTreeMap::new() };
        for slot in slots() {
            index.of_mut(slot.node()).push((slot.start(), slot.end()));
        }
        index
    }

    fn of_mut(&mut self, node: NodeId) -> &mut Intervals {
        match self.low.get_mut(node.0 as usize) {
            Some(intervals) => intervals,
            None => self.high.entry(node).or_default(),
        }
    }

    /// Start and end of the slots of a node, in order.
    fn of(&self, node: NodeId) -> &[(Time, Time)] {
        let intervals = self.low.get(node.0 as usize).or_else(|| self.high.get(&node));
        intervals.map_or(&[], Vec::as_slice)
    }

    /// Start and end of the last slot of a node that starts before an instant.
    fn last_before(&self, node: NodeId, instant: Time) -> Option<(Time, Time)> {
        let intervals = self.of(node);
        let after = intervals.partition_point(|(start, _)| *start < instant);
        after.checked_sub(1).map(|at| intervals[at])
    }

    fn insert(&mut self, slot: &Slot) {
        let intervals = self.of_mut(slot.node());
        let at = intervals.partition_point(|(start, _)| *start < slot.start());
        intervals.insert(at, (slot.start(), slot.end()));
    }

    fn remove(&mut self, slot: &Slot) {
        let intervals = self.of_mut(slot.node());
        if let Ok(at) = intervals.binary_search_by_key(&slot.start(), |(start, _)| *start) {
            intervals.remove(at);
        }
        if intervals.is_empty() {
            self.high.remove(&slot.node());
        }
    }

    /// A slot has been replaced by one that starts when it does.
    fn set_end(&mut self, slot: &Slot) {
        let intervals = self.of_mut(slot.node());
        if let Ok(at) = intervals.binary_search_by_key(&slot.start(), |(start, _)| *start) {
            intervals[at].1 = slot.end();
        }
    }
}
