//! `econsched merge`: parts of a study or a sweep, put together.

use crate::commands::study::StudyArgs;
use crate::commands::sweep;
use crate::error::CliError;
use crate::report::{Command, Context, Report};
use crate::work::parts::Parts;
use clap::{Args, FromArgMatches};
use std::path::{Path, PathBuf};

/// Merge the parts of a study or a sweep; the results have the same bytes as those of one run without parts
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct MergeArgs {
    /// The parts, in any order
    #[arg(value_name = "PART", required = true)]
    parts: Vec<PathBuf>,
    /// Directory for the results [default for a sweep: out]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Example:
  for part in 1 2 3; do
    econsched study iccs2011 --shard $part/3 --out parts &
  done; wait
  econsched merge parts/*.part --out out/iccs2011

Parts may be computed on different machines, more than once, and in any order. A part that was stopped \
continues where it stopped when it is run again. The error for a part that is missing, given twice, damaged or of other \
work names it.

Exit code 0, or 2 for bad input or usage.";

impl Command for MergeArgs {
    fn destination(&self) -> (bool, Option<&Path>) {
        (self.json, self.out.as_deref())
    }

    fn report(&self, context: &Context<'_>) -> Result<Report, CliError> {
        let (work, parts) = Parts::merge(&self.parts)?;
        if work.first().is_some_and(|kind| kind == "sweep") {
            let mut report = sweep::merged(&work, &parts)?;
            report.dir = Some("out");
            return Ok(report);
        }
        let matches = StudyArgs::augment_args(clap::Command::new("study")).try_get_matches_from(&work);
        match matches.and_then(|matches| StudyArgs::from_arg_matches(&matches)) {
            Ok(study) => study.merged(parts, context),
            Err(_) => Err(CliError::usage(format!("no study or sweep of this version: {}", work.join(" ")))),
        }
    }
}
