//! Long work that is shared out, stopped and resumed: records of finished runs, written to a file as they come, so that
//! a stopped run can be resumed and divided work can be put together.
//!
//! Such a file is a line that names the format, a line of JSON that says what the work is, then frames: round
//! (4 bytes), index (8), length (4), the record, and the CRC-32 of all that (4). What follows a damaged frame counts
//! for nothing, and is computed again; a part in which something does is named.

mod file;

pub(crate) use file::{Growing, checksum, frame, head};

use crate::output::progress;
use crate::prelude::*;
use crate::report::{Destination, Report};
use econsched_studies::{Failure, ReplicateProgress, Replicates, Store};
use serde_json::json;
use std::fs::{self, File};
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

flags! {
    /// How long work is done, and where its answer goes, as flags.
    pub(crate) struct Divided {
        /// Worker threads [default: one for each core]
        threads: Option<usize> as "COUNT" => count::<usize>(1, 4096),
        /// Compute only part I of N and keep it in the directory of --out, where the command without this flag
        /// puts all parts together
        shard: Option<Shard> as "I/N" [requires = "out"],
        [flatten] pub(crate) destination: Destination,
    }
}

/// A share of the work: the replicates whose number modulo `of` is `number - 1`.
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
    /// Does work of this kind, on which all of `on` has an effect, up to its report. In the directory for its files
    /// no other process does any; runs that are done are kept there until all is written. A share of the work, which
    /// has no report, is kept as a part; the answer says where.
    ///
    /// # Errors
    /// Those of `run`; [`CliError::Wrong`] where runs cannot be kept, another process is at it, or other work is in its
    /// place.
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
        let goes_on = format!("the same command continues from what is kept in {}", dir.display());
        end_by_ctrl_c(goes_on);
        let head = head(kind, on);
        let (held, name) = match self.shard {
            None => (files::alone(dir)?, format!("{kind}-{:08x}.checkpoint", file::sum(&head))),
            Some(Shard { number, of }) => {
                let width = of.to_string().len();
                (None, format!("{kind}-{number:0width$}-of-{of}.part"))
            }
        };
        let place = dir.join(name);
        let parts = Parts::begin(&place, &head, self.shard)?;
        let done = run(&replicates.with_store(Arc::clone(&parts) as _));
        // Where a run is wrong, there is nothing to continue from. A full disk may be emptied.
        if matches!(done, Err(CliError::Wrong(_))) && !parts.lock().is_full {
            drop(parts.discard());
        }
        let (report, found) = (done?.unwrap_or_default(), parts.found);
        let Some(Shard { number, of }) = self.shard else {
            let again = (found > 0).then(|| format!("{} had been done before", counted(found, "run")));
            let of_part = |part: &PathBuf| {
                format!(
                    "{}: damaged or not complete; what is missing there was computed here",
                    part.display()
                )
            };
            let report =
                again.into_iter().chain(parts.torn.iter().map(of_part)).fold(report, Report::with_remark);
            // The directory is held until all is written.
            return Ok(report.with_end(move || parts.discard().inspect(|()| drop(held))));
        };
        let part = place.display().to_string();
        let was_there = found > 0 && parts.lock().records.len() == found;
        let text = match was_there {
            true => format!("{part}: this part exists already\n"),
            false => {
                format!("{part}: part {number}/{of}; the command without --shard puts the parts together\n")
            }
        };
        Report::new(text, &json!({"part": part, "shard": format!("{number}/{of}"), "was_there": was_there}))
    }
}

/// From now on Ctrl-C ends the program with these words.
fn end_by_ctrl_c(words: String) {
    // It fails if there is a handler already: that of the first is kept.
    let _ = ctrlc::try_set_handler(move || {
        terminal::complain(&format!("stopped by Ctrl-C; {words}"));
        std::process::exit(130);
    });
}

/// A part that is being written; where it is all of the work, with what the other parts in its directory hold.
struct Parts {
    shard: Option<Shard>,
    /// Records that were there.
    found: usize,
    /// The other parts of which a piece is missing or damaged.
    torn: Vec<PathBuf>,
    inner: Mutex<Inner>,
}

struct Inner {
    /// By round and index.
    records: BTreeMap<(u32, u64), Vec<u8>>,
    /// Frames that are not in the file yet.
    unwritten: Vec<u8>,
    file: Growing,
    /// Whether the last frames could not be written.
    is_full: bool,
}

impl Parts {
    /// Begins a part, or continues it where it was stopped.
    fn begin(place: &Path, head: &[u8], shard: Option<Shard>) -> Result<Arc<Self>, CliError> {
        let failed = |error| CliError::write(place, error);
        let dir = place.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(dir).map_err(failed)?;
        let (mut records, mut torn) = (BTreeMap::new(), Vec::new());
        let mut take = |(round, index, record)| {
            records.insert((round, index), record);
            true
        };
        let file = Growing::open(place, head, &mut take)?;
        let entries = fs::read_dir(dir).map_err(failed)?.flatten().filter(|_| shard.is_none());
        for part in entries.map(|entry| entry.path()).filter(|part| part.extension() == Some("part".as_ref()))
        {
            // What cannot be read is no part of this work.
            let Ok(file) = File::open(&part) else { continue };
            let kept = file::read(&file, head, &mut take);
            if kept.is_some_and(|kept| file.metadata().is_ok_and(|file| kept < file.len())) {
                torn.push(part);
            }
        }
        let (found, unwritten) = (records.len(), Vec::new());
        let inner = Mutex::new(Inner { records, unwritten, file, is_full: false });
        Ok(Arc::new(Self { shard, found, torn, inner }))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the part: its results were written elsewhere, or it can have none.
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
