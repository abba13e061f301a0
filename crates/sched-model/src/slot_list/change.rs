//! Changes of a list: cutting windows out and giving them back, advancing time, and adding, removing, blocking and
//! repricing nodes.

use super::SlotList;
use crate::order::repeated;
use crate::{Features, ModelError, Node, NodeId, Placement, Price, Slot, Time, Window};
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

impl SlotList {
    /// Takes the time of `window` out of the list.
    ///
    /// # Errors
    /// [`ModelError::NotFree`] for the first placement that no single slot of its node covers. The list is then
    /// unchanged.
    pub fn cut(&mut self, window: &Window) -> Result<(), ModelError> {
        let start = window.start();
        let slot_of =
            |placement: &Placement| Ok((self.covering(placement.node, start, placement.end)?, placement.end));
        let found: Result<Vec<(Slot, Time)>, ModelError> = window.placements().iter().map(slot_of).collect();
        // The nodes of a window differ, so a cut does not change the slots found for the others.
        for (slot, end) in found? {
            self.cut_out(slot, start, end);
        }
        Ok(())
    }

    /// Gives the time of `window` from the instant `from` on back to the list: all of it if `from` is not after its
    /// start, or the rest if its job ends early or is stopped. Placements that have ended by then give nothing back.
    /// The time is joined with adjacent slots of the same node, speed and price, except at instants where two
    /// touching slots were given to [`new`](Self::new).
    ///
    /// # Errors
    /// [`ModelError::AlreadyFree`] for the first placement of which a part is already free in the list. The list is
    /// then unchanged.
    ///
    /// ```
    /// # use sched_model::*;
    /// # let node = Node::must(1, 1.0, 2.0);
    /// let mut list = SlotList::from_nodes(&[node], &[], Time::ZERO, Time::must(100.0))?;
    /// let slot = *list.iter().next().unwrap();
    /// let window = Window::new(Time::ZERO, vec![Placement::on(&slot, Time::ZERO, Span::must(60.0), list.tariff())])?;
    /// list.cut(&window)?;
    /// list.give_back(&window, Time::must(45.0))?;
    /// assert_eq!(list.iter().next().unwrap().start, Time::must(45.0));
    /// # Ok::<(), ModelError>(())
    /// ```
    pub fn give_back(&mut self, window: &Window, from: Time) -> Result<(), ModelError> {
        let start = window.start().max(from);
        let rest = || window.placements().iter().filter(|placement| start < placement.end);
        for placement in rest() {
            self.check_not_free(placement.node, start, placement.end)?;
        }
        for placement in rest() {
            self.join((*placement).into(), start, placement.end);
        }
        Ok(())
    }

    /// Lengthens the placement of `window` on `node` up to `until`, if the time after it is free, for a job that
    /// overruns. The new window is charged by the list's tariff at the price of the placement, even if the free time
    /// after it has another price or is held as several touching slots.
    ///
    /// # Errors
    /// [`ModelError::NotFree`] if the time up to `until` is not free on that node ([`Window::takes`] finds the
    /// windows that hold it), [`ModelError::UnknownId`] if the window has no placement on the node,
    /// [`ModelError::EmptyInterval`] unless `until` is after the end of the placement. The list is then unchanged.
    pub fn lengthen(&mut self, window: &Window, node: NodeId, until: Time) -> Result<Window, ModelError> {
        let mut placements = window.placements().to_vec();
        let Some(placement) = placements.iter_mut().find(|placement| placement.node == node) else {
            return Err(ModelError::UnknownId { what: "node of a window", id: u64::from(node.0) });
        };
        let charge = self.tariff().charge(placement.price, until - window.start());
        let longer = Placement { end: until, cost: charge, ..*placement };
        let before = std::mem::replace(placement, longer);
        let window = Window::new(window.start(), placements)?;
        check_not_empty(node, before.end, until)?;
        self.check_free(node, before.end, until)?;
        self.block(node, before.end..until);
        Ok(window)
    }

