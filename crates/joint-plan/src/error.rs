//! The error type of this crate.

use batch_dp::BatchError;
use sched_model::ModelError;
use slot_window::WindowError;

/// The reason why the input was rejected, or why no plan was made. A job without a window is never an error.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum JointError {
    /// The limit of the goal is NaN.
    #[error("the limit of a goal must be a number")]
    Limit,
    /// The goal is the maximum total time, which only the [cycle](crate::CyclePlanner) can plan.
    #[error("a plan of all jobs together cannot maximise the total time")]
    MaxTime,
    /// The budget of a user is NaN.
    #[error("the budget of a user must be a number")]
    UserBudget,
    /// An error of the model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// An error of a window search.
    #[error(transparent)]
    Window(#[from] WindowError),
    /// An error of a choice among alternatives.
    #[error(transparent)]
    Batch(#[from] BatchError),
}

impl JointError {
    /// Whether the cause is a task so short that it would end at the instant at which it starts.
    pub(crate) fn is_of_time(&self) -> bool {
        matches!(
            self,
            Self::Model(ModelError::EmptyInterval { .. })
                | Self::Window(WindowError::Model(ModelError::EmptyInterval { .. }))
        )
    }
}
