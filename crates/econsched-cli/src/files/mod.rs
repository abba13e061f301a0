//! Files in and out.

mod misspelt;
mod text;
mod write;

pub(crate) use misspelt::guess;
pub(crate) use text::{csv, json};
pub(crate) use write::{OutDir, Output, write_file};

use crate::error::{CliError, Place};
use crate::progress;
use flate2::read::MultiGzDecoder;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{self, IsTerminal as _, Read};
use std::path::Path;

/// More than this in one file is refused.
const LARGEST: u64 = 2 << 30;
/// A small gzip file may unpack to any size. Logs and matrices shrink to a tenth, hardly to less than a
/// hundredth.
const UNPACKED_AT_MOST: u64 = 100;
/// So much may be unpacked whatever the size of the packed file.
const UNPACKED_ALWAYS: u64 = 64 << 20;

/// The bytes of a file, unpacked where it starts with the gzip magic, without a byte-order mark; `-` is
/// standard input.
///
/// # Errors
/// [`CliError::Input`] with the path where it cannot be read.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    let failed = |error: io::Error| CliError::input(path, error);
    let standard = path.as_os_str() == "-";
    let file = if standard { "standard input".to_owned() } else { Place::file(path).to_string() };
    let _during = progress::during(&format!("reading {file}"));
    // What a person types is not written over.
    let _aside = (standard && io::stdin().is_terminal()).then(progress::aside);
    let mut bytes = Vec::new();
    let source: Box<dyn Read> =
        if standard { Box::new(io::stdin().lock()) } else { Box::new(File::open(path).map_err(failed)?) };
    source.take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let packed = std::mem::take(&mut bytes);
        let most = (UNPACKED_AT_MOST * packed.len() as u64).max(UNPACKED_ALWAYS);
        MultiGzDecoder::new(packed.as_slice())
            .take(most.min(LARGEST) + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| CliError::input(path, format!("not a whole gzip file: {error}")))?;
        if bytes.len() as u64 > most {
            return Err(CliError::input(
                path,
                format!("unpacks to more than {UNPACKED_AT_MOST} times its size"),
            ));
        }
    }
    if bytes.len() as u64 > LARGEST {
        return Err(CliError::input(path, format!("more than {LARGEST} bytes")));
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(CliError::input(path, "UTF-16 text: save it as UTF-8"));
    }
    // A byte-order mark says nothing in UTF-8.
    if bytes.starts_with(&[0xef, 0xbb, 0xbf]) {
        bytes.drain(..3);
    }
    Ok(bytes)
}

/// What a file holds, by its first character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// A JSON object.
    Scenario,
    /// JSON, but no object.
    OtherJson,
    /// Anything else.
    Log,
}

impl Content {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'{') => Self::Scenario,
            Some(b'[' | b'"') => Self::OtherJson,
            _ => Self::Log,
        }
    }
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
    let place = |line: usize| Place::file(path).line(line as u64);
    let bare = |error: &serde_json::Error| {
        // The place is told apart; the library appends it to its message.
        let text = error.to_string();
        let text = text.rfind(" at line ").map_or(text.as_str(), |cut| &text[..cut]);
        format!("{text}{}", guess(text))
    };
    let mut source = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut source).map_err(|error| {
        let field = error.path().to_string();
        CliError::input(place(error.inner().line()).field(field), bare(error.inner()))
    })?;
    source.end().map_err(|error| CliError::input(place(error.line()), bare(&error)))?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use econsched::sched_model::Batch;

    #[test]
    fn json_errors_name_line_and_field() {
        let text = "[\n {\"id\": 1, \"request\": {\"nodes\": 1,\n \"work\": -5}}]";
        let error = parse_json::<Batch>(text.as_bytes(), Path::new("jobs.json")).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("jobs.json:3: [0].request"), "{text}");
        assert!(text.contains("-5"), "{text}");
        let error = parse_json::<Batch>(b"[] []", Path::new("jobs.json")).unwrap_err();
        assert!(error.to_string().starts_with("jobs.json:1:"), "{error}");
    }
}
