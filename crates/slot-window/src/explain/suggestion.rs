//! Single changes of a request, of its demands, or of the nodes.

use std::num::NonZeroUsize;

use sched_model::internal::{counted, sort};
use sched_model::{
    Features, ModelError, Money, Node, NodeId, Price, ResourceRequest, SlotList, Span, Speed, Time, Work,
};

/// A single change with which there is a window, or a window on a given node; with a change one representable step
/// smaller there is none. Both have been tested with the search.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Suggestion {
    /// This higher budget.
    Budget(Money),
    /// This later deadline.
    Deadline(Time),
    /// This number of nodes, fewer than requested.
    Nodes(usize),
    /// This lower minimum speed.
    MinSpeed(Speed),
    /// This higher price limit.
    PriceLimit(Price),
    /// The unchanged request, and `count` more nodes, which are free from its earliest start to the end of the list.
    MoreNodes {
        /// The number of additional nodes.
        count: usize,
        /// The node that the new ones equal in speed, price, features and span of a task: of the nodes that are fast
        /// and cheap enough, the one with the lowest charge for a task.
        like: Node,
    },
    /// This lower work: the maximum with which there is a window.
    Work(Work),
    /// The unchanged request, and this price of a node, which is below its present price.
    NodePrice {
        /// The node.
        node: NodeId,
        /// The maximum price with which there is a window.
        price: Price,
    },
    /// Nodes need not have this label.
    LiftLabel(String),
    /// Nodes may have this label.
    LiftExcluded(String),
    /// This lower minimum amount.
    AtLeast {
        /// The name of the amount.
        name: String,
        /// The maximum amount with which there is a window.
        amount: f64,
    },
    /// The nodes need not have the same value of the label to pack by.
    LiftPack,
    /// This number of nodes may have the same value of the label to spread by: the minimum with which there is a
    /// window.
    Spread(usize),
    /// Any number of nodes may have the same value of the label to spread by, and nodes may have none.
    LiftSpread,
    /// This earlier bound on the start: the latest with which there is a window.
    NotBefore(Time),
    /// This fixed start: the first one after the demanded one with which there is a window.
    LaterStart(Time),
    /// This fixed start: the last one before the demanded one with which there is a window.
    EarlierStart(Time),
}

impl Suggestion {
    /// Returns the request and the free time with this change applied, for a request that starts at `from` or later.
    /// On [additional nodes](Self::MoreNodes), a task has the same span as on the node `like`.
    ///
    /// # Errors
    /// [`ModelError`] if no identifiers are left for additional nodes, or for an amount or a number out of range.
    ///
    /// ```
    /// use sched_model::*;
    /// use slot_window::explain::Suggestion;
    /// let like = Node::must(4, 1.0, 1.0);
    /// let slots = SlotList::from_nodes(&[like], &[], Time::ZERO, Time::must(90.0))?;
    /// let measured = Demands::default().with_spans([(like.id, Span::must(7.0))])?;
    /// let request = ResourceRequest::must(2, 30.0).with_demands(measured);
    /// let more = Suggestion::MoreNodes { count: 1, like };
    /// let (request, slots) = more.apply(&request, &slots, Time::ZERO)?;
    /// assert_eq!((slots.len(), request.demands().span_on(NodeId(5))), (2, Some(Span::must(7.0))));
    /// # Ok::<(), ModelError>(())
    /// ```
    pub fn apply(
        &self,
        request: &ResourceRequest,
        slots: &SlotList,
        from: Time,
    ) -> Result<(ResourceRequest, SlotList), ModelError> {
        let (mut request, mut slots) = (request.clone(), slots.clone());
        let mut demands = request.demands().clone();
        match self {
            Self::Budget(budget) => request = request.with_budget(*budget),
            Self::Deadline(deadline) => request = request.with_deadline(*deadline),
            Self::Nodes(nodes) => request = request.with_nodes(*nodes)?,
            Self::MinSpeed(speed) => request = request.with_min_speed(*speed),
            Self::PriceLimit(price) => request = request.with_price_limit(*price),
            Self::Work(work) => request = request.with_work(*work)?,
            Self::NodePrice { node, price } => slots.reprice(*node, *price, from),
            Self::MoreNodes { count, like } => {
                let mut ids = new_ids(&slots, *count)?;
                slots = with_nodes(slots, &ids, *like, from)?;
                sort(&mut ids, &Ord::cmp);
                let of_others = |of: &(NodeId, Span)| ids.binary_search(&of.0).is_err();
                let mut spans: Vec<(NodeId, Span)> = demands.spans.iter().filter(of_others).collect();
                spans.extend(ids.iter().filter_map(|&id| Some((id, demands.span_on(like.id)?))));
                demands = demands.with_spans(spans)?;
            }
            Self::LiftLabel(label) => _ = demands.all_of.remove(label),
            Self::LiftExcluded(label) => _ = demands.none_of.remove(label),
            Self::AtLeast { name, amount } => demands = demands.with_at_least(name, *amount)?,
            Self::LiftPack => demands.pack = None,
            Self::Spread(most) => {
                if let (Some(spread), Some(most)) = (&mut demands.spread, NonZeroUsize::new(*most)) {
                    spread.most = most;
                }
            }
            Self::LiftSpread => demands.spread = None,
            Self::NotBefore(start) => demands.not_before = Some(*start),
            Self::LaterStart(start) | Self::EarlierStart(start) => demands.start = Some(*start),
        }
        Ok((request.with_demands(demands), slots))
    }
}

