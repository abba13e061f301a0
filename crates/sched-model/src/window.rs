//! Windows: time on several nodes with a common start.

use crate::order::repeated;
use crate::{JobId, ModelError, Money, Node, NodeId, Price, Refusal, Slot, Span, Speed, Tariff, Time};
use std::fmt;

/// The part of a window on one node, from the start of the window to `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[must_use]
pub struct Placement {
    /// The node.
    pub node: NodeId,
    /// Its speed.
    pub speed: Speed,
    /// Its price.
    pub price: Price,
    /// First instant at which the node is no longer taken.
    pub end: Time,
    /// The charge for the node.
    pub cost: Money,
}

impl Placement {
    /// Creates a placement on the node of `slot`, from `start` on for `span`, charged by `tariff`: usually that of
    /// the [list](crate::SlotList::tariff).
    #[inline]
    pub fn on(slot: &Slot, start: Time, span: Span, tariff: &Tariff) -> Self {
        Self {
            node: slot.node,
            speed: slot.speed,
            price: slot.price,
            end: start + span,
            cost: tariff.charge(slot.price, span),
        }
    }
}

impl From<Placement> for Node {
    /// The node with its speed and price, as it was when the window was made.
    #[inline]
    fn from(placement: Placement) -> Self {
        Self { id: placement.node, speed: placement.speed, price: placement.price }
    }
}

/// Time on N different nodes, which starts on all of them at the same instant and usually ends earlier on faster
/// nodes.
///
/// ```
/// use sched_model::{Money, Node, Placement, Slot, Span, Tariff, Time, Window, Work};
/// let slot = |id, speed, price| {
///     let node = Node::must(id, speed, price);
///     Slot::new(node, Time::ZERO, Time::must(100.0))
/// };
/// let (slow, fast) = (slot(1, 1.0, 2.0)?, slot(2, 2.0, 5.0)?);
/// let start = Time::must(10.0);
/// let work = Work::must(60.0);
/// let window = Window::new(start, vec![
///     Placement::on(&slow, start, work / slow.speed, &Tariff::default()),
///     Placement::on(&fast, start, work / fast.speed, &Tariff::default()),
/// ])?;
/// assert_eq!(window.runtime(), Span::must(60.0)); // the slowest node decides
/// assert_eq!(window.finish(), Time::must(70.0));
/// assert_eq!(window.cost(), Money::must(270.0)); // 2 * 60 + 5 * 30
/// assert_eq!(window.to_string(), "[10, 70) for 270 on nodes 1, 2 until 40");
/// # Ok::<(), sched_model::ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[must_use]
pub struct Window {
    start: Time,
    placements: Vec<Placement>,
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(remote = "Window", rename = "Window", deny_unknown_fields)]
struct WindowForm {
    start: Time,
    placements: Vec<Placement>,
}

#[cfg(feature = "serde")]
crate::serde_checked!(Window as WindowForm);

impl fmt::Display for Window {
    /// Writes one line, such as `[10, 70) for 270 on nodes 1, 2 until 40`. The end on a node is given if it differs
    /// from that of the window.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (finish, several) = (self.finish(), if self.placements.len() == 1 { "" } else { "s" });
        write!(f, "[{}, {finish}) for {} on node{several}", self.start, self.cost())?;
        for (at, placement) in self.placements.iter().enumerate() {
            write!(f, "{} {}", if at == 0 { "" } else { "," }, placement.node)?;
            if placement.end < finish {
                write!(f, " until {}", placement.end)?;
            }
        }
        Ok(())
    }
}

impl Window {
    /// Creates a window with `placements`, in the given order.
    ///
    /// # Errors
    /// [`ModelError::Zero`] if there is no placement, [`ModelError::EmptyInterval`] for a placement that does not
    /// end after `start`, [`ModelError::RepeatedNode`] for a node that is given twice.
    pub fn new(start: Time, placements: Vec<Placement>) -> Result<Self, ModelError> {
        Self { start, placements }.checked()
    }

    fn checked(self) -> Result<Self, ModelError> {
        if self.placements.is_empty() {
            return Err(ModelError::Zero { what: "placements of a window" });
        }
        if let Some(Placement { node, end, .. }) = self.placements.iter().find(|of| of.end <= self.start) {
            let what = format!("the placement on node {node}");
            return Err(ModelError::empty_interval(what, self.start, *end));
        }
        if let Some(node) = repeated_node(&self.placements) {
            return Err(ModelError::RepeatedNode { node });
        }
        Ok(self)
    }

    /// The instant at which all placements start.
    #[inline]
    pub fn start(&self) -> Time {
        self.start
    }

    /// The placements: at least one, each on a different node.
    #[inline]
    pub fn placements(&self) -> &[Placement] {
        &self.placements
    }

    /// The nodes, in the order of the placements.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + Clone {
        self.placements.iter().map(|placement| placement.node)
    }

    /// Whether the window takes a part of `[start, end)` on `node`, so that it is affected if the node is down during
    /// that interval.
    pub fn takes(&self, node: NodeId, start: Time, end: Time) -> bool {
        self.start < end
            && self.placements.iter().any(|placement| placement.node == node && start < placement.end)
    }

    /// The instant at which the last placement ends.
    pub fn finish(&self) -> Time {
        self.placements.iter().fold(self.start, |latest, placement| latest.max(placement.end))
    }

    /// The span from the start to the finish: the time criterion t of a job.
    pub fn runtime(&self) -> Span {
        self.finish() - self.start
    }

    /// The total cost of the placements, their exact sum rounded once: the cost criterion c of a job.
    pub fn cost(&self) -> Money {
        self.placements.iter().map(|placement| placement.cost).sum()
    }
}

/// A node with two placements, if any.
fn repeated_node(placements: &[Placement]) -> Option<NodeId> {
    // Most windows are small, and comparing pairs needs no memory.
    if placements.len() <= 16 {
        return placements.iter().enumerate().find_map(|(at, placement)| {
            placements[..at].iter().any(|other| other.node == placement.node).then_some(placement.node)
        });
    }
    repeated(placements.iter().map(|placement| placement.node)).first().copied()
}

/// The windows of which one is to be chosen for a job; or, if there are none, the reason.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JobWindows {
    /// The job.
    pub job: JobId,
    /// The windows.
    pub windows: Vec<Window>,
    /// Why there are none, as far as that is known.
    pub refusal: Option<Refusal>,
}

impl AsRef<[Window]> for JobWindows {
    fn as_ref(&self) -> &[Window] {
        &self.windows
    }
}
