//! The flags of commands that draw charts over time.

use crate::error::CliError;
use crate::flags::{Given, number};
use crate::output::terminal::Times;
use std::path::{Path, PathBuf};

/// The flags for the time that charts show.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct Extent {
    /// Charts begin at this instant, in the time of the input [default: the first instant with something to
    /// show]
    #[arg(long, value_name = "INSTANT", value_parser = number(f64::MIN..=f64::MAX, "a finite instant"))]
    from: Option<f64>,
    /// Charts end at this instant
    #[arg(long, value_name = "INSTANT", value_parser = number(f64::MIN..=f64::MAX, "a finite instant"))]
    until: Option<f64>,
}

impl Extent {
    /// The time to show: `from` to `to`, unless the flags say otherwise.
    pub(crate) fn over(self, from: f64, to: f64) -> (f64, f64) {
        let from = self.from.unwrap_or(from);
        (from, self.until.unwrap_or(to).max(from))
    }

    /// Whether something of a span is shown.
    pub(crate) fn shows(self, start: f64, end: f64) -> bool {
        self.from.is_none_or(|from| end > from) && self.until.is_none_or(|until| start < until)
    }

    /// Whether a flag is given.
    pub(crate) fn is_given(self) -> bool {
        self.from.is_some() || self.until.is_some()
    }

    /// # Errors
    /// [`CliError::Usage`] for an end before the beginning.
    fn check(self) -> Result<(), CliError> {
        match (self.from, self.until) {
            (Some(from), Some(until)) if !(from < until) => {
                Err(CliError::usage(format!("--from {from} --until {until}: expected --from before --until")))
            }
            _ => Ok(()),
        }
    }
}

/// How an answer is shown, and where its files go, as flags.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Shown {
    #[command(flatten)]
    pub(crate) extent: Extent,
    /// JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Times as seconds
    #[arg(long)]
    seconds: bool,
    /// Directory for the result files
    #[arg(long, value_name = "DIR", default_value = "out")]
    out: PathBuf,
    /// Print only, write no files
    #[arg(long)]
    no_files: bool,
}

impl Shown {
    /// Whether JSON is printed, and the directory for files.
    pub(crate) fn destination(&self) -> (bool, Option<&Path>) {
        (self.json, (!self.no_files).then_some(self.out.as_path()))
    }

    /// How times are shown that are known to be seconds.
    pub(crate) fn times(&self) -> Times {
        if self.seconds { Times::Plain } else { Times::Read }
    }

    /// # Errors
    /// [`CliError::Usage`] for a time that no chart can show, and for flags of charts where none is written.
    pub(crate) fn check(&self, given: &Given) -> Result<(), CliError> {
        if self.no_files {
            given.refuse(&["gantt_jobs", "from", "until"], "no chart is written with --no-files")?;
        }
        self.extent.check()
    }
}
