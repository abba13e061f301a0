//! The one error type of this crate.

use sched_model::{End, ModelError};

/// What was wrong with the input of a heuristic.
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
    /// The number of ready times is not the number of resources.
    #[error("the matrix has {resources} resources, got {given} ready times")]
    ReadyTimes {
        /// Columns of the matrix.
        resources: usize,
        /// Ready times given.
        given: usize,
    },
    /// More jobs or resources than can be numbered.
    #[error("at most {limit} jobs or resources, got {given}")]
    TooMany {
        /// The limit.
        limit: usize,
        /// The number given.
        given: usize,
    },
    /// A heuristic did not map every task: a fault of the heuristic, never of its input.
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
        /// What is set.
        what: &'static str,
        /// The range.
        expected: &'static str,
        /// The value given.
        value: f64,
    },
    /// A limit ended the heuristic before it was done.
    #[error("not done: {0}")]
    Stopped(End),
}

impl From<End> for HeuristicError {
    fn from(end: End) -> Self {
        Self::Stopped(end)
    }
}
