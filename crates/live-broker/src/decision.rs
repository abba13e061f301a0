//! What a broker decides.

use sched_model::{JobId, Money, NodeId, Window};

/// The number of a decision: they count up from 0, without a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct DecisionId(pub u64);

/// A decision that is to be carried out, or told to the owner of a job.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Decision {
    /// Its number.
    pub id: DecisionId,
    /// The instant at which it was made.
    pub at: sched_model::Time,
    /// What is to be done.
    pub act: Act,
}

/// What is decided. Each job that was handed in gets exactly one [`Refuse`](Self::Refuse) or [`Close`](Self::Close), as
/// its last decision.
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
    /// The promise is moved.
    Move {
        /// The job.
        job: JobId,
        /// The window promised before.
        from: Window,
        /// The window promised now.
        to: Window,
        /// Why.
        cause: Cause,
    },
    /// The promise cannot be kept, and there is no other window at present. The job waits.
    Withdraw {
        /// The job.
        job: JobId,
        /// The window promised before.
        window: Window,
        /// Why.
        cause: Cause,
    },
    /// Start the job now, on the nodes of its window; to be answered by `Started`, `StartFailed` or `Refused`.
    Start {
        /// The job.
        job: JobId,
        /// The window promised.
        window: Window,
    },
    /// Stop the job, which was started; to be answered by `Ended`, `Failed`, `Evicted` or `StartFailed`.
    Stop {
        /// The job.
        job: JobId,
        /// Why.
        cause: StopCause,
    },
    /// The job will not run.
    Refuse {
        /// The job.
        job: JobId,
        /// Why.
        reason: Reason,
    },
    /// The job is over.
    Close {
        /// The job.
        job: JobId,
        /// How it ended.
        ending: Ending,
        /// What it pays: for the time that it held its nodes, and never more than was promised.
        cost: Money,
    },
}

impl Act {
    /// The job that it is about.
    pub fn job(&self) -> JobId {
        match self {
            Self::Reserve { job, .. }
            | Self::Move { job, .. }
            | Self::Withdraw { job, .. }
            | Self::Start { job, .. }
            | Self::Stop { job, .. }
            | Self::Refuse { job, .. }
            | Self::Close { job, .. } => *job,
        }
    }

    /// By how much a promise is moved: the new start less the old one, negative for an earlier start.
    #[must_use]
    pub fn moved_by(&self) -> Option<f64> {
        match self {
            Self::Move { from, to, .. } => Some(to.start().get() - from.start().get() + 0.0),
            _ => None,
        }
    }
}

/// Why a promise is moved or withdrawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Cause {
    /// The plan is better so.
    Gain,
    /// A node is down.
    NodeDown(NodeId),
    /// A node leaves.
    NodeRemoved(NodeId),
    /// A node has failed and is left alone for a while.
    NodeRests(NodeId),
    /// A node has not been released in time by the job before.
    NotReleased(NodeId),
    /// The instant of the start has passed unused.
    Missed,
    /// The job could not be started.
    StartFailed,
    /// A node does not take the job.
    NodeRefused(NodeId),
}

/// Why a job is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum StopCause {
    /// Its owner has given it up.
    Cancelled,
}

/// Why a job will not run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Reason {
    /// Its deadline has come, and it has not started.
    Deadline,
    /// It has waited as long as a job may.
    Patience,
    /// It has failed too often, by the fault of nodes.
    Attempts,
    /// The search cannot take its request: its tasks are so short that they end when they start, for example.
    Request(String),
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Ending {
    /// It is done.
    Done,
    /// It failed by its own fault.
    Failed,
    /// Its owner has given it up.
    Cancelled,
}
