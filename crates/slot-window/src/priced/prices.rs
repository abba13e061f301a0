//! Prices of instants on nodes.

use crate::{WindowError, subset::MAX_NUMBER};
use sched_model::{NodeId, Time};
use std::collections::BTreeMap;

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
    nodes: BTreeMap<NodeId, Vec<Point>>,
    /// The greatest number of instants of a node, and the greatest sum of its prices.
    most: (usize, f64),
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
        let mut sorted: BTreeMap<NodeId, BTreeMap<Time, f64>> = BTreeMap::new();
        for (node, instant, price) in prices {
            if !(0.0..=MAX_NUMBER).contains(&price) {
                return Err(WindowError::Value { node, value: price });
            }
            *sorted.entry(node).or_default().entry(instant).or_default() += price;
        }
        let cumulative = |instants: BTreeMap<Time, f64>| {
            let mut up_to = 0.0;
            let points = instants.into_iter().map(|(at, price)| {
                up_to += price;
                Point { at: at.get(), up_to }
            });
            points.collect()
        };
        let nodes: BTreeMap<NodeId, Vec<Point>> =
            sorted.into_iter().map(|(node, instants)| (node, cumulative(instants))).collect();
        let most = nodes.values().fold((0, 0.0_f64), |most, points: &Vec<Point>| {
            (most.0.max(points.len()), most.1.max(points.last().map_or(0.0, |last| last.up_to)))
        });
        Ok(Self { nodes, most })
    }

    /// The sum of the prices that a placement on `node` from `start` to `end` pays: those at instants after
    /// `start`, up to `end`. O(log p) for p prices of the node.
    pub fn between(&self, node: NodeId, start: Time, end: Time) -> f64 {
        between(self.points(node), start.get(), end.get())
    }

    /// The greatest number of instants with prices on a node.
    pub(super) fn most_points(&self) -> usize {
        self.most.0
    }

    /// The greatest sum of the prices of a node.
    pub(super) fn most_of_a_node(&self) -> f64 {
        self.most.1
    }

    pub(super) fn points(&self, node: NodeId) -> &[Point] {
        self.nodes.get(&node).map_or(&[], Vec::as_slice)
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
