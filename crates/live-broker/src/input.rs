//! What a broker is told.

use sched_model::{Job, JobId, Node, NodeId, Price, Speed, Time, Window, Work};

/// How fast one job runs on some nodes, whatever their own speed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SpeedOn {
    /// The first node.
    pub first: NodeId,
    /// The last node, at least the first.
    pub last: NodeId,
    /// The speed.
    pub speed: Speed,
}

/// Something that has happened. Only [`Wake`](Self::Wake) makes decisions; all others are facts.
///
/// A fact is told with the instant at which it is told; when all facts of an instant have been told, `Wake` decides.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Input {
    /// All facts of this instant have been told: decide.
    Wake,
    /// Somebody hands in a job. [`Job::submit`] is the earliest instant at which it may start.
    Submit(Job),
    /// Somebody hands in a job that runs on each node at a speed of its own: expected times by machine. Nodes in no range
    /// do not take it; of ranges that overlap the first counts. Each search for such a job reads the whole free list.
    SubmitWithSpeeds {
        /// The job.
        job: Job,
        /// Its speeds, by ranges of nodes; at least one.
        speeds: Vec<SpeedOn>,
    },
    /// Somebody hands in a job and takes a window that was [quoted](crate::Broker::quote) for it.
    Accept {
        /// The job.
        job: Job,
        /// The window.
        window: Window,
        /// The version of the free time for which it was quoted.
        version: u64,
    },
    /// The owner gives a job up. One that runs is stopped, and its nodes are kept until that is confirmed.
    Cancel(JobId),
    /// A node joins.
    NodeAdded(Node),
    /// A node leaves: nothing new is placed on it. It is forgotten when what runs there has released it.
    NodeRemoved(NodeId),
    /// A node is down, perhaps with an instant at which it is expected back. What ran there is kept until its end is
    /// told.
    NodeDown {
        /// The node.
        node: NodeId,
        /// When it is expected back.
        until: Option<Time>,
    },
    /// A node that was down is back.
    NodeUp(NodeId),
    /// The price of a node from now on. Promises keep the price at which they were made.
    PriceChanged {
        /// The node.
        node: NodeId,
        /// The new price.
        price: Price,
    },
    /// A job that was to be started runs.
    Started(JobId),
    /// A job could not be started, perhaps by the fault of one node. Nothing of it runs.
    StartFailed {
        /// The job.
        job: JobId,
        /// The node at fault, which is left alone for a while.
        node: Option<NodeId>,
    },
    /// A node does not take this job, which has not started. It is not placed there again.
    Refused {
        /// The job.
        job: JobId,
        /// The node.
        node: NodeId,
    },
    /// One task of a running job is done, its node is released.
    Released {
        /// The job.
        job: JobId,
        /// The node.
        node: NodeId,
    },
    /// A running job is done: early, in time, or late. All its nodes are released.
    Ended(JobId),
    /// A running job failed; all its nodes are released. By the fault of a node it is tried again, by its own it is over.
    Failed {
        /// The job.
        job: JobId,
        /// The node at fault, which is left alone for a while.
        node: Option<NodeId>,
    },
    /// A running job was stopped and all its nodes are released; it returns with the work that remains.
    Evicted {
        /// The job.
        job: JobId,
        /// The work that each of its tasks has done since it started and need not do again.
        done: Work,
    },
}
