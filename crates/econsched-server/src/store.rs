//! The broker with its state in a database.
//!
//! A directory holds the database `broker.redb` and the file `lock`. The inputs of a request are a batch. A batch,
//! the decisions that it led to and the answer are written in one transaction, which is synced to disk before the
//! answer is sent. From time to time such a transaction replaces the journal by a snapshot. So whenever the process
//! or the machine stops, a batch is either in the database as a whole, or was never answered.
//!
//! Commits have two phases, so a damaged database is refused, not rolled back by one commit. `lock` holds the number
//! of batches that were answered, written after each commit and not synced; a database with fewer batches is an old
//! copy.

use crate::error::{ServerError, short};
use econsched::live_broker::{Broker, Config, Entry, Input};
use econsched::sched_model::Time;
use redb::{
    Builder, Database, ReadableDatabase as _, ReadableTable as _, ReadableTableMetadata as _,
    TableDefinition, WriteTransaction,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;

/// The state before the journal, in a single row.
const SNAPSHOT: TableDefinition<'_, (), &[u8]> = TableDefinition::new("snapshot");
/// The entries of each batch since the snapshot, by its number.
const JOURNAL: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("journal");
/// Every decision made so far, by its number.
const DECISIONS: TableDefinition<'_, u64, &str> = TableDefinition::new("decisions");
/// The hash of the body and the answer of each request that has an id, by that id.
const ANSWERS: TableDefinition<'_, &str, (u64, &str)> = TableDefinition::new("answers");

/// The client's id of a request, and the hash of its body.
pub(crate) struct Request {
    pub(crate) id: String,
    pub(crate) hash: u64,
}

/// The broker, and what is known about its past.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Live {
    /// Number of batches taken so far, which is the number of the next one.
    pub(crate) batches: u64,
    /// Number of decisions made so far, which is the number of the next one.
    pub(crate) decided: u64,
    #[serde(rename = "state")]
    pub(crate) broker: Broker,
}

/// The broker with its database, for as long as the server runs.
pub(crate) struct Store {
    database: Database,
    pub(crate) live: Live,
    snapshot_every: u64,
    /// Whether each request states the time, in place of the clock of the machine.
    pub(crate) given_time: bool,
    /// Locked as long as this process lives, so that there is only one server.
    lock: File,
}

impl Store {
    /// Opens the broker as it was left, or creates a new one if the directory is missing or empty, or if the database
    /// is missing and `create` is set.
    ///
    /// # Errors
    /// All but [`ServerError::Network`]; a database from which not every answered batch can be restored is refused.
    pub(crate) fn open(
        dir: &Path,
        config: Config,
        snapshot_every: u64,
        create: bool,
        given_time: bool,
    ) -> Result<Self, ServerError> {
        let failed = |source| ServerError::Path { path: dir.to_owned(), source };
        fs::create_dir_all(dir).map_err(failed)?;
        let path = dir.join("broker.redb");
        let new = !path.try_exists().map_err(failed)?;
        if new && !create && fs::read_dir(dir).map_err(failed)?.next().is_some() {
            return Err(ServerError::Missing(path));
        }
        let lock = File::options().read(true).write(true).create(true).truncate(false).open(dir.join("lock"));
        let mut lock = lock.map_err(failed)?;
        lock.try_lock().map_err(|_| ServerError::Locked(dir.to_owned()))?;
        if new {
            lock.set_len(0).map_err(failed)?;
            create_database(dir, &path, config)?;
        }
        let damaged = |why: String| ServerError::Damaged { path: path.clone(), why: short(&why) };
        let opened = Builder::new().set_check_integrity_on_open(true).set_cache_size(64 << 20).open(&path);
        let database = opened.map_err(|why| damaged(why.to_string()))?;
        let live = recover(&database).map_err(|why| damaged(why.to_string()))?;
        let (mut seen, batches) = (String::new(), live.batches);
        lock.read_to_string(&mut seen).map_err(failed)?;
        match seen.trim().parse() {
            Ok(seen) if seen > batches => Err(ServerError::Old { path, batches, seen }),
            _ => Ok(Self { database, live, snapshot_every: snapshot_every.max(1), given_time, lock }),
        }
    }

    /// Returns the hash of the body and the answer of an earlier request with this id.
    pub(crate) fn answer(&self, id: &str) -> Result<Option<(u64, String)>, redb::Error> {
        let table = self.database.begin_read()?.open_table(ANSWERS)?;
        Ok(table.get(id)?.map(|row| {
            let (hash, answer) = row.value();
            (hash, answer.to_owned())
        }))
    }

    /// Returns at most `most` decisions, from number `from` on, as JSON.
    pub(crate) fn decisions(&self, from: u64, most: usize) -> Result<Vec<String>, redb::Error> {
        let table = self.database.begin_read()?.open_table(DECISIONS)?;
        let rows = table.range(from..)?.take(most);
        rows.map(|row| Ok(row?.1.value().to_owned())).collect()
    }

