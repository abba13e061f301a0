//! Runs independent replicates on all cores and reduces them in order. A run can be stopped, resumed, and divided
//! among processes.

use crate::StudyError;
use crate::data::Data;
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The error of a replicate, of any type.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Maximum number of replicates computed before the next reduction. It bounds memory; results do not depend on it.
const CHUNK: u64 = 512;

/// Returns the number of replicates computed before the next reduction: a sixteenth of all, so that a stopped run has
/// lost little, but enough to keep all threads busy.
fn chunk(count: u64, threads: usize) -> u64 {
    (count / 16).max(4 * threads as u64).min(CHUNK)
}

/// Stores the results of replicates, in a file or in memory.
///
/// A study runs its replicates in one or more rounds; `round` counts the rounds from 0, `index` the replicates of a
/// round.
pub trait Store: Send + Sync {
    /// Whether a replicate without a record is to be computed here; if not, another process computes it.
    fn wants(&self, round: u32, index: u64) -> bool;

    /// Returns the record of a replicate, if there is one.
    fn get(&self, round: u32, index: u64) -> Option<Vec<u8>>;

    /// Stores the record of a replicate. Called from any thread.
    fn put(&self, round: u32, index: u64, record: &[u8]);

    /// Saves all records stored so far, so that none is lost. Called some sixteen times in a round, and at least once
    /// every few hundred replicates.
    ///
    /// # Errors
    /// Any error that prevents saving.
    fn flush(&self) -> Result<(), Failure>;
}

/// The progress of a round of replicates.
#[derive(Debug, Clone, Copy)]
pub enum ReplicateProgress<'a> {
    /// A round of this number of replicates begins, under this label.
    Begin(&'a str, u64),
    /// One more replicate is done; reported from any thread.
    Step,
    /// All replicates of the round are done.
    End,
}

/// Takes the record of the replicate with this round and index, or `None` if it has none.
type TakeRecord<'a> = dyn FnMut((u32, u64), Option<Vec<u8>>) -> Result<(), StudyError> + 'a;

/// Worker threads that run replicates, with an observer of the progress and a store of results.
#[must_use]
pub struct Replicates {
    pool: rayon::ThreadPool,
    progress: Box<dyn Fn(ReplicateProgress<'_>) + Send + Sync>,
    store: Option<Arc<dyn Store>>,
    /// Number of rounds so far.
    rounds: AtomicU32,
    /// Number of replicates of all rounds, and of those that have a result.
    requested: AtomicU64,
    done: AtomicU64,
}

impl std::fmt::Debug for Replicates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Replicates")
            .field("threads", &self.pool.current_num_threads())
            .finish_non_exhaustive()
    }
}

impl Replicates {
    /// Starts this number of threads; with `None`, one for each core.
    ///
    /// # Errors
    /// [`StudyError::Threads`] if the threads cannot be started.
    pub fn new(threads: Option<usize>) -> Result<Self, StudyError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build()?;
        let progress = Box::new(|_: ReplicateProgress<'_>| ());
        Ok(Self { pool, progress, store: None, rounds: 0.into(), requested: 0.into(), done: 0.into() })
    }

