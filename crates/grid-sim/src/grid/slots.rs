//! Free CPUs of resources as slots of single nodes; and windows on these nodes as places on resources.

use super::{GridPlace, Offer, PlacePart};
use crate::SimError;
use crate::report::span_within;
use sched_model::{Node, NodeId, Slot, SlotList, Span, Time, Window};
use std::ops::Range;

/// The free CPUs of all offers as slots of nodes, from `from` to `horizon`, and the nodes of each resource.
///
/// The CPUs of the resources are numbered one resource after another. While k CPUs of a resource are free,
/// these are its first k. So the slot of each CPU is as long as possible.
#[derive(Debug, Clone)]
pub(super) struct NodeSlots {
    /// The slots.
    pub(super) slots: SlotList,
    /// The nodes of each resource.
    pub(super) nodes: Vec<Range<u32>>,
}

impl NodeSlots {
    /// The slots of these offers.
    ///
    /// # Errors
    /// [`SimError::OutOfRange`] for more CPUs than nodes can be numbered.
    pub(super) fn of(offers: &[Offer<'_>], from: Time, horizon: Time) -> Result<Self, SimError> {
        let (mut nodes, mut slots): (Vec<Range<u32>>, _) = (Vec::new(), Vec::new());
        for offer in offers {
            let base = nodes.last().map_or(0, |before| before.end);
            let next = base.checked_add(offer.machine.cpus()).ok_or(SimError::OutOfRange {
                what: "the CPUs of all resources",
                expected: "at most 4294967295",
                value: f64::from(base) + f64::from(offer.machine.cpus()),
            })?;
            nodes.push(base..next);
            let mut close = |cpu: usize, start: Time, end: Time| -> Result<(), SimError> {
                if start < end {
                    // Fewer than 2^32 CPUs, see above.
                    let id = NodeId(base + cpu as u32);
                    let node = Node { id, speed: offer.machine.speed, price: offer.machine.price };
                    slots.push(Slot::new(node, start, end)?);
                }
                Ok(())
            };
            // Starts of the free intervals of the first CPUs, which are those that are free.
            let mut open: Vec<Time> = Vec::new();
            for (at, free) in offer.free.steps() {
                let at = at.max(from).min(horizon);
                while open.len() > free as usize {
                    let Some(start) = open.pop() else { break };
                    close(open.len(), start, at)?;
                }
                open.resize(free as usize, at);
            }
            for (cpu, start) in open.into_iter().enumerate() {
                close(cpu, start, horizon)?;
            }
        }
        Ok(Self { slots: SlotList::new(slots)?, nodes })
    }

    /// A window on these nodes as CPUs of resources. Each resource gives its CPUs for as long as the slowest
    /// of them is needed.
    pub(super) fn place(&self, window: &Window) -> GridPlace {
        let mut parts: Vec<PlacePart> = Vec::new();
        let mut nodes: Vec<(NodeId, Span)> = window
            .placements()
            .iter()
            .map(|placement| (placement.node, span_within(window.start(), placement.end)))
            .collect();
        nodes.sort_unstable();
        for (node, span) in nodes {
            let resource = self.nodes.partition_point(|nodes| nodes.end <= node.0);
            match parts.last_mut().filter(|part| part.resource == resource) {
                Some(part) => {
                    part.cpus += 1;
                    part.span = part.span.max(span);
                }
                None => parts.push(PlacePart { resource, cpus: 1, span }),
            }
        }
        GridPlace { start: window.start(), parts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sched_model::{Machine, MachineId, Price, Profile, Speed};

    #[test]
    fn the_first_cpus_are_free_for_as_long_as_possible() {
        let machine = Machine::new(MachineId(0), 2, Speed::ETALON, Price::must(1.0)).unwrap();
        let t = Time::must;
        let mut free = Profile::of_machine(&machine, t(0.0));
        free.reserve(t(10.0), t(30.0), 1).unwrap();
        let made = NodeSlots::of(&[Offer { machine: &machine, free: &free }], t(0.0), t(100.0)).unwrap();
        let slots: Vec<_> =
            made.slots.iter().map(|slot| (slot.node.0, slot.start.get(), slot.end.get())).collect();
        assert_eq!(slots, [(0, 0.0, 100.0), (1, 0.0, 10.0), (1, 30.0, 100.0)]);
    }
}
