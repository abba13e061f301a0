//! Read access to the state of a broker.

use super::Broker;
use crate::decision::{Cause, Standing};
use crate::jobs::Phase;
use sched_model::{Job, JobId, NodeId, SlotList, Time, Window};
use std::collections::BTreeSet;

/// The state of a promise: whether it can be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum PromiseState {
    /// All its nodes are expected to be free at its start.
    Confirmed,
    /// A task before it is expected to hold one of its nodes for longer.
    Degraded {
        /// The node that is expected to be released last.
        node: NodeId,
        /// The instant at which that is expected, and at which the job would then start.
        expected: Time,
        /// Whether that is beyond the [tolerance](crate::Config::tolerance). If so, the next cycle searches for a
        /// window that starts in time.
        late: bool,
    },
    /// It cannot be kept: the next cycle replaces it or withdraws it.
    Lost(Cause),
}

/// A view of a job that is not over.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct JobView<'a> {
    /// The job, with the work that remains.
    pub job: &'a Job,
    /// Its standing.
    pub standing: Standing,
    /// The window that it is promised, or in which it was started.
    pub window: Option<&'a Window>,
    /// The state of its promise; `None` if it has none or has been started.
    pub reservation: Option<PromiseState>,
    /// Nodes that have refused it.
    pub avoids: &'a BTreeSet<NodeId>,
}

impl Broker {
    /// The standing of a job; `None` if it was never submitted.
    pub fn standing(&self, job: JobId) -> Option<Standing> {
        match self.job(job) {
            Some(view) => Some(view.standing),
            None => self.state.over.contains(job).then_some(Standing::Over),
        }
    }

    /// A view of a job; `None` if it was never submitted or is over.
    pub fn job(&self, job: JobId) -> Option<JobView<'_>> {
        let record = self.state.jobs.get(&job)?;
        let standing = record.stopping.map_or(record.phase.standing(), |_| Standing::Stopping);
        let reservation = match &record.phase {
            Phase::Waiting => record.lost.as_ref().map(|lost| PromiseState::Lost(lost.cause)),
            Phase::Promised { .. } => Some(match self.state.expected(record) {
                Some((node, expected)) => {
                    let late = self.state.late(record).is_some();
                    PromiseState::Degraded { node, expected, late }
                }
                None => PromiseState::Confirmed,
            }),
            Phase::Started { .. } => None,
        };
        let (job, window, avoids) = (&record.job, record.window(), &record.avoids);
        Some(JobView { job, standing, window, reservation, avoids })
    }

    /// The jobs that are not over, in the order of their ids.
    pub fn jobs(&self) -> impl Iterator<Item = JobView<'_>> {
        self.state.jobs.keys().filter_map(|&job| self.job(job))
    }

    /// The nodes that have not left, in the order of their ids, including those that are leaving and still held.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.state.book.nodes.keys().copied()
    }

    /// The free time from now to the end of the horizon, with the labels and amounts of all nodes. A node that has not
    /// been released at the planned end of its task is not free. O(m) for m slots.
    pub fn free(&self) -> SlotList {
        self.state.free()
    }
}
