//! Parts of long work: records of finished runs, written to a file as they come, so that a stopped run can be
//! resumed and divided work can be put together.
//!
//! A part file is a line that names the format, a line of JSON that says what the work is and which share of
//! it this is, then frames: round (4 bytes), index (8), length (4), the record, and the CRC-32 of all that (4).
//! What follows a damaged frame counts for nothing, and is computed again.

mod file;

pub(crate) use file::{Growing, Header, Shard, checksum, frame};

use crate::error::CliError;
use crate::output::terminal::counted;
use crate::output::{files, progress};
use crate::report::Report;
use econsched_studies::{Failure, ReplicateProgress, Replicates, Store};
use file::parse;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    file: Growing,
}

/// Threads that compute what the parts want and do not have.
///
/// # Errors
/// [`CliError::Wrong`] where they cannot be started.
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
/// a part. The answer then says where it is.
///
/// # Errors
/// Those of `run`; [`CliError::Wrong`] where the part cannot be written; [`CliError::Wrong`] where another process is
/// at it, or other work is in its place.
pub(crate) fn divided(
    dir: &Path,
    kind: &str,
    work: Vec<String>,
    shard: Option<Shard>,
    run: impl FnOnce(&Arc<Parts>) -> Result<Report, CliError>,
) -> Result<Report, CliError> {
    let Some(shard) = shard else {
        let held = files::alone(dir)?;
        let header = Header::new(work, Shard::WHOLE);
        let kept = Parts::begin(&dir.join(format!("{kind}-{}.checkpoint", header.sum()?)), &header)?;
        let mut report = run(&kept)?;
        if kept.found > 0 {
            report = report.with_remark(format!("{} had been done before", counted(kept.found, "run")));
        }
        // The directory is held until all is written.
        return Ok(report.with_end(move || kept.discard().inspect(|()| drop(held))));
    };
    let width = shard.of.to_string().len();
    let place = dir.join(format!("{kind}-{:0width$}-of-{}.part", shard.number, shard.of));
    let parts = Parts::begin(&place, &Header::new(work, shard))?;
    run(&parts)?;
    let (part, was_there) = (place.display().to_string(), parts.lock().records.len() == parts.found);
    let text = match was_there {
        true => format!("{part}: this part exists already\n"),
        false => format!("{part}: part {shard}; the command without --shard puts the parts together\n"),
    };
    Report::new(text, &json!({"part": part, "shard": shard.to_string(), "was_there": was_there}))
}

impl Parts {
    /// Begins a part, or continues it where it was stopped; all of the work with what the parts in its directory hold.
    fn begin(place: &Path, header: &Header) -> Result<Arc<Self>, CliError> {
        let dir = place.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(dir).map_err(|error| CliError::write(place, error))?;
        let mut records = Records::new();
        let file = Growing::open(place, header, |(round, index, record)| {
            records.insert((round, index), record).is_none()
        })?;
        let entries = fs::read_dir(dir).map_err(|error| CliError::write(place, error))?.flatten();
        for entry in entries.filter(|entry| entry.path().extension().is_some_and(|kind| kind == "part")) {
            if header.shard == Shard::WHOLE
                && let Ok(file) = File::open(entry.path())
                && let Some((there, frames)) = parse(BufReader::new(file))
                && there == (Header { shard: there.shard, ..header.clone() })
            {
                records.extend(frames.map(|(round, index, record)| ((round, index), record)));
            }
        }
        let found = records.len();
        let inner = Mutex::new(Inner { records, unwritten: Vec::new(), file });
        Ok(Arc::new(Self { shard: header.shard, found, inner }))
    }

    /// Whether not all of the work is to be done here.
    pub(crate) fn are_a_share(&self) -> bool {
        self.shard != Shard::WHOLE
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the part: its results were written elsewhere, or it can have none.
    ///
    /// # Errors
    /// [`CliError::Wrong`].
    pub(crate) fn discard(&self) -> Result<(), CliError> {
        files::remove(&self.lock().file.place)
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
        let mut inner = self.lock();
        let unwritten = std::mem::take(&mut inner.unwritten);
        Ok(inner.file.add(&unwritten)?)
    }
}
