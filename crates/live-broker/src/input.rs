//! The inputs of a broker.

use sched_model::{Features, Job, JobId, Node, NodeId, Price, Speed, Time, Window, Work};

/// The speed of one job on a range of nodes, in place of the speeds of these nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SpeedOn {
    /// The first node of the range.
    pub first: NodeId,
    /// The last node of the range, not below the first.
    pub last: NodeId,
    /// The speed.
    pub speed: Speed,
}

/// An input of a broker. All inputs except [`Wake`](Self::Wake) are facts, which make no decisions.
///
/// Each input is given with its time. After all facts of an instant, send `Wake`, which makes the decisions.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
#[non_exhaustive]
pub enum Input {
    /// All facts of this instant have been given: make decisions.
    Wake,
    /// A job is submitted. [`Job::submit`] is the earliest instant at which it may start. Every window that it is
    /// offered meets its [demands](sched_model::Demands). A job whose only possible start has passed is
    /// [refused](crate::Reason::StartPassed). If the job is evicted, its measured times are reduced by the same
    /// fraction as its work.
    Submit {
        /// The job.
        job: Job,
        /// Its speeds by ranges of nodes, if they depend on the job and not only on the node (expected times by
        /// machine). A node in no range cannot run the job. If ranges overlap, the first one applies. Each search for
        /// such a job reads the whole free list. If there are no ranges, the speeds of the nodes apply.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
        speeds: Vec<SpeedOn>,
    },
    /// A job is submitted and takes a window that was [quoted](crate::Broker::quote) for it.
    Accept {
        /// The job.
        job: Job,
        /// The window.
        window: Window,
        /// The version of the free time for which the window was quoted.
        version: u64,
        /// The running jobs that are stopped for it, as [quoted](crate::Quotes::victims); usually none.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
        victims: Vec<JobId>,
    },
    /// The owner cancels a job. A running job is stopped; its nodes stay reserved until that is confirmed.
    Cancel(JobId),
    /// A node joins.
    NodeAdded {
        /// The node.
        node: Node,
        /// Its labels and amounts, which jobs may [demand](sched_model::Demands). They do not change until the node
        /// leaves.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Features::is_empty"))]
        features: Features,
    },
    /// A node is leaving: nothing new is placed on it. The node is removed once the job that runs there has released
    /// it.
    NodeRemoved(NodeId),
    /// A node is down. A job that runs there keeps the node until its end is reported.
    NodeDown {
        /// The node.
        node: NodeId,
        /// The instant at which it is expected back, if that is known.
        until: Option<Time>,
    },
    /// A node that was down is back.
    NodeUp(NodeId),
    /// A node is blocked in `[from, until)` for other uses: maintenance, local jobs, an advance reservation. Nothing is
    /// promised there in this time, and earlier promises there are replaced. A job that runs there keeps the node until
    /// its end is reported.
    Blocked {
        /// The node.
        node: NodeId,
        /// The start; if it has passed, the present takes its place.
        from: Time,
        /// The end; later than `from` and than the present.
        until: Time,
    },
    /// A node is no longer blocked in `[from, until)`: revokes [`Blocked`](Self::Blocked).
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
    /// A job that the broker decided to start is running.
    Started(JobId),
    /// A job could not be started. No task of it runs.
    StartFailed {
        /// The job.
        job: JobId,
        /// The node at fault, if any; it is not used for a while (see
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
        /// The node at fault, if any; it is not used for a while (see
        /// [`Config::backoff`](crate::Config::backoff)).
        node: Option<NodeId>,
    },
    /// A running job was stopped. All its nodes are released. It waits again, with the work that remains. A budget that
    /// the search derives from its price limit is that of this work, while entry fees and least charges do not shrink
    /// with the work: it may have no window within that budget, as [`Broker::explain`](crate::Broker::explain) tells. A
    /// budget of its own stays.
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
