//! The kinds of violations.

use crate::counted::counted;
use crate::{JobId, Money, NodeId, Time};

/// One way in which a window or a schedule breaks a limit of a request, the rules, or the free time.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Violation {
    /// No single free slot of the node covers the placement.
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
    /// The number of placements of the window is not the requested number of nodes.
    #[error("{} where {needed} are asked for", counted(*placed, "placement"))]
    WrongCount {
        /// Requested number of nodes.
        needed: usize,
        /// Number of placements.
        placed: usize,
    },
    /// A window contains a node twice.
    #[error("node {node} is twice in the window")]
    RepeatedNode {
        /// The node.
        node: NodeId,
    },
    /// A node is slower than requested.
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
        /// The demanded feature.
        what: String,
    },
    /// The nodes of a window differ in a label for which all must have the same value.
    #[error("not all with one value of {label}, but with {}", values.join(", "))]
    NotPacked {
        /// The name of the label.
        label: String,
        /// The values of the nodes.
        values: Vec<String>,
    },
    /// Too many nodes of a window have the same value of a label.
    #[error("{} with {label}={value} where at most {most} may be", counted(*placed, "node"))]
    NotSpread {
        /// The name of the label.
        label: String,
        /// The value.
        value: String,
        /// The maximum number of nodes that may have it.
        most: usize,
        /// The number of nodes that have it.
        placed: usize,
    },
    /// The window starts before the earliest demanded start, or not at the only demanded start.
    #[error("starts at {start} instead of {demanded}")]
    WrongStart {
        /// The demanded start.
        demanded: Time,
        /// The start of the window.
        start: Time,
    },
    /// A node is held longer or shorter than the rules say.
    #[error("node {node} is held until {end} instead of {expected}")]
    WrongEnd {
        /// The node.
        node: NodeId,
        /// The end by the rules.
        expected: Time,
        /// The end of the placement.
        end: Time,
    },
    /// The cost of a placement is not the charge of the list's tariff for the span for which the node is held.
    #[error("node {node} costs {cost} instead of {expected}")]
    WrongCost {
        /// The node.
        node: NodeId,
        /// The charge of the tariff.
        expected: Money,
        /// The stated cost.
        cost: Money,
    },
    /// The price of a node exceeds the price limit.
    #[error("node {node} costs more than the price limit")]
    OverPrice {
        /// The node.
        node: NodeId,
    },
    /// The cost of the window exceeds the budget.
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
        /// When the second window starts, before the first has ended.
        at: Time,
    },
    /// A job of the batch is neither placed nor refused.
    #[error("neither placed nor refused")]
    Forgotten,
    /// A job that is not in the batch is placed or refused.
    #[error("not in the batch")]
    Unknown,
}

/// Number of violations that [`in_words`] describes one by one.
const DESCRIBED: usize = 10;

/// Describes violations for people: their number, then a line for each of the first ten.
pub fn in_words(violations: &[(JobId, Violation)]) -> String {
    let of_job = |(job, violation): &(JobId, Violation)| format!("\n  job {job}: {violation}");
    let first = violations.iter().take(DESCRIBED).map(of_job);
    let more = violations.len().checked_sub(DESCRIBED + 1).map(|more| format!("\n  and {} more", more + 1));
    first.chain(more).fold(counted(violations.len(), "violation"), |all, line| all + &line)
}
