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
        /// The error of the library.
        failure: crate::Failure,
    },
    /// A store has bytes that are not a result of this study.
    #[error("the record of replicate {index} (round {round}) is damaged or of another study")]
    Record {
        /// Which round of replicates of the study, from 0.
        round: u32,
        /// The replicate's number, from 0.
        index: u64,
    },
    /// Results cannot be kept.
    #[error("{0}")]
    Store(crate::Failure),
    /// Only the part that the store wants was computed; there is no report.
    #[error("{done} of {all} replicates are computed: a part, no report")]
    Part {
        /// Replicates that have a result.
        done: u64,
        /// Replicates of the study.
        all: u64,
    },
    /// The call that was to be timed failed.
    #[error("{0}")]
    Timing(crate::Failure),
}
