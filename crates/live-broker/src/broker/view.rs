//! Read access to the state of a broker.

use super::Broker;
use crate::decision::{Cause, Standing};
use crate::jobs::Phase;
use sched_model::{Job, JobId, NodeId, SlotList, Time, Window};
use std::collections::BTreeSet;

/// Whether a promise can be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum PromiseState {
    /// All its nodes are expected to be free when it starts.
    Confirmed,
    /// A task before it is expected to hold one of its nodes for longer.
    Degraded {
        /// The node that is expected to be released last.
        node: NodeId,
        /// When that is expected: the job would then start.
        expected: Time,
        /// Whether that is later than is [tolerated](crate::Config::tolerance). If so, the next cycle seeks a
        /// window in time.
        late: bool,
    },
    /// It cannot be kept: the next cycle replaces it, or takes it back.
    Lost(Cause),
}

/// A job as a broker sees it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct JobView<'a> {
    /// The job, with the work that remains.
    pub job: &'a Job,
    /// Where it stands.
    pub standing: Standing,
    /// The window that it is promised, or in which it was started.
    pub window: Option<&'a Window>,
    /// Whether what it was promised can be kept; `None` for one that is promised nothing, or has been
    /// started.
    pub reservation: Option<PromiseState>,
    /// Nodes that have refused it.
    pub avoids: &'a BTreeSet<NodeId>,
}

impl Broker {
    /// Where a job stands; `None` for one that was never submitted.
    pub fn standing(&self, job: JobId) -> Option<Standing> {
        match self.job(job) {
            Some(view) => Some(view.standing),
            None => self.state.over.contains(job).then_some(Standing::Over),
        }
    }

    /// A job that is not over.
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
        let (window, avoids) = (record.window(), &record.avoids);
        let job = &record.job;
        Some(JobView { job, standing, window, reservation, avoids })
    }

    /// The jobs that are not over, by id.
    pub fn jobs(&self) -> impl Iterator<Item = JobView<'_>> {
        self.state.jobs.keys().filter_map(|&job| self.job(job))
    }

    /// The nodes that have not left, by id, including those that are leaving and still held.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.state.book.nodes.keys().copied()
    }

    /// What is free from now to the end of the horizon, with the labels and amounts of all nodes. A node whose task
    /// has passed its planned end without being released is not free. O(m) for m slots.
    pub fn free(&self) -> SlotList {
        self.state.free()
    }
}
