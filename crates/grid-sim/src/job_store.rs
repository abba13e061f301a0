//! The jobs of a station and their records: a list that stays in memory, or a stream of which only the jobs
//! in the system do.

use crate::SimError;
use crate::cluster::LocalJob;
use crate::report::{JobRecord, check_count};
use sched_model::{IdSet, JobId, Time};
use std::collections::BTreeMap;

/// The jobs of a station by their numbers in order of arrival, and their records by their identifiers.
pub(crate) trait JobStore {
    /// When the job of this number arrives. Numbers are asked for in ascending order. `None` if the arrival
    /// is not to be scheduled.
    fn next_arrival(&mut self, number: usize) -> Option<Time>;

    /// The job of this number, which arrives.
    ///
    /// # Errors
    /// [`SimError::RepeatedJob`] for an identifier that is in the system.
    fn arrive(&mut self, number: usize) -> Result<LocalJob, SimError>;

    /// The record of a job in the system.
    ///
    /// # Errors
    /// [`SimError::UnknownJob`].
    fn entry(&mut self, job: JobId) -> Result<Entry<'_>, SimError>;

    /// The job has left: its record will not change any more.
    ///
    /// # Errors
    /// As for [`entry`](Self::entry).
    fn leave(&mut self, job: JobId) -> Result<(), SimError>;
}

/// The record of a job, and the first start that it was promised.
pub(crate) struct Entry<'a> {
    pub(crate) record: &'a mut JobRecord,
    pub(crate) promise: &'a mut Option<Time>,
}

fn record(job: &LocalJob) -> JobRecord {
    let record = JobRecord::waiting(job.id(), job.user(), job.submit(), job.cpus());
    JobRecord { requested: job.requested(), ..record }
}

fn unknown(job: JobId) -> SimError {
    SimError::UnknownJob { who: "a station".into(), job }
}

/// When the arrivals of a list are scheduled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrivals {
    /// All before the first event, for stations that share an agenda: arrivals at one instant then come
    /// station by station.
    AtOnce,
    /// Each arrival when the one before it is served, so that the agenda stays short.
    InTurn,
}

/// The places 0 to `count` - 1, which fit into `u32`: see [`MOST_JOBS`](crate::MOST_JOBS).
fn places(count: usize) -> Result<Vec<u32>, SimError> {
    check_count("local jobs", count)?;
    Ok((0..u32::try_from(count).unwrap_or(u32::MAX)).collect())
}

/// A list of jobs, all of whose records are kept.
#[derive(Debug)]
pub(crate) struct JobList<'a> {
    jobs: &'a [LocalJob],
    /// Places of the jobs, by their identifiers.
    by_id: Vec<u32>,
    /// Places of the jobs in order of submission, where they are scheduled one after another.
    arrivals: Vec<u32>,
    records: Vec<JobRecord>,
    promises: Vec<Option<Time>>,
}

impl<'a> JobList<'a> {
    pub(crate) fn new(jobs: &'a [LocalJob], order: Arrivals) -> Result<Self, SimError> {
        let mut by_id = places(jobs.len())?;
        by_id.sort_unstable_by_key(|&at| jobs[at as usize].id());
        if let Some(twins) =
            by_id.windows(2).find(|pair| jobs[pair[0] as usize].id() == jobs[pair[1] as usize].id())
        {
            return Err(SimError::RepeatedJob { job: jobs[twins[0] as usize].id() });
        }
        let mut arrivals = Vec::new();
        if order == Arrivals::InTurn {
            arrivals = places(jobs.len())?;
            arrivals.sort_by_key(|&at| jobs[at as usize].submit());
        }
        let (records, promises) = (jobs.iter().map(record).collect(), vec![None; jobs.len()]);
        Ok(Self { jobs, by_id, arrivals, records, promises })
    }

    pub(crate) fn jobs(&self) -> &'a [LocalJob] {
        self.jobs
    }

    /// The records, and the first start that each job was promised, in the order of the list.
    pub(crate) fn into_results(self) -> (Vec<JobRecord>, Vec<Option<Time>>) {
        (self.records, self.promises)
    }
}

