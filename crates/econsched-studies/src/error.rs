//! The error type of this crate.

/// Why a study ended without a report.
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
        /// Its index, from 0.
        index: u64,
        /// What failed.
        failure: crate::Failure,
    },
    /// A store has bytes that are not a result of this study.
    #[error("the record of replicate {index} (round {round}) is damaged or of another study")]
    Record {
        /// The round of replicates of the study, from 0.
        round: u32,
        /// The index of the replicate, from 0.
        index: u64,
    },
    /// Results could not be stored.
    #[error("{0}")]
    Store(crate::Failure),
    /// Only the part that the store wants was computed, so there is no report.
    #[error("{done} of {all} replicates are computed: a part, no report")]
    Part {
        /// Number of replicates that have a result.
        done: u64,
        /// Number of replicates of the study.
        all: u64,
    },
    /// A call that was to be timed failed.
    #[error("{0}")]
    Timing(crate::Failure),
}
