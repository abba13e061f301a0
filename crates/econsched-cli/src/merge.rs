//! `econsched merge`: parts of a study or a sweep, put together.

use crate::error::CliError;
use crate::parts::Parts;
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

impl MergeArgs {
    /// The work of the parts, and all their records.
    ///
    /// # Errors
    /// As [`Parts::merge`].
    pub(crate) fn read(&self) -> Result<(Vec<String>, Parts), CliError> {
        Parts::merge(&self.parts)
    }

    pub(crate) fn out(&self) -> Option<&Path> {
        self.out.as_deref()
    }

    pub(crate) fn json(&self) -> bool {
        self.json
    }
}