    /// Sets an observer of the progress.
    pub fn with_progress(self, progress: impl Fn(ReplicateProgress<'_>) + Send + Sync + 'static) -> Self {
        Self { progress: Box::new(progress), ..self }
    }

    /// Sets a store, which keeps results and returns them. Use it for one study only, because rounds are counted.
    pub fn with_store(self, store: Arc<dyn Store>) -> Self {
        Self { store: Some(store), ..self }
    }

    /// Runs `replicate(index)` for each index below `count`. Returns the results, `length` numbers each, in the order
    /// of the indices, so that figures are the same for any number of threads.
    ///
    /// If a result is missing, there are no rows from it on: see [`complete`](Self::complete).
    ///
    /// # Errors
    /// Those of [`records`](Self::records), and [`StudyError::Record`] for a record that is no result of this length.
    pub(crate) fn run(
        &self,
        label: &str,
        count: u64,
        length: usize,
        replicate: impl Fn(u64) -> Result<Vec<f64>, Failure> + Sync,
    ) -> Result<Data, StudyError> {
        let (mut data, mut whole) = (Data::new(length), true);
        let record = |index| Ok(replicate(index)?.iter().flat_map(|value| value.to_le_bytes()).collect());
        self.records(label, count, &record, &mut |(round, index), record| {
            whole &= record.is_some();
            let Some(record) = record else { return Ok(()) };
            let (numbers, rest) = record.as_chunks::<8>();
            if !rest.is_empty() || numbers.len() != length {
                return Err(StudyError::Record { round, index });
            }
            if whole {
                data.push(&numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect::<Vec<_>>());
            }
            Ok(())
        })?;
        Ok(data)
    }

    /// Computes `record(index)` for each index below `count`, and passes the records to `take_record` in the order of
    /// the indices, with the number of this round.
    ///
    /// If there is a [`Store`], the records that it has are used. Of the others, those that it wants are computed and
    /// stored; the rest are passed as `None`.
    ///
    /// # Errors
    /// [`StudyError::Replicate`] for the first replicate that failed, [`StudyError::Store`] if records cannot be
    /// stored, and those of `take_record`.
    pub fn records(
        &self,
        label: &str,
        count: u64,
        record: &(dyn Fn(u64) -> Result<Vec<u8>, Failure> + Sync),
        take_record: &mut TakeRecord<'_>,
    ) -> Result<(), StudyError> {
        let round = self.rounds.fetch_add(1, Ordering::Relaxed);
        self.requested.fetch_add(count, Ordering::Relaxed);
        (self.progress)(ReplicateProgress::Begin(label, count));
        let mut from = 0;
        while from < count {
            let to = count.min(from + chunk(count, self.pool.current_num_threads()));
            let record_of = |index| {
                let record = self.record_of((round, index), record);
                (self.progress)(ReplicateProgress::Step);
                record
            };
            let chunk: Vec<Result<Option<Vec<u8>>, StudyError>> =
                self.pool.install(|| (from..to).into_par_iter().map(record_of).collect());
            for (index, record) in (from..).zip(chunk) {
                let record = record?;
                self.done.fetch_add(u64::from(record.is_some()), Ordering::Relaxed);
                take_record((round, index), record)?;
            }
            if let Some(store) = &self.store {
                store.flush().map_err(StudyError::Store)?;
            }
            from = to;
        }
        (self.progress)(ReplicateProgress::End);
        Ok(())
    }

    /// Returns one record, from the store or computed; `None` if it is left to another process.
    fn record_of(
        &self,
        (round, index): (u32, u64),
        record: &dyn Fn(u64) -> Result<Vec<u8>, Failure>,
    ) -> Result<Option<Vec<u8>>, StudyError> {
        let computed = || record(index).map_err(|failure| StudyError::Replicate { index, failure });
        let Some(store) = &self.store else { return computed().map(Some) };
        match store.get(round, index) {
            None if !store.wants(round, index) => return Ok(None),
            None => {}
            record => return Ok(record),
        }
        let record = computed()?;
        store.put(round, index, &record);
        Ok(Some(record))
    }

    /// Checks that no result is missing; to be called before a report is made.
    ///
    /// # Errors
    /// [`StudyError::Part`] if a replicate of any round was left to another process.
    pub(crate) fn complete(&self) -> Result<(), StudyError> {
        let (done, all) = (self.done.load(Ordering::Relaxed), self.requested.load(Ordering::Relaxed));
        if done == all { Ok(()) } else { Err(StudyError::Part { done, all }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict;
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let rows = |threads| {
            let replicate = |index| Ok(vec![index as f64, 1.0 / (index as f64 + 0.1)]);
            let data = Replicates::new(Some(threads)).unwrap().run("test", 2_000, 2, replicate).unwrap();
            assert!(data.values(|row| row[0]).eq((0..2_000).map(f64::from)));
            let moments = data.moments(1);
            (moments.mean().to_bits(), moments.variance().to_bits())
        };
        assert_eq!(rows(1), rows(2));
        assert_eq!(rows(1), rows(3));
    }

    #[test]
    fn the_first_failure_is_the_one_told() {
        let failing = |index| if index >= 700 { Err(format!("bad {index}").into()) } else { Ok(vec![0.0]) };
        let error = Replicates::new(Some(3)).unwrap().run("test", 2_000, 1, failing).unwrap_err();
        assert_eq!(error.to_string(), "replicate 700: bad 700");
    }

    type Kept = Arc<Mutex<BTreeMap<(u32, u64), Vec<u8>>>>;

    /// A store in memory that wants the replicates of one share of three.
    #[derive(Default, Clone)]
    struct Memory {
        records: Kept,
        share: Option<u64>,
    }

    impl Store for Memory {
        fn wants(&self, _round: u32, index: u64) -> bool {
            self.share.is_some_and(|share| index % 3 == share)
        }
        fn get(&self, round: u32, index: u64) -> Option<Vec<u8>> {
            self.records.lock().unwrap().get(&(round, index)).cloned()
        }
        fn put(&self, round: u32, index: u64, record: &[u8]) {
            let before = self.records.lock().unwrap().insert((round, index), record.to_vec());
            assert!(before.is_none(), "computed twice");
        }
        fn flush(&self) -> Result<(), Failure> {
            Ok(())
        }
    }

    /// Also, a claim without a number says instead what the text omits, so that its verdict decides nothing.
    #[test]
    fn shares_of_every_study_on_any_threads_together_are_the_whole() {
        let studies: [Box<dyn crate::Study>; 5] = [
            Box::new(crate::Iccs2011::default().with_cycles(20).with_explore(true)),
            Box::new(crate::Window2018::default().with_seeds(3)),
            // With local jobs there are no variants, which take most of the time.
            Box::new(crate::Garg2009::default().with_seeds(2).with_jobs(20).with_local_jobs(1)),
            Box::new(crate::Yadav::default().with_seeds(5)),
            Box::new(crate::MultiSGridStudy::default().with_seeds(4).with_slices(20)),
        ];
        let mut without = 0;
        for study in studies {
            let memory = Memory::default();
            for share in [2, 0, 1] {
                let part = Memory { share: Some(share), ..memory.clone() };
                let threads = Replicates::new(Some(2 + share as usize)).unwrap();
                let result = study.run(&threads.with_store(Arc::new(part)));
                // The last part finds the records of the others, and so has all.
                assert_eq!(result.is_ok(), share == 1, "{}", study.name());
            }
            let whole = study.run(&Replicates::new(Some(1)).unwrap()).unwrap();
            assert!(whole.tables().count() > 0, "{}", study.name());
            for claim in &whole.claims {
                assert_eq!(claim.verdict() == Verdict::NotDetermined, claim.ours.is_none(), "{claim:?}");
                assert!(claim.ours.is_some() || claim.note.starts_with("missing: "), "{claim:?}");
                without += usize::from(claim.ours.is_none());
            }
            let merged = study.run(&Replicates::new(Some(1)).unwrap().with_store(Arc::new(memory.clone())));
            assert!(merged.unwrap() == whole, "{}", study.name());
            // One record of another format.
            memory.records.lock().unwrap().insert((0, 1), vec![7]);
            let error = study.run(&Replicates::new(Some(1)).unwrap().with_store(Arc::new(memory)));
            assert!(matches!(error, Err(StudyError::Record { round: 0, index: 1 })), "{}", study.name());
        }
        assert_eq!(without, 10);
    }
}
