//! The slots that start first, in order of price / speed: a search that repeatedly takes the cheapest slots
//! of a large group of equal starts need not read all of it.
//!
//! Slots of about the same room are stored together, so that slots too short for the requested work are not
//! read.

use crate::{NodeId, Slot, Time, sort_in_parts, span_bound};
use std::collections::BTreeMap;

/// Reading fewer slots than this takes no longer than looking them up in order.
pub(super) const LEAST_SLOTS: usize = 4096;

/// The bits of price / speed, which is never negative, and the node.
type Key = (u64, NodeId);

/// Slots sorted between two questions to the limit.
const PART: usize = 1 << 13;

/// Slots in one block at most: a block is moved as a whole on insertion.
const BLOCK: usize = 256;

/// Slots in a block of a new order, so that the first insertions do not split all.
const NEW_BLOCK: usize = BLOCK * 3 / 4;

/// Slots by key, in blocks; none is empty.
#[derive(Debug, Clone, Default)]
struct InOrder {
    blocks: Vec<Vec<(Key, Slot)>>,
}

impl InOrder {
    fn iter(&self) -> impl Iterator<Item = &(Key, Slot)> {
        self.blocks.iter().flatten()
    }

    /// The block of a key, present or not, and the place in it.
    fn place_of(&self, key: Key) -> (usize, usize) {
        let block = self.blocks.partition_point(|block| block[0].0 <= key).saturating_sub(1);
        let at = self.blocks.get(block).map_or(0, |slots| slots.partition_point(|slot| slot.0 < key));
        (block, at)
    }

    fn insert(&mut self, key: Key, slot: Slot) {
        let (block, at) = self.place_of(key);
        let Some(slots) = self.blocks.get_mut(block) else {
            self.blocks.push(vec![(key, slot)]);
            return;
        };
        slots.insert(at, (key, slot));
        if slots.len() > BLOCK {
            let right = slots.split_off(BLOCK / 2);
            self.blocks.insert(block + 1, right);
        }
    }

    fn remove(&mut self, key: Key) {
        let (block, at) = self.place_of(key);
        let Some(slots) = self.blocks.get_mut(block) else { return };
        if slots.get(at).is_some_and(|slot| slot.0 == key) {
            let _ = slots.remove(at);
        }
        if slots.is_empty() {
            self.blocks.remove(block);
        }
    }
}

/// The slots of a list that have its least start.
#[derive(Debug, Clone)]
pub(super) struct FirstGroup {
    pub(super) start: Time,
    /// The slots by class of room and by key. They are stored here themselves: looking one up among a million
    /// takes longer than reading it here. No class is empty.
    by_room: BTreeMap<u32, InOrder>,
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
    /// The visits of [`new`](Self::new) for so many slots, about: each is read, sorted, and stored.
    pub(super) fn visits(slots: usize) -> u64 {
        let merged = usize::BITS - (slots / PART).leading_zeros();
        (slots as u64).saturating_mul(u64::from(3 + merged))
    }

    /// Asks before each part with the number of slots that it visits.
    pub(super) fn new<'a, E>(
        start: Time,
        slots: impl Iterator<Item = &'a [Slot]>,
        mut ask: impl FnMut(u64) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut by_room: BTreeMap<u32, Vec<(Key, Slot)>> = BTreeMap::new();
        for slots in slots {
            ask(slots.len() as u64)?;
            for slot in slots {
                by_room.entry(class(room(slot))).or_default().push((key(slot), *slot));
            }
        }
        let mut in_order = BTreeMap::new();
        for (class, slots) in by_room {
            // Keys are sorted much faster than slots. No two are equal: a node has one slot of this start.
            let mut places: Vec<(Key, u32)> = slots.iter().map(|slot| slot.0).zip(0..).collect();
            sort_in_parts(&mut places, PART, Ord::cmp, &mut ask)?;
            let mut blocks = Vec::with_capacity(slots.len() / NEW_BLOCK + 1);
            for part in places.chunks(NEW_BLOCK) {
                ask(part.len() as u64)?;
                blocks.push(part.iter().map(|&(_, at)| slots[at as usize]).collect());
            }
            in_order.insert(class, InOrder { blocks });
        }
        Ok(Self { start, by_room: in_order })
    }

    pub(super) fn insert(&mut self, slot: &Slot) {
        self.by_room.entry(class(room(slot))).or_default().insert(key(slot), *slot);
    }

    pub(super) fn remove(&mut self, slot: &Slot) {
        let class = class(room(slot));
        if let Some(slots) = self.by_room.get_mut(&class) {
            slots.remove(key(slot));
            if slots.blocks.is_empty() {
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
            let (_, first) = heads.filter_map(|(at, slots)| Some((slots.peek()?.0, at))).min()?;
            classes[first].next().map(|&((bits, _), slot)| (f64::from_bits(bits), slot))
        })
    }

    /// Gives each slot the kind of its node.
    pub(super) fn set_kinds(&mut self, kind_of: impl Fn(NodeId) -> u32) {
        let blocks = self.by_room.values_mut().flat_map(|slots| &mut slots.blocks);
        for (_, slot) in blocks.flatten() {
            *slot = slot.with_kind(kind_of(slot.node()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{End, Node, Price, Span, Speed};

    #[test]
    fn ratios_near_the_subnormal_numbers_count_as_nothing() {
        let slot = |id, price: f64, speed| {
            let node = Node::new(NodeId(id), Speed::must(speed), Price::must(price));
            Slot::new(node, Time::ZERO, Time::ZERO + Span::must(1.0)).unwrap()
        };
        let slots = [slot(1, 3.0, 2.0), slot(2, 1e-290, 1.0), slot(3, 1e-291, 1.0), slot(4, 0.0, 1.0)];
        let group = FirstGroup::new(Time::ZERO, [&slots[..]].into_iter(), |_| Ok::<(), End>(())).unwrap();
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
        let slots: Vec<Slot> = (1..=400).map(slot).collect();
        let group = FirstGroup::new(Time::must(7.0), slots.chunks(192), |_| Ok::<(), End>(())).unwrap();
        for work in 1..=802 {
            let read: Vec<u32> = group.ascending(f64::from(work)).map(|(_, slot)| slot.node().0).collect();
            assert!(read.is_sorted_by(|a, b| a > b), "{work}");
            let enough = read.iter().filter(|&&length| 2 * length >= work).count();
            assert_eq!(enough, (1..=400).filter(|length| 2 * length >= work).count(), "{work}");
            assert!(read.iter().all(|&length| 2.0 * f64::from(length) > 0.79 * f64::from(work)), "{work}");
        }
    }
}
