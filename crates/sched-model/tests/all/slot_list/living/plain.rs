//! The free pieces of each node, and the seams: instants at which two pieces touch and stay separate.

use econsched::sched_model::{NodeId, Price, SlotList, Span, Time, Window};
use std::collections::{BTreeMap, BTreeSet};

/// Start, end and price.
pub(crate) type Piece = (Time, Time, Price);

/// The free pieces of each node in order, and the seams between touching pieces.
#[derive(Clone, Default)]
pub(crate) struct Plain {
    pub(crate) free: BTreeMap<NodeId, Vec<Piece>>,
    pub(crate) seams: BTreeSet<(NodeId, Time)>,
}

/// An instant before all slots, and one after them.
pub(crate) fn ever() -> (Time, Time) {
    let longest = Span::must(1e60);
    (Time::must(-1e60) - longest, Time::must(1e60) + longest)
}

impl Plain {
    pub(crate) fn of(slots: &SlotList) -> Self {
        let mut plain = Self::default();
        for slot in slots.iter() {
            let own = plain.free.entry(slot.node).or_default();
            if own.last().is_some_and(|last| last.1 == slot.start && last.2 == slot.price) {
                plain.seams.insert((slot.node, slot.start));
            }
            own.push((slot.start, slot.end, slot.price));
        }
        plain
    }

    pub(crate) fn slots(&self) -> Vec<(Time, NodeId, Time, Price)> {
        let of_node = |(&node, own): (&NodeId, &Vec<Piece>)| {
            own.iter().map(|piece| (piece.0, node, piece.1, piece.2)).collect::<Vec<_>>()
        };
        let mut slots: Vec<_> = self.free.iter().flat_map(of_node).collect();
        slots.sort_by_key(|slot| (slot.0, slot.1));
        slots
    }

    /// The free pieces within a span.
    pub(crate) fn within(&self, node: NodeId, from: Time, to: Time) -> Vec<Piece> {
        let own = self.free.get(&node).into_iter().flatten();
        let cut = own.map(|&(start, end, price)| (start.max(from), end.min(to), price));
        cut.filter(|piece| piece.0 < piece.1).collect()
    }

    /// Takes the free pieces within a span.
    pub(crate) fn take(&mut self, node: NodeId, from: Time, to: Time) -> Vec<Piece> {
        let gone = self.within(node, from, to);
        if let Some(own) = self.free.get_mut(&node).filter(|_| from < to) {
            let rest =
                |&(start, end, price): &Piece| [(start, end.min(from), price), (start.max(to), end, price)];
            *own = own.iter().flat_map(rest).filter(|piece| piece.0 < piece.1).collect();
        }
        gone
    }

    /// Takes a span that one piece covers.
    pub(crate) fn cut(&mut self, node: NodeId, from: Time, to: Time) -> bool {
        matches!(self.take(node, from, to)[..], [(start, end, _)] if (start, end) == (from, to))
    }

    /// Puts back a span that is not free, merged with the pieces of the same price that it touches.
    pub(crate) fn put(&mut self, node: NodeId, mut from: Time, mut to: Time, price: Price) -> bool {
        if from >= to || !self.within(node, from, to).is_empty() {
            return false;
        }
        self.seams.retain(|seam| seam.0 != node || seam.1 <= from || seam.1 >= to);
        let joins = [from, to].map(|at| !self.seams.contains(&(node, at)));
        let own = self.free.entry(node).or_default();
        let (first, last) = (from, to);
        own.retain(|&(start, end, of)| {
            let (before, after) =
                (joins[0] && end == first && of == price, joins[1] && start == last && of == price);
            (from, to) = (if before { start } else { from }, if after { end } else { to });
            !before && !after
        });
        own.push((from, to, price));
        own.sort();
        true
    }

    /// Gives back the rest of a window from an instant on.
    pub(crate) fn put_back(&mut self, window: &Window, now: Time) -> bool {
        let start = window.start().max(now);
        let mut rest = window.placements().iter().filter(|held| start < held.end);
        rest.all(|held| self.put(held.node, start, held.end, held.price))
    }
}
