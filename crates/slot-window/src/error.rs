//! The one error type of this crate.

use sched_model::{End, ModelError, NodeId, check::Violation};

/// Why a search refused its input, or ended without an answer. The absence of a window is never an error: see
/// [`Refusal`](sched_model::Refusal).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WindowError {
    /// A window could not be made or cut: a search returned time that is not free, or a task is so short that
    /// its end rounds to its start.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The list holds more slots than a search can number.
    #[error("a list of {slots} slots is longer than the {limit} that a search takes")]
    TooManySlots {
        /// The number of slots in the list.
        slots: usize,
        /// The maximum number that a search accepts.
        limit: usize,
    },
    /// Demands were compiled for another list than the one that is searched.
    #[error("the demands were compiled for another list of slots")]
    OtherList,
    /// A search returned a window that does not meet the demands on it.
    #[error("a search returned a window that does not meet the demands: {first}")]
    Unmet {
        /// The first violation.
        first: Violation,
    },
    /// A factor must be positive and finite.
    #[error("{what} must be positive and finite, got {value}")]
    Factor {
        /// What the number is.
        what: &'static str,
        /// The value given.
        value: f64,
    },
    /// A subset problem with unequal numbers of values and costs.
    #[error("{values} values but {costs} costs")]
    Lengths {
        /// Number of values.
        values: usize,
        /// Number of costs.
        costs: usize,
    },
    /// A number of a subset problem is out of range.
    #[error("the {what} of item {index} is out of range: {value}")]
    Item {
        /// `value` or `cost`.
        what: &'static str,
        /// The item, from 0.
        index: usize,
        /// The value given.
        value: f64,
    },
    /// A number is out of range.
    #[error("the {what} is out of range: {value}")]
    Number {
        /// What the number is.
        what: &'static str,
        /// The value given.
        value: f64,
    },
    /// A criterion gave a node a value that is not a number, infinite or above 10^200 in magnitude.
    #[error("the value of node {node} is out of range: {value}")]
    Value {
        /// The node.
        node: NodeId,
        /// The value.
        value: f64,
    },
    /// A search was stopped before it found a window, so that it is not known whether there is one.
    #[error("{0}, before a window was found")]
    Stopped(End),
}

impl From<End> for WindowError {
    fn from(end: End) -> Self {
        Self::Stopped(end)
    }
}

impl TryFrom<WindowError> for End {
    type Error = WindowError;

    fn try_from(error: WindowError) -> Result<Self, WindowError> {
        match error {
            WindowError::Stopped(end) => Ok(end),
            error => Err(error),
        }
    }
}

/// Returns why a search was stopped before it was complete, if it was; all other errors are passed on.
pub(crate) fn ended(result: Result<(), WindowError>) -> Result<Option<End>, WindowError> {
    result.err().map(End::try_from).transpose()
}

/// Returns `value` if it is positive and finite.
pub(crate) fn factor(what: &'static str, value: f64) -> Result<f64, WindowError> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(WindowError::Factor { what, value }) }
}
