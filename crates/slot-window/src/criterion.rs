//! The criteria by which windows are ranked: four objectives, and additive criteria, which give each node of a window
//! a value.

use crate::WindowError;
use crate::subset::MAX_NUMBER;
use sched_model::internal::{map_of, of_node};
use sched_model::{NodeId, Slot, Span};
use std::fmt;

sched_model::registry! {
    /// The objective that [`Optimal`](crate::Optimal) minimises.
    pub enum Objective: "objective" {
        /// The start of the window.
        Start = "start",
        /// The finish of its last task.
        Finish = "finish",
        /// The runtime: the span of the slowest task. ([`Window::runtime`](sched_model::Window::runtime) is the
        /// finish minus the start, and may differ from it by rounding.)
        Runtime = "runtime",
        /// The cost of all placements together.
        Cost = "cost",
    }
}

/// The value of one node in a window; the value of a window is the exact sum over its nodes, rounded once.
///
/// Any closure of the slot and of the span for which it is held is a criterion:
///
/// ```
/// use sched_model::{Slot, Span};
/// use slot_window::Criterion;
/// fn is_criterion(_: &impl Criterion) {}
/// // Energy: power grows with the square of the speed.
/// let energy = |slot: &Slot, span: Span| slot.speed.get().powi(2) * span.get();
/// is_criterion(&energy);
/// ```
pub trait Criterion: Send + Sync {
    /// The value of `slot` when it is held for `span`; finite, at most 10^200 in magnitude.
    fn value(&self, slot: &Slot, span: Span) -> f64;

    /// Whether the value may depend on the span. If not, `false` avoids computing it again for each speed.
    fn depends_on_span(&self) -> bool {
        true
    }
}

impl fmt::Debug for dyn Criterion {
    /// Writes `Criterion`, because closures cannot be shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Criterion")
    }
}

impl Criterion for std::sync::Arc<dyn Criterion> {
    fn value(&self, slot: &Slot, span: Span) -> f64 {
        (**self).value(slot, span)
    }
    fn depends_on_span(&self) -> bool {
        (**self).depends_on_span()
    }
}

impl<F: Fn(&Slot, Span) -> f64 + Send + Sync> Criterion for F {
    fn value(&self, slot: &Slot, span: Span) -> f64 {
        self(slot, span)
    }
}

/// The speed of each node: a window of maximum total speed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TotalSpeed;

impl Criterion for TotalSpeed {
    fn value(&self, slot: &Slot, _span: Span) -> f64 {
        slot.speed.get()
    }
    fn depends_on_span(&self) -> bool {
        false
    }
}

/// A value for each node, with any meaning: reliability, preference, stored data.
///
/// ```
/// use sched_model::{Node, NodeId, Slot, Span, Time};
/// use slot_window::{Criterion, NodeValues};
/// let values = NodeValues::new([(NodeId(1), 4.5), (NodeId(2), 7.0)])?;
/// for (node, value) in [(2, 7.0), (9, 0.0)] {
///     let slot = Slot::new(Node::must(node, 1.0, 1.0), Time::ZERO, Time::must(5.0))?;
///     assert_eq!(values.value(&slot, Span::must(3.0)), value);
/// }
/// # Ok::<(), slot_window::WindowError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[must_use]
pub struct NodeValues {
    /// In order of node.
    values: Vec<(NodeId, f64)>,
}

impl NodeValues {
    /// Creates a criterion from the values of nodes. Any other node has the value 0; of several values of one node,
    /// the last counts.
    ///
    /// # Errors
    /// [`WindowError::Value`] for a value that is not finite or above 10^200 in magnitude.
    pub fn new(values: impl IntoIterator<Item = (NodeId, f64)>) -> Result<Self, WindowError> {
        let values = map_of(values);
        for (&node, &value) in &values {
            checked(node, value)?;
        }
        Ok(Self { values: values.into_iter().collect() })
    }
}

impl Criterion for NodeValues {
    fn value(&self, slot: &Slot, _span: Span) -> f64 {
        of_node(&self.values, slot.node, |value| value.0).map_or(0.0, |value| value.1)
    }
    fn depends_on_span(&self) -> bool {
        false
    }
}

/// Returns `value`, or an error if sums and bounds of such values could overflow or be NaN.
pub(crate) fn checked(node: NodeId, value: f64) -> Result<f64, WindowError> {
    if value.abs() <= MAX_NUMBER { Ok(value) } else { Err(WindowError::Value { node, value }) }
}
