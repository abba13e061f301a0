//! Read access to the state of a broker; explanations and quotes as text.

use super::{Broker, Explanation, NodeCounts, Quotes};
use crate::decision::{Cause, Standing};
use crate::jobs::Phase;
use sched_model::{Job, JobId, NodeId, SlotList, Time, Window};
use std::collections::BTreeSet;
use std::fmt::{Display, Formatter, Result};

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

impl Display for NodeCounts {
    /// The usable nodes, and those that are not, by cause: `4 of 7 nodes usable; 2 down, 1 too slow`.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { all, leaving, down, resting, avoided, missing, slow, over_price, usable } = *self;
        write!(f, "{usable} of {all} nodes usable")?;
        let causes = [
            (leaving, "leaving"),
            (down, "down"),
            (resting, "resting"),
            (avoided, "that refused the job"),
            (missing, "without what it demands"),
            (slow, "too slow"),
            (over_price, "too expensive"),
        ];
        for (at, (count, cause)) in causes.into_iter().filter(|&(count, _)| count > 0).enumerate() {
            write!(f, "{} {count} {cause}", if at == 0 { ";" } else { "," })?;
        }
        Ok(())
    }
}

impl Display for Explanation {
    /// The reason and the nodes on the first line; then the suggestions and the estimated start, where there
    /// are any.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match (&self.refusal, self.standing) {
            (Some(refusal), _) => write!(f, "{refusal}")?,
            (None, Standing::Over) => write!(f, "it is over")?,
            (None, Standing::Waiting) => write!(f, "there is a window, and the next cycle decides")?,
            (None, Standing::Promised) => write!(f, "it is promised a window")?,
            (None, _) => write!(f, "it was started")?,
        }
        write!(f, "; {}", self.nodes)?;
        for suggestion in &self.suggestions {
            write!(f, "\nwould have a window with {suggestion}")?;
        }
        self.estimated_start.map_or(Ok(()), |start| write!(f, "\nestimated start {start}"))
    }
}

impl Display for Quotes {
    /// One line for each window, and one for the window for which running jobs would be stopped.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let several = if self.windows.len() == 1 { "" } else { "s" };
        write!(f, "{} window{several}; {} after {} units of work", self.windows.len(), self.end, self.work)?;
        for window in &self.windows {
            write!(f, "\n{window}")?;
        }
        if let Some(window) = &self.displacing {
            let victims: Vec<String> = self.victims.iter().map(ToString::to_string).collect();
            write!(f, "\n{window} if jobs {} were stopped", victims.join(", "))?;
        }
        Ok(())
    }
}
