//! What can go wrong in a study.

use std::path::PathBuf;

/// Why a study could not be run to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StudyError {
    /// A result file could not be written.
    #[error("{}: {source}", path.display())]
    Write {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The report could not be printed.
    #[error("standard output: {0}")]
    Print(#[from] std::io::Error),
    /// A chart could not be drawn.
    #[error("chart {name}: {reason}")]
    Chart {
        /// Its file name without the ending.
        name: String,
        /// What the plotting library said.
        reason: String,
    },
    /// An option has a value that makes no study.
    #[error("--{option}: {reason}")]
    Option {
        /// The option's long name.
        option: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// A replicate failed: a generator or an algorithm refused its input.
    #[error("replicate {index}: {source}")]
    Replicate {
        /// Number of the replicate, from 0.
        index: u64,
        /// What the library said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The threads could not be started.
    #[error("worker threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}
