//! What a command answers, and the one place from where it goes to the terminal and into files.

use crate::error::CliError;
use crate::files::{self, OutDir};
use crate::terminal;
use serde::Serialize;
use std::path::PathBuf;

/// An answer.
#[derive(Debug)]
pub(crate) struct Report {
    /// For a person.
    text: String,
    /// For a program.
    json: String,
    /// Files beside that of the JSON, by name.
    files: Vec<(&'static str, String)>,
    /// For a sweep.
    pub(crate) figures: Vec<(String, f64)>,
}

impl Report {
    /// An answer without tables and figures.
    ///
    /// # Errors
    /// [`CliError::Fault`] for a value that JSON cannot hold.
    pub(crate) fn new<T: Serialize>(text: String, answer: &T) -> Result<Self, CliError> {
        Ok(Self { text, json: files::json(answer)?, files: Vec::new(), figures: Vec::new() })
    }

    /// The same with a table as a file.
    ///
    /// # Errors
    /// As [`files::csv`].
    pub(crate) fn with_table<R>(
        mut self,
        name: &'static str,
        headings: &[&str],
        rows: impl IntoIterator<Item = R>,
    ) -> Result<Self, CliError>
    where
        R: IntoIterator<Item: AsRef<str>>,
    {
        self.files.push((name, files::csv(headings, rows)?));
        Ok(self)
    }

    /// The same with these figures.
    pub(crate) fn with_figures(self, figures: impl IntoIterator<Item = (String, f64)>) -> Self {
        Self { figures: figures.into_iter().collect(), ..self }
    }
}

/// Where an answer goes, as flags.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Destination {
    /// JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Directory for the answer as JSON and as tables (CSV)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Destination {
    /// Runs a command, prints its answer, and writes its files, that of the JSON under this name. That they can be
    /// written is known before the work.
    ///
    /// # Errors
    /// Those of the command; [`CliError::Write`].
    pub(crate) fn publish(
        &self,
        name: &str,
        command: impl FnOnce() -> Result<Report, CliError>,
    ) -> Result<(), CliError> {
        let dir = self.out.as_deref().map(OutDir::open).transpose()?;
        let Report { text, json, files, .. } = command()?;
        if self.json { terminal::print(&json) } else { terminal::tell(&text) }?;
        let Some(mut dir) = dir else { return Ok(()) };
        dir.write(name, &json)?;
        files.iter().try_for_each(|(name, text)| dir.write(name, text))?;
        dir.publish()
    }
}