impl JobStore for JobList<'_> {
    fn next_arrival(&mut self, number: usize) -> Option<Time> {
        self.arrivals.get(number).map(|&at| self.jobs[at as usize].submit())
    }

    fn arrive(&mut self, number: usize) -> Result<LocalJob, SimError> {
        Ok(self.jobs[self.arrivals.get(number).map_or(number, |&at| at as usize)])
    }

    /// O(log n) for n jobs.
    fn entry(&mut self, job: JobId) -> Result<Entry<'_>, SimError> {
        let found = self.by_id.binary_search_by_key(&job, |&at| self.jobs[at as usize].id());
        let at = self.by_id[found.map_err(|_| unknown(job))?] as usize;
        Ok(Entry { record: &mut self.records[at], promise: &mut self.promises[at] })
    }

    fn leave(&mut self, _job: JobId) -> Result<(), SimError> {
        Ok(())
    }
}

/// What a stream of jobs keeps in memory: the jobs in the system, and the identifiers of those that came
/// before.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct InSystem {
    /// The job that arrives next.
    next: Option<LocalJob>,
    /// How many jobs were taken from the stream, including the next one.
    pub(crate) taken: u64,
    /// The jobs that have come and have not left.
    #[cfg_attr(feature = "serde", serde(with = "pairs"))]
    inside: BTreeMap<JobId, (JobRecord, Option<Time>)>,
    come: IdSet,
}

/// A map as a list of its values, whose records know their keys.
#[cfg(feature = "serde")]
mod pairs {
    use super::{BTreeMap, JobId, JobRecord, Time};
    use serde::{Deserialize, Deserializer, Serializer};

    type Values = BTreeMap<JobId, (JobRecord, Option<Time>)>;

    pub(super) fn serialize<S: Serializer>(values: &Values, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.values())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Values, D::Error> {
        let values: Vec<(JobRecord, Option<Time>)> = Vec::deserialize(deserializer)?;
        Ok(values.into_iter().map(|value| (value.0.id, value)).collect())
    }
}

/// Jobs in order of submission from an iterator; each record is handed over when its job leaves.
pub(crate) struct JobStream<'a, I, F> {
    pub(crate) jobs: &'a mut I,
    pub(crate) kept: InSystem,
    pub(crate) handed: &'a mut F,
}

impl InSystem {
    /// Hands over the records of the jobs that are still in the system, in the order of their identifiers,
    /// then those of jobs that have not come.
    pub(crate) fn finish(
        mut self,
        jobs: impl Iterator<Item = LocalJob>,
        mut handed: impl FnMut(JobRecord, Option<Time>),
    ) {
        for (record, promise) in std::mem::take(&mut self.inside).into_values() {
            handed(record, promise);
        }
        for job in self.next.take().into_iter().chain(jobs) {
            handed(record(&job), None);
        }
    }
}

impl<I: Iterator<Item = LocalJob>, F: FnMut(JobRecord, Option<Time>)> JobStore for JobStream<'_, I, F> {
    fn next_arrival(&mut self, _number: usize) -> Option<Time> {
        self.kept.next = self.jobs.next();
        self.kept.taken += u64::from(self.kept.next.is_some());
        self.kept.next.map(|job| job.submit())
    }

    fn arrive(&mut self, _number: usize) -> Result<LocalJob, SimError> {
        let unasked = || SimError::UnknownJob { who: "a stream of jobs".into(), job: JobId(0) };
        let job = self.kept.next.take().ok_or_else(unasked)?;
        if !self.kept.come.insert(job.id()) {
            return Err(SimError::RepeatedJob { job: job.id() });
        }
        self.kept.inside.insert(job.id(), (record(&job), None));
        Ok(job)
    }

    fn entry(&mut self, job: JobId) -> Result<Entry<'_>, SimError> {
        let (record, promise) = self.kept.inside.get_mut(&job).ok_or_else(|| unknown(job))?;
        Ok(Entry { record, promise })
    }

    fn leave(&mut self, job: JobId) -> Result<(), SimError> {
        let (record, promise) = self.kept.inside.remove(&job).ok_or_else(|| unknown(job))?;
        (self.handed)(record, promise);
        Ok(())
    }
}
