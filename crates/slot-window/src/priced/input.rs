//! The input of the pricing search: prices of instants on nodes, and the parts of a query that neither prices nor
//! weights change.

use super::{PricedAnswer, Weights, sweep};
use crate::subset::MAX_NUMBER;
use crate::sweep::{Candidate, Limits, candidates_by_pool, max_per_group};
use crate::{WindowError, WindowQuery};
use sched_model::internal::{of_node, sort};
use sched_model::{Limit, Meter, NodeId, SlotList, Time, Window, check::Rules};

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
    /// The maximum number of instants of a node.
    pub(super) max_points: usize,
    /// The maximum sum of the prices of a node.
    pub(super) max_node_total: f64,
}

/// An instant, with the sum of the prices at it and before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    pub(super) at: f64,
    pub(super) up_to: f64,
}

impl NodeTimePrices {
    /// Creates prices from triples (node, instant, price), in any order; prices at the same instant of the same node
    /// are added.
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
            own.max_points = own.max_points.max(points.len());
            own.max_node_total = own.max_node_total.max(up_to);
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

/// The sum of the prices at instants after `start`, up to `end`.
pub(super) fn between(points: &[Point], start: f64, end: f64) -> f64 {
    let up_to = |instant: f64| match points.partition_point(|point| point.at <= instant) {
        0 => 0.0,
        count => points[count - 1].up_to,
    };
    (up_to(end) - up_to(start)).max(0.0)
}

/// The search for the window of minimum `cost weight * cost + runtime weight * runtime + start weight * start +
/// node-time prices`, prepared for many prices and weights: it knows which slots suit, and how long the task takes on
/// them. The rules say how limits apply, and for how long nodes are held. A start is measured from the query's
/// `from`.
///
/// Source: the pricing step of column generation (L. Wolsey: *Integer Programming*, 1998, chapter 11), here
/// for windows of simultaneous slots; the sweep over starts is not from that source.
///
/// * **Guarantee**: exact among all windows that keep the rules, at any start, to the last bit of the value
///   that is returned: the exact sum over the nodes of weighted charge and prices, rounded once, and to this
///   the weighted runtime and start. Prices that a node pays are differences of sums in doubles.
/// * **Complexity**: O(m log m) time and O(m) memory for m slots to prepare. With p prices on their nodes, w slots
///   live at once, and r different spans: one sweep (r if all nodes are held for the slowest) of O((m + p) (log(m +
///   p) + w)), O(r w) at starts with a possibly better window, and a subset problem at starts where the windows of
///   minimum value are too expensive for the budget. Slots that cannot be part of a window below the best one known
///   are skipped. The subset problems are the part that can be long: the limit applies to all of them together, and
///   the bound holds even if it ends them.
/// * **Demands** of the query are met exactly. Labels and amounts are one bit for each slot. If nodes are packed,
///   each value of the label has a sweep over its own slots. If they are spread, sets are chosen greedily with the
///   maximum number of each group, and by branch and bound if those are too expensive for the budget; an anchor (a
///   node that decides the span, for negative cost weights) is then tried among all nodes of its span.
/// * **Ties**: if nodes are packed, the first value of the label; then the earlier start, then the longer runtime.
/// * **Errors**: [`WindowError`] for malformed input only.
///
/// ```
/// use sched_model::*;
/// use slot_window::WindowQuery;
/// use slot_window::priced::{NodeTimePrices, PricedQuery};
/// let node = |id, price| Node::must(id, 1.0, price);
/// let slots = SlotList::from_nodes(&[node(1, 1.0), node(2, 3.0)], &[], Time::ZERO, Time::must(100.0))?;
/// let request = ResourceRequest::new(1, Work::must(40.0))?;
/// let query = PricedQuery::new(check::Rules::per_window(1.0), &WindowQuery::new(&slots, &request))?;
/// let (by_cost, mut meter) = ([1.0, 0.0, 0.0], Limit::default().meter());
/// // Node 1 costs 40, node 2 costs 120. Another job would give 90 for node 1 just before 30: a window on node 1 that
/// // starts at 30 or later does not pay that price.
/// for (price, start) in [(0.0, 0.0), (90.0, 30.0)] {
///     let prices = NodeTimePrices::new([(NodeId(1), Time::must(30.0), price)])?;
///     let best = query.best(by_cost, &prices, f64::INFINITY, &mut meter)?.best.unwrap();
///     assert_eq!((best.window.start(), best.value), (Time::must(start), 40.0));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct PricedQuery<'a> {
    pub(super) rules: Rules,
    pub(super) slots: &'a SlotList,
    pub(super) nodes: usize,
    pub(super) limits: Limits,
    /// The instant from which the start is weighted.
    pub(super) origin: Time,
    /// The maximum number of nodes of one group in a window.
    pub(super) max_per_group: usize,
    /// The candidates, one pool after the other.
    pub(super) candidates: Vec<Candidate<'a>>,
}

