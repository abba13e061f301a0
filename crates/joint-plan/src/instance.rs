//! Jobs that are planned together in free slots, and the reasons for which planning stops.

use crate::JointError;
use crate::accounts::Accounts;
use crate::terms::Terms;
use sched_model::check::Rules;
use sched_model::internal::{affordable, sort};
use sched_model::{
    Batch, Eligible, End, Job, JobId, Limit, ModelError, ResourceRequest, SlotList, Time, Window,
};
use slot_window::WindowQuery;
use std::sync::Arc;

/// Jobs that are planned together in free slots, with all rules and limits.
#[derive(Debug, Clone)]
pub(crate) struct Instance<'a> {
    pub(crate) slots: &'a SlotList,
    pub(crate) jobs: Vec<&'a Job>,
    pub(crate) from: Time,
    pub(crate) rules: Rules,
    pub(crate) terms: Terms,
    /// The maximum amount of the limited quantity that all windows together may use.
    pub(crate) limit: f64,
    pub(crate) accounts: Accounts,
    /// The demands of the jobs that have some, compiled for the slots and for parts of these.
    pub(crate) eligible: Arc<ByJob<Eligible>>,
    /// For some jobs, an instant before which their windows must start.
    pub(crate) before: Arc<ByJob<Time>>,
}

/// Data of some jobs, in order of their ids.
pub(crate) type ByJob<T> = Vec<(JobId, T)>;

/// Sorts items by the ids of their jobs.
pub(crate) fn by_job<T>(items: impl Iterator<Item = (JobId, T)>) -> ByJob<T> {
    let mut items: Vec<_> = items.collect();
    sort(&mut items, &|a, b| a.0.cmp(&b.0));
    items
}

/// The data of a job, if there are any.
pub(crate) fn of_job<T>(items: &[(JobId, T)], job: JobId) -> Option<&T> {
    items.binary_search_by_key(&job, |item| item.0).ok().map(|at| &items[at].1)
}

impl Instance<'_> {
    /// The jobs as a batch.
    pub(crate) fn batch(&self) -> Result<Batch, ModelError> {
        Batch::new(self.jobs.iter().map(|job| (*job).clone()).collect())
    }

    /// The instant before which no window of a job starts.
    pub(crate) fn earliest(&self, job: &Job) -> Time {
        self.from.max(job.submit)
    }

    /// The query for a window of a job in `slots`: those of the instance, or the rest of these.
    pub(crate) fn query<'q>(
        &'q self,
        slots: &'q SlotList,
        job: &Job,
        request: &'q ResourceRequest,
    ) -> WindowQuery<'q> {
        let query = WindowQuery::new(slots, request).with_from(self.earliest(job));
        let query = of_job(&self.before, job.id).map_or(query, |&before| query.with_start_before(before));
        match of_job(&self.eligible, job.id) {
            Some(eligible) => query.with_eligible(eligible),
            None => query,
        }
    }

    /// Whether windows, at most one per job, together keep the limit and the accounts.
    pub(crate) fn keeps_to_limits(&self, windows: &[Option<Window>]) -> bool {
        affordable(windows.iter().flatten().map(|window| self.terms.weight(window)), self.limit)
            && self.accounts.allow(self.accounts.costs(windows))
    }

    /// The limit of one search under prices.
    pub(crate) fn pricing_limit(&self) -> Limit {
        let limit = Limit::default().with_work(PRICING_WORK);
        // Very many sets of nodes use nearly the whole budget, so the most expensive one is found only within a gap.
        if self.terms.cost < 0.0 { limit.with_relative_gap(PRICING_GAP) } else { limit }
    }
}

/// The work of choosing nodes within the budget of a job, in one search for its window under prices.
const PRICING_WORK: u64 = 100_000;
/// The relative gap of such a search for the maximum income.
const PRICING_GAP: f64 = 1e-4;

/// The reason why planning ended early.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// A limit or the signal was reached.
    Limit(End),
    /// The input is malformed.
    Error(JointError),
}

impl From<End> for Stopped {
    fn from(end: End) -> Self {
        Self::Limit(end)
    }
}

impl From<JointError> for Stopped {
    fn from(error: JointError) -> Self {
        Self::Error(error)
    }
}
