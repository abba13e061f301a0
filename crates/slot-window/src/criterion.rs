//! What windows are ranked by: four objectives, and additive criteria, the value of a node in a window.

use crate::WindowError;
use crate::subset::MAX_NUMBER;
use sched_model::internal::{exact_sum, map_of, of_node};
use sched_model::{NodeId, Placement, Slot, SlotList, Span, Window};
use std::fmt;

/// The objective that [`Optimal`](crate::Optimal) minimises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Objective {
    /// The start of the window.
    Start,
    /// The finish of its last task.
    Finish,
    /// How long the window takes: a search compares the span of the slowest task, the runtime of a window is
    /// its finish minus its start, both of them rounded.
    Runtime,
    /// The cost of all placements together.
    Cost,
}

impl Objective {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::Start, Self::Finish, Self::Runtime, Self::Cost];

    /// Its name, as in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Finish => "finish",
            Self::Runtime => "runtime",
            Self::Cost => "cost",
        }
    }

    /// Its value for a window.
    pub fn of(self, window: &Window) -> f64 {
        match self {
            Self::Start => window.start().get(),
            Self::Finish => window.finish().get(),
            Self::Runtime => window.runtime().get(),
            Self::Cost => window.cost().get(),
        }
    }
}

sched_model::registry!(impl Objective: "objective");

/// The data on which the value of a node in a window depends. The fewer they are, the faster is the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Scope {
    /// The node alone: computed once for each node.
    Node,
    /// The slot: computed once for each slot.
    Slot,
    /// The slot and the span for which it is held: computed once for each slot and speed.
    SlotAndSpan,
}

/// The value of one node in a window; the value of a window is the exact sum over its nodes, rounded once.
///
/// Any closure over the slot and the span for which it is held is one:
///
/// ```
/// use sched_model::{Slot, Span};
/// use slot_window::{Criterion, Scope};
/// fn is_criterion(_: &impl Criterion) {}
/// // Energy: power grows with the square of the speed.
/// let energy = |slot: &Slot, span: Span| slot.speed.get().powi(2) * span.get();
/// is_criterion(&energy);
/// ```
pub trait Criterion: Send + Sync {
    /// The value of `slot` when it is held for `span`; finite, at most 10^200 in magnitude.
    fn value(&self, slot: &Slot, span: Span) -> f64;

    /// The data on which the value depends. To state more of them is safe; to state fewer gives wrong
    /// answers.
    fn scope(&self) -> Scope {
        Scope::SlotAndSpan
    }
}

impl fmt::Debug for dyn Criterion {
    /// What its values depend on.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Criterion").field(&self.scope()).finish()
    }
}

impl Criterion for std::sync::Arc<dyn Criterion> {
    fn value(&self, slot: &Slot, span: Span) -> f64 {
        (**self).value(slot, span)
    }
    fn scope(&self) -> Scope {
        (**self).scope()
    }
}

impl<F: Fn(&Slot, Span) -> f64 + Send + Sync> Criterion for F {
    fn value(&self, slot: &Slot, span: Span) -> f64 {
        self(slot, span)
    }
}

/// The speed of each node: a window of greatest total speed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TotalSpeed;

impl Criterion for TotalSpeed {
    fn value(&self, slot: &Slot, _span: Span) -> f64 {
        slot.speed.get()
    }
    fn scope(&self) -> Scope {
        Scope::Slot
    }
}

/// A value for each node, with any meaning: reliability, preference, stored data.
///
/// ```
/// use sched_model::{Node, NodeId, Slot, Span, Time};
/// use slot_window::{Criterion, NodeValues};
/// let values = NodeValues::new([(NodeId(1), 4.5), (NodeId(2), 7.0)])?.with_default(1.0)?;
/// for (node, value) in [(2, 7.0), (9, 1.0)] {
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
    default: f64,
}

impl NodeValues {
    /// These values; 0 for any other node.
    ///
    /// # Errors
    /// [`WindowError::Value`] for a value that is not finite or above 10^200 in magnitude.
    pub fn new(values: impl IntoIterator<Item = (NodeId, f64)>) -> Result<Self, WindowError> {
        let values = map_of(values);
        for (&node, &value) in &values {
            checked(node, value)?;
        }
        Ok(Self { values: values.into_iter().collect(), default: 0.0 })
    }

    /// With this value for nodes that have none of their own.
    ///
    /// # Errors
    /// [`WindowError::Factor`] unless it is finite.
    pub fn with_default(self, default: f64) -> Result<Self, WindowError> {
        if default.abs() <= MAX_NUMBER {
            Ok(Self { default, ..self })
        } else {
            Err(WindowError::Number { what: "default value of nodes", value: default })
        }
    }
}

impl Criterion for NodeValues {
    fn value(&self, slot: &Slot, _span: Span) -> f64 {
        of_node(&self.values, slot.node, |value| value.0).map_or(self.default, |value| value.1)
    }
    fn scope(&self) -> Scope {
        Scope::Node
    }
}

/// Refuses values with which sums and bounds could overflow or be NaN.
pub(crate) fn checked(node: NodeId, value: f64) -> Result<f64, WindowError> {
    if value.abs() <= MAX_NUMBER { Ok(value) } else { Err(WindowError::Value { node, value }) }
}

/// The value of a window by a criterion.
pub(crate) fn value_of(criterion: &dyn Criterion, window: &Window, slots: &SlotList) -> Option<f64> {
    let (start, placements) = (window.start(), window.placements());
    let mut values: Vec<f64> = Vec::with_capacity(placements.len());
    for run in slots.runs_alive_at(start) {
        let begun = &run[..run.partition_point(|slot| slot.start <= start)];
        for slot in begun.iter().filter(|slot| start < slot.end) {
            let within = |of: &&Placement| of.node == slot.node && of.end <= slot.end;
            values.extend(placements.iter().find(within).map(|of| criterion.value(slot, of.end - start)));
        }
    }
    (values.len() == placements.len()).then(|| exact_sum(values))
}
