//! The slots that can be in some window, listed by what distinguishes them: a scan that comes again and again, for each
//! speed level, reads only the nodes that matter to it.

use crate::{
    WindowError,
    scan::{Hold, Limits, Query, latest_start, usable},
};
use sched_model::{Slot, SlotList, Span, Time};

/// A slot as the passes read it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    pub(crate) start: f64,
    pub(crate) end: f64,
    pub(crate) class: u32,
    /// Its position in the scan.
    pub(crate) at: u32,
    /// The piece of the same class before it.
    pub(crate) before: u32,
}

/// Slots of one node with the same speed, price and value: mostly all slots of a node. At most one slot of a node is
/// live at an instant, so at most one of a class.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Class {
    pub(crate) node: u32,
    /// Its last piece.
    pub(crate) last: u32,
    pub(crate) speed: f64,
    pub(crate) price: f64,
    pub(crate) value: f64,
    /// How long it is held at least.
    pub(crate) span: f64,
    /// The longest of its slots, on the long side of rounding.
    pub(crate) longest: f64,
}

/// No piece, no class, no rank.
pub(crate) const NONE: u32 = u32::MAX;

/// Pieces in (start, node) order and their classes.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) classes: Vec<Class>,
    /// Greatest speed first.
    pub(crate) by_speed: Vec<u32>,
    /// Class of each node, by id where ids are small, else by position in `ids`.
    class_of: Vec<u32>,
    ids: Vec<u32>,
}

impl Catalogue {
    /// Lists the slots that are fast enough and can carry a task held like this. `value` is asked once for each of them, or
    /// (`by_node`) once for each node, speed and price.
    ///
    /// A task that is held longer fits into no other slots, so the list serves every pass with spans at least these.
    pub(crate) fn list(
        &mut self,
        query: Query<'_>,
        limits: &Limits,
        hold: Hold,
        by_node: bool,
        mut value: impl FnMut(&Slot, Span) -> Result<f64, WindowError>,
    ) -> Result<(), WindowError> {
        let Query { slots, from, .. } = query;
        self.pieces.clear();
        self.classes.clear();
        self.class_of.clear();
        self.ids.clear();
        let from_instant = from.get();
        let mut at = 0_u32;
        for run in slots.runs_alive_at(from) {
            for slot in run {
                let number = at;
                at += 1;
                let start = usable(slot, from_instant);
                let end = slot.end().get();
                let end = if end < limits.finish { end } else { limits.finish };
                let (speed, price) = (slot.speed().get(), slot.price().get());
                let entry = self.entry(slot.node().0);
                let known = self.class_of.get(entry).copied().unwrap_or(NONE);
                let known_class = self.classes.get(known as usize);
                let same_node = known_class.filter(|class| class.speed == speed && class.price == price);
                let span = match same_node {
                    Some(class) => class.span,
                    None if speed < limits.min_speed => continue,
                    None => hold.span(slot).get(),
                };
                if latest_start(end, span) < start {
                    continue;
                }
                let worth = match same_node {
                    Some(class) if by_node => class.value,
                    _ => value(slot, hold.span(slot))?,
                };
                let longest = (end - start) + 4.0 * f64::EPSILON * (start.abs() + end.abs());
                let piece = self.pieces.len() as u32;
                let before;
                let class = if same_node.is_some_and(|class| class.value == worth) {
                    let class = &mut self.classes[known as usize];
                    class.longest = class.longest.max(longest);
                    before = std::mem::replace(&mut class.last, piece);
                    known
                } else {
                    before = NONE;
                    let node = slot.node().0;
                    self.classes.push(Class { node, last: piece, speed, price, value: worth, span, longest });
                    self.enter(node, slots, from)
                };
                self.pieces.push(Piece { start, end, class, at: number, before });
            }
        }
        self.by_speed.clear();
        self.by_speed.extend(0..self.classes.len() as u32);
        let classes = &self.classes;
        let speed = |class: &u32| classes[*class as usize].speed;
        self.by_speed.sort_unstable_by(|a, b| speed(b).total_cmp(&speed(a)).then(a.cmp(b)));
        Ok(())
    }

    #[inline]
    fn entry(&self, node: u32) -> usize {
        if self.ids.is_empty() { node as usize } else { self.ids.partition_point(|&id| id < node) }
    }

    /// Makes the newest class that of its node, and says which it is.
    #[inline(never)]
    fn enter(&mut self, node: u32, slots: &SlotList, from: Time) -> u32 {
        let newest = (self.classes.len() - 1) as u32;
        if self.ids.is_empty() && node as usize >= self.class_of.len() {
            if (node as usize) < 4 * slots.len() + 1024 {
                self.class_of.resize((node as usize + 1).next_power_of_two(), NONE);
            } else {
                // Ids are too scattered to index by them.
                self.ids.extend(slots.runs_alive_at(from).flatten().map(|slot| slot.node().0));
                self.ids.sort_unstable();
                self.ids.dedup();
                self.class_of.clear();
                self.class_of.resize(self.ids.len(), NONE);
                for (number, class) in (0_u32..).zip(&self.classes) {
                    let entry = self.ids.partition_point(|&id| id < class.node);
                    self.class_of[entry] = number;
                }
            }
        }
        let entry = self.entry(node);
        self.class_of[entry] = newest;
        newest
    }
}