    /// Takes all free time of `node` within `range` out of the list and returns it in order of time: for a node that
    /// is down for some time or, with `..`, is removed. A range always includes its start and excludes its end.
    /// Windows that were cut out earlier are not in the list; [`Window::takes`] finds those that are affected.
    ///
    /// ```
    /// # use sched_model::*;
    /// # let node = Node::must(1, 1.0, 2.0);
    /// let mut list = SlotList::from_nodes(&[node], &[], Time::ZERO, Time::must(100.0))?;
    /// let down = list.block(NodeId(1), Time::must(30.0)..Time::must(50.0));
    /// assert_eq!((down.len(), list.len()), (1, 2));
    /// for slot in down {
    ///     list.extend(&[slot.into()], slot.start, slot.end)?; // up again
    /// }
    /// assert_eq!(list.len(), 1);
    /// # Ok::<(), ModelError>(())
    /// ```
    pub fn block(&mut self, node: NodeId, range: impl RangeBounds<Time>) -> Vec<Slot> {
        let instant = |bound: Bound<&Time>, open| match bound {
            Bound::Included(at) | Bound::Excluded(at) => *at,
            Bound::Unbounded => open,
        };
        let start = instant(range.start_bound(), Time::BEFORE_ALL);
        let end = instant(range.end_bound(), Time::AFTER_ALL);
        let mut blocked = Vec::new();
        if start >= end {
            return blocked;
        }
        while let Some(slot) = self.runs.last_before(node, end).filter(|slot| slot.end > start) {
            let part = slot.part(slot.start.max(start), slot.end.min(end));
            self.cut_out(slot, part.start, part.end);
            blocked.push(part);
        }
        blocked.reverse();
        blocked
    }

    /// Changes the price of `node` for its free time after `from`. Earlier free time keeps its price, and so do
    /// windows that were cut out before.
    pub fn reprice(&mut self, node: NodeId, price: Price, from: Time) {
        for slot in self.block(node, from..) {
            self.join(Node { price, ..slot.into() }, slot.start, slot.end);
        }
    }

    /// Removes the free time before `now`.
    ///
    /// O(k log m) time for the k slots that start before `now`.
    pub fn advance(&mut self, now: Time) {
        self.runs.advance(now);
    }

    /// Adds `[from, until)` of each of `nodes` as free time: for nodes that are added or up again, or, with all
    /// nodes, to extend the horizon. The interval is joined with adjacent slots as by [`give_back`](Self::give_back).
    ///
    /// # Errors
    /// [`ModelError::AlreadyFree`] if a part of the interval is already free, [`ModelError::EmptyInterval`] unless
    /// `from < until`, [`ModelError::RepeatedId`] if two nodes share an id. The list is then unchanged.
    pub fn extend(&mut self, nodes: &[Node], from: Time, until: Time) -> Result<(), ModelError> {
        if let Some(node) = repeated(nodes.iter().map(|node| node.id)).first() {
            return Err(ModelError::RepeatedId { what: "node", id: u64::from(node.0) });
        }
        for node in nodes {
            check_not_empty(node.id, from, until)?;
            self.check_not_free(node.id, from, until)?;
        }
        for node in nodes {
            self.join(*node, from, until);
        }
        Ok(())
    }

    /// The slot of `node` that covers `[start, end)`.
    fn covering(&mut self, node: NodeId, start: Time, end: Time) -> Result<Slot, ModelError> {
        let slot = self.runs.at(node, start).filter(|slot| end <= slot.end);
        slot.ok_or(ModelError::NotFree { node, start: start.get(), end: end.get() })
    }

    /// Returns an error unless touching slots of `node` cover `[start, end)`.
    fn check_free(&mut self, node: NodeId, start: Time, end: Time) -> Result<(), ModelError> {
        let mut from = end;
        while from > start {
            match self.runs.last_before(node, from) {
                Some(slot) if slot.end >= from => from = slot.start,
                _ => return Err(ModelError::NotFree { node, start: start.get(), end: end.get() }),
            }
        }
        Ok(())
    }

