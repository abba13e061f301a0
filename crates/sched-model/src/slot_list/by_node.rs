//! An index of a list by node: finds the slot of a node that is free at an instant, wherever it stands in the
//! list.

use crate::{NodeId, Slot, Time};
use std::collections::BTreeMap;

/// Start and end of each slot of a node, in order.
type Intervals = Vec<(Time, Time)>;

/// The slots of each node. O(1) to find those of a node with a low id, O(log n) for others among n nodes.
#[derive(Debug, Clone, Default)]
pub(super) struct ByNode {
    /// Of the nodes with low ids, by id. Most callers number their nodes from 0 or 1.
    low: Vec<Intervals>,
    /// Of the other nodes.
    high: BTreeMap<NodeId, Intervals>,
}

impl ByNode {
    /// Of slots in (start, node) order, which come in runs. O(m) for m slots of nodes with low ids: three
    /// passes.
    pub(super) fn new<'a>(runs: impl Iterator<Item = &'a [Slot]> + Clone) -> Self {
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
    pub(super) fn last_before(&self, node: NodeId, instant: Time) -> Option<(Time, Time)> {
        let intervals = self.of(node);
        let after = intervals.partition_point(|(start, _)| *start < instant);
        after.checked_sub(1).map(|at| intervals[at])
    }

    pub(super) fn insert(&mut self, slot: &Slot) {
        let intervals = self.of_mut(slot.node());
        let at = intervals.partition_point(|(start, _)| *start < slot.start());
        intervals.insert(at, (slot.start(), slot.end()));
    }

    pub(super) fn remove(&mut self, slot: &Slot) {
        let intervals = self.of_mut(slot.node());
        if let Ok(at) = intervals.binary_search_by_key(&slot.start(), |(start, _)| *start) {
            intervals.remove(at);
        }
        if intervals.is_empty() {
            self.high.remove(&slot.node());
        }
    }

    /// A slot has been replaced by one that starts when it does.
    pub(super) fn set_end(&mut self, slot: &Slot) {
        let intervals = self.of_mut(slot.node());
        if let Ok(at) = intervals.binary_search_by_key(&slot.start(), |(start, _)| *start) {
            intervals[at].1 = slot.end();
        }
    }
}
