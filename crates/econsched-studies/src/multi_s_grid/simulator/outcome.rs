//! The result of a run.

use super::AssignedJob;
use econsched::grid_sim::EventLog;
use econsched::grid_sim::{JobRecord, Report};
use econsched::sched_model::{End, Span, Time};

/// What happened in one time slice.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SliceRecord {
    /// Its start.
    pub at: Time,
    /// Jobs in the pool before the schedulers ran.
    pub waiting: usize,
    /// Free processors that can be reached, before the schedulers ran.
    pub free: u64,
    /// Jobs assigned.
    pub assigned: usize,
    /// Jobs done so far.
    pub done: usize,
    /// Jobs lost to failures so far.
    pub lost: usize,
    /// Mean cost (transfer and processing time) of the jobs assigned so far.
    pub mean_cost: f64,
    /// Busy share of the processors of each site after the schedulers ran; `None` where no processor can be
    /// reached.
    pub loads: Vec<Option<f64>>,
    /// Variance of these loads over the sites that have one.
    pub load_variance: f64,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SystemOutcome {
    /// A record for each job, in the order given. For a job that was retried, it is that of its last run.
    pub records: Vec<JobRecord>,
    /// The figures.
    pub report: Report,
    /// Jobs that waited longer than allowed, whether they were assigned in the end or not.
    pub starved: usize,
    /// Mean cost (transfer and processing time) of all assignments.
    pub mean_cost: f64,
    /// Processor time of jobs that were lost.
    pub lost_time: Span,
    /// A record for each slice; empty unless asked for.
    pub slices: Vec<SliceRecord>,
    /// Every assignment; empty unless asked for.
    pub assignments: Vec<AssignedJob>,
    /// What happened; empty unless asked for.
    pub log: EventLog,
    /// Events served.
    pub events: u64,
    /// When the last event was served.
    pub end: Time,
    /// What stopped the run early, if anything did.
    pub stopped: Option<End>,
}