    /// Takes the inputs of an instant, lets the broker decide, and returns the answer. By then, everything is on
    /// disk.
    ///
    /// # Errors
    /// Those of the database. The broker is then ahead of the database, and must not be used any more.
    pub(crate) fn take(
        &mut self,
        now: Time,
        inputs: Vec<Input>,
        request: Option<&Request>,
    ) -> Result<String, redb::Error> {
        let (mut entries, mut refused) = (Vec::new(), Vec::new());
        for (at, input) in inputs.into_iter().chain([Input::Wake]).enumerate() {
            match self.live.broker.handle(now, input) {
                Ok(entry) => entries.push(entry),
                Err(why) => refused.push(json!({"input": at, "why": short(&why.to_string())})),
            }
        }
        let decided = decided(&mut self.live.broker).map_err(io::Error::from)?;
        let batch = self.live.batches;
        let (refused, decisions) = (json!(refused), decided.iter().map(|(_, decision)| decision.as_str()));
        let decisions = decisions.collect::<Vec<_>>().join(",");
        let answer = format!("{{\"batch\": {batch}, \"refused\": {refused}, \"decisions\": [{decisions}]}}");
        self.live.batches += 1;
        self.live.decided += decided.len() as u64;
        let mut write = self.database.begin_write()?;
        write.set_two_phase_commit(true);
        self.write(&write, &entries, &decided)?;
        if let Some(Request { id, hash }) = request {
            write.open_table(ANSWERS)?.insert(id.as_str(), (*hash, answer.as_str()))?;
        }
        write.commit()?;
        self.lock.rewind()?;
        self.lock.write_all(format!("{:020}\n", self.live.batches).as_bytes())?;
        Ok(answer)
    }

    /// Writes a batch and its decisions, and from time to time a snapshot instead of the journal.
    fn write(
        &self,
        write: &WriteTransaction,
        entries: &[Entry],
        decided: &[(u64, String)],
    ) -> Result<(), redb::Error> {
        let batches = self.live.batches;
        let mut table = write.open_table(DECISIONS)?;
        for (id, decision) in decided {
            table.insert(id, decision.as_str())?;
        }
        let mut journal = write.open_table(JOURNAL)?;
        if batches.is_multiple_of(self.snapshot_every) {
            save(write, &self.live)?;
            journal.retain(|_, _| false)?;
        } else {
            let entries = serde_json::to_vec(entries).map_err(io::Error::from)?;
            journal.insert(batches - 1, entries.as_slice())?;
        }
        Ok(())
    }
}

/// Creates a database with a new broker. It gets its name only when it is on disk as a whole.
fn create_database(dir: &Path, path: &Path, config: Config) -> Result<(), ServerError> {
    let fresh = dir.join("broker.redb.new");
    let live = Live { batches: 0, decided: 0, broker: Broker::new(config)? };
    let write = || -> Result<(), redb::Error> {
        if fresh.try_exists()? {
            fs::remove_file(&fresh)?;
        }
        let database = Database::create(&fresh)?;
        let mut write = database.begin_write()?;
        write.set_two_phase_commit(true);
        save(&write, &live)?;
        write.open_table(JOURNAL)?;
        write.open_table(DECISIONS)?;
        write.open_table(ANSWERS)?;
        write.commit()?;
        database.close()?;
        fs::rename(&fresh, path)?;
        Ok(File::open(dir)?.sync_all()?)
    };
    Ok(write()?)
}

/// Writes the state as the snapshot.
fn save(write: &WriteTransaction, live: &Live) -> Result<(), redb::Error> {
    let bytes = serde_json::to_vec(live).map_err(io::Error::from)?;
    write.open_table(SNAPSHOT)?.insert((), bytes.as_slice())?;
    Ok(())
}

/// Takes the decisions that the broker has made, with their numbers.
fn decided(broker: &mut Broker) -> serde_json::Result<Vec<(u64, String)>> {
    let made = std::iter::from_fn(|| broker.poll());
    made.map(|decision| Ok((decision.id, serde_json::to_string(&decision)?))).collect()
}

/// Restores the broker from snapshot and journal. Its decisions must equal those that were returned before.
fn recover(database: &Database) -> Result<Live, Box<dyn Error>> {
    let read = database.begin_read()?;
    let saved = read.open_table(SNAPSHOT)?.get(())?.ok_or("there is no state in it")?;
    let mut live: Live = serde_json::from_slice(saved.value())?;
    let stored = read.open_table(DECISIONS)?;
    for row in read.open_table(JOURNAL)?.iter()? {
        let (number, entries) = row?;
        if number.value() != live.batches {
            return Err(format!("the journal has batch {}, expected {}", number.value(), live.batches).into());
        }
        for entry in serde_json::from_slice::<Vec<Entry>>(entries.value())? {
            live.broker.replay(&entry)?;
        }
        for (id, decision) in decided(&mut live.broker)? {
            if stored.get(id)?.is_none_or(|before| before.value() != decision) {
                return Err(format!("decision {id} of the journal is not as it was returned").into());
            }
            live.decided += 1;
        }
        live.batches += 1;
    }
    read.open_table(ANSWERS)?;
    match stored.len()? {
        count if count == live.decided => Ok(live),
        count => Err(format!("{count} decisions are stored, but the journal gives {}", live.decided).into()),
    }
}
