//! Long work that is divided, stopped and resumed: records of finished runs are written to a file as they are done,
//! so that a stopped run can be resumed and the parts of divided work can be put together.
//!
//! Such a file is a line that names the format, a line of JSON that identifies the work, then frames: round (4
//! bytes), index (8), length (4), the record, and the CRC-32 of all these (4). Everything after a damaged frame is
//! ignored and computed again; a part that is damaged is named in a remark.

mod file;

pub(crate) use file::{FrameFile, checksum, frame, head};

use crate::output::progress;
use crate::prelude::*;
use crate::report::{Destination, Report};
use econsched_studies::{Failure, ReplicateProgress, Replicates, Store};
use serde_json::json;
use std::fs::{self, File};
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

flags! {
    /// Flags of long work: its threads, its shards, and where its answer goes.
    pub(crate) struct Divided {
        /// Worker threads [default: one for each core]
        threads: Option<usize> as "COUNT" => count::<usize>(1, 4096),
        /// Compute only part I of N and keep it in the directory of --out, where the command without this flag
        /// puts all parts together
        shard: Option<Shard> as "I/N" [requires = "out"],
        [flatten] pub(crate) destination: Destination,
    }
}

/// A share of the work: the replicates whose index modulo `of` is `number - 1`.
#[derive(Debug, Clone, Copy)]
struct Shard {
    number: u64,
    of: u64,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let shard =
            parts.and_then(|(number, of)| Some(Self { number: number.parse().ok()?, of: of.parse().ok()? }));
        let shard = shard.filter(|shard| (1..=shard.of).contains(&shard.number));
        shard.ok_or_else(|| format!("`{text}`: expected I/N with I from 1 to N, such as 2/7"))
    }
}

impl Divided {
    /// Runs work of this kind up to its report; `on` has everything that the results depend on. Finished runs are kept
    /// in the output directory until everything is written, and no other process may write there at the same time. A
    /// shard has no report: its runs are kept as a part, and the answer says where. Several shards may share the
    /// directory.
    ///
    /// # Errors
    /// Those of `run`; [`CliError::Wrong`] if runs cannot be kept, another process works there, or the file belongs
    /// to other work.
    pub(crate) fn report(
        &self,
        kind: &str,
        on: &[String],
        run: impl FnOnce(&Replicates) -> Result<Option<Report>, CliError>,
    ) -> Result<Report, CliError> {
        let replicates = Replicates::new(self.threads)?.with_progress(|progress| match progress {
            ReplicateProgress::Begin(label, count) => progress::count(label, count),
            ReplicateProgress::Step => progress::step(),
            ReplicateProgress::End => progress::stop_counting(),
        });
        let Some(dir) = &self.destination.out else {
            end_by_ctrl_c("with --out DIR, the same command could continue".to_owned());
            return Ok(run(&replicates)?.unwrap_or_default());
        };
        let resume_hint = format!("the same command continues from what is kept in {}", dir.display());
        end_by_ctrl_c(resume_hint);
        let head = head(kind, on);
        let (held, name) = match self.shard {
            None => (files::lock_directory(dir)?, format!("{kind}-{:08x}.checkpoint", file::sum(&head))),
            Some(Shard { number, of }) => {
                let width = of.to_string().len();
                (None, format!("{kind}-{number:0width$}-of-{of}.part"))
            }
        };
        let place = dir.join(name);
        let parts = Parts::begin(&place, &head, self.shard)?;
        let done = run(&replicates.with_store(Arc::clone(&parts) as _));
        // If the work itself is wrong, there is nothing to continue from. A full disk may be emptied, so its file
        // stays.
        if matches!(done, Err(CliError::Wrong(_))) && !parts.lock().is_full {
            drop(parts.discard());
        }
        let (report, found) = (done?.unwrap_or_default(), parts.found);
        let Some(Shard { number, of }) = self.shard else {
            let again = (found > 0).then(|| format!("{} had been done before", counted(found, "run")));
            let lost = "damaged or not complete; what is missing there was computed here";
            let of_part = |part: &PathBuf| format!("{}: {lost}", part.display());
            let report =
                again.into_iter().chain(parts.damaged.iter().map(of_part)).fold(report, Report::with_remark);
            // The lock of the directory is held until everything is written.
            return Ok(report.with_end(move || parts.discard().inspect(|()| drop(held))));
        };
        let part = place.display().to_string();
        let was_there = found > 0 && parts.lock().records.len() == found;
        let now = format!("part {number}/{of}; the command without --shard puts the parts together");
        let state = if was_there { "this part exists already" } else { &now };
        Report::new(
            format!("{part}: {state}\n"),
            &json!({"part": part, "shard": format!("{number}/{of}"), "was_there": was_there}),
        )
    }
}

/// Makes Ctrl-C end the program with this message, from now on.
fn end_by_ctrl_c(words: String) {
    // This fails if there is a handler already, which then stays.
    let _ = ctrlc::try_set_handler(move || {
        terminal::print_error(&format!("stopped by Ctrl-C; {words}"));
        std::process::exit(130);
    });
}

/// The store of one part of the work; if it is not a shard, it also has the records of all parts in its directory.
struct Parts {
    shard: Option<Shard>,
    /// Number of records found at the start.
    found: usize,
    /// Other parts that are damaged or incomplete.
    damaged: Vec<PathBuf>,
    inner: Mutex<Inner>,
}

struct Inner {
    /// By round and index.
    records: BTreeMap<(u32, u64), Vec<u8>>,
    /// Frames that are not written to the file yet.
    unwritten: Vec<u8>,
    file: FrameFile,
    /// Whether the last frames could not be written.
    is_full: bool,
}

impl Parts {
    /// Begins a part, or continues it from where it was stopped.
    fn begin(place: &Path, head: &[u8], shard: Option<Shard>) -> Result<Arc<Self>, CliError> {
        let failed = |error| CliError::write(place, error);
        let dir = place.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(dir).map_err(failed)?;
        let (mut records, mut damaged) = (BTreeMap::new(), Vec::new());
        let mut take = |(round, index, record)| {
            records.insert((round, index), record);
            true
        };
        let file = FrameFile::open(place, head, &mut take)?;
        let entries = fs::read_dir(dir).map_err(failed)?.flatten().filter(|_| shard.is_none());
        for part in entries.map(|entry| entry.path()).filter(|part| part.extension() == Some("part".as_ref()))
        {
            // A file that cannot be read is no part of this work.
            let Ok(file) = File::open(&part) else { continue };
            let kept = file::read(&file, head, &mut take);
            if kept.is_some_and(|kept| file.metadata().is_ok_and(|file| kept < file.len())) {
                damaged.push(part);
            }
        }
        let (found, unwritten) = (records.len(), Vec::new());
        let inner = Mutex::new(Inner { records, unwritten, file, is_full: false });
        Ok(Arc::new(Self { shard, found, damaged, inner }))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the part: its results are written elsewhere, or cannot exist.
    fn discard(&self) -> Result<(), CliError> {
        files::remove(&self.lock().file.place)
    }
}

impl Store for Parts {
    fn wants(&self, _round: u32, index: u64) -> bool {
        self.shard.is_none_or(|Shard { number, of }| index % of == number - 1)
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
        let written = inner.file.add(&unwritten);
        inner.is_full = written.is_err();
        Ok(written?)
    }
}
