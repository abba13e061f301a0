//! The slots that can be in some window, listed by class: a pass for a level then reads only the nodes
//! that matter to it.

use crate::{
    WindowError, WindowQuery,
    sweep::{Held, Limits, Nodes, fits, passed_over_work, usable},
};
use sched_model::{Meter, Price, Slot, Span, Tariff, order::sort_keys, span_bound};

/// A slot, in the form that the passes read.
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

/// Slots of one node with the same speed, price and value: mostly all slots of a node. At most one slot of a
/// node is live at an instant, so at most one of a class.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Class {
    pub(crate) node: u32,
    /// Its last piece.
    pub(crate) last: u32,
    /// The span of the task on its node.
    pub(crate) own: Span,
    pub(crate) price: Price,
    pub(crate) value: f64,
    /// The length of its longest slot, rounded up.
    pub(crate) longest: f64,
}

impl Class {
    /// Whether it can be in a window of which all are held so long, or each for its own span; with its span and
    /// cost.
    #[inline]
    pub(crate) fn held(&self, held: Held, tariff: &Tariff, budget: f64) -> Option<(f64, f64)> {
        let span = held.unwrap_or(self.own);
        let cost = tariff.charge(self.price, span).get();
        (self.longest >= span.get() && cost <= budget).then_some((span.get(), cost))
    }
}

/// No piece, no class, no rank.
pub(crate) const NONE: u32 = u32::MAX;

/// The data by which the last class of a node is recognised.
#[derive(Debug, Clone, Copy)]
struct Known {
    speed: f64,
    price: f64,
    span: f64,
    class: u32,
}

const UNKNOWN: Known = Known { speed: f64::NAN, price: f64::NAN, span: f64::INFINITY, class: NONE };

/// Pieces in (start, node) order and their classes.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) classes: Vec<Class>,
    /// Shortest span of the task first: it, and the class.
    pub(crate) by_span: Vec<(f64, u32)>,
    nodes: Nodes,
    /// Last class of each node.
    known: Vec<Known>,
}

impl Catalogue {
    /// Lists the slots that are fast and cheap enough and long enough for a task that is held so long. `value` is
    /// called once for each of them, or (`by_node`) once for each node, speed and price.
    ///
    /// A longer task fits into no other slots, so that the list serves every pass with spans of at least
    /// these. Each slot is a unit of work.
    pub(crate) fn list(
        &mut self,
        query: WindowQuery<'_>,
        limits: &Limits,
        held: Held,
        by_node: bool,
        meter: &mut Meter,
        mut value: impl FnMut(&Slot, Span) -> Result<f64, WindowError>,
    ) -> Result<(), WindowError> {
        let WindowQuery { slots, from, .. } = query;
        self.pieces.clear();
        self.classes.clear();
        self.nodes = Nodes::of(slots.runs_alive_at(from).flatten().map(|slot| slot.node().0));
        self.known.clear();
        self.known.resize(self.nodes.count(), UNKNOWN);
        let mut at = 0_u32;
        let mask = query.mask();
        'listed: for (run, room) in slots.runs_with_room(from, query.request.work()) {
            if room.is_none() {
                at += run.len() as u32;
                meter.spend(passed_over_work(slots, run))?;
                continue;
            }
            meter.spend(run.len() as u64)?;
            for slot in run {
                let number = at;
                at += 1;
                let start = usable(slot, from.get());
                if start >= limits.start_below {
                    break 'listed;
                }
                if mask.is_some_and(|mask| !mask.allows(slot)) {
                    continue;
                }
                let end = slot.end().get();
                let end = if end < limits.finish { end } else { limits.finish };
                let number_of_node = self.nodes.number(slot.node().0);
                let known = self.known[number_of_node];
                let is_known = (slot.speed().get() == known.speed) & (slot.price().get() == known.price);
                if is_known && !fits(start, known.span, end) {
                    continue;
                }
                let mut class = known.class;
                if !(is_known && by_node) {
                    let own = query.request.span_on(slot.speed());
                    let span = held.unwrap_or(own);
                    let suits = (slot.speed().get() >= limits.min_speed)
                        & (slot.price().get() <= limits.price)
                        & (own <= span);
                    if !suits || !fits(start, span.get(), end) {
                        continue;
                    }
                    let worth = value(slot, span)?;
                    if !(is_known && self.classes[class as usize].value == worth) {
                        class = self.classes.len() as u32;
                        let (node, speed, price) = (slot.node().0, slot.speed().get(), slot.price());
                        self.known[number_of_node] =
                            Known { speed, price: price.get(), span: span.get(), class };
                        let of = Class { node, last: NONE, own, price, value: worth, longest: 0.0 };
                        self.classes.push(of);
                    }
                }
                let piece = self.pieces.len() as u32;
                let of = &mut self.classes[class as usize];
                of.longest = of.longest.max(span_bound(start, end));
                let before = std::mem::replace(&mut of.last, piece);
                self.pieces.push(Piece { start, end, class, at: number, before });
            }
        }
        self.by_span.clear();
        self.by_span.extend(self.classes.iter().zip(0..).map(|(class, number)| (class.own.get(), number)));
        sort_keys(&mut self.by_span);
        Ok(())
    }

    /// The distinct spans of the task, shortest first, each with the number of classes that take no longer.
    pub(crate) fn levels(&self) -> impl Iterator<Item = (Span, usize)> {
        let of_span = self.by_span.chunk_by(|a, b| a.0 == b.0);
        of_span.scan(0, |upto, classes| {
            *upto += classes.len();
            Some((self.classes[classes[0].1 as usize].own, *upto))
        })
    }
}
