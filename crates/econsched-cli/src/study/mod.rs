//! The `study` command: published studies rerun, with ours beside the paper's.

mod replicates;
mod report;

use crate::error::CliError;

/// What to rerun.
#[derive(Debug, clap::Args)]
pub(crate) struct StudyArgs {}

/// Runs a study.
pub(crate) fn run(_args: StudyArgs) -> Result<(), CliError> {
    Err(CliError::usage("no study is available yet"))
}
