//! Intervals of single nodes: free ones, and those that are taken.

use std::hash::{Hash, Hasher};

use crate::error::must;
use crate::{ModelError, Node, NodeId, Price, Speed, Time};

/// A free half-open interval `[start, end)` of a node. It is self-contained: it carries the node's speed and price.
/// Since its fields are public, `end` may be set to `start` or before; a [`SlotList`](crate::SlotList) refuses such a
/// slot.
///
/// ```
/// use sched_model::{Node, Slot, Span, Time};
/// let node = Node::must(1, 2.0, 3.0);
/// let slot = Slot::new(node, Time::must(10.0), Time::must(50.0))?;
/// assert_eq!(slot.end - slot.start, Span::must(40.0));
/// assert!(Slot::new(node, Time::must(10.0), Time::must(10.0)).is_err()); // no slot of zero length
/// # Ok::<(), sched_model::ModelError>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[must_use]
#[non_exhaustive]
pub struct Slot {
    /// The node.
    pub node: NodeId,
    /// Work per unit of time.
    pub speed: Speed,
    /// Money per unit of time.
    pub price: Price,
    /// First free instant.
    pub start: Time,
    /// First instant that is no longer free.
    pub end: Time,
    /// The kind of the node's features in the list that holds the slot. Not compared: see [`PartialEq`].
    kind: u32,
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(remote = "Slot", rename = "Slot", deny_unknown_fields)]
struct SlotForm {
    node: NodeId,
    speed: Speed,
    price: Price,
    start: Time,
    end: Time,
    #[serde(skip)]
    kind: u32,
}

#[cfg(feature = "serde")]
crate::serde_checked!(Slot as SlotForm);

impl PartialEq for Slot {
    /// Equal if both are the same interval of the same node, with the same speed and price.
    fn eq(&self, other: &Self) -> bool {
        self.value() == other.value()
    }
}

impl Eq for Slot {}

impl Hash for Slot {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value().hash(state);
    }
}

impl Slot {
    /// Creates the slot `[start, end)` of `node`.
    ///
    /// # Errors
    /// [`ModelError::EmptyInterval`] unless `start < end`.
    #[inline]
    pub fn new(node: Node, start: Time, end: Time) -> Result<Self, ModelError> {
        Self::of(node, start, end).checked()
    }

    #[inline]
    pub(crate) fn checked(self) -> Result<Self, ModelError> {
        if self.start < self.end {
            Ok(self)
        } else {
            Err(ModelError::empty_slot(self.node, self.start, self.end))
        }
    }

    /// Creates a slot without a check; the caller guarantees `start < end`.
    #[inline]
    pub(crate) fn of(node: Node, start: Time, end: Time) -> Self {
        Self { node: node.id, speed: node.speed, price: node.price, start, end, kind: 0 }
    }

    /// All that is compared: everything but the kind.
    fn value(&self) -> (Node, Time, Time) {
        (Node::from(*self), self.start, self.end)
    }

    /// The part `[start, end)` of the slot; the caller guarantees `start < end`.
    #[inline]
    pub(crate) fn part(&self, start: Time, end: Time) -> Self {
        Self { start, end, ..*self }
    }

    #[inline]
    pub(crate) fn with_kind(self, kind: u32) -> Self {
        Self { kind, ..self }
    }

    #[inline]
    pub(crate) fn kind(&self) -> u32 {
        self.kind
    }

    /// The key by which a [`SlotList`](crate::SlotList) is sorted: start, then node.
    #[inline]
    pub(crate) fn key(&self) -> (Time, NodeId) {
        (self.start, self.node)
    }
}

impl From<Slot> for Node {
    /// The slot's node with its speed and price.
    #[inline]
    fn from(slot: Slot) -> Self {
        Self { id: slot.node, speed: slot.speed, price: slot.price }
    }
}

/// A half-open interval `[start, end)` during which a node is taken: by local load, or by a job that is already
/// running. [`SlotList::from_nodes`](crate::SlotList::from_nodes) refuses an interval that does not end after it
/// starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use]
pub struct Occupied {
    /// The node that is taken.
    pub node: NodeId,
    /// First instant at which it is taken.
    pub start: Time,
    /// First instant at which it is free again.
    pub end: Time,
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(remote = "Occupied", rename = "Occupied", deny_unknown_fields)]
struct OccupiedForm {
    node: NodeId,
    start: Time,
    end: Time,
}

#[cfg(feature = "serde")]
crate::serde_checked!(Occupied as OccupiedForm);

impl Occupied {
    pub(crate) fn checked(self) -> Result<Self, ModelError> {
        if self.start < self.end {
            return Ok(self);
        }
        let what = format!("an occupied interval of node {}", self.node);
        Err(ModelError::empty_interval(what, self.start, self.end))
    }

    /// Creates an interval from literals.
    ///
    /// # Panics
    /// Unless `start < end`, and both are valid instants. For data, write a literal of the struct.
    #[track_caller]
    pub fn must(node: u32, start: f64, end: f64) -> Self {
        must(Self { node: NodeId(node), start: Time::must(start), end: Time::must(end) }.checked())
    }
}
