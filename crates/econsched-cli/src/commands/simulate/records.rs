//! The records of a run. Those of a queue's jobs are kept in short: a log may have 10^7 of them.

use crate::error::CliError;
use econsched::grid_sim::{
    Ending, JobRecord, LocalJob, Part, Report, ReportBuilder, SimError, SiteInfo, default_threshold,
};
use econsched::sched_model::{JobId, Machine, Money, SiteId, Time};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The one site of a queue.
pub(super) const SITE: SiteId = SiteId(0);

/// What became of the jobs of a run, in the order of the jobs.
#[derive(Debug)]
pub(super) enum Records {
    /// As a broker's run gives them.
    List(Vec<JobRecord>),
    /// Of the jobs of a queue.
    Queue(Vec<LocalJob>, Outcomes),
}

impl From<Vec<JobRecord>> for Records {
    fn from(records: Vec<JobRecord>) -> Self {
        Self::List(records)
    }
}

impl Records {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::List(records) => records.len(),
            Self::Queue(jobs, _) => jobs.len(),
        }
    }

    /// The record at this place, which is less than [`len`](Self::len).
    pub(super) fn at(&self, at: usize) -> Cow<'_, JobRecord> {
        match self {
            Self::List(records) => Cow::Borrowed(&records[at]),
            Self::Queue(jobs, outcomes) => Cow::Owned(outcomes.record(at, &jobs[at])),
        }
    }

    /// The number of the job at this place.
    pub(super) fn id(&self, at: usize) -> JobId {
        match self {
            Self::List(records) => records[at].id,
            Self::Queue(jobs, _) => jobs[at].id(),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Cow<'_, JobRecord>> {
        (0..self.len()).map(|at| self.at(at))
    }

    /// The figures of the queue of this machine.
    pub(super) fn report(&self, machine: &Machine) -> Report {
        let mut figures = ReportBuilder::new(default_threshold());
        self.iter().for_each(|record| figures.add(&record));
        figures.build(&[SiteInfo { id: SITE, name: "machine".into(), cpus: u64::from(machine.cpus()) }])
    }
}

/// A job of a queue that has left, by its place: its start, its end and its cost, where it has them, and its ending,
/// if it did not run to its end.
pub(super) type Left = (usize, [Option<f64>; 3], Option<Ending>);

/// What became of the jobs of a queue, beside what the jobs say.
#[derive(Debug)]
pub(super) struct Outcomes {
    /// Start, end and cost of each; NaN stands for nothing.
    list: Vec<[f64; 3]>,
    /// How jobs ended that neither ran to their end nor still wait, by their places.
    endings: BTreeMap<usize, Ending>,
}

impl Outcomes {
    /// Nothing is known yet of so many jobs.
    pub(super) fn of(jobs: usize) -> Self {
        Self { list: vec![[f64::NAN; 3]; jobs], endings: BTreeMap::new() }
    }

    /// Keeps the record of the job at this place, and gives it in short. It held all of its CPUs at the one site, or
    /// none.
    pub(super) fn keep(&mut self, at: usize, record: JobRecord) -> Left {
        let part = record.parts.first();
        let (end, cost) = (part.map(|part| part.end.get()), part.map(|part| part.cost.get()));
        let other = (!matches!(record.ending, Ending::Done | Ending::Waiting)).then_some(record.ending);
        let left = (at, [record.start.map(Time::get), end, cost], other);
        self.take_up(left.clone());
        left
    }

    /// Keeps a job; `None` if there is none at its place.
    pub(super) fn take_up(&mut self, (at, times, ending): Left) -> Option<()> {
        *self.list.get_mut(at)? = times.map(|value| value.unwrap_or(f64::NAN));
        self.endings.extend(ending.map(|ending| (at, ending)));
        Some(())
    }

    /// The record of the job at this place.
    fn record(&self, at: usize, job: &LocalJob) -> JobRecord {
        let [start, end, cost] = self.list[at];
        let held = Time::new(end).ok().zip(Money::new(cost).ok());
        let ending = match self.endings.get(&at) {
            Some(ending) => ending.clone(),
            None if held.is_some() => Ending::Done,
            None => Ending::Waiting,
        };
        let part = held.map(|(end, cost)| Part { site: SITE, cpus: job.cpus(), end, cost });
        JobRecord {
            id: job.id(),
            user: job.user(),
            submit: job.submit(),
            cpus: job.cpus(),
            requested: job.requested(),
            start: Time::new(start).ok(),
            parts: part.into_iter().collect(),
            ending,
        }
    }
}

/// Where jobs stand in their list, by their identifiers and by their submission.
#[derive(Debug)]
pub(super) struct Places {
    by_id: Vec<u32>,
    by_submit: Vec<u32>,
}

impl Places {
    /// # Errors
    /// What `wrong` makes of [`SimError::RepeatedJob`].
    pub(super) fn of(jobs: &[LocalJob], wrong: impl Fn(SimError) -> CliError) -> Result<Self, CliError> {
        let count = u32::try_from(jobs.len()).map_err(CliError::fault)?;
        let mut by_id: Vec<u32> = (0..count).collect();
        by_id.sort_unstable_by_key(|&at| jobs[at as usize].id());
        let id = |at: u32| jobs[at as usize].id();
        if let Some(twins) = by_id.windows(2).find(|pair| id(pair[0]) == id(pair[1])) {
            return Err(wrong(SimError::RepeatedJob { job: id(twins[0]) }));
        }
        let mut by_submit: Vec<u32> = (0..count).collect();
        by_submit.sort_by_key(|&at| jobs[at as usize].submit());
        Ok(Self { by_id, by_submit })
    }

    /// The place of a job.
    pub(super) fn of_job(&self, jobs: &[LocalJob], id: JobId) -> Option<usize> {
        let found = self.by_id.binary_search_by_key(&id, |&at| jobs[at as usize].id()).ok()?;
        Some(self.by_id[found] as usize)
    }

    /// The jobs in order of submission; those of one instant as they stand in the list.
    pub(super) fn in_turn<'a>(&'a self, jobs: &'a [LocalJob]) -> impl Iterator<Item = LocalJob> + 'a {
        self.by_submit.iter().map(|&at| jobs[at as usize])
    }
}
