//! The errors of this crate.

use crate::swf::Dropped;
use std::io;

/// A parameter or input that was refused, or a failure to read or write.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkloadError {
    /// A parameter is out of its range.
    #[error("{name} is {value}; it must be {expected}")]
    Parameter {
        /// The name of the field or argument.
        name: &'static str,
        /// Its value, as text.
        value: String,
        /// A description of the valid values.
        expected: &'static str,
    },
    /// A strict reader found a line or value that it would have to drop.
    #[error("log refused: {0}")]
    Refused(Dropped),
    /// A table or an XML text is refused as a whole.
    #[error("{}{why}", if *line > 0 { format!("line {line}: ") } else { String::new() })]
    Table {
        /// The line, from 1; 0 if no single line is at fault.
        line: u64,
        /// The fault.
        why: String,
    },
    /// A JSON text is refused as a whole.
    #[error("{place}: {why}")]
    Json {
        /// The place in the text, or among its values.
        place: String,
        /// The fault.
        why: String,
    },
    /// A log exceeds the limits of the reader.
    #[error("line {line}: more than {limit} bytes of {what}")]
    TooLarge {
        /// What was limited: `text` that was read, or `memory` for comments and records.
        what: &'static str,
        /// The maximum number of bytes.
        limit: u64,
        /// The line at which the limit was exceeded, from 1.
        line: u64,
    },
    /// A value is out of the range of the model, because parameters or logged values are extreme.
    #[error(transparent)]
    Model(#[from] sched_model::ModelError),
    /// Reading or writing failed.
    #[error("line {line}: {source}")]
    Io {
        /// The line being read, from 1; 0 when writing, or before the first line.
        line: u64,
        /// The error of the operating system or of the decompression.
        source: io::Error,
    },
}

impl WorkloadError {
    pub(crate) fn parameter(name: &'static str, value: impl ToString, expected: &'static str) -> Self {
        WorkloadError::Parameter { name, value: value.to_string(), expected }
    }
}

/// Returns an error that names the parameter unless `fits`.
pub(crate) fn require(
    fits: bool,
    name: &'static str,
    value: impl ToString,
    expected: &'static str,
) -> Result<(), WorkloadError> {
    if fits { Ok(()) } else { Err(WorkloadError::parameter(name, value, expected)) }
}
