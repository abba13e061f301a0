//! The free list for a job whose speed on a node depends on the job.

use crate::input::SpeedOn;
use sched_model::{Node, Slot, SlotList};

/// The slots of nodes in any range, at the job's speed there; the list itself where the job has no speeds of its own.
/// O(m r) for m slots and r ranges.
pub(crate) fn seen_by(list: &SlotList, speeds: &[SpeedOn]) -> Option<SlotList> {
    if speeds.is_empty() {
        return None;
    }
    let slots = list.iter().filter_map(|slot| {
        let node = slot.as_node();
        let range = speeds.iter().find(|range| (range.first..=range.last).contains(&node.id))?;
        Slot::new(Node { speed: range.speed, ..node }, slot.start(), slot.end()).ok()
    });
    // They are in order, and none overlaps another, as in the list.
    let seen = SlotList::from_sorted(slots.collect()).unwrap_or_default();
    Some(seen.with_tariff(*list.tariff()))
}
