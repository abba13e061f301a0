//! The slots that start first, in order of price / speed: a search that takes the cheapest of a large group
//! of equal starts, again and again, need not read all of it.

use crate::{NodeId, Slot, Time};
use std::collections::BTreeSet;

/// Fewer slots than this are read as fast as they are looked up.
pub(super) const LEAST_SLOTS: usize = 4096;

/// The slots of a list that have its least start.
#[derive(Debug, Clone)]
pub(super) struct FirstGroup {
    pub(super) start: Time,
    /// Bits of price / speed, which is never negative, and node.
    by_ratio: BTreeSet<(u64, NodeId)>,
}

impl FirstGroup {
    pub(super) fn new(start: Time, slots: impl Iterator<Item = Slot>) -> Self {
        Self { start, by_ratio: slots.map(|slot| Self::key(&slot)).collect() }
    }

    /// What a unit of work costs on the slot, per the default tariff, and its node. A ratio near the
    /// subnormal numbers, where rounding is coarse, counts as 0.
    fn key(slot: &Slot) -> (u64, NodeId) {
        let ratio = slot.price().get() / slot.speed().get();
        let ratio = if ratio < 1e-290 { 0.0 } else { ratio };
        (ratio.to_bits(), slot.node())
    }

    pub(super) fn insert(&mut self, slot: &Slot) {
        self.by_ratio.insert(Self::key(slot));
    }

    pub(super) fn remove(&mut self, slot: &Slot) {
        self.by_ratio.remove(&Self::key(slot));
    }

    /// Price / speed and node, the least ratio first.
    pub(super) fn ascending(&self) -> impl Iterator<Item = (f64, NodeId)> {
        self.by_ratio.iter().map(|&(bits, node)| (f64::from_bits(bits), node))
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
        let ascending: Vec<_> = group.ascending().collect();
        assert_eq!(ascending, [(0.0, NodeId(3)), (0.0, NodeId(4)), (1e-290, NodeId(2)), (1.5, NodeId(1))]);
    }
}
