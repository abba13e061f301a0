//! Files that are written completely, or stay as they were before.

use crate::error::CliError;
use crate::progress;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// Where results go, as flags.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Output {
    /// Directory for the result files
    #[arg(long, value_name = "DIR", default_value = "out")]
    out: PathBuf,
    /// Print only, write no files
    #[arg(long)]
    no_files: bool,
}

impl Output {
    /// The directory to write to, if files are wanted.
    ///
    /// # Errors
    /// As [`OutDir::open`].
    pub(crate) fn open(&self) -> Result<Option<OutDir>, CliError> {
        (!self.no_files).then(|| OutDir::open(&self.out)).transpose()
    }

    /// Whether files are written at all.
    pub(crate) fn is_wanted(&self) -> bool {
        !self.no_files
    }
}

/// The directory that a command writes its files into.
///
/// Files are written beside their places under names that contain the id of this process, and are renamed
/// together in [`publish`](Self::publish). So a full disk or a kill before that leaves all earlier results as
/// they were.
#[derive(Debug)]
pub(crate) struct OutDir {
    path: PathBuf,
    staged: Vec<Staged>,
}

impl OutDir {
    /// The directory, made if it is missing, after a test whether it can be written to. Called before the
    /// work, so that no hours of work are lost.
    ///
    /// # Errors
    /// [`CliError::Write`] where it cannot be made, or nothing can be written there.
    pub(crate) fn open(path: &Path) -> Result<Self, CliError> {
        fs::create_dir_all(path).map_err(|error| CliError::write(path, error))?;
        let directory = Self { path: path.to_owned(), staged: Vec::new() };
        // The test file is removed when it is dropped.
        Staged::write(&directory.path.join("trial"), b"").map_err(|error| CliError::write(path, error))?;
        Ok(directory)
    }

    /// Where a file of this name will be.
    pub(crate) fn place(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes a file beside its place.
    ///
    /// # Errors
    /// [`CliError::Write`] where it cannot be written.
    pub(crate) fn write(&mut self, name: &str, text: &str) -> Result<(), CliError> {
        self.write_by(name, |out| out.write_all(text.as_bytes()))
    }

    /// As [`write`](Self::write), what `fill` writes.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub(crate) fn write_by(
        &mut self,
        name: &str,
        fill: impl FnOnce(&mut Filled) -> io::Result<()>,
    ) -> Result<(), CliError> {
        let _during = progress::during(&format!("writing {name}"));
        let place = self.place(name);
        self.staged.push(Staged::write_by(&place, fill).map_err(|error| CliError::write(&place, error))?);
        Ok(())
    }

    /// Puts all files in their places.
    ///
    /// # Errors
    /// [`CliError::Write`] for the first that does not go there.
    pub(crate) fn publish(self) -> Result<(), CliError> {
        for staged in self.staged {
            let place = staged.place.clone();
            staged.publish().map_err(|error| CliError::write(&place, error))?;
        }
        Ok(())
    }
}

/// Keeps other processes that ask for the same out of a directory, which is made if it is missing, for as long
/// as the result is held. Where the system cannot lock a directory, nobody is kept out.
///
/// # Errors
/// As [`OutDir::open`]; [`CliError::Input`] where another process holds it.
pub(crate) fn alone(path: &Path) -> Result<Option<File>, CliError> {
    OutDir::open(path)?;
    let Ok(directory) = File::open(path) else { return Ok(None) };
    match directory.try_lock() {
        Err(TryLockError::WouldBlock) => Err(CliError::input(
            path,
            "another study or sweep is writing to this directory: wait for it, or name another by --out",
        )),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(directory)),
    }
}

/// Writes one file completely, or not at all.
///
/// # Errors
/// [`CliError::Write`] where it cannot be written.
pub(crate) fn write_file(place: &Path, bytes: &[u8]) -> Result<(), CliError> {
    Staged::write(place, bytes).and_then(Staged::publish).map_err(|error| CliError::write(place, error))
}

/// As [`write_file`], what `fill` writes.
///
/// # Errors
/// [`CliError::Write`] where it cannot be written.
pub(crate) fn write_file_by(
    place: &Path,
    fill: impl FnOnce(&mut Filled) -> io::Result<()>,
) -> Result<(), CliError> {
    Staged::write_by(place, fill).and_then(Staged::publish).map_err(|error| CliError::write(place, error))
}

/// A file that is being written.
pub(crate) type Filled = BufWriter<File>;

/// A file beside its place; dropped without [`Staged::publish`], it is taken away.
#[derive(Debug)]
struct Staged {
    place: PathBuf,
    beside: Option<PathBuf>,
}

impl Staged {
    fn write(place: &Path, bytes: &[u8]) -> io::Result<Self> {
        Self::write_by(place, |out| out.write_all(bytes))
    }

    fn write_by(place: &Path, fill: impl FnOnce(&mut Filled) -> io::Result<()>) -> io::Result<Self> {
        // A device or a pipe has no beside: what is renamed would take its place.
        if fs::metadata(place).is_ok_and(|there| !there.is_file()) {
            let mut out = BufWriter::new(File::options().write(true).open(place)?);
            fill(&mut out)?;
            out.flush()?;
            return Ok(Self { place: place.to_owned(), beside: None });
        }
        let name =
            place.file_name().map_or_else(Default::default, |name| name.to_string_lossy().into_owned());
        let beside = place.with_file_name(format!(".{name}.{}.partial", std::process::id()));
        let staged = Self { place: place.to_owned(), beside: Some(beside.clone()) };
        let mut out = BufWriter::new(File::create(beside)?);
        fill(&mut out)?;
        // Some systems report a full disk only here.
        out.into_inner()?.sync_all()?;
        Ok(staged)
    }

    fn publish(mut self) -> io::Result<()> {
        match self.beside.take() {
            Some(beside) => fs::rename(&beside, &self.place).inspect_err(|_| drop(fs::remove_file(&beside))),
            None => Ok(()),
        }
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if let Some(beside) = self.beside.take() {
            // A failure here cannot be reported any more.
            let _ = fs::remove_file(beside);
        }
    }
}
