//! Files in and out. A file is written whole or not at all.

mod open;

use super::progress;
use crate::error::{CliError, Place};
pub(crate) use open::{csv, json, open, write_csv};
use serde::de::DeserializeOwned;
use std::fs::{File, TryLockError};
use std::io::{BufWriter, Read as _, Write};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Reads a whole file, unpacked if it starts with the gzip magic, without a byte-order mark; `-` is standard input.
///
/// # Errors
/// [`CliError::Wrong`] with the path if it cannot be read.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes).map_err(|error| CliError::input(path, error))?;
    Ok(bytes)
}

/// Reads the text of a file, as [`read`] does its bytes.
///
/// # Errors
/// As for [`read`]; also with the line of the first byte that is not UTF-8.
pub(crate) fn read_text(path: &Path) -> Result<String, CliError> {
    String::from_utf8(read(path)?).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..valid].iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
        CliError::input(Place::file(path).line(line), "not UTF-8 text")
    })
}

/// Parses a value from JSON.
///
/// # Errors
/// [`CliError::Wrong`] with the line and the path of the field.
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
    CliError::input(at, text)
}

/// The content of a file to be written.
pub(crate) enum Body {
    Text(String),
    /// Content that is written piece by piece and need not fit into memory.
    Stream(Fill),
}

/// A function that writes the content of a file.
pub(crate) type Fill = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()>>;

impl Body {
    fn write(self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Text(text) => out.write_all(text.as_bytes()),
            Self::Stream(fill) => fill(out),
        }
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// Checks that files can be written into a directory, so that no hours of work are lost. The directory is created
/// only when there is something to write; until then its nearest existing ancestor is tried.
///
/// # Errors
/// [`CliError::Wrong`] if nothing can be written.
pub(crate) fn try_writing(dir: &Path) -> Result<(), CliError> {
    let there = dir.ancestors().find(|place| place.exists()).unwrap_or(Path::new("."));
    // The file is removed when it is dropped.
    let trial = Staged::write(&there.join("trial"), String::new().into());
    trial.map(drop).map_err(|error| CliError::write(dir, error))
}

/// Writes files together: each first under a temporary name beside its path, which contains the id of this process;
/// when all are written, they are renamed. So a full disk or a kill before that leaves all earlier results as they
/// were. Missing directories are created.
///
/// # Errors
/// [`CliError::Wrong`] for the first file that cannot be written.
pub(crate) fn write_all(files: Vec<(PathBuf, Body)>) -> Result<(), CliError> {
    let mut staged = Vec::with_capacity(files.len());
    for (place, body) in files {
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let _during = progress::during(&format!("writing {name}"));
        staged.extend(Staged::write(&place, body).map_err(|error| CliError::write(&place, error))?);
    }
    staged.iter().try_for_each(|Staged { place, temporary }| {
        fs::rename(temporary, place).map_err(|error| CliError::write(place, error))
    })
}

/// Removes a file.
///
/// # Errors
/// [`CliError::Wrong`].
pub(crate) fn remove(path: &Path) -> Result<(), CliError> {
    fs::remove_file(path).map_err(|error| CliError::write(path, error))
}

/// Locks a directory, which is created if it is missing, against other processes that call this function, for as long
/// as the result is held. Where the system cannot lock a directory, there is no protection.
///
/// # Errors
/// [`CliError::Wrong`] if it cannot be created, or another process holds the lock.
pub(crate) fn lock_directory(path: &Path) -> Result<Option<File>, CliError> {
    fs::create_dir_all(path).map_err(|error| CliError::write(path, error))?;
    let Ok(directory) = File::open(path) else { return Ok(None) };
    let why = "another study or sweep is writing to this directory: wait for it, or name another by --out";
    match directory.try_lock() {
        Err(TryLockError::WouldBlock) => Err(CliError::input(path, why)),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(directory)),
    }
}

/// A file under a temporary name beside its path, which is removed if the file is not renamed before it is dropped.
struct Staged {
    place: PathBuf,
    temporary: PathBuf,
}

impl Staged {
    /// Writes a file under a temporary name. A device or a pipe is written directly, because a renamed file would take
    /// its place.
    fn write(place: &Path, body: Body) -> io::Result<Option<Self>> {
        if fs::metadata(place).is_ok_and(|there| !there.is_file()) {
            let mut out = BufWriter::new(File::options().write(true).open(place)?);
            body.write(&mut out)?;
            out.flush()?;
            return Ok(None);
        }
        if let Some(dir) = place.parent() {
            fs::create_dir_all(dir)?;
        }
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let temporary = place.with_file_name(format!(".{name}.{}.partial", std::process::id()));
        let staged = Self { place: place.to_owned(), temporary };
        let mut out = BufWriter::new(File::create(&staged.temporary)?);
        body.write(&mut out)?;
        // Some systems report a full disk only here.
        out.into_inner()?.sync_all()?;
        Ok(Some(staged))
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // This fails if the file is renamed; another failure cannot be reported any more.
        let _ = fs::remove_file(&self.temporary);
    }
}
