//! The violations of a window or a schedule.

use crate::{Money, NodeId, Time};
use std::fmt;

/// A violation: what is wrong with a window or a schedule.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Violation {
    /// A placement lies outside the free time of its node.
    NotFree {
        /// The node.
        node: NodeId,
        /// Start of the placement.
        start: Time,
        /// End of the placement.
        end: Time,
    },
    /// A placement has another speed or price than the slot that contains it.
    WrongNode {
        /// The node.
        node: NodeId,
    },
    /// The number of placements of the window differs from the number of nodes asked for.
    WrongCount {
        /// Nodes asked for.
        needed: usize,
        /// Placements.
        placed: usize,
    },
    /// A node is twice in a window.
    RepeatedNode {
        /// The node.
        node: NodeId,
    },
    /// A node is slower than asked for.
    TooSlow {
        /// The node.
        node: NodeId,
    },
    /// A node lacks a feature that the job demands.
    Missing {
        /// The node.
        node: NodeId,
        /// What is demanded.
        what: String,
    },
    /// Nodes of a window differ in a label of which all should have the same value.
    NotPacked {
        /// The name of the label.
        label: String,
        /// The values that they have.
        values: Vec<String>,
    },
    /// Too many nodes of a window have the same value of a label.
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
    WrongStart {
        /// The start demanded.
        demanded: Time,
        /// The start.
        start: Time,
    },
    /// A node is not held exactly as long as the rules say.
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
    WrongCost {
        /// The node.
        node: NodeId,
        /// What it should cost.
        expected: Money,
        /// What it costs.
        cost: Money,
    },
    /// A slot is more expensive than the price limit.
    OverPrice {
        /// The node.
        node: NodeId,
    },
    /// The window is more expensive than the budget.
    OverBudget {
        /// The budget.
        budget: Money,
        /// The cost.
        cost: Money,
    },
    /// The window finishes after the deadline.
    PastDeadline {
        /// The deadline.
        deadline: Time,
        /// The finish.
        finish: Time,
    },
    /// The job starts before it was submitted.
    BeforeSubmit {
        /// The submit time.
        submit: Time,
        /// The start.
        start: Time,
    },
    /// Two windows take a node at the same instant.
    Overlap {
        /// The node.
        node: NodeId,
        /// When the second starts, before the first has ended.
        at: Time,
    },
    /// A job of the batch is neither placed nor refused.
    Forgotten,
    /// A job that is not in the batch is placed or refused.
    Unknown,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFree { node, start, end } => {
                write!(f, "node {node} is not free during [{start}, {end})")
            }
            Self::WrongNode { node } => write!(f, "node {node} has another speed or price in its slot"),
            Self::WrongCount { needed, placed } => {
                write!(f, "{placed} placements where {needed} are asked for")
            }
            Self::RepeatedNode { node } => write!(f, "node {node} is twice in the window"),
            Self::TooSlow { node } => write!(f, "node {node} is too slow"),
            Self::Missing { node, what } => write!(f, "node {node} is not one with {what}"),
            Self::NotPacked { label, values } => {
                write!(f, "not all with one value of {label}, but with {}", values.join(", "))
            }
            Self::NotSpread { label, value, most, placed } => {
                write!(f, "{placed} nodes with {label}={value} where at most {most} may be")
            }
            Self::WrongStart { demanded, start } => write!(f, "starts at {start} instead of {demanded}"),
            Self::WrongEnd { node, expected, end } => {
                write!(f, "node {node} is held until {end} instead of {expected}")
            }
            Self::WrongCost { node, expected, cost } => {
                write!(f, "node {node} costs {cost} instead of {expected}")
            }
            Self::OverPrice { node } => write!(f, "node {node} costs more than the price limit"),
            Self::OverBudget { budget, cost } => write!(f, "costs {cost}, above the budget of {budget}"),
            Self::PastDeadline { deadline, finish } => {
                write!(f, "finishes at {finish}, after the deadline {deadline}")
            }
            Self::BeforeSubmit { submit, start } => {
                write!(f, "starts at {start}, before its submission at {submit}")
            }
            Self::Overlap { node, at } => write!(f, "node {node} is used twice at {at}"),
            Self::Forgotten => write!(f, "neither placed nor refused"),
            Self::Unknown => write!(f, "not in the batch"),
        }
    }
}
