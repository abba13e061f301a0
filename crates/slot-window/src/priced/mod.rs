//! The pricing search: the window of minimum value where instants on nodes have prices. For joint-plan alone: it is
//! no part of the interface, and changes without notice.
//!
//! A planner of many jobs solves this problem for each job alone: which window is best for it if it pays for
//! the node-time that it takes from others? The prices come from outside (dual values of a relaxation, tolls,
//! taxes); the answer is exact, so that the sum of the answers is a bound for all jobs together.
//!
//! Words used here. *Charge*: the money paid to the owner of a node. *Price* (of node-time): see
//! [`NodeTimePrices`]. *Level*: a bound on the runtime of the window; the levels are the spans of the task on
//! the suitable nodes.

mod input;
mod sweep;

pub use input::{NodeTimePrices, PreparedQuery};

use crate::subset::MAX_NUMBER;
use crate::{WindowError, WindowQuery};
use sched_model::check::Rules;
use sched_model::internal::exact_sum;
use sched_model::{Meter, Span, Time, Window};

/// The window of minimum
/// `cost weight * cost + runtime weight * runtime + start weight * start + node-time prices`.
///
/// Source: the pricing step of column generation (L. Wolsey: *Integer Programming*, 1998, chapter 11), here
/// for windows of simultaneous slots; the sweep over starts is not from that source.
///
/// * **Guarantee**: exact among all windows that keep the rules, at any start, to the last bit of the value
///   that is returned: the exact sum over the nodes of weighted charge and prices, rounded once, and to this
///   the weighted runtime and start. Prices that a node pays are differences of sums in doubles.
/// * **Complexity**: with m usable slots, p prices on their nodes, w slots live at once, and r different
///   spans: one sweep (r where all nodes are held for the slowest) of O((m + p) (log(m + p) + w)), O(r w) at
///   starts with a possibly better window, and a subset problem where the windows of minimum value are too
///   expensive for the budget. Slots that cannot be part of a window below the best one known are skipped.
///   The subset problems are the part that can be long: the limit applies to all of them together, and
///   [`bounded_within`](Self::bounded_within) gives a bound where it ends them.
/// * **Demands**: [`bounded_within`](Self::bounded_within) meets those of its query exactly. Labels and
///   amounts are one bit for each slot. Where nodes are packed, each value of the label has a sweep over its
///   own slots. Where they are spread, sets are chosen greedily with at most so many of each group, and by
///   branch and bound where those are too expensive for the budget; an anchor (a node that decides the span,
///   for negative cost weights) is then tried among all nodes of its span.
/// * **Ties**: where nodes are packed, the first value of the label; then the earlier start, then the longer
///   runtime.
/// * **Errors**: [`WindowError`] for malformed input only.
///
/// ```
/// use sched_model::*;
/// use slot_window::WindowQuery;
/// use slot_window::priced::{NodeTimePrices, PricedSearch};
/// let node = |id, price| Node::new(NodeId(id), Speed::ETALON, Price::must(price));
/// let slots = SlotList::from_nodes(&[node(1, 1.0), node(2, 3.0)], &[], Time::ZERO, Time::must(100.0))?;
/// let request = ResourceRequest::new(1, Work::must(40.0))?;
/// // Node 1 costs 40, node 2 costs 120. Another job would give 90 for node 1 just before 30.
/// let prices = NodeTimePrices::new([(NodeId(1), Time::must(30.0), 90.0)])?;
/// let search = PricedSearch::new(check::Rules::per_window(1.0)).with_cost_weight(1.0)?;
/// let (query, limit) = (WindowQuery::new(&slots, &request), Limit::default());
/// let best = search.bounded_within(&query, &prices, f64::INFINITY, &mut limit.meter())?.best.unwrap();
/// // A window on node 1 that starts at 30 or later does not pay that price.
/// assert_eq!((best.window.start(), best.value), (Time::must(30.0), 40.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PricedSearch {
    rules: Rules,
    cost_weight: f64,
    runtime_weight: f64,
    start_weight: f64,
}

/// A window and its value under prices.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PricedWindow {
    /// The window.
    pub window: Window,
    /// Its weighted cost, runtime and start, and the prices of the node-time it takes. The runtime is the span of
    /// its slowest task.
    pub value: f64,
}

/// The result of a search for windows below a value.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PricedAnswer {
    /// The window of minimum value, if it is below the value asked for.
    pub best: Option<PricedWindow>,
    /// No window has a lesser value than this. It is slightly below the value found, or the value asked for,
    /// because of the rounding of sums. Infinite where there is no window at all and the value asked for was
    /// infinite.
    pub bound: f64,
    /// The work of the subset problems: choices of nodes within the budget.
    pub work: u64,
}

impl std::fmt::Display for PricedWindow {
    /// One line: `value 90, [10, 70) for 270 on nodes 1, 2 until 40`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "value {}, {}", self.value, self.window)
    }
}

impl std::fmt::Display for PricedAnswer {
    /// One line: the window, if there is one, and the bound.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.best {
            Some(best) => write!(f, "{best}; bound {}", self.bound),
            None => write!(f, "no window below {}", self.bound),
        }
    }
}

impl PricedSearch {
    /// A search for windows that keep these rules; all weights are 0.
    pub fn new(rules: Rules) -> Self {
        Self { rules, cost_weight: 0.0, runtime_weight: 0.0, start_weight: 0.0 }
    }

    /// With this weight for a unit of money.
    ///
    /// # Errors
    /// [`WindowError::Weight`] unless it is finite and at most 10^100 in magnitude. It may be negative: then
    /// expensive windows are preferred, which is the income of owners.
    pub fn with_cost_weight(self, weight: f64) -> Result<Self, WindowError> {
        Ok(Self { cost_weight: checked("cost weight", weight, -MAX_WEIGHT)?, ..self })
    }

