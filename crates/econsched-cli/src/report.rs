//! The answer of a command, and the only way that it takes to the terminal, into files and into the exit code.

use crate::error::CliError;
use crate::flags::{Given, flags};
use crate::output::files::Body;
use crate::output::{files, terminal};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Creates a value that is serialised with these fields in this order; fields marked by `Option<>` are left out where
/// they are `None`.
macro_rules! object {
    ($($field:ident $($option:ident $open:tt $close:tt)?: $value:expr),* $(,)?) => {{
        #[allow(non_camel_case_types)] // the type of each field is called as the field
        mod fields {
            #[derive(serde::Serialize)]
            pub(super) struct Object<$($field),*> {$(
                $(#[serde(skip_serializing_if = "Option::is_none")] #[doc = stringify!($option)])?
                pub(super) $field: $($option $open)? $field $($close)?,
            )*}
        }
        fields::Object { $($field: $value),* }
    }};
}
pub(crate) use object;

/// A command with its flags. It computes its answer, and prints and writes nothing.
pub(crate) trait Command {
    /// Computes the answer.
    ///
    /// # Errors
    /// Why there is no answer.
    fn report(&self, context: &Context<'_>) -> Result<Report, CliError>;
}

/// Whether the answer is printed as JSON, and the directory for its files.
pub(crate) type OutputTarget<'a> = (bool, Option<&'a Path>);

/// Figures of one run with their names.
pub(crate) type Figures = Vec<(String, f64)>;

/// How a command was called.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) given: Given<'a>,
    /// Whether the files of the answer are written.
    pub(crate) files: bool,
    /// Whether this is a run of a sweep. Ctrl-C then ends the program, because a stopped run must not become a
    /// figure.
    pub(crate) sweep: bool,
    /// Runs a command for its figures.
    pub(crate) measure: fn(&[String]) -> Result<Figures, CliError>,
    /// Creates the command line, for commands that describe it.
    #[cfg(feature = "shell")]
    pub(crate) line: fn() -> clap::Command,
}

impl Context<'_> {
    /// Runs a command, prints its answer and writes its files. Whether files can be written is checked before the
    /// work.
    ///
    /// # Errors
    /// Those of the command; [`CliError::Wrong`] where nothing can be written.
    pub(crate) fn run(self, command: &dyn Command, (json, dir): OutputTarget<'_>) -> Result<(), CliError> {
        dir.map_or(Ok(()), files::try_writing)?;
        command.report(&Self { files: dir.is_some(), ..self })?.publish(json, dir)
    }
}

/// The answer of a command.
#[derive(Default)]
pub(crate) struct Report {
    /// Text for a person.
    text: String,
    /// JSON for a program.
    json: String,
    /// Printed as it is, in place of both: an input for other programs.
    raw: Option<Body>,
    /// Lines for standard error.
    remarks: Vec<String>,
    /// Files in the output directory, by name.
    files: Vec<(String, Body)>,
    /// Files with paths of their own.
    apart: Vec<(PathBuf, Body)>,
    /// What to look at first, and the name of its file in the output directory.
    first: Option<[&'static str; 2]>,
    /// Figures for a sweep.
    figures: Figures,
    /// Runs after everything is written; its error becomes the exit code.
    end: Option<Box<dyn FnOnce() -> Result<(), CliError>>>,
}

impl Report {
    /// Creates an answer without files and figures.
    ///
    /// # Errors
    /// [`CliError::Fault`] for a value that JSON cannot hold.
    pub(crate) fn new<T: Serialize>(text: String, answer: &T) -> Result<Self, CliError> {
        Ok(Self::of(text, files::json(answer)?))
    }

    /// As [`new`](Self::new), for an answer that is JSON already.
    pub(crate) fn of(text: String, json: String) -> Self {
        Self { text, json, ..Self::default() }
    }

    /// Creates an answer that is an input for other programs: written to `out`, or printed.
    pub(crate) fn raw(content: impl Into<Body>, out: Option<&Path>) -> Self {
        match out {
            Some(place) => Self::default().with_file_at(place.to_owned(), content),
            None => Self { raw: Some(content.into()), ..Self::default() },
        }
    }

    /// Adds a file in the output directory.
    pub(crate) fn with_file(mut self, name: impl Into<String>, content: impl Into<Body>) -> Self {
        self.files.push((name.into(), content.into()));
        self
    }

    /// Adds a file with a path of its own.
    pub(crate) fn with_file_at(mut self, place: PathBuf, content: impl Into<Body>) -> Self {
        self.apart.push((place, content.into()));
        self
    }

    /// Adds the JSON as a file.
    pub(crate) fn with_json(self, name: &str) -> Self {
        let json = self.json.clone();
        self.with_file(name, json)
    }

    /// Sets the file whose path is printed after the answer.
    pub(crate) fn with_first(self, what: &'static str, name: &'static str) -> Self {
        Self { first: Some([what, name]), ..self }
    }

    /// Adds a line for standard error.
    pub(crate) fn with_remark(mut self, remark: String) -> Self {
        self.remarks.push(remark);
        self
    }

    /// Sets the figures.
    pub(crate) fn with_figures<N: Into<String>>(self, figures: impl IntoIterator<Item = (N, f64)>) -> Self {
        let figures = figures.into_iter().map(|(name, value)| (name.into(), value)).collect();
        Self { figures, ..self }
    }

    /// Sets what runs after everything is written; its error becomes the exit code.
    pub(crate) fn with_end(self, end: impl FnOnce() -> Result<(), CliError> + 'static) -> Self {
        Self { end: Some(Box::new(end)), ..self }
    }

    /// Returns the figures.
    ///
    /// # Errors
    /// The error of the [end](Self::with_end) of the answer.
    pub(crate) fn figures(self) -> Result<Figures, CliError> {
        self.end.map_or(Ok(()), |end| end())?;
        Ok(self.figures)
    }

    /// Prints the answer, and writes its files if there is an output directory.
    ///
    /// # Errors
    /// [`CliError::Wrong`] where something cannot be written, and the error of the [end](Self::with_end).
    pub(crate) fn publish(self, json: bool, dir: Option<&Path>) -> Result<(), CliError> {
        match self.raw {
            Some(Body::Text(text)) => terminal::print(&text),
            Some(Body::Stream(fill)) => terminal::print_by(fill),
            None if json => terminal::print(&self.json),
            None => terminal::print_wrapped(&self.text),
        }?;
        self.remarks.iter().for_each(|remark| terminal::print_error(remark));
        let mut files = self.apart;
        if let Some(dir) = dir {
            files.extend(self.files.into_iter().map(|(name, content)| (dir.join(name), content)));
        }
        files::write_all(files)?;
        if let Some(([what, name], dir)) = self.first.zip(dir).filter(|_| !json) {
            terminal::print_wrapped(&format!("{what}: {}\n", dir.join(name).display()))?;
        }
        self.end.map_or(Ok(()), |end| end())
    }
}

flags! {
    /// Flags that say where an answer goes.
    pub(crate) struct Destination {
        /// JSON instead of tables
        json: bool,
        /// Directory for the result files; without it, the answer is printed only
        pub(crate) out: Option<PathBuf> as "DIR",
    }
}

impl Destination {
    /// Returns whether JSON is printed, and the directory for files.
    pub(crate) fn output_target(&self) -> OutputTarget<'_> {
        (self.json, self.out.as_deref())
    }
}
