//! The one error type of this crate.

/// Why a study did not run to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// A setting is out of its range.
    #[error("{0}")]
    Config(String),
    /// The worker threads could not be started.
    #[error(transparent)]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A replicate failed.
    #[error("replicate {index}: {failure}")]
    Replicate {
        /// Its number, from 0.
        index: u64,
        /// What the library said.
        failure: crate::Failure,
    },
    /// What was to be timed failed.
    #[error("{0}")]
    Timing(crate::Failure),
}

impl StudyError {
    pub(crate) fn config(message: impl Into<String>) -> Self {
        Self::Config(message.into())
    }
}
