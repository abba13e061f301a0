//! The records of jobs: the CPUs that each held, what it paid, how it ended.

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
    /// It was stopped because its time was up.
    Killed,
    /// A machine on which it ran failed.
    MachineFailed,
    /// The link of its site failed.
    LinkFailed,
    /// The link of its owner failed while its input was transferred.
    UserLinkFailed,
    /// Its owner left the grid.
    OwnerGone,
    /// Its owner withdrew it.
    Cancelled,
    /// It never ran, for this reason.
    Refused(Refusal),
    /// It still waited, or still ran, when the simulation ended.
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

/// CPUs that a job held on one site, from the job's start to `end`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Part {
    /// The site.
    pub site: SiteId,
    /// CPUs held at once.
    pub cpus: u32,
    /// First instant at which they were free again.
    pub end: Time,
    /// The money that the owner paid for them.
    pub cost: Money,
}

/// One job of a simulation.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JobRecord {
    /// Its identifier.
    pub id: JobId,
    /// Its owner.
    pub user: UserId,
    /// When it was submitted.
    pub submit: Time,
    /// CPUs it asked for.
    pub cpus: u32,
    /// Time it asked for; on the site where it ran, if that depends on the site.
    pub requested: Span,
    /// When it started; `None` if it never did.
    pub start: Option<Time>,
    /// The CPUs it held; empty if it never started or still runs.
    pub parts: Vec<Part>,
    /// How it ended.
    pub ending: Ending,
}

impl From<&Job> for JobRecord {
    /// A job that has not run yet; the time it asks for is not known.
    fn from(&Job { id, user, submit, ref request, .. }: &Job) -> Self {
        let cpus = u32::try_from(request.nodes()).unwrap_or(u32::MAX);
        let (requested, ending) = (Span::ZERO, Ending::Waiting);
        Self { id, user, submit, cpus, requested, start: None, parts: Vec::new(), ending }
    }
}

impl From<&LocalJob> for JobRecord {
    /// A job that has not run yet.
    fn from(&LocalJob { id, user, submit, cpus, requested, .. }: &LocalJob) -> Self {
        Self { id, user, submit, cpus, requested, start: None, parts: Vec::new(), ending: Ending::Waiting }
    }
}

impl JobRecord {
    /// When its last CPU was free again; `None` if it never was.
    pub fn end(&self) -> Option<Time> {
        self.parts.iter().map(|part| part.end).max()
    }

    /// From submission to start.
    pub fn wait(&self) -> Option<Span> {
        Some(self.start? - self.submit)
    }

    /// From start to end.
    pub(crate) fn runtime(&self) -> Option<Span> {
        Some(self.end()? - self.start?)
    }

    /// From submission to end.
    pub fn response(&self) -> Option<Span> {
        Some(self.end()? - self.submit)
    }

    /// The money that its owner paid.
    pub fn cost(&self) -> Money {
        self.parts.iter().map(|part| part.cost).sum()
    }

    /// CPU time held, over all sites.
    pub(crate) fn cpu_time(&self) -> Span {
        self.parts.iter().map(|part| self.held(part)).sum()
    }

    /// Response over runtime, both at least `threshold`, and never below 1 (D. Feitelson, L. Rudolph, U.
    /// Schwiegelshohn, K. Sevcik, P. Wong: Theory and Practice in Parallel Job Scheduling, 1997): so that
    /// very short jobs do not dominate the mean.
    pub fn bounded_slowdown(&self, threshold: Span) -> Option<f64> {
        let floor = self.runtime()?.max(threshold).get();
        // With a threshold of zero a job may take no time at all.
        Some(if floor > 0.0 { (self.response()?.get() / floor).max(1.0) } else { 1.0 })
    }

    /// The CPU time of a part.
    pub(super) fn held(&self, part: &Part) -> Span {
        self.start.map_or(Span::ZERO, |start| times(part.end - start, f64::from(part.cpus)))
    }
}
