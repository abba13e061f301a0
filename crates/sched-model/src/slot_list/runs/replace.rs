//! Free time of many nodes, replaced at once.

use super::{Marks, NEW_RUN, RUN, Run, Runs, chunked, up_to};
use crate::{NodeId, Slot, Time};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// A number that stands for an instant: numbers are sorted much faster than keys or slots.
fn rank(instant: Time) -> u64 {
    let bits = instant.get().to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// These slots in order.
fn in_order_of_start(by_node: &[Slot]) -> Vec<Slot> {
    // Of equal starts the lower node stands first.
    let mut places: Vec<(u64, usize)> =
        by_node.iter().enumerate().map(|(at, slot)| (rank(slot.start()), at)).collect();
    places.sort_unstable();
    places.into_iter().map(|(_, at)| by_node[at]).collect()
}

/// What is free of a node in a span of time, which no slot of the node crosses.
pub(in crate::slot_list) struct Listed {
    pub(in crate::slot_list) node: NodeId,
    pub(in crate::slot_list) span: (Time, Time),
    /// The slots that it replaces, by number among those of the node, where the list has an index.
    numbers: Range<usize>,
    /// The slots there from now on.
    pub(in crate::slot_list) slots: Vec<Slot>,
}

/// Slots that are replaced by others.
#[derive(Default)]
pub(in crate::slot_list) struct Replacement {
    /// The keys of those that go.
    gone: Vec<(Time, NodeId)>,
    pub(in crate::slot_list) listed: Vec<Listed>,
}

impl Runs {
    /// The slots of these nodes that touch their spans of time or have a part in them, and what `free` lists
    /// in their place: it is asked for the span from the start of the first to the end of the last.
    ///
    /// # Errors
    /// Those of `free`.
    pub(in crate::slot_list) fn replacement<E>(
        &mut self,
        changed: &BTreeMap<NodeId, (Time, Time)>,
        mut free: impl FnMut(NodeId, (Time, Time)) -> Result<Vec<Slot>, E>,
    ) -> Result<Replacement, E> {
        let mut all = Replacement::default();
        let mut list = |node, numbers: Range<usize>, (from, until): (Time, Time), before: &[(Time, Time)]| {
            let from = before.first().map_or(from, |(start, _)| from.min(*start));
            let until = before.last().map_or(until, |(_, end)| until.max(*end));
            let span = (from, until);
            all.gone.extend(before.iter().map(|(start, _)| (*start, node)));
            all.listed.push(Listed { node, span, numbers, slots: free(node, span)? });
            Ok(())
        };
        if self.is_indexed() {
            let index = self.by_node();
            for (&node, &span) in changed {
                let numbers = index.reaching(node, span);
                list(node, numbers.clone(), span, &index.of(node)[numbers])?;
            }
            return Ok(all);
        }
        self.read += self.len;
        let marks = Marks::new(changed.keys(), self.len.max(16 * changed.len()));
        let mut before: BTreeMap<NodeId, Vec<(Time, Time)>> = BTreeMap::new();
        for slot in self.slices().flatten().filter(|slot| marks.may_contain(slot.node())) {
            let reaches = |&(from, until): &(Time, Time)| slot.start() <= until && slot.end() >= from;
            if changed.get(&slot.node()).is_some_and(reaches) {
                before.entry(slot.node()).or_default().push((slot.start(), slot.end()));
            }
        }
        for (&node, &span) in changed {
            list(node, 0..0, span, before.get(&node).map_or(&[], Vec::as_slice))?;
        }
        Ok(all)
    }

    /// Makes a replacement. O(k log k) for k slots that go or come, and O(1) for each run beside the runs that
    /// these change.
    pub(in crate::slot_list) fn replace(&mut self, by: Replacement) {
        let Replacement { mut gone, listed } = by;
        gone.sort_unstable_by_key(|&(start, node)| (rank(start), node));
        let by_node: Vec<Slot> = listed.iter().flat_map(|listed| &listed.slots).copied().collect();
        let by_start = in_order_of_start(&by_node);
        self.len = self.len + by_start.len() - gone.len();
        let (mut coming, mut going) = (by_start.as_slice(), gone.as_slice());
        let mut before = std::mem::take(&mut self.runs).into_iter().peekable();
        if before.peek().is_none() {
            self.runs.extend(chunked(coming));
        }
        while let Some(run) = before.next() {
            let next = before.peek().map(|run| run.first);
            let here = |key| next.is_none_or(|next| !up_to(next, key));
            let (added, later) = coming.split_at(coming.partition_point(|slot| here(slot.key())));
            let (mut removed, last) = going.split_at(going.partition_point(|key| here(*key)));
            (coming, going) = (later, last);
            if added.is_empty() && removed.is_empty() {
                self.runs.push(run);
                continue;
            }
            let kept = Arc::unwrap_or_clone(run.slots).into_iter().filter(|slot| {
                let is_gone = removed.first() == Some(&slot.key());
                removed = &removed[usize::from(is_gone)..];
                !is_gone
            });
            self.push_merged(kept, added);
        }
        if let Some(index) = &mut self.by_node {
            for Listed { node, numbers, slots, .. } in listed {
                index.splice(node, numbers, &slots);
            }
        }
    }

    /// Appends runs of two stretches of slots that are in order, and stand after all others.
    fn push_merged(&mut self, kept: impl Iterator<Item = Slot>, added: &[Slot]) {
        let mut merged = Vec::with_capacity(added.len() + kept.size_hint().1.unwrap_or(0));
        let mut added = added.iter().copied().peekable();
        for slot in kept {
            while let Some(first) = added.next_if(|first| up_to(first.key(), slot.key())) {
                merged.push(first);
            }
            merged.push(slot);
        }
        merged.extend(added);
        match self.runs.last_mut() {
            _ if merged.is_empty() => {}
            Some(last) if last.slots.len() + merged.len() <= NEW_RUN => {
                Arc::make_mut(&mut last.slots).extend(merged);
                last.refresh();
            }
            _ if merged.len() <= RUN => self.runs.push(Run::new(merged)),
            _ => self.runs.extend(chunked(&merged)),
        }
    }
}
