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
    /// The budget of a user is not a number.
    #[error("the budget of a user must be a number")]
    UserBudget,
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
