//! The slots that can be in some window, by class.

use crate::{
    WindowError,
    sweep::{Candidate, Held, Nodes, fits},
};
use sched_model::{Price, Slot, Span, Tariff, span_bound};

/// A slot, in the form that the passes read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) class: u32,
    /// Its position in the list.
    pub(super) at: u32,
}

/// Slots of one node with the same span of the task, price and value: mostly all slots of a node. At most one slot of
/// a node is live at an instant, so at most one of a class.
#[derive(Debug, Clone, Copy)]
pub(super) struct Class {
    pub(super) node: u32,
    pub(super) group: u32,
    /// The span of the task on its node.
    pub(super) own: Span,
    pub(super) price: Price,
    pub(super) value: f64,
    /// The length of its longest slot, rounded up.
    longest: f64,
}

/// For how long windows of a level hold a node, and within which budget.
#[derive(Debug, Clone, Copy)]
pub(super) struct OnLevel<'q> {
    pub(super) held: Held,
    pub(super) tariff: &'q Tariff,
    pub(super) budget: f64,
}

impl OnLevel<'_> {
    /// The span and the cost of a class in such a window, if it can be in one.
    #[inline]
    pub(super) fn takes(self, class: &Class) -> Option<(f64, f64)> {
        let span = self.held.unwrap_or(class.own);
        let cost = self.tariff.charge(class.price, span).get();
        let can = class.own <= span && class.longest >= span.get() && cost <= self.budget;
        can.then_some((span.get(), cost))
    }

    /// Whether the span of the class is that of the level.
    pub(super) fn is_own(self, class: &Class) -> bool {
        self.held == Some(class.own)
    }
}

/// No class.
const NONE: u32 = u32::MAX;

/// Slots in order of start, and their classes.
#[derive(Debug, Default)]
pub(super) struct Classes {
    pub(super) pieces: Vec<Piece>,
    pub(super) classes: Vec<Class>,
}

impl Classes {
    /// Lists those of these candidates that are long enough for a task that is held so long and ends by `finish`.
    /// `value` is called once for each of them, or (`by_node`) once for each node, span and price.
    ///
    /// A longer task fits into no other slots, so that the list serves every pass with spans of at least these.
    pub(super) fn of(
        all: &[Candidate<'_>],
        (held, finish, by_node): (Held, f64, bool),
        mut value: impl FnMut(&Slot, Span) -> Result<f64, WindowError>,
    ) -> Result<Self, WindowError> {
        let (mut pieces, mut classes) = (Vec::with_capacity(all.len()), Vec::<Class>::new());
        let nodes = Nodes::of(all.iter().map(|of| of.slot.node().0));
        let mut last = vec![NONE; nodes.count()];
        for of in all {
            let Candidate { slot, start, own, at, group, .. } = *of;
            let (span, end) = (held.unwrap_or(own), slot.end().get().min(finish));
            if own > span || !fits(start, span.get(), end) {
                continue;
            }
            let (node, price) = (slot.node().0, slot.price());
            let known = &mut last[nodes.number(node)];
            let alike = classes.get(*known as usize).filter(|class| class.own == own && class.price == price);
            if alike.is_none() || !by_node {
                let value = value(slot, span)?;
                if alike.is_none_or(|class| class.value != value) {
                    *known = classes.len() as u32;
                    classes.push(Class { node, group, own, price, value, longest: 0.0 });
                }
            }
            let class = &mut classes[*known as usize];
            class.longest = class.longest.max(span_bound(start, end));
            pieces.push(Piece { start, end, class: *known, at });
        }
        Ok(Self { pieces, classes })
    }
}
