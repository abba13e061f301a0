//! The error type of the program, and its exit codes.

use crate::printable::one_line;
use econsched::grid_sim::SimError;
use econsched::joint_plan::JointError;
use econsched::sched_model::ModelError;
use econsched::slot_window::WindowError;
use econsched::workload_gen::WorkloadError;
use econsched_studies::StudyError;
use plotters::drawing::DrawingAreaErrorKind;
use std::path::Path;
use std::{fmt, io};

/// Why a command fails.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// The input was fine, but nothing could be planned. Exit code 1.
    #[error("{0}")]
    NoPlan(String),
    /// A file, a value in it, a flag or an output path is invalid. Exit code 2.
    #[error("{0}")]
    Wrong(String),
    /// An error that only a fault of the program can cause. Exit code 3.
    #[error("{0}; this is a fault of econsched, please report it")]
    Fault(String),
}

impl CliError {
    /// Creates an error about flags that are invalid, alone or together.
    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self::Wrong(message.to_string())
    }

    /// Creates an error about an invalid value at a place.
    pub(crate) fn input(at: impl Into<Place>, message: impl fmt::Display) -> Self {
        Self::Wrong(format!("{}: {}", at.into(), one_line(&message.to_string())))
    }

    /// Creates an error about an invalid field of a file.
    pub(crate) fn field(path: &Path, field: impl fmt::Display, message: impl fmt::Display) -> Self {
        Self::input(Place::file(path).field(field), message)
    }

    /// Returns a function that converts an error of a reader of workload files, with its place in the file. An error
    /// of reading has no line, since no line is at fault.
    pub(crate) fn of_file(path: &Path) -> impl Fn(WorkloadError) -> Self + '_ {
        let line = |line| Place::file(path).line(line);
        move |error| match error {
            WorkloadError::Table { line: at, why } => Self::input(line(at), why),
            WorkloadError::Json { place, why } => Self::field(path, place, why),
            WorkloadError::Io { source, .. } => Self::input(path, source),
            other => Self::input(path, other),
        }
    }

    /// Creates an error that no input can cause.
    pub(crate) fn fault(message: impl fmt::Display) -> Self {
        Self::Fault(message.to_string())
    }

    /// Creates an error about a result that cannot be written.
    pub(crate) fn write(path: impl AsRef<Path>, source: io::Error) -> Self {
        Self::Wrong(format!("cannot write {}: {source}", Place::file(path.as_ref())))
    }

    /// Returns the exit code: 1 if no plan is possible, 2 for bad input or usage, 3 for a fault of the program.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::NoPlan(_) => 1,
            Self::Wrong(_) => 2,
            Self::Fault(_) => 3,
        }
    }
}

/// An error of a library that is blamed on the flags, unless a command knows the file whose values cause it.
trait OfFlags: fmt::Display {}

impl OfFlags for JointError {}
impl OfFlags for ModelError {}
impl OfFlags for SimError {}
impl OfFlags for StudyError {}
impl OfFlags for WindowError {}
impl OfFlags for WorkloadError {}

impl<E: OfFlags> From<E> for CliError {
    fn from(error: E) -> Self {
        Self::usage(error)
    }
}

/// Everything that is written fits into JSON, so an error is a fault of the program.
impl From<serde_json::Error> for CliError {
    fn from(error: serde_json::Error) -> Self {
        Self::fault(error)
    }
}

/// Any data can be drawn, so an error is a fault of the program.
impl From<DrawingAreaErrorKind<io::Error>> for CliError {
    fn from(error: DrawingAreaErrorKind<io::Error>) -> Self {
        Self::fault(error)
    }
}

/// The place of a value: file, line and field, as far as they are known.
#[derive(Debug, Clone, Default)]
pub(crate) struct Place(String);

impl Place {
    /// Returns the place of a whole file; `-` is standard input.
    pub(crate) fn file(path: &Path) -> Self {
        let standard = path.as_os_str() == "-";
        Self(if standard { "<stdin>".to_owned() } else { one_line(&path.display().to_string()) })
    }

    /// Adds a line, counted from 1; 0 stands for an unknown line.
    pub(crate) fn line(self, line: u64) -> Self {
        if line > 0 { Self(format!("{self}:{line}")) } else { self }
    }

    /// Adds a field, by name or path. Without a file, the place is a flag.
    pub(crate) fn field(self, field: impl fmt::Display) -> Self {
        match one_line(&field.to_string()) {
            field if field.is_empty() || field == "." => self,
            field if self.0.is_empty() => Self(field),
            field => Self(format!("{self}: {field}")),
        }
    }
}

impl From<&Path> for Place {
    fn from(path: &Path) -> Self {
        Self::file(path)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