impl<'a> PricedQuery<'a> {
    /// An upper bound on the memory of a query on a list of `slots` slots, in bytes.
    pub fn bytes(slots: usize) -> u64 {
        (slots as u64).saturating_mul(size_of::<Candidate<'_>>() as u64)
    }

    /// Prepares the search for the windows of `query` under `rules`.
    ///
    /// # Errors
    /// [`WindowError::TooManySlots`] for a list of more than 2^32 - 1 slots; [`WindowError::OtherList`] for demands
    /// that were compiled for another list; others for malformed input.
    pub fn new(rules: Rules, query: &WindowQuery<'a>) -> Result<Self, WindowError> {
        let mut own = None;
        let (WindowQuery { slots, request, from: origin, .. }, query) = (*query, query.prepared(&mut own)?);
        let limits = Limits::of(&query, rules)?;
        let at_any_start = Limits { start_below: f64::INFINITY, ..limits };
        let candidates = candidates_by_pool(slots, query, &at_any_start, &mut Limit::none().meter())?;
        let (nodes, max_per_group) = (request.nodes(), max_per_group(query));
        Ok(Self { rules, slots, nodes, limits, origin, max_per_group, candidates })
    }

    /// Finds the window of minimum value by the `weights` of cost, runtime and start, if it is below `below`, and a
    /// bound that includes the rounding error. If a good window is known, pass its value as `below`: slots that no
    /// better window can contain are skipped, which are most of the slots of a large list.
    ///
    /// The meter limits all choices of nodes within the budget together. Beyond its limit, and at starts where no
    /// window can be better by more than its gap, the best window may be missed; the bound states by how much at
    /// most. More work makes neither the value nor, without a gap, the bound worse. The sweep over the starts itself
    /// always runs to its end; if the limit ends the choices, a second sweep runs without them.
    ///
    /// # Errors
    /// [`WindowError::Number`] for a weight above 10^100 in magnitude or not a number; only that of cost may be
    /// negative: then expensive windows are preferred, which is the income of owners.
    pub fn best(
        &self,
        weights: [f64; 3],
        prices: &NodeTimePrices,
        below: f64,
        meter: &mut Meter,
    ) -> Result<PricedAnswer, WindowError> {
        let before = meter.work();
        let (best, bound) = sweep::search(Weights::new(weights)?, self, prices, below, meter)?;
        Ok(PricedAnswer { best, bound, work: meter.work() - before })
    }

    /// The value of `window`: the exact sum over its nodes of weighted charge and prices, rounded once, and to this
    /// the weighted runtime and start.
    ///
    /// The runtime is the difference of two instants. If these are rounded, it may differ by that rounding from the
    /// span of the slowest task, which is what a search weights.
    ///
    /// # Errors
    /// As for [`best`](Self::best).
    pub fn value(
        &self,
        weights: [f64; 3],
        window: &Window,
        prices: &NodeTimePrices,
    ) -> Result<f64, WindowError> {
        Ok(Weights::new(weights)?.value(window, window.runtime(), self.origin, prices))
    }
}
