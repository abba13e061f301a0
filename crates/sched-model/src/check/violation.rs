//! The violations of a window or a schedule.

use crate::{Money, NodeId, Time};

/// A violation: what is wrong with a window or a schedule.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Violation {
    /// A placement lies outside the free time of its node.
    #[error("node {node} is not free during [{start}, {end})")]
    NotFree {
        /// The node.
        node: NodeId,
        /// Start of the placement.
        start: Time,
        /// End of the placement.
        end: Time,
    },
    /// A placement has another speed or price than the slot that contains it.
    #[error("node {node} has another speed or price in its slot")]
    WrongNode {
        /// The node.
        node: NodeId,
    },
    /// The number of placements of the window differs from the number of nodes asked for.
    #[error("{placed} placements where {needed} are asked for")]
    WrongCount {
        /// Nodes asked for.
        needed: usize,
        /// Placements.
        placed: usize,
    },
    /// A node is twice in a window.
    #[error("node {node} is twice in the window")]
    RepeatedNode {
        /// The node.
        node: NodeId,
    },
    /// A node is slower than asked for.
    #[error("node {node} is too slow")]
    TooSlow {
        /// The node.
        node: NodeId,
    },
    /// A node lacks a feature that the job demands.
    #[error("node {node} is not one with {what}")]
    Missing {
        /// The node.
        node: NodeId,
        /// What is demanded.
        what: String,
    },
    /// Nodes of a window differ in a label of which all should have the same value.
    #[error("not all with one value of {label}, but with {}", values.join(", "))]
    NotPacked {
        /// The name of the label.
        label: String,
        /// The values that they have.
        values: Vec<String>,
    },
    /// Too many nodes of a window have the same value of a label.
    #[error("{placed} nodes with {label}={value} where at most {most} may be")]
    NotSpread {
        /// The name of the label.
        label: String,
        /// The value.
        value: String,
        /// The greatest number of nodes that may have it.
        most: usize,
        /// The number of nodes that have it.
        placed: usize,
    },
    /// The window starts before the earliest start demanded, or not at the only start demanded.
    #[error("starts at {start} instead of {demanded}")]
    WrongStart {
        /// The start demanded.
        demanded: Time,
        /// The start.
        start: Time,
    },
    /// A node is not held exactly as long as the rules say.
    #[error("node {node} is held until {end} instead of {expected}")]
    WrongEnd {
        /// The node.
        node: NodeId,
        /// When it should end.
        expected: Time,
        /// When it ends.
        end: Time,
    },
    /// The cost of a placement differs from the charge of the slots' tariff for the span for which it is
    /// held.
    #[error("node {node} costs {cost} instead of {expected}")]
    WrongCost {
        /// The node.
        node: NodeId,
        /// What it should cost.
        expected: Money,
        /// What it costs.
        cost: Money,
    },
    /// A slot is more expensive than the price limit.
    #[error("node {node} costs more than the price limit")]
    OverPrice {
        /// The node.
        node: NodeId,
    },
    /// The window is more expensive than the budget.
    #[error("costs {cost}, above the budget of {budget}")]
    OverBudget {
        /// The budget.
        budget: Money,
        /// The cost.
        cost: Money,
    },
    /// The window finishes after the deadline.
    #[error("finishes at {finish}, after the deadline {deadline}")]
    PastDeadline {
        /// The deadline.
        deadline: Time,
        /// The finish.
        finish: Time,
    },
    /// The job starts before it was submitted.
    #[error("starts at {start}, before its submission at {submit}")]
    BeforeSubmit {
        /// The submit time.
        submit: Time,
        /// The start.
        start: Time,
    },
    /// Two windows take a node at the same instant.
    #[error("node {node} is used twice at {at}")]
    Overlap {
        /// The node.
        node: NodeId,
        /// When the second starts, before the first has ended.
        at: Time,
    },
    /// A job of the batch is neither placed nor refused.
    #[error("neither placed nor refused")]
    Forgotten,
    /// A job that is not in the batch is placed or refused.
    #[error("not in the batch")]
    Unknown,
}
