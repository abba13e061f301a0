//! Files in and out.

mod misspelt;
mod open;
mod text;
mod write;

pub(crate) use misspelt::guess;
pub(crate) use open::open;
pub(crate) use text::{Column, csv, json, table, write_table};
pub(crate) use write::{Body, alone, try_writing, write_all};

use crate::error::{CliError, Place};
use serde::de::DeserializeOwned;
use std::io::Read as _;
use std::path::Path;

/// The bytes of a file, unpacked where it starts with the gzip magic, without a byte-order mark; `-` is
/// standard input.
///
/// # Errors
/// [`CliError::Input`] with the path where it cannot be read.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes).map_err(|error| CliError::input(path, error))?;
    Ok(bytes)
}

/// The content of a file, by its first character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// A JSON object.
    Scenario,
    /// JSON, but no object.
    OtherJson,
    /// Lines of numbers, or comments of a log.
    Log,
    /// Anything else.
    Unknown,
}

impl Content {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'{') => Self::Scenario,
            Some(b'[' | b'"') => Self::OtherJson,
            _ if bytes.split(|byte| *byte == b'\n').any(begins_as_log) => Self::Log,
            _ => Self::Unknown,
        }
    }

    pub(crate) fn is_json(self) -> bool {
        matches!(self, Self::Scenario | Self::OtherJson)
    }
}

/// Whether a line is a comment of a log, or begins with a number.
fn begins_as_log(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let word = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    line.starts_with(b";") || std::str::from_utf8(word).is_ok_and(|word| word.parse::<f64>().is_ok())
}

/// The text of a file, as [`read`].
///
/// # Errors
/// As [`read`]; also with the line of the first byte that is not UTF-8.
pub(crate) fn read_text(path: &Path) -> Result<String, CliError> {
    String::from_utf8(read(path)?).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..valid].iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
        CliError::input(Place::file(path).line(line), "not UTF-8 text")
    })
}

/// A value from JSON text.
///
/// # Errors
/// [`CliError::Input`] with line and path of the field.
pub(crate) fn parse_json<T: DeserializeOwned>(bytes: &[u8], path: &Path) -> Result<T, CliError> {
    let mut source = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut source)
        .map_err(|error| wrong(path, &error.path().to_string(), error.inner()))?;
    source.end().map_err(|error| wrong(path, "", &error))?;
    Ok(value)
}

fn wrong(path: &Path, field: &str, error: &serde_json::Error) -> CliError {
    // The library appends the place to its message; it is cut off here, since it is shown separately.
    let text = error.to_string();
    let text = text.rfind(" at line ").map_or(text.as_str(), |cut| &text[..cut]);
    let at = Place::file(path).line(error.line() as u64).field(field);
    CliError::input(at, format!("{text}{}", guess(text)))
}
