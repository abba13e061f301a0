//! The slots that start first, in order of price / speed: a search that repeatedly takes the cheapest slots
//! of a large group of equal starts need not read all of it.
//!
//! Slots of about the same room are stored together, so that slots too short for the requested work are not
//! read.

use crate::{NodeId, Slot, Time, span_bound};
use std::collections::BTreeMap;

/// Reading fewer slots than this takes no longer than looking them up in order.
pub(super) const LEAST_SLOTS: usize = 4096;

/// The bits of price / speed, which is never negative, and the node.
type Key = (u64, NodeId);

/// The slots of a list that have its least start.
#[derive(Debug, Clone)]
pub(super) struct FirstGroup {
    pub(super) start: Time,
    /// The slots by class of room and by key. They are stored here themselves: looking one up among a million
    /// takes longer than reading it here. No class is empty.
    by_room: BTreeMap<u32, BTreeMap<Key, Slot>>,
}

/// An upper bound on the work that the slot has room for: its length times its speed, rounded up.
pub(super) fn room(slot: &Slot) -> f64 {
    let (start, end) = (slot.start().get(), slot.end().get());
    span_bound(start, end) * slot.speed().get() * (1.0 + 4.0 * f64::EPSILON)
}

/// Four classes for each doubling: more room is never in a lower class.
fn class(room: f64) -> u32 {
    (room.to_bits() >> 50) as u32
}

/// The cost of a unit of work on the slot, by the default tariff, and its node. A ratio near the subnormal
/// numbers, where rounding is coarse, counts as 0.
fn key(slot: &Slot) -> Key {
    let ratio = slot.price().get() / slot.speed().get();
    let ratio = if ratio < 1e-290 { 0.0 } else { ratio };
    (ratio.to_bits(), slot.node())
}

impl FirstGroup {
    pub(super) fn new(start: Time, slots: impl Iterator<Item = Slot>) -> Self {
        let mut by_room: BTreeMap<u32, Vec<(Key, Slot)>> = BTreeMap::new();
        for slot in slots {
            by_room.entry(class(room(&slot))).or_default().push((key(&slot), slot));
        }
        let in_order = by_room.into_iter().map(|(class, slots)| (class, slots.into_iter().collect()));
        Self { start, by_room: in_order.collect() }
    }

    pub(super) fn insert(&mut self, slot: &Slot) {
        self.by_room.entry(class(room(slot))).or_default().insert(key(slot), *slot);
    }

    pub(super) fn remove(&mut self, slot: &Slot) {
        let class = class(room(slot));
        if let Some(slots) = self.by_room.get_mut(&class) {
            slots.remove(&key(slot));
            if slots.is_empty() {
                self.by_room.remove(&class);
            }
        }
    }

    /// The slots with their price / speed, the least ratio first: all that have room for this work, and some
    /// that have not. O(c) for each with c classes.
    pub(super) fn ascending(&self, work: f64) -> impl Iterator<Item = (f64, Slot)> {
        let mut classes: Vec<_> =
            self.by_room.range(class(work)..).map(|(_, slots)| slots.iter().peekable()).collect();
        std::iter::from_fn(move || {
            let heads = classes.iter_mut().enumerate();
            let (_, first) = heads.filter_map(|(at, slots)| Some((*slots.peek()?.0, at))).min()?;
            classes[first].next().map(|(&(bits, _), &slot)| (f64::from_bits(bits), slot))
        })
    }

    /// Gives each slot the kind of its node.
    pub(super) fn set_kinds(&mut self, kind_of: impl Fn(NodeId) -> u32) {
        for slot in self.by_room.values_mut().flat_map(BTreeMap::values_mut) {
            *slot = slot.with_kind(kind_of(slot.node()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Node, Price, Span, Speed};

    #[test]
    fn ratios_near_the_subnormal_numbers_count_as_nothing() {
        let slot = |id, price: f64, speed| {
            let node = Node::new(NodeId(id), Speed::must(speed), Price::must(price));
            Slot::new(node, Time::ZERO, Time::ZERO + Span::must(1.0)).unwrap()
        };
        let slots = [slot(1, 3.0, 2.0), slot(2, 1e-290, 1.0), slot(3, 1e-291, 1.0), slot(4, 0.0, 1.0)];
        let group = FirstGroup::new(Time::ZERO, slots.into_iter());
        let ascending: Vec<_> = group.ascending(0.0).map(|(ratio, slot)| (ratio, slot.node())).collect();
        assert_eq!(ascending, [(0.0, NodeId(3)), (0.0, NodeId(4)), (1e-290, NodeId(2)), (1.5, NodeId(1))]);
    }

    #[test]
    fn what_has_room_is_read_and_most_of_what_has_not_is_passed_over() {
        // Slot n is n long, and its ratio falls with n.
        let slot = |length: u32| {
            let node = Node::new(NodeId(length), Speed::must(2.0), Price::must(f64::from(1000 - length)));
            Slot::new(node, Time::must(7.0), Time::must(7.0 + f64::from(length))).unwrap()
        };
        let group = FirstGroup::new(Time::must(7.0), (1..=400).map(slot));
        for work in 1..=802 {
            let read: Vec<u32> = group.ascending(f64::from(work)).map(|(_, slot)| slot.node().0).collect();
            assert!(read.is_sorted_by(|a, b| a > b), "{work}");
            let enough = read.iter().filter(|&&length| 2 * length >= work).count();
            assert_eq!(enough, (1..=400).filter(|length| 2 * length >= work).count(), "{work}");
            assert!(read.iter().all(|&length| 2.0 * f64::from(length) > 0.79 * f64::from(work)), "{work}");
        }
    }
}
