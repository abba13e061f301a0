//! The one error type of this crate.

use batch_dp::BatchError;
use sched_model::ModelError;
use slot_window::WindowError;

/// What was wrong with the input of a plan. That a job finds no place is never an error.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum JointError {
    /// The limit of the goal is not a number.
    #[error("the limit of a goal must be a number")]
    Limit,
    /// The goal is the greatest income, and all nodes of a window are held for the slowest: the exact search under
    /// prices for it (see [`slot_window::priced`]) is not bounded yet, and would be called for thousands of windows.
    #[error(
        "windows whose nodes are all held for the slowest cannot be planned jointly for the greatest income"
    )]
    SlowestSpanIncome,
    /// A value of the model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A search.
    #[error(transparent)]
    Window(#[from] WindowError),
    /// A choice.
    #[error(transparent)]
    Batch(#[from] BatchError),
}
