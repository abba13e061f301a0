//! What can go wrong.

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
        /// What would be right.
        expected: &'static str,
    },
    /// No such name in a registry.
    #[error("unknown {family} `{name}`; known: {known}")]
    UnknownName {
        /// What was looked for.
        family: &'static str,
        /// The name given.
        name: String,
        /// All names, separated by commas.
        known: String,
    },
    /// A strict reader met something it would have to drop.
    #[error("log refused: {0}")]
    Refused(Dropped),
    /// The model refused a generated value: parameters so extreme that a product leaves its range.
    #[error(transparent)]
    Model(#[from] sched_model::ModelError),
    /// Reading or writing failed. `line` is the line being read; 0 when writing, or before the first line.
    #[error("line {line}: {source}")]
    Io {
        /// The line, the first being 1.
        line: u64,
        /// What the system says.
        source: io::Error,
    },
}

impl WorkloadError {
    pub(crate) fn parameter(name: &'static str, value: impl ToString, expected: &'static str) -> Self {
        WorkloadError::Parameter { name, value: value.to_string(), expected }
    }

    pub(crate) fn unknown<'a>(
        family: &'static str,
        name: &str,
        known: impl Iterator<Item = &'a str>,
    ) -> Self {
        let known = known.collect::<Vec<_>>().join(", ");
        WorkloadError::UnknownName { family, name: name.to_owned(), known }
    }
}
