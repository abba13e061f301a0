//! The slots of a node, by reading the list backwards or by the index.

use super::{ByNode, Runs};
use crate::{End, Meter, NodeId, Slot, Time};
use std::collections::BTreeMap;
use std::convert::Infallible;

/// How often changes read the whole list before an index by node is built. To build it costs about as much as
/// to read the list so often, so that changes take at most twice the least time.
const READS: usize = 16;

/// Slots of a list from which on a reading by a change counts, and how many slots of it count one unit of work.
const VERY_MANY_SLOTS: usize = 1 << 16;
const READ_IN_A_UNIT: usize = 4;

impl Runs {
    /// The last slot of `node` that starts before `instant`.
    pub(in crate::slot_list) fn last_before(&mut self, node: NodeId, instant: Time) -> Option<Slot> {
        self.build_index_if_it_pays();
        if let Some(index) = &self.by_node {
            let (start, _) = index.last_before(node, instant)?;
            return self.get((start, node));
        }
        self.read_back(node, instant)
    }

    /// Start and end of the [last slot](Self::last_before) of `node` that starts before `instant`.
    pub(in crate::slot_list) fn interval_before(
        &mut self,
        node: NodeId,
        instant: Time,
    ) -> Option<(Time, Time)> {
        self.build_index_if_it_pays();
        if let Some(index) = &self.by_node {
            return index.last_before(node, instant);
        }
        self.read_back(node, instant).map(|slot| (slot.start(), slot.end()))
    }

    /// Builds the index by node, if there is none.
    pub(in crate::slot_list) fn index_nodes(&mut self) {
        if self.by_node.is_none() {
            let slots = self.runs.iter().map(|run| run.slots.as_slice());
            let Ok(index) = ByNode::new(slots, |_| Ok::<(), Infallible>(()));
            self.by_node = Some(index);
        }
    }

    fn build_index_if_it_pays(&mut self) {
        if self.index_pays() {
            self.index_nodes();
        }
    }

    fn index_pays(&self) -> bool {
        self.by_node.is_none() && self.read > READS * self.len
    }

    /// The work of a run that is read for a change within a limit: it counts in large lists only, where it can
    /// take long.
    fn reading_work(&self, run: &[Slot]) -> u64 {
        if self.len < VERY_MANY_SLOTS { 0 } else { run.len().div_ceil(READ_IN_A_UNIT) as u64 }
    }

    /// The last slot of `node` that starts before `instant`, by reading the list backwards from there.
    fn read_back(&mut self, node: NodeId, instant: Time) -> Option<Slot> {
        let runs = self.runs.partition_point(|run| run.first.0 < instant);
        for run in self.runs[..runs].iter().rev() {
            self.read += run.slots.len();
            let found = run.slots.iter().rfind(|slot| slot.node() == node && slot.start() < instant);
            if found.is_some() {
                return found.copied();
            }
        }
        None
    }

    /// The slot of `node` that is free at `instant`, if there is one.
    pub(in crate::slot_list) fn at(&mut self, node: NodeId, instant: Time) -> Option<Slot> {
        let starting = self.get((instant, node));
        starting.or_else(|| self.last_before(node, instant).filter(|slot| instant < slot.end()))
    }

    /// As [`at`](Self::at) for each of these nodes, which differ. Without an index, one reading of the list
    /// serves all. Asks before each run of a long list.
    pub(in crate::slot_list) fn at_all(
        &mut self,
        nodes: &[NodeId],
        instant: Time,
        meter: &mut Meter,
    ) -> Result<Vec<Option<Slot>>, End> {
        let mut found: Vec<Option<Slot>> = nodes.iter().map(|&node| self.get((instant, node))).collect();
        let missing = found.iter().filter(|slot| slot.is_none()).count();
        if missing == 0 {
            return Ok(found);
        }
        if self.index_pays() {
            let slots = self.runs.iter().map(|run| run.slots.as_slice());
            self.by_node = Some(ByNode::new(slots, |slots| meter.spend(self.reading_work(slots)))?);
        }
        if self.by_node.is_some() {
            for (slot, &node) in found.iter_mut().zip(nodes).filter(|(slot, _)| slot.is_none()) {
                *slot = self.last_before(node, instant).filter(|slot| instant < slot.end());
            }
            return Ok(found);
        }
        // Position in `found` by node, and a set of bits of those not yet found, by remainder: most slots are
        // of other nodes.
        let mut wanted: BTreeMap<NodeId, usize> = BTreeMap::new();
        let mut bits = [0_u64; 64];
        for (at, &node) in nodes.iter().enumerate().filter(|&(at, _)| found[at].is_none()) {
            wanted.insert(node, at);
            bits[node.0 as usize / 64 % 64] |= 1 << (node.0 % 64);
        }
        let runs = self.runs.partition_point(|run| run.first.0 < instant);
        for run in self.runs[..runs].iter().rev() {
            meter.spend(self.reading_work(&run.slots))?;
            self.read += run.slots.len();
            for slot in run.slots.iter().rev().filter(|slot| slot.start() < instant) {
                let node = slot.node();
                if bits[node.0 as usize / 64 % 64] >> (node.0 % 64) & 1 == 1
                    && let Some(at) = wanted.remove(&node)
                {
                    found[at] = Some(*slot).filter(|slot| instant < slot.end());
                }
            }
            if wanted.is_empty() {
                break;
            }
        }
        Ok(found)
    }
}
