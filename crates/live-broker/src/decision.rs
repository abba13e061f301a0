//! The decisions of a broker, and the standing of a job.

use sched_model::{JobId, Money, NodeId, Window};

/// A decision, to be carried out or to be reported to the owner of a job.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Decision {
    /// Its number: decisions are numbered from 0 without gaps.
    pub id: u64,
    /// The instant at which it was made.
    pub at: sched_model::Time,
    /// The decision itself.
    pub act: Act,
}

/// The content of a decision. The last decision on each job is [`Refuse`](Self::Refuse) or
/// [`Close`](Self::Close); each job gets exactly one of these.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Act {
    /// The job is promised this window.
    Reserve {
        /// The job.
        job: JobId,
        /// Its window.
        window: Window,
    },
    /// The job is promised another window in place of an earlier one.
    Move {
        /// The job.
        job: JobId,
        /// The window promised before.
        from: Window,
        /// The window promised now.
        to: Window,
        /// The cause.
        cause: Cause,
    },
    /// The promise cannot be kept, and there is no other window at present. The job waits again.
    Withdraw {
        /// The job.
        job: JobId,
        /// The window promised before.
        window: Window,
        /// The cause.
        cause: Cause,
    },
    /// The job is promised this window, and running jobs of lower priority must be stopped for it now. Answer for each
    /// of them with `Evicted`, `Ended` or `Failed`. The job starts when all of them have released their nodes.
    Preempt {
        /// The job.
        job: JobId,
        /// The window promised before, if there was one.
        from: Option<Window>,
        /// Its window, which starts now.
        window: Window,
        /// The jobs to stop, in the order of their ids.
        victims: Vec<JobId>,
    },
    /// Start the job now, on the nodes of its window. Answer with `Started`, `StartFailed` or `Refused`.
    Start {
        /// The job.
        job: JobId,
        /// The promised window.
        window: Window,
    },
    /// Stop the started job. Answer with `Ended`, `Failed`, `Evicted` or `StartFailed`.
    Stop {
        /// The job.
        job: JobId,
        /// The cause.
        cause: StopCause,
    },
    /// The job will not run.
    Refuse {
        /// The job.
        job: JobId,
        /// The reason.
        reason: Reason,
    },
    /// The job is over.
    Close {
        /// The job.
        job: JobId,
        /// How it ended.
        ending: CloseReason,
        /// The amount that it pays: if it is done, for the time for which it held its nodes, and never more than was
        /// promised; otherwise nothing.
        cost: Money,
    },
}

impl std::fmt::Display for Decision {
    /// One line: `#3 at 10: start job 1, [10, 20) for 40 on nodes 1, 2`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{} at {}: {}", self.id, self.at, self.act)
    }
}

impl std::fmt::Display for Act {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Reserve { job, window } => write!(f, "promise job {job} {window}"),
            Self::Move { job, from, to, cause } => {
                write!(f, "move job {job} from {from} to {to} ({cause:?})")
            }
            Self::Withdraw { job, window, cause } => {
                write!(f, "take back {window} from job {job} ({cause:?})")
            }
            Self::Preempt { job, window, victims, .. } => {
                let victims: Vec<String> = victims.iter().map(|victim| format!("job {victim}")).collect();
                write!(f, "promise job {job} {window} in the place of {}", victims.join(", "))
            }
            Self::Start { job, window } => write!(f, "start job {job}, {window}"),
            Self::Stop { job, cause } => write!(f, "stop job {job} ({cause:?})"),
            Self::Refuse { job, reason } => write!(f, "refuse job {job} ({reason:?})"),
            Self::Close { job, ending, cost } => write!(f, "close job {job} ({ending:?}), it pays {cost}"),
        }
    }
}

impl Act {
    /// The job that the decision is about.
    pub fn job(&self) -> JobId {
        match self {
            Self::Reserve { job, .. }
            | Self::Move { job, .. }
            | Self::Withdraw { job, .. }
            | Self::Preempt { job, .. }
            | Self::Start { job, .. }
            | Self::Stop { job, .. }
            | Self::Refuse { job, .. }
            | Self::Close { job, .. } => *job,
        }
    }
}

/// The cause for which a promise is moved or withdrawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Cause {
    /// The new window makes the plan better.
    Gain,
    /// A node is down.
    NodeDown(NodeId),
    /// A node is leaving.
    NodeRemoved(NodeId),
    /// A node has failed and is not used for a while.
    NodeRests(NodeId),
    /// A node is blocked for other uses in that time.
    Blocked(NodeId),
    /// The previous job has not released a node in time.
    NotReleased(NodeId),
    /// The start has passed, because the broker was not woken in time.
    Missed,
    /// The job could not be started.
    StartFailed,
    /// A node refuses the job.
    NodeRefused(NodeId),
}

/// The cause for which a job is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum StopCause {
    /// Its owner has cancelled it.
    Cancelled,
    /// A job of higher priority takes its nodes.
    Preempted(JobId),
}

/// The reason for which a job will not run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Reason {
    /// Its deadline has passed before it started.
    Deadline,
    /// It has waited for the whole [patience](crate::Config::patience).
    Patience,
    /// The only instant at which it may [start](sched_model::Demands::with_start) has passed.
    StartPassed,
    /// It has failed too often, to start or because of nodes: see [`Config::attempts`](crate::Config::attempts).
    Attempts,
    /// The search rejects its request, for example because its tasks are so short that their end equals their
    /// start.
    Request(String),
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum CloseReason {
    /// It is done.
    Done,
    /// It failed, and no node was at fault.
    Failed,
    /// Its owner has cancelled it.
    Cancelled,
}

/// The standing of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Standing {
    /// The job has no window.
    Waiting,
    /// The job is promised a window.
    Promised,
    /// The decision to start the job has been made and is not yet confirmed.
    Starting,
    /// The job is running.
    Running,
    /// The decision to stop the job has been made and is not yet confirmed.
    Stopping,
    /// The job has been refused or closed.
    Over,
}
