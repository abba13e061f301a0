//! The error type of this crate.

use sched_model::{End, ModelError};

/// Why a heuristic has no answer: an invalid input, a limit, or an incomplete mapping.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HeuristicError {
    /// A value of the model is out of its range.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// There are jobs but no resources.
    #[error("there are {jobs} jobs and no resource")]
    NoResource {
        /// Number of jobs.
        jobs: usize,
    },
    /// The number of ready times differs from the number of resources.
    #[error("the matrix has {resources} resources, got {given} ready times")]
    ReadyTimes {
        /// Columns of the matrix.
        resources: usize,
        /// Ready times given.
        given: usize,
    },
    /// There are more tasks, jobs, resources or CPUs than the heuristic can number.
    #[error("at most {limit} jobs or resources, got {given}")]
    TooMany {
        /// The limit.
        limit: usize,
        /// The number given.
        given: usize,
    },
    /// A heuristic did not map every task: a bug in the heuristic, never a fault of its input.
    #[error("the heuristic mapped {mapped} of {tasks} tasks")]
    Incomplete {
        /// Tasks mapped.
        mapped: usize,
        /// Rows of the matrix.
        tasks: usize,
    },
    /// A setting is out of its range.
    #[error("{what} must lie in {expected}, got {value}")]
    Setting {
        /// The name of the setting.
        what: &'static str,
        /// The valid range.
        expected: &'static str,
        /// The value given.
        value: f64,
    },
    /// A limit or the stop signal ended the heuristic before it was done.
    #[error("not done: {0}")]
    Stopped(End),
}

impl From<End> for HeuristicError {
    fn from(end: End) -> Self {
        Self::Stopped(end)
    }
}
