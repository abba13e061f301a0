//! The `study` command: published studies rerun, with ours beside the paper's.

mod error;
mod replicates;
mod report;

pub(crate) use error::StudyError;
