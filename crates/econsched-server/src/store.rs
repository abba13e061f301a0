//! The broker with its state on disk.
//!
//! A directory holds
//!
//! * `journal-N.jsonl`: a line for each request since number N, its inputs with what their cycles decided,
//! * `snapshot.json`: the state before request N,
//! * `decisions.jsonl`: every decision there ever was, one a line.
//!
//! A line is appended to the journal and synced to disk before any decision of its request is sent. So
//! whenever the process ends: a request that is in the journal was taken, one that is not was never answered,
//! and half a line at the end is a request that was never answered either. Decisions that were not written
//! follow from the journal. A snapshot is put in place by a rename, and names the journal that follows it.

use econsched::live_broker::{Broker, BrokerError, Config, Entry, Input, Snapshot};
use econsched::sched_model::Time;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    /// Requests taken before.
    requests: u64,
    /// Decisions made before, which are in no journal any more.
    #[serde(default)]
    decided: u64,
    state: Snapshot,
}

pub(crate) struct Store {
    dir: PathBuf,
    broker: Broker,
    requests: u64,
    /// Requests before the journal.
    saved: u64,
    snapshot_every: u64,
    journal: File,
    decisions: File,
    /// The lines of the decisions. An example may keep all of them in memory.
    told: Vec<String>,
    /// Held as long as this process lives, so that there is only one.
    _lock: File,
}

impl Store {
    /// The broker as it was left, or a new one.
    pub(crate) fn open(dir: &Path, config: Config, snapshot_every: u64) -> io::Result<Self> {
        fs::create_dir_all(dir)?;
        let lock = File::create(dir.join("lock"))?;
        lock.try_lock().map_err(|_| io::Error::other("another server has this directory"))?;
        let (broker, requests, decided) = match fs::read(dir.join("snapshot.json")) {
            Ok(bytes) => {
                let saved: Saved = serde_json::from_slice(&bytes)?;
                (Broker::restore(saved.state).map_err(io::Error::other)?, saved.requests, saved.decided)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                (Broker::new(config).map_err(io::Error::other)?, 0, 0)
            }
            Err(error) => return Err(error),
        };
        let journal = journal_of(dir, requests);
        for entry in fs::read_dir(dir)? {
            let path = entry?.path();
            // Entries that the last snapshot contains, in a journal that was not removed yet.
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with("journal-") && path != journal {
                fs::remove_file(&path)?;
            }
        }
        let (journal, lines) = open_lines(&journal)?;
        let (decisions, told) = open_lines(&dir.join("decisions.jsonl"))?;
        if (told.len() as u64) < decided {
            let (there, why) = (told.len(), "decisions.jsonl lacks decisions from before the snapshot");
            return Err(io::Error::other(format!("{why}: {there} of {decided} are there")));
        }
        sync_dir(dir)?;
        let dir = dir.to_owned();
        let snapshot_every = snapshot_every.max(1);
        let mut store = Self {
            dir,
            broker,
            requests,
            saved: requests,
            snapshot_every,
            journal,
            decisions,
            told,
            _lock: lock,
        };
        for line in lines {
            let entries: Vec<Entry> = serde_json::from_str(&line)?;
            for entry in entries {
                store.broker.replay(&entry).map_err(io::Error::other)?;
            }
            store.requests += 1;
            store.tell()?;
        }
        Ok(store)
    }

    pub(crate) fn broker(&self) -> &Broker {
        &self.broker
    }

    /// Requests taken so far: the number of the next.
    pub(crate) fn requests(&self) -> u64 {
        self.requests
    }

    /// Decisions made so far: the number of the next.
    pub(crate) fn decided(&self) -> usize {
        self.told.len()
    }

    /// All decisions from this number on, as JSON.
    pub(crate) fn decisions(&self, from: usize) -> String {
        format!("[{}]", self.told.get(from..).unwrap_or_default().join(","))
    }

    /// Takes the facts of an instant and lets the broker decide. When it returns, all is on disk. Gives the
    /// inputs that were refused, by their places.
    pub(crate) fn take(&mut self, now: Time, inputs: Vec<Input>) -> io::Result<Vec<(usize, BrokerError)>> {
        let (mut entries, mut refused) = (Vec::new(), Vec::new());
        for (at, input) in inputs.into_iter().chain([Input::Wake]).enumerate() {
            match self.broker.handle_noted(now, input, None) {
                Ok(entry) => entries.push(entry),
                Err(why) => refused.push((at, why)),
            }
        }
        append(&mut self.journal, &serde_json::to_string(&entries)?)?;
        self.requests += 1;
        self.tell()?;
        if self.requests.is_multiple_of(self.snapshot_every) {
            self.save()?;
        }
        Ok(refused)
    }

    /// Writes the decisions that the broker has made. After a restart the broker makes some of them again,
    /// which are not written twice.
    fn tell(&mut self) -> io::Result<()> {
        let mut lines = Vec::new();
        while let Some(decision) = self.broker.poll() {
            let line = serde_json::to_string(&decision)?;
            match self.told.get(decision.id.0 as usize) {
                None => lines.push(line),
                Some(before) if *before == line => {}
                Some(before) => {
                    return Err(io::Error::other(format!("decided {line}, where {before} was told")));
                }
            }
        }
        if !lines.is_empty() {
            append(&mut self.decisions, &lines.join("\n"))?;
            self.told.append(&mut lines);
        }
        Ok(())
    }

    fn save(&mut self) -> io::Result<()> {
        let (requests, decided) = (self.requests, self.told.len() as u64);
        let saved = Saved { requests, decided, state: self.broker.snapshot() };
        let (new, place) = (self.dir.join("snapshot.json.new"), self.dir.join("snapshot.json"));
        let mut file = File::create(&new)?;
        file.write_all(serde_json::to_string(&saved)?.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, &place)?;
        (self.journal, _) = open_lines(&journal_of(&self.dir, self.requests))?;
        sync_dir(&self.dir)?;
        fs::remove_file(journal_of(&self.dir, std::mem::replace(&mut self.saved, self.requests)))
    }
}

fn journal_of(dir: &Path, requests: u64) -> PathBuf {
    dir.join(format!("journal-{requests}.jsonl"))
}

/// A file to append to, with its whole lines. Half a line at its end is cut off.
fn open_lines(path: &Path) -> io::Result<(File, Vec<String>)> {
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    if whole < bytes.len() {
        file.set_len(whole as u64)?;
        file.seek(io::SeekFrom::End(0))?;
        file.sync_all()?;
    }
    bytes.truncate(whole);
    let text = String::from_utf8(bytes).map_err(io::Error::other)?;
    Ok((file, text.lines().map(str::to_owned).collect()))
}

fn append(file: &mut File, line: &str) -> io::Result<()> {
    file.write_all(format!("{line}\n").as_bytes())?;
    file.sync_data()
}

/// Syncs the directory, so that creating, renaming and removing files is on disk, too.
fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}
