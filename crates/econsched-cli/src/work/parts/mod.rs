//! Parts of long work: records of finished runs, written to a file as they come, so that a stopped run can be
//! resumed and divided work can be put together.
//!
//! A part file is a line that names the format, a line of JSON that says what the work is and which share of
//! it this is, then frames: round (4 bytes), index (8), length (4), the record, and the CRC-32 of all that (4).
//! A part that is complete ends with one more frame, of round `u32::MAX`, that holds the checksum of everything
//! before it. While a part is written, its name contains the id of the process, so that two
//! processes at the same part do not disturb each other.

mod file;

pub(crate) use file::{Content, FRAME, Header, Shard, checksum, frame, parse};

use crate::error::CliError;
use crate::output::terminal::counted;
use crate::output::{files, progress};
use crate::report::Report;
use econsched_studies::{Failure, ReplicateProgress, Replicates, Store};
use file::LAST;
use flate2::Crc;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// A part that is being written, with what other parts hold of it.
pub(crate) struct Parts {
    shard: Shard,
    /// Records that were there.
    found: usize,
    inner: Mutex<Inner>,
}

/// Records by round and index.
type Records = BTreeMap<(u32, u64), Vec<u8>>;

struct Inner {
    records: Records,
    /// Frames that are not in the file yet.
    unwritten: Vec<u8>,
    writing: Option<Writing>,
}

struct Writing {
    place: PathBuf,
    beside: PathBuf,
    file: File,
    sum: Crc,
    /// Files of processes that were stopped at the same part.
    earlier: Vec<PathBuf>,
    /// Whether the file holds more than those.
    gained: bool,
}

impl Drop for Writing {
    /// Of the files of a part that is not finished, one stays: the one with the most records, if there are any.
    fn drop(&mut self) {
        let obsolete = if self.gained { self.earlier.as_slice() } else { std::slice::from_ref(&self.beside) };
        for path in obsolete {
            // A file that stays does no harm.
            let _ = fs::remove_file(path);
        }
    }
}

impl Writing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.update(bytes);
        self.file.write_all(bytes)
    }
}

/// Threads that compute what the parts want and do not have.
///
/// # Errors
/// [`CliError::Usage`] where they cannot be started.
pub(crate) fn replicates(threads: Option<usize>, kept: Option<&Arc<Parts>>) -> Result<Replicates, CliError> {
    let replicates = Replicates::new(threads)?.with_progress(|progress| match progress {
        ReplicateProgress::Begin(label, count) => progress::count(label, count),
        ReplicateProgress::Step => progress::step(),
        ReplicateProgress::End => progress::stop_counting(),
    });
    Ok(match kept {
        Some(kept) => replicates.with_store(Arc::clone(kept) as _),
        None => replicates,
    })
}

/// Does work in this directory: all of it, of which no other process does any, up to its report; or a share of it, as
/// a part, where that is not there already. The answer then says where it is.
///
/// # Errors
/// Those of [`Parts::begin`], [`Parts::finish`] and `run`; [`CliError::Input`] where another process is at it.
pub(crate) fn divided(
    dir: &Path,
    kind: &str,
    work: Vec<String>,
    shard: Option<Shard>,
    run: impl FnOnce(&Arc<Parts>) -> Result<Report, CliError>,
) -> Result<Report, CliError> {
    let Some(shard) = shard else {
        let held = files::alone(dir)?;
        let place = dir.join(format!("{kind}.checkpoint"));
        let kept = Parts::begin(&place, &Header::new(work, Shard::WHOLE))?;
        let kept =
            kept.ok_or_else(|| CliError::input(place.as_path(), "a part is at this path: remove it"))?;
        let mut report = run(&kept)?;
        if kept.found > 0 {
            report = report.with_remark(format!("{} had been done before", counted(kept.found, "run")));
        }
        report.held = held;
        return Ok(report.with_end(move || kept.discard()));
    };
    let width = shard.of.to_string().len();
    let place = dir.join(format!("{kind}-{:0width$}-of-{}.part", shard.number, shard.of));
    let begun = Parts::begin(&place, &Header::new(work, shard))?;
    let (part, was_there) = (place.display().to_string(), begun.is_none());
    let text = match begun {
        None => format!("{part}: this part exists already\n"),
        Some(parts) => {
            run(&parts)?;
            parts.finish()?;
            format!("{part}: part {shard}; the command without --shard puts the parts together\n")
        }
    };
    Report::new(text, &json!({"part": part, "shard": shard.to_string(), "was_there": was_there}))
}

