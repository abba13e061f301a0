//! What a command answers, and the one place from where it goes to the terminal and into files.

use crate::error::CliError;
use crate::files::{self, Filled, OutDir};
use crate::terminal;
use serde::Serialize;
use std::io;
use std::path::PathBuf;

/// An answer.
pub(crate) struct Report<'a> {
    /// For a person.
    text: String,
    /// For a program.
    json: String,
    files: Vec<(String, Content<'a>)>,
    /// The file to look at first: what it is, its name, and what is said after it.
    first: Option<[String; 3]>,
    /// For a sweep.
    pub(crate) figures: Vec<(String, f64)>,
}

/// Fills a file.
type Fill<'a> = Box<dyn FnOnce(&mut Filled) -> io::Result<()> + 'a>;

/// What a file holds.
enum Content<'a> {
    Text(String),
    /// What need not stand in memory.
    By(Fill<'a>),
}

impl<'a> Report<'a> {
    /// An answer without files and figures.
    ///
    /// # Errors
    /// [`CliError::Fault`] for a value that JSON cannot hold.
    pub(crate) fn new<T: Serialize>(text: String, answer: &T) -> Result<Self, CliError> {
        Ok(Self::of(text, files::json(answer)?))
    }

    /// The same of an answer that is JSON already.
    pub(crate) fn of(text: String, json: String) -> Self {
        Self { text, json, files: Vec::new(), first: None, figures: Vec::new() }
    }

    /// The same with a file.
    pub(crate) fn with_file(mut self, name: impl Into<String>, text: String) -> Self {
        self.files.push((name.into(), Content::Text(text)));
        self
    }

    /// The same with the JSON as a file.
    pub(crate) fn with_json(self, name: &str) -> Self {
        let json = self.json.clone();
        self.with_file(name, json)
    }

    /// The same with a file that is filled when it is written.
    pub(crate) fn with_filled(
        mut self,
        name: &str,
        fill: impl FnOnce(&mut Filled) -> io::Result<()> + 'a,
    ) -> Self {
        self.files.push((name.to_owned(), Content::By(Box::new(fill))));
        self
    }

    /// The same with a table as a file.
    ///
    /// # Errors
    /// As [`files::csv`].
    pub(crate) fn with_table<R>(
        self,
        name: &str,
        headings: &[&str],
        rows: impl IntoIterator<Item = R>,
    ) -> Result<Self, CliError>
    where
        R: IntoIterator<Item: AsRef<str>>,
    {
        Ok(self.with_file(name, files::csv(headings, rows)?))
    }

    /// The same with a file of which it is said where it stands.
    pub(crate) fn with_first(self, what: &str, name: &str, rest: &str) -> Self {
        Self { first: Some([what, name, rest].map(str::to_owned)), ..self }
    }

    /// The same with these figures.
    pub(crate) fn with_figures(self, figures: impl IntoIterator<Item = (String, f64)>) -> Self {
        Self { figures: figures.into_iter().collect(), ..self }
    }

    /// Both.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.text += &other.text;
        self.json += &other.json;
        self.files.extend(other.files);
        self
    }

    /// Prints the answer, and writes its files where they are wanted.
    ///
    /// # Errors
    /// [`CliError::Write`].
    pub(crate) fn publish(self, json: bool, dir: Option<OutDir>) -> Result<(), CliError> {
        if json { terminal::print(&self.json) } else { terminal::tell(&self.text) }?;
        let Some(dir) = dir else { return Ok(()) };
        let place =
            |[what, name, rest]: &[String; 3]| format!("{what}: {}{rest}\n", dir.place(name).display());
        let first = self.first.as_ref().map(place).filter(|_| !json);
        self.save(dir)?;
        first.map_or(Ok(()), |first| terminal::tell(&first))
    }

    /// Writes its files.
    ///
    /// # Errors
    /// [`CliError::Write`].
    pub(crate) fn save(self, mut dir: OutDir) -> Result<(), CliError> {
        for (name, content) in self.files {
            match content {
                Content::Text(text) => dir.write(&name, &text),
                Content::By(fill) => dir.write_by(&name, fill),
            }?;
        }
        dir.publish()
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
    pub(crate) fn publish<'a>(
        &self,
        name: &str,
        command: impl FnOnce() -> Result<Report<'a>, CliError>,
    ) -> Result<(), CliError> {
        let dir = self.out.as_deref().map(OutDir::open).transpose()?;
        command()?.with_json(name).publish(self.json, dir)
    }
}
