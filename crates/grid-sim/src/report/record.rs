//! The records of jobs: the CPUs that each held, what was paid for them, and how the job ended.

use crate::LocalJob;
use crate::quantity::times;
use sched_model::{Job, JobId, Money, Refusal, SiteId, Span, Time, UserId};
use std::fmt;

/// How a job ended. Each job has exactly one ending.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Ending {
    /// It ran to its end.
    Done,
    /// It was stopped because its requested time was over.
    Killed,
    /// A CPU on which it ran failed.
    MachineFailed,
    /// The link of its site failed.
    LinkFailed,
    /// The link of its owner failed while its input was transferred.
    UserLinkFailed,
    /// Its owner left the grid.
    OwnerGone,
    /// Its owner cancelled it.
    Cancelled,
    /// It was refused for this reason, and never ran.
    Refused(Refusal),
    /// It was still waiting or running when the simulation ended.
    Waiting,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => write!(f, "done"),
            Self::Killed => write!(f, "killed"),
            Self::MachineFailed => write!(f, "machine failed"),
            Self::LinkFailed => write!(f, "link failed"),
            Self::UserLinkFailed => write!(f, "user link failed"),
            Self::OwnerGone => write!(f, "owner gone"),
            Self::Cancelled => write!(f, "cancelled"),
            Self::Refused(reason) => write!(f, "refused: {reason}"),
            Self::Waiting => write!(f, "waiting"),
        }
    }
}

/// CPUs of one site that a job held from its start to `end`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Part {
    /// The site.
    pub site: SiteId,
    /// Number of CPUs.
    pub cpus: u32,
    /// The first instant at which they were free again.
    pub end: Time,
    /// The money that the owner paid for them.
    pub cost: Money,
}

/// The record of one job of a simulation.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JobRecord {
    /// Its identifier.
    pub id: JobId,
    /// Its owner.
    pub user: UserId,
    /// When it was submitted.
    pub submit: Time,
    /// CPUs it requested.
    pub cpus: u32,
    /// Time it requested; on the site where it ran, if that depends on the site.
    pub requested: Span,
    /// When it started; `None` if it never did.
    pub start: Option<Time>,
    /// The CPUs it held; empty if it never started or is still running.
    pub parts: Vec<Part>,
    /// How it ended.
    pub ending: Ending,
}

impl From<&Job> for JobRecord {
    /// Returns the record of a job that has not run yet; the requested time is left at zero.
    fn from(&Job { id, user, submit, ref request, .. }: &Job) -> Self {
        let cpus = u32::try_from(request.nodes()).unwrap_or(u32::MAX);
        let (requested, ending) = (Span::ZERO, Ending::Waiting);
        Self { id, user, submit, cpus, requested, start: None, parts: Vec::new(), ending }
    }
}

impl From<&LocalJob> for JobRecord {
    /// Returns the record of a job that has not run yet.
    fn from(&LocalJob { id, user, submit, cpus, requested, .. }: &LocalJob) -> Self {
        Self { id, user, submit, cpus, requested, start: None, parts: Vec::new(), ending: Ending::Waiting }
    }
}

impl JobRecord {
    /// Returns when its last CPU was free again; `None` if it has not ended.
    pub fn end(&self) -> Option<Time> {
        self.parts.iter().map(|part| part.end).max()
    }

    /// Returns the time from submission to start.
    pub fn wait(&self) -> Option<Span> {
        Some(self.start? - self.submit)
    }

    /// Returns the time from start to end.
    pub(crate) fn runtime(&self) -> Option<Span> {
        Some(self.end()? - self.start?)
    }

    /// Returns the time from submission to end.
    pub fn response(&self) -> Option<Span> {
        Some(self.end()? - self.submit)
    }

    /// Returns the money that its owner paid.
    pub fn cost(&self) -> Money {
        self.parts.iter().map(|part| part.cost).sum()
    }

    /// Returns the CPU time it held, over all sites.
    pub(crate) fn cpu_time(&self) -> Span {
        self.parts.iter().map(|part| self.held(part)).sum()
    }

    /// Returns its bounded slowdown: response over run time, where the run time counts as at least `threshold` and
    /// the result as at least 1 (D. Feitelson, L. Rudolph, U. Schwiegelshohn, K. Sevcik, P. Wong: Theory and Practice
    /// in Parallel Job Scheduling, 1997). The bound keeps very short jobs from dominating the mean. `None` if the job
    /// has not ended.
    pub fn bounded_slowdown(&self, threshold: Span) -> Option<f64> {
        let floor = self.runtime()?.max(threshold).get();
        // With a threshold of zero a job may take no time at all.
        Some(if floor > 0.0 { (self.response()?.get() / floor).max(1.0) } else { 1.0 })
    }

    /// Returns the CPU time of a part.
    pub(super) fn held(&self, part: &Part) -> Span {
        self.start.map_or(Span::ZERO, |start| times(part.end - start, f64::from(part.cpus)))
    }
}
