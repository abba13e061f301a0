//! The pricing search: finds the window of minimum value, if instants on nodes have prices. For joint-plan alone: it
//! is not part of the public interface, and may change without notice.
//!
//! A planner of many jobs solves this problem for each job alone: which window is best if the job pays for the
//! node-time that it takes from others? The prices come from outside (dual values of a relaxation, tolls, taxes); the
//! answer is exact, so that the sum of the answers bounds the value of all jobs together.
//!
//! Terms used here. *Charge*: the money paid to the owner of a node. *Price* (of node-time): see [`NodeTimePrices`].
//! *Level*: a bound on the runtime of the window; the levels are the spans of the task on the suitable nodes.

mod input;
mod sweep;

pub use input::{NodeTimePrices, PricedQuery};

use crate::WindowError;
use crate::subset::MAX_NUMBER;
use sched_model::internal::exact_sum;
use sched_model::{Placement, Span, Time, Window};

/// A window and its value under prices.
#[derive(Debug, Clone, PartialEq)]
pub struct PricedWindow {
    /// The window.
    pub window: Window,
    /// Its weighted cost, runtime and start, and the prices of the node-time it takes. The runtime is the span of
    /// its slowest task.
    pub value: f64,
}

/// The result of a search for windows below a value.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PricedAnswer {
    /// The window of minimum value, if its value is below the given one.
    pub best: Option<PricedWindow>,
    /// A lower bound on the values of all windows, which allows for the rounding of sums. After a complete search it
    /// is slightly below the value found or, without a window, the given value; infinite if there is no window at all
    /// and the given value was infinite.
    pub bound: f64,
    /// The work of the subset problems, which choose nodes within the budget.
    pub work: u64,
}

/// The weights of a unit of money, of runtime, and of time by which a window starts after the query's `from`.
#[derive(Debug, Clone, Copy)]
struct Weights {
    cost: f64,
    runtime: f64,
    start: f64,
}

impl Weights {
    fn new([cost, runtime, start]: [f64; 3]) -> Result<Self, WindowError> {
        Ok(Self {
            cost: checked("cost weight", cost, -MAX_WEIGHT)?,
            runtime: checked("runtime weight", runtime, 0.0)?,
            start: checked("start weight", start, 0.0)?,
        })
    }

    /// The value of `window`, taking its runtime as `runtime`.
    fn value(self, window: &Window, runtime: Span, from: Time, prices: &NodeTimePrices) -> f64 {
        let start = window.start();
        let of_node = |p: &Placement| self.cost * p.cost.get() + prices.between(p.node, start, p.end);
        exact_sum(window.placements().iter().map(of_node))
            + (self.runtime * runtime.get() + self.start * (start - from).get())
    }
}

/// The maximum magnitude of a weight: its products with quantities stay finite.
const MAX_WEIGHT: f64 = 1e100;
const _: () = assert!(MAX_WEIGHT <= MAX_NUMBER);

fn checked(what: &'static str, weight: f64, min: f64) -> Result<f64, WindowError> {
    if (min..=MAX_WEIGHT).contains(&weight) {
        Ok(weight + 0.0)
    } else {
        Err(WindowError::Number { what, value: weight })
    }
}
