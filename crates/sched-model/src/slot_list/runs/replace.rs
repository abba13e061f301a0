//! The slots of many nodes, replaced at once.

use super::{NEW_RUN, RUN, Run, Runs, chunked, up_to};
use crate::{NodeId, Slot};
use std::collections::BTreeSet;

/// A bit for each node of a set, shared by nodes whose ids are far apart: most other nodes are told from them
/// at once.
struct Marks(Vec<u64>);

impl Marks {
    /// With about as many bits as there are slots, or 16 for each node.
    fn new(nodes: &BTreeSet<NodeId>, slots: usize) -> Self {
        let mut words = vec![0_u64; (slots.max(16 * nodes.len()) / 64 + 1).next_power_of_two()];
        for node in nodes {
            let at = node.0 as usize / 64 % words.len();
            words[at] |= 1 << (node.0 % 64);
        }
        Self(words)
    }

    #[inline]
    fn may_contain(&self, node: NodeId) -> bool {
        self.0[node.0 as usize / 64 % self.0.len()] >> (node.0 % 64) & 1 == 1
    }
}

/// These slots in order. They are sorted by numbers that stand for their starts: much faster than the slots
/// themselves.
fn in_order_of_start(by_node: &[Slot]) -> Vec<Slot> {
    let rank = |slot: &Slot| {
        let bits = slot.start().get().to_bits();
        if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
    };
    // Of equal starts the lower node stands first.
    let mut places: Vec<(u64, usize)> =
        by_node.iter().enumerate().map(|(at, slot)| (rank(slot), at)).collect();
    places.sort_unstable();
    places.into_iter().map(|(_, at)| by_node[at]).collect()
}

impl Runs {
    /// Replaces the slots of these nodes by others of them, which come by node and start. Gives up the order
    /// of the slots that start first.
    pub(in crate::slot_list) fn replace(&mut self, nodes: &BTreeSet<NodeId>, by: &[Slot]) {
        self.first_group = None;
        let marks = Marks::new(nodes, self.len);
        let by_start = in_order_of_start(by);
        let mut coming = by_start.as_slice();
        let mut before = std::mem::take(&mut self.runs).into_iter().peekable();
        if before.peek().is_none() {
            self.runs.extend(chunked(coming));
        }
        while let Some(run) = before.next() {
            let next = before.peek().map(|run| run.first);
            let here = coming.partition_point(|slot| next.is_none_or(|next| !up_to(next, slot.key())));
            let (added, later) = coming.split_at(here);
            coming = later;
            let is_gone = |slot: &Slot| marks.may_contain(slot.node()) && nodes.contains(&slot.node());
            if added.is_empty() && !run.slots.iter().any(is_gone) {
                self.runs.push(run);
                continue;
            }
            self.push_merged(run.slots.into_iter().filter(|slot| !is_gone(slot)), added);
        }
        self.len = self.runs.iter().map(|run| run.slots.len()).sum();
        if let Some(index) = &mut self.by_node {
            index.replace(nodes, by);
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
                last.slots.extend(merged);
                last.refresh();
            }
            _ if merged.len() <= RUN => self.runs.push(Run::new(merged)),
            _ => self.runs.extend(chunked(&merged)),
        }
    }
}
