//! The error type of this crate.

use crate::decision::Standing;
use sched_model::{JobId, NodeId};

/// The reason why an input, a configuration, a journal entry or a snapshot is rejected. Unless stated otherwise, the
/// state of the broker is unchanged.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BrokerError {
    /// A setting is out of its range.
    #[error("the {what} must be {expected}, got {value}")]
    Config {
        /// The setting.
        what: &'static str,
        /// The range.
        expected: &'static str,
        /// The value.
        value: f64,
    },
    /// The preference and the goal of a configuration cannot be combined.
    #[error("the preference of the choice: {0}")]
    Preference(batch_dp::BatchError),
    /// The input is older than the last one.
    #[error("the input of {given} is older than the last one, of {now}")]
    Late {
        /// The instant of the input.
        given: f64,
        /// The instant of the last input.
        now: f64,
    },
    /// An instant exceeds 1e59 in magnitude.
    #[error("the instant {given} is beyond 1e59")]
    OutOfRange {
        /// The instant.
        given: f64,
    },
    /// The job is unknown, or over.
    #[error("unknown job {0}")]
    UnknownJob(JobId),
    /// A job with this id was submitted before.
    #[error("job {0} was submitted before")]
    RepeatedJob(JobId),
    /// The node is unknown.
    #[error("unknown node {0}")]
    UnknownNode(NodeId),
    /// A node with this id exists; it may be leaving and not yet released.
    #[error("node {0} exists already")]
    RepeatedNode(NodeId),
    /// The node is leaving.
    #[error("node {0} is leaving")]
    Leaving(NodeId),
    /// The node is already down, or is not down.
    #[error("node {node} is {}", if *down { "down already" } else { "not down" })]
    Standing {
        /// The node.
        node: NodeId,
        /// Whether the node is down.
        down: bool,
    },
    /// A time interval of a node is empty or has passed.
    #[error("[{from}, {until}) of node {node} is empty or has passed")]
    EmptyTime {
        /// The node.
        node: NodeId,
        /// The start of the interval.
        from: f64,
        /// The end of the interval.
        until: f64,
    },
    /// The report does not fit the standing of the job.
    #[error("job {job} is {}: {what} cannot happen now", format!("{phase:?}").to_lowercase())]
    Phase {
        /// The job.
        job: JobId,
        /// The standing of the job, without regard to whether it is being stopped.
        phase: Standing,
        /// The report.
        what: &'static str,
    },
    /// A range of nodes with a speed ends before it begins.
    #[error("job {0} must have ranges of nodes that do not end before they begin")]
    Ranges(JobId),
    /// The job does not hold this node, or has released it.
    #[error("job {job} does not hold node {node}")]
    NotHeld {
        /// The job.
        job: JobId,
        /// The node.
        node: NodeId,
    },
    /// A job is reported as evicted after it has done all its work or more.
    #[error("job {job} has {remaining} of work, and cannot have done {done} and be evicted")]
    Done {
        /// The job.
        job: JobId,
        /// The work that the job had left.
        remaining: f64,
        /// The work reported as done.
        done: f64,
    },
    /// The free time has changed since the window was quoted.
    #[error("quoted for version {given} of the free time, which is now {current}")]
    Stale {
        /// The version of the quote.
        given: u64,
        /// The present version.
        current: u64,
    },
    /// The window cannot be given to the job.
    #[error("job {job} cannot have this window: {why}")]
    Unfit {
        /// The job.
        job: JobId,
        /// The reason.
        why: String,
    },
    /// A snapshot contradicts itself, or a journal entry contradicts the state.
    #[error("{0}")]
    Damaged(String),
    /// The search cannot be built.
    #[error(transparent)]
    Search(#[from] slot_window::WindowError),
}