    /// Returns an error if a part of `[start, end)` is free on `node`.
    fn check_not_free(&mut self, node: NodeId, start: Time, end: Time) -> Result<(), ModelError> {
        match self.runs.last_before(node, end) {
            Some(slot) if slot.end > start => {
                Err(ModelError::AlreadyFree { node, start: start.get(), end: end.get() })
            }
            _ => Ok(()),
        }
    }

    /// Takes `[start, end)` out of `slot`, which is in the list and covers it.
    fn cut_out(&mut self, slot: Slot, start: Time, end: Time) {
        if slot.start < start {
            self.runs.set_end(slot.key(), start);
        } else {
            self.runs.remove(slot.key());
        }
        if end < slot.end {
            self.runs.insert(slot.part(end, slot.end));
        }
    }

    /// Adds `[start, end)` of `node`, which must not be free in the list, and joins it with adjacent slots of equal
    /// speed and price, except at a seam. Seams within the interval are removed.
    fn join(&mut self, node: Node, start: Time, end: Time) {
        self.drop_seams(node.id, start, end);
        let mut to = end;
        if !self.is_seam(node.id, end)
            && let Some(right) = self.runs.get((end, node.id))
            && Node::from(right) == node
        {
            to = right.end;
            self.runs.remove(right.key());
        }
        if !self.is_seam(node.id, start)
            && let Some(left) = self.runs.last_before(node.id, start)
            && left.end == start
            && Node::from(left) == node
        {
            self.runs.set_end(left.key(), to);
            return;
        }
        let kind = self.features.as_ref().map_or(0, |features| features.kind_of(node.id));
        self.runs.insert(Slot::of(node, start, to).with_kind(kind));
    }

    /// Whether free time of `node` before and after `at` stays two slots.
    fn is_seam(&self, node: NodeId, at: Time) -> bool {
        self.seams.as_ref().is_some_and(|seams| seams.binary_search(&(node, at)).is_ok())
    }

    /// Removes the seams of `node` after `start` and before `end`.
    fn drop_seams(&mut self, node: NodeId, start: Time, end: Time) {
        let Some(seams) = &mut self.seams else { return };
        let first = seams.partition_point(|seam| *seam <= (node, start));
        let behind = seams.partition_point(|seam| *seam < (node, end));
        if first < behind {
            Arc::make_mut(seams).drain(first..behind);
        }
    }
}

/// For the broker of this workspace; not part of the public interface.
#[doc(hidden)]
impl SlotList {
    /// Sets the features of `node`, which is added or whose features have changed. Demands that were compiled before
    /// must be compiled again.
    ///
    /// O(log n) time for n nodes with features, or O(n) if another list shares them; plus O(log m) for each of the
    /// node's slots among m.
    ///
    /// ```
    /// use sched_model::*;
    /// let nodes = [1, 2].map(|id| Node::must(id, 1.0, 1.0));
    /// let mut list = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(100.0))?;
    /// list.set_features(NodeId(2), Features::default().with_label("gpu"));
    /// let eligible = list.eligible(&Demands::default().with_label("gpu"));
    /// assert_eq!(list.iter().filter(|slot| eligible.allows(slot)).count(), 1);
    /// # Ok::<(), ModelError>(())
    /// ```
    pub fn set_features(&mut self, node: NodeId, features: Features) {
        let table = Arc::make_mut(self.features.get_or_insert_default());
        let before = table.kind_of(node);
        if features.is_empty() {
            table.remove(node);
        } else {
            table.set(node, features);
        }
        if before != table.kind_of(node) {
            for slot in self.block(node, ..) {
                self.join(slot.into(), slot.start, slot.end);
            }
        }
        self.compact_kinds();
    }

    /// Removes kinds without nodes if there are many of them.
    fn compact_kinds(&mut self) {
        if let Some(table) = self.features.as_mut().filter(|table| table.is_sparse()) {
            let table = Arc::make_mut(table);
            table.compact();
            self.runs.set_kinds(|node| table.kind_of(node));
        }
    }
}

fn check_not_empty(node: NodeId, start: Time, end: Time) -> Result<(), ModelError> {
    if start < end { Ok(()) } else { Err(ModelError::empty_slot(node, start, end)) }
}