    /// With this weight for a unit of the window's runtime.
    ///
    /// # Errors
    /// [`WindowError::Weight`] unless it is at least 0 and at most 10^100.
    pub fn with_runtime_weight(self, weight: f64) -> Result<Self, WindowError> {
        Ok(Self { runtime_weight: checked("runtime weight", weight, 0.0)?, ..self })
    }

    /// With this weight for each unit of time by which the window starts after `from`.
    ///
    /// # Errors
    /// [`WindowError::Weight`] unless it is at least 0 and at most 10^100.
    pub fn with_start_weight(self, weight: f64) -> Result<Self, WindowError> {
        Ok(Self { start_weight: checked("start weight", weight, 0.0)?, ..self })
    }

    /// The value of a window that starts no earlier than `from`: the exact sum over its nodes of weighted
    /// charge and prices, rounded once, and to this the weighted runtime and start.
    ///
    /// The runtime is the difference of two instants. Where these are rounded, it may differ by that rounding
    /// from the span of the slowest task, which is what a search weights.
    pub fn value(&self, window: &Window, from: Time, prices: &NodeTimePrices) -> f64 {
        self.value_with(window, window.runtime(), from, prices)
    }

    /// The value of a window of this runtime.
    fn value_with(&self, window: &Window, runtime: Span, from: Time, prices: &NodeTimePrices) -> f64 {
        let start = window.start();
        let of_node = |p: &sched_model::Placement| {
            self.cost_weight * p.cost.get() + prices.between(p.node, start, p.end)
        };
        exact_sum(window.placements().iter().map(of_node))
            + (self.runtime_weight * runtime.get() + self.start_weight * (start - from).get())
    }

    /// The window of minimum value among those of a value below `below`, and a bound that includes the rounding
    /// error. If a good window is known, pass its value as `below`: slots that no better window can contain are
    /// skipped, and in large lists these are most of them.
    ///
    /// All choices of nodes within the budget together keep the meter's limit. Beyond it, and at starts where
    /// no window can be better by more than the limit's gap, the best
    /// window may be missed; the bound states by how much at most. More work makes neither the value nor,
    /// without a gap, the bound worse. The sweep over the starts itself always runs to its end; where the
    /// limit ends the choices, there is a second one without them.
    ///
    /// # Errors
    /// [`WindowError::TooManySlots`] for a list of more than 2^32 - 1 slots; [`WindowError::OtherList`] for demands
    /// that were compiled for another list; others for malformed input.
    pub fn bounded_within(
        &self,
        query: &WindowQuery<'_>,
        prices: &NodeTimePrices,
        below: f64,
        meter: &mut Meter,
    ) -> Result<PricedAnswer, WindowError> {
        self.bounded_in(&PreparedQuery::new(self.rules, query)?, prices, below, meter)
    }

    /// The query with all that neither prices nor weights change, for many searches by
    /// [`bounded_in`](Self::bounded_in).
    ///
    /// # Errors
    /// As [`bounded_within`](Self::bounded_within).
    ///
    /// ```
    /// use sched_model::*;
    /// use slot_window::WindowQuery;
    /// use slot_window::priced::{NodeTimePrices, PricedSearch};
    /// let node = |id, price| Node::new(NodeId(id), Speed::ETALON, Price::must(price));
    /// let slots = SlotList::from_nodes(&[node(1, 1.0), node(2, 3.0)], &[], Time::ZERO, Time::must(100.0))?;
    /// let request = ResourceRequest::new(1, Work::must(40.0))?;
    /// let search = PricedSearch::new(check::Rules::per_window(1.0)).with_cost_weight(1.0)?;
    /// let query = search.prepare(&WindowQuery::new(&slots, &request))?;
    /// let limit = Limit::default();
    /// // Node 1 costs 40, node 2 costs 120. A price just before 30 on node 1 moves the window to 30.
    /// for (price, start) in [(0.0, 0.0), (90.0, 30.0)] {
    ///     let prices = NodeTimePrices::new([(NodeId(1), Time::must(30.0), price)])?;
    ///     let answer = search.bounded_in(&query, &prices, f64::INFINITY, &mut limit.meter())?;
    ///     let best = answer.best.unwrap();
    ///     assert_eq!((best.window.start(), best.value), (Time::must(start), 40.0));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn prepare<'a>(&self, query: &WindowQuery<'a>) -> Result<PreparedQuery<'a>, WindowError> {
        PreparedQuery::new(self.rules, query)
    }

    /// As [`bounded_within`](Self::bounded_within), with the same answer, for a query that was prepared by a
    /// search under the same rules.
    ///
    /// # Errors
    /// [`WindowError::OtherRules`] for a query that was prepared under other rules; others for malformed
    /// input.
    pub fn bounded_in(
        &self,
        query: &PreparedQuery<'_>,
        prices: &NodeTimePrices,
        below: f64,
        meter: &mut Meter,
    ) -> Result<PricedAnswer, WindowError> {
        if query.rules != self.rules {
            return Err(WindowError::OtherRules);
        }
        let before = meter.work();
        let (best, bound) = sweep::search(self, query, prices, below, meter)?;
        Ok(PricedAnswer { best, bound, work: meter.work() - before })
    }
}

/// Products with quantities stay finite.
const MAX_WEIGHT: f64 = 1e100;
const _: () = assert!(MAX_WEIGHT <= MAX_NUMBER);

fn checked(what: &'static str, weight: f64, least: f64) -> Result<f64, WindowError> {
    if (least..=MAX_WEIGHT).contains(&weight) {
        Ok(weight + 0.0)
    } else {
        Err(WindowError::Weight { what, least, most: MAX_WEIGHT, value: weight })
    }
}
