//! The inputs of a broker.

use sched_model::{Features, Job, JobId, Node, NodeId, Price, Speed, Time, Window, Work};

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

/// An input. All but [`Wake`](Self::Wake) are facts and decide nothing.
///
/// Each comes with its time. When all facts of an instant are in, send `Wake`: it decides.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
#[non_exhaustive]
pub enum Input {
    /// All facts of this instant are in: decide.
    Wake,
    /// A job is submitted. [`Job::submit`] is the earliest instant at which it may start. Every window that it is
    /// offered meets its [demands](sched_model::Demands). A job whose only start has passed is
    /// [refused](crate::Reason::StartPassed). After an eviction the same share of its measured times remains as of
    /// its work.
    Submit {
        /// The job.
        job: Job,
        /// Its speeds by ranges of nodes, where they depend on the job, not only on the node (expected times by
        /// machine). Nodes in no range cannot run it. Where ranges overlap, the first counts. Each search for
        /// such a job reads the whole free list. Without any range the nodes' own speeds hold.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
        speeds: Vec<SpeedOn>,
    },
    /// A job is submitted and takes a window that was [quoted](crate::Broker::quote) for it.
    Accept {
        /// The job.
        job: Job,
        /// The window.
        window: Window,
        /// The version of the free time for which it was quoted.
        version: u64,
        /// The running jobs that are stopped for it, as [quoted](crate::Quotes::victims); mostly none.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
        victims: Vec<JobId>,
    },
    /// The owner cancels a job. A running job is stopped; its nodes stay reserved until that is confirmed.
    Cancel(JobId),
    /// A node joins.
    NodeAdded {
        /// The node.
        node: Node,
        /// Its labels and amounts, which jobs may [demand](sched_model::Demands). They stay as they are until it
        /// leaves.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Features::is_empty"))]
        features: Features,
    },
    /// A node leaves: nothing new is placed on it. It is removed when the job that runs there has released
    /// it.
    NodeRemoved(NodeId),
    /// A node is down. A job that runs there keeps the node until its end is reported.
    NodeDown {
        /// The node.
        node: NodeId,
        /// When it is expected back, if that is known.
        until: Option<Time>,
    },
    /// A node that was down is back.
    NodeUp(NodeId),
    /// In `[from, until)` a node is used for something else: maintenance, local jobs, an advance reservation.
    /// Nothing is promised there, and what was promised there is replaced. A job that runs there keeps the
    /// node until its end is reported.
    Blocked {
        /// The node.
        node: NodeId,
        /// The start; the present counts where it has passed.
        from: Time,
        /// The end; later than `from` and than the present.
        until: Time,
    },
    /// In `[from, until)` a node is no longer used for something else: takes [`Blocked`](Self::Blocked) back.
    Unblocked {
        /// The node.
        node: NodeId,
        /// The start.
        from: Time,
        /// The end; later than `from`.
        until: Time,
    },
    /// The price of a node has changed. Windows promised before keep the old price.
    PriceChanged {
        /// The node.
        node: NodeId,
        /// The new price.
        price: Price,
    },
    /// A job that was to be started is running.
    Started(JobId),
    /// A job could not be started. No task of it runs.
    StartFailed {
        /// The job.
        job: JobId,
        /// The node at fault, if one is: it is not used for a while (see
        /// [`Config::backoff`](crate::Config::backoff)).
        node: Option<NodeId>,
    },
    /// A node refuses this job, which has not started. The job is not placed there again.
    Refused {
        /// The job.
        job: JobId,
        /// The node.
        node: NodeId,
    },
    /// One task of a running job is done. Its node is released.
    Released {
        /// The job.
        job: JobId,
        /// The node.
        node: NodeId,
    },
    /// A running job is done: early, in time, or late. All its nodes are released.
    Ended(JobId),
    /// A running job failed. All its nodes are released. If a node is at fault, the job is tried again; if
    /// not, it is over.
    Failed {
        /// The job.
        job: JobId,
        /// The node at fault, if one is: it is not used for a while (see
        /// [`Config::backoff`](crate::Config::backoff)).
        node: Option<NodeId>,
    },
    /// A running job was stopped. All its nodes are released. It waits again, with the work that remains.
    Evicted {
        /// The job.
        job: JobId,
        /// The work that each of its tasks has done since the start and need not repeat.
        done: Work,
    },
}

impl From<Job> for Input {
    /// A job is submitted, for which the nodes' own speeds hold.
    fn from(job: Job) -> Self {
        Self::Submit { job, speeds: Vec::new() }
    }
}

impl From<Node> for Input {
    /// A node joins that has no labels and amounts.
    fn from(node: Node) -> Self {
        Self::NodeAdded { node, features: Features::default() }
    }
}
