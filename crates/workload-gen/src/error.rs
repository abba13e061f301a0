//! The errors of this crate.

use crate::swf::Dropped;
use std::io;

/// The error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkloadError {
    /// A parameter is out of its range.
    #[error("{name} is {value}; it must be {expected}")]
    Parameter {
        /// The field or argument.
        name: &'static str,
        /// Its value, as text.
        value: String,
        /// The values that are allowed.
        expected: &'static str,
    },
    /// No such name in a registry.
    #[error(transparent)]
    UnknownName(#[from] sched_model::UnknownName),
    /// A strict reader met something it would have to drop.
    #[error("log refused: {0}")]
    Refused(Dropped),
    /// A table cannot be read at all.
    #[error("{}{why}", if *line > 0 { format!("line {line}: ") } else { String::new() })]
    Table {
        /// The line, from 1; 0 where no one line is at fault.
        line: u64,
        /// What is wrong.
        why: String,
    },
    /// A JSON text cannot be read at all.
    #[error("{place}: {why}")]
    Json {
        /// Where in the text, or in its values.
        place: String,
        /// What is wrong.
        why: String,
    },
    /// A property file is wrong.
    #[error("{file}{}: {why}", if *line > 0 { format!(", line {line}") } else { String::new() })]
    Property {
        /// The file.
        file: &'static str,
        /// The line, from 1; 0 where no one line is at fault.
        line: usize,
        /// What is wrong, with the key and the value.
        why: String,
    },
    /// A log is larger than the limits of the reader.
    #[error("line {line}: more than {limit} bytes of {what}")]
    TooLarge {
        /// What is too large: the text, or the memory for its records.
        what: &'static str,
        /// The most bytes.
        limit: u64,
        /// The line at which the limit was exceeded, from 1.
        line: u64,
    },
    /// A generated value is out of the range of the model, because of extreme parameters.
    #[error(transparent)]
    Model(#[from] sched_model::ModelError),
    /// Reading or writing failed. `line` is the line being read; 0 when writing, or before the first line.
    #[error("line {line}: {source}")]
    Io {
        /// The line, the first being 1.
        line: u64,
        /// The error of the system.
        source: io::Error,
    },
}

impl WorkloadError {
    pub(crate) fn parameter(name: &'static str, value: impl ToString, expected: &'static str) -> Self {
        WorkloadError::Parameter { name, value: value.to_string(), expected }
    }
}

/// What a parameter must be, or the error that names it.
pub(crate) fn require(
    fits: bool,
    name: &'static str,
    value: impl ToString,
    expected: &'static str,
) -> Result<(), WorkloadError> {
    if fits { Ok(()) } else { Err(WorkloadError::parameter(name, value, expected)) }
}
