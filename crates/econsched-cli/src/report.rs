//! What a command answers, and the one place from where it goes to the terminal, into files and into the exit code.

use crate::error::CliError;
use crate::flags::{Given, flags};
use crate::output::files::Body;
use crate::output::{files, terminal};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A value that is written as JSON with these fields, in this order; those marked by `Option<>` only where they are
/// `Some`.
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

/// A command with its flags. Its answer is computed without a word printed or a result written.
pub(crate) trait Command {
    /// The answer.
    ///
    /// # Errors
    /// Why there is none.
    fn report(&self, context: &Context<'_>) -> Result<Report, CliError>;
}

/// Whether the answer is printed as JSON, and the directory of its files.
pub(crate) type Destined<'a> = (bool, Option<&'a Path>);

/// Figures of one run by name.
pub(crate) type Figures = Vec<(String, f64)>;

/// What a command knows of how it was called.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) given: Given<'a>,
    /// Whether its files are written.
    pub(crate) files: bool,
    /// Whether it is a run of a sweep. Ctrl-C then ends the program: a stopped run must not become a figure.
    pub(crate) sweep: bool,
    /// Runs a command for its figures.
    pub(crate) measure: fn(&[String]) -> Result<Figures, CliError>,
    /// The command line, for those who describe it.
    #[cfg(feature = "shell")]
    pub(crate) line: fn() -> clap::Command,
}

impl Context<'_> {
    /// Runs a command: its answer is printed, and its files are written. That they can be written is known before the
    /// work.
    ///
    /// # Errors
    /// Those of the command; [`CliError::Wrong`].
    pub(crate) fn run(self, command: &dyn Command, (json, dir): Destined<'_>) -> Result<(), CliError> {
        dir.map_or(Ok(()), files::try_writing)?;
        command.report(&Self { files: dir.is_some(), ..self })?.publish(json, dir)
    }
}

/// An answer.
#[derive(Default)]
pub(crate) struct Report {
    /// For a person.
    text: String,
    /// For a program.
    json: String,
    /// In place of both: an input for other programs, printed as it is.
    raw: Option<Body>,
    /// For standard error.
    remarks: Vec<String>,
    /// Files in the directory of the command.
    files: Vec<(String, Body)>,
    /// Files with places of their own.
    apart: Vec<(PathBuf, Body)>,
    /// The file to look at first: what it is, and its name.
    first: Option<[&'static str; 2]>,
    /// For a sweep.
    figures: Figures,
    /// What is done when all is written, and gives the exit code.
    end: Option<Box<dyn FnOnce() -> Result<(), CliError>>>,
}

impl Report {
    /// An answer without files and figures.
    ///
    /// # Errors
    /// [`CliError::Fault`] for a value that JSON cannot hold.
    pub(crate) fn new<T: Serialize>(text: String, answer: &T) -> Result<Self, CliError> {
        Ok(Self::of(text, files::json(answer)?))
    }

    /// The same of an answer that is JSON already.
    pub(crate) fn of(text: String, json: String) -> Self {
        Self { text, json, ..Self::default() }
    }

    /// An input for other programs: to this file, or printed.
    pub(crate) fn raw(content: impl Into<Body>, out: Option<&Path>) -> Self {
        match out {
            Some(place) => Self::default().with_file_at(place.to_owned(), content),
            None => Self { raw: Some(content.into()), ..Self::default() },
        }
    }

    /// The same with a file.
    pub(crate) fn with_file(mut self, name: impl Into<String>, content: impl Into<Body>) -> Self {
        self.files.push((name.into(), content.into()));
        self
    }

    /// The same with a file that has a place of its own.
    pub(crate) fn with_file_at(mut self, place: PathBuf, content: impl Into<Body>) -> Self {
        self.apart.push((place, content.into()));
        self
    }

    /// The same with the JSON as a file.
    pub(crate) fn with_json(self, name: &str) -> Self {
        let json = self.json.clone();
        self.with_file(name, json)
    }

    /// The same with a file of which it is said where it stands.
    pub(crate) fn with_first(self, what: &'static str, name: &'static str) -> Self {
        Self { first: Some([what, name]), ..self }
    }

    /// The same with a line on standard error.
    pub(crate) fn with_remark(mut self, remark: String) -> Self {
        self.remarks.push(remark);
        self
    }

    /// The same with these figures.
    pub(crate) fn with_figures<N: Into<String>>(self, figures: impl IntoIterator<Item = (N, f64)>) -> Self {
        let figures = figures.into_iter().map(|(name, value)| (name.into(), value)).collect();
        Self { figures, ..self }
    }

    /// The same with what is done when all is written, and gives the exit code.
    pub(crate) fn with_end(self, end: impl FnOnce() -> Result<(), CliError> + 'static) -> Self {
        Self { end: Some(Box::new(end)), ..self }
    }

    /// The figures, where the answer is one.
    ///
    /// # Errors
    /// Why it is none.
    pub(crate) fn figures(self) -> Result<Figures, CliError> {
        self.end.map_or(Ok(()), |end| end())?;
        Ok(self.figures)
    }

    /// Prints the answer, and writes its files where they are wanted.
    ///
    /// # Errors
    /// [`CliError::Wrong`], and those of its end.
    pub(crate) fn publish(self, json: bool, dir: Option<&Path>) -> Result<(), CliError> {
        match self.raw {
            Some(Body::Text(text)) => terminal::print(&text),
            Some(Body::By(fill)) => terminal::print_by(fill),
            None if json => terminal::print(&self.json),
            None => terminal::tell(&self.text),
        }?;
        self.remarks.iter().for_each(|remark| terminal::complain(remark));
        let mut files = self.apart;
        if let Some(dir) = dir {
            files.extend(self.files.into_iter().map(|(name, content)| (dir.join(name), content)));
        }
        files::write_all(files)?;
        if let Some(([what, name], dir)) = self.first.zip(dir).filter(|_| !json) {
            terminal::tell(&format!("{what}: {}\n", dir.join(name).display()))?;
        }
        self.end.map_or(Ok(()), |end| end())
    }
}

flags! {
    /// Where an answer goes, as flags.
    pub(crate) struct Destination {
        /// JSON instead of tables
        json: bool,
        /// Directory for the result files; without it, the answer is printed only
        pub(crate) out: Option<PathBuf> as "DIR",
    }
}

impl Destination {
    /// Whether JSON is printed, and the directory for files.
    pub(crate) fn destined(&self) -> Destined<'_> {
        (self.json, self.out.as_deref())
    }
}
