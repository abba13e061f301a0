//! The input of the pricing search: prices of instants on nodes, and the parts of a query that neither prices nor
//! weights change.

use crate::subset::MAX_NUMBER;
use crate::sweep::{Limits, most_of_a_group};
use crate::{WindowError, WindowQuery};
use sched_model::internal::{of_node, sort};
use sched_model::{NodeId, Slot, SlotList, Span, Time, check::Rules};

/// Prices at instants of nodes: a placement `(start, end]` pays every price of its node in that interval.
///
/// The prices are the dual values of "at most one window holds this node just before this instant". Two
/// half-open windows `[start, end)` on a node overlap exactly if both hold it just before the earlier of
/// their ends, so prices at the ends of windows are enough to keep windows apart. The instant itself belongs
/// to the interval on the right only: a window that starts where another one ends does not pay for that end.
///
/// ```
/// use sched_model::{NodeId, Time};
/// use slot_window::priced::NodeTimePrices;
/// let at = |instant| Time::must(instant);
/// let prices = NodeTimePrices::new([(NodeId(1), at(10.0), 3.0), (NodeId(1), at(20.0), 4.0)])?;
/// assert_eq!(prices.between(NodeId(1), at(0.0), at(20.0)), 7.0);
/// assert_eq!(prices.between(NodeId(1), at(10.0), at(19.0)), 0.0);
/// assert_eq!(prices.between(NodeId(2), at(0.0), at(99.0)), 0.0);
/// # Ok::<(), slot_window::WindowError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeTimePrices {
    /// In order of node.
    nodes: Vec<(NodeId, Vec<Point>)>,
    /// The greatest number of instants of a node.
    pub(super) most_points: usize,
    /// The greatest sum of the prices of a node.
    pub(super) most_of_a_node: f64,
}

/// An instant with the sum of the prices up to it, itself included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    pub(super) at: f64,
    pub(super) up_to: f64,
}

impl NodeTimePrices {
    /// These prices, in any order; those at one instant of one node are added.
    ///
    /// # Errors
    /// [`WindowError::Value`] for a price that is negative, not finite or above 10^200.
    pub fn new(prices: impl IntoIterator<Item = (NodeId, Time, f64)>) -> Result<Self, WindowError> {
        let mut prices: Vec<(NodeId, Time, f64)> = prices.into_iter().collect();
        if let Some(&(node, _, value)) = prices.iter().find(|(.., price)| !(0.0..=MAX_NUMBER).contains(price))
        {
            return Err(WindowError::Value { node, value });
        }
        sort(&mut prices, &|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
        let mut own = Self::default();
        for of_node in prices.chunk_by(|a, b| a.0 == b.0) {
            let mut up_to = 0.0;
            let point = |instant: &[(NodeId, Time, f64)]| {
                up_to += instant.iter().map(|price| price.2).sum::<f64>();
                Point { at: instant[0].1.get(), up_to }
            };
            let points: Vec<Point> = of_node.chunk_by(|a, b| a.1 == b.1).map(point).collect();
            own.most_points = own.most_points.max(points.len());
            own.most_of_a_node = own.most_of_a_node.max(up_to);
            own.nodes.push((of_node[0].0, points));
        }
        Ok(own)
    }

    /// The sum of the prices that a placement on `node` from `start` to `end` pays: those at instants after
    /// `start`, up to `end`. O(log p) for p prices of the node.
    pub fn between(&self, node: NodeId, start: Time, end: Time) -> f64 {
        between(self.points(node), start.get(), end.get())
    }

    pub(super) fn points(&self, node: NodeId) -> &[Point] {
        of_node(&self.nodes, node, |of| of.0).map_or(&[], |of| &of.1)
    }
}

/// The prices after `start`, up to `end`.
pub(super) fn between(points: &[Point], start: f64, end: f64) -> f64 {
    let up_to = |instant: f64| match points.partition_point(|point| point.at <= instant) {
        0 => 0.0,
        count => points[count - 1].up_to,
    };
    (up_to(end) - up_to(start)).max(0.0)
}

/// A query prepared for many searches under different prices and weights: which slots suit, and how long the
/// task takes on them. Made by [`PricedSearch::prepare`](super::PricedSearch::prepare) in O(m log m) time and O(m)
/// memory for m slots.
#[derive(Debug)]
#[must_use]
pub struct PreparedQuery<'a> {
    pub(super) rules: Rules,
    pub(super) slots: &'a SlotList,
    pub(super) nodes: usize,
    pub(super) limits: Limits,
    /// The instant from which the start is weighted.
    pub(super) origin: Time,
    /// No window starts earlier.
    pub(super) from: f64,
    /// The most nodes of a group in one window.
    pub(super) most_of_group: usize,
    /// The suited slots, in order of place.
    pub(super) suited: Vec<Suited<'a>>,
}

/// A slot that suits the request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Suited<'a> {
    pub(super) slot: &'a Slot,
    pub(super) own_span: Span,
    /// Slots of one place may be combined: all, or those of one value of the label to pack by.
    pub(super) place: u32,
    /// Of a group, those of one value of the label to spread by, a window may contain so many.
    pub(super) group: u32,
}

impl<'a> PreparedQuery<'a> {
    /// The most memory that a query on a list of so many slots takes, in bytes.
    pub fn bytes(slots: usize) -> u64 {
        (slots as u64).saturating_mul(size_of::<Suited<'_>>() as u64)
    }

    pub(super) fn new(rules: Rules, query: &WindowQuery<'a>) -> Result<Self, WindowError> {
        let origin = query.from;
        let (mut own, slots) = (None, query.slots);
        let query = query.settled(&mut own)?;
        let WindowQuery { request, from, .. } = query;
        let mask = query.mask();
        let limits = Limits::of(&query, rules)?;
        let suits = |slot: &&Slot| {
            slot.speed().get() >= limits.min_speed
                && slot.price().get() <= limits.price
                && slot.end() > from
                && mask.is_none_or(|mask| mask.allows(slot))
        };
        let together = query.beyond_mask();
        let suited = |slot: &'a Slot| Suited {
            slot,
            own_span: query.span_on(slot),
            place: together.map_or(0, |demands| demands.pack_of(slot)),
            group: together.map_or(0, |demands| demands.spread_of(slot)),
        };
        let mut suited: Vec<Suited<'a>> =
            slots.runs_alive_at(from).flatten().filter(suits).map(suited).collect();
        if together.is_some() {
            sort(&mut suited, &|a, b| a.place.cmp(&b.place));
        }
        Ok(Self {
            rules,
            slots,
            nodes: request.nodes(),
            limits,
            origin,
            from: from.get(),
            most_of_group: most_of_a_group(query),
            suited,
        })
    }
}