/// Adds nodes with these `ids`, with the speed, price and features of `like`, free from `from` to the end of the
/// list.
fn with_nodes(mut slots: SlotList, ids: &[NodeId], like: Node, from: Time) -> Result<SlotList, ModelError> {
    let Some(until) = slots.iter().map(|slot| slot.end).max().filter(|until| *until > from) else {
        return Ok(slots);
    };
    let known = nodes_of(&slots);
    let new: Vec<Node> = ids.iter().map(|&id| Node { id, ..like }).collect();
    slots.extend(&new, from, until)?;
    let Some(features) = slots.features(like.id).cloned() else { return Ok(slots) };
    let own = |id| Some((id, slots.features(id)?.clone()));
    let mut all: Vec<(NodeId, Features)> = known.into_iter().filter_map(own).collect();
    all.extend(ids.iter().map(|&id| (id, features.clone())));
    slots.with_features(all)
}

/// Returns `count` unused identifiers of nodes: first those after the highest in use, then lower ones.
fn new_ids(slots: &SlotList, count: usize) -> Result<Vec<NodeId>, ModelError> {
    let taken = nodes_of(slots);
    let after = taken.last().map_or(Some(0), |last| last.0.checked_add(1));
    let after = after.into_iter().flat_map(|first| first..=u32::MAX);
    let free = after.chain(0..taken.last().map_or(0, |last| last.0)).map(NodeId);
    let ids: Vec<NodeId> = free.filter(|id| taken.binary_search(id).is_err()).take(count).collect();
    if ids.len() < count {
        return Err(ModelError::UnknownId { what: "free identifier of a node", id: count as u64 });
    }
    Ok(ids)
}

impl std::fmt::Display for Suggestion {
    /// Writes the change, such as `a budget of 120`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Budget(budget) => write!(f, "a budget of {budget}"),
            Self::Deadline(deadline) => write!(f, "a deadline of {deadline}"),
            Self::Nodes(nodes) => f.write_str(&counted(*nodes, "node")),
            Self::MinSpeed(speed) => write!(f, "a least speed of {speed}"),
            Self::PriceLimit(price) => write!(f, "a price limit of {price}"),
            Self::MoreNodes { count, like } => {
                write!(f, "{} more like node {}", counted(*count, "node"), like.id)
            }
            Self::Work(work) => write!(f, "a work of {work}"),
            Self::NodePrice { node, price } => write!(f, "a price of {price} for node {node}"),
            Self::LiftLabel(label) => write!(f, "nodes without {label} too"),
            Self::LiftExcluded(label) => write!(f, "nodes with {label} too"),
            Self::AtLeast { name, amount } => write!(f, "{name} of at least {amount}"),
            Self::LiftPack => write!(f, "nodes in several places"),
            Self::Spread(most) => write!(f, "up to {} in one place", counted(*most, "node")),
            Self::LiftSpread => write!(f, "any number of nodes in one place"),
            Self::NotBefore(start) => write!(f, "an earliest start of {start}"),
            Self::LaterStart(start) | Self::EarlierStart(start) => write!(f, "a start at {start}"),
        }
    }
}

/// The distinct nodes of `slots`, ascending.
pub(super) fn nodes_of(slots: &SlotList) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = slots.iter().map(|slot| slot.node).collect();
    sort(&mut nodes, &Ord::cmp);
    nodes.dedup();
    nodes
}