impl Parts {
    /// Begins a part, or continues where processes at the same work were stopped, with what other parts in this
    /// directory hold of it. `Ok(None)` if it is complete already.
    ///
    /// # Errors
    /// [`CliError::Write`] if it cannot be written; [`CliError::Input`] if there is another part at this
    /// path.
    pub(crate) fn begin(place: &Path, header: &Header) -> Result<Option<Arc<Self>>, CliError> {
        let failed = |error| CliError::write(place, error);
        if let Ok(bytes) = fs::read(place) {
            return match parse(&bytes) {
                Some(there) if there.whole && there.header == *header => Ok(None),
                _ => {
                    Err(CliError::input(place, "another part, or a damaged one, is at this path: remove it"))
                }
            };
        }
        let folder = place.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(failed)?;
        let prefix = format!(".{}.", place.file_name().unwrap_or_default().to_string_lossy());
        let mut records = Records::new();
        let mut earlier = Vec::new();
        for entry in fs::read_dir(folder).map_err(failed)?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if (name.ends_with(".partial") || name.ends_with(".part"))
                && let Some(there) = fs::read(entry.path()).ok().as_deref().and_then(parse)
                && there.header.other_than(header).is_none()
            {
                records.extend(there.owned().filter(|((_, index), _)| header.shard.holds(*index)));
                earlier.extend(name.starts_with(&prefix).then(|| entry.path()));
            }
        }
        earlier.sort();
        // Processes of several machines may share a directory, and may have the same id.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let beside = folder.join(format!("{prefix}{}-{now}.partial", std::process::id()));
        let file = File::create(&beside).map_err(failed)?;
        let (place, sum) = (place.to_owned(), Crc::new());
        let mut writing = Writing { place, beside, file, sum, earlier, gained: false };
        writing.write(&header.bytes()?).map_err(failed)?;
        for ((round, index), record) in &records {
            writing.write(&frame(*round, *index, record)).map_err(failed)?;
        }
        writing.file.sync_all().map_err(failed)?;
        let found = records.len();
        let inner = Inner { records, unwritten: Vec::new(), writing: Some(writing) };
        Ok(Some(Arc::new(Self { shard: header.shard, found, inner: Mutex::new(inner) })))
    }

    /// Whether not all of the work is to be done here.
    pub(crate) fn are_a_share(&self) -> bool {
        self.shard != Shard::WHOLE
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the records that were added since the last call.
    ///
    /// # Errors
    /// [`CliError::Write`].
    pub(crate) fn save(&self) -> Result<(), CliError> {
        let mut inner = self.lock();
        let unwritten = std::mem::take(&mut inner.unwritten);
        match &mut inner.writing {
            Some(writing) if !unwritten.is_empty() => {
                let written = writing.write(&unwritten).and_then(|()| writing.file.sync_data());
                written.map_err(|error| CliError::write(&writing.place, error))?;
                writing.gained = true;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Finishes the part: writes its checksum and renames it. If another process was faster, its part is kept.
    ///
    /// # Errors
    /// [`CliError::Write`].
    pub(crate) fn finish(&self) -> Result<(), CliError> {
        self.save()?;
        self.end(|writing| {
            let sum = checksum(&writing.sum);
            writing.write(&frame(LAST, 0, sum.as_bytes()))?;
            writing.file.sync_all()?;
            let renamed = fs::rename(&writing.beside, &writing.place);
            if writing.place.exists() { Ok(()) } else { renamed }
        })
    }

    /// Removes the part: its results were written elsewhere, or it can have none.
    ///
    /// # Errors
    /// [`CliError::Write`].
    pub(crate) fn discard(&self) -> Result<(), CliError> {
        self.end(|writing| fs::remove_file(&writing.beside))
    }

    fn end(&self, how: impl FnOnce(&mut Writing) -> io::Result<()>) -> Result<(), CliError> {
        let Some(mut writing) = self.lock().writing.take() else { return Ok(()) };
        how(&mut writing).map_err(|error| CliError::write(&writing.place, error))?;
        writing.gained = true;
        Ok(())
    }
}

impl Store for Parts {
    fn wants(&self, _round: u32, index: u64) -> bool {
        self.shard.holds(index)
    }

    fn get(&self, round: u32, index: u64) -> Option<Vec<u8>> {
        self.lock().records.get(&(round, index)).cloned()
    }

    fn put(&self, round: u32, index: u64, record: &[u8]) {
        let mut inner = self.lock();
        inner.unwritten.extend(frame(round, index, record));
        inner.records.insert((round, index), record.to_vec());
    }

    fn flush(&self) -> Result<(), Failure> {
        self.save().map_err(Into::into)
    }
}
