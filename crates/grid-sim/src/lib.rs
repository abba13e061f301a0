//! A deterministic discrete-event simulation of economic grids: local load, backfilling, brokers, failures, reports.

#![forbid(unsafe_code)]

mod cluster;
mod dispatch;
mod engine;
mod error;
pub mod garg;
mod grid;
mod log;
pub mod multi_s_grid;
mod replay;
mod report;
mod station;
mod swf;
pub mod yadav;

pub use cluster::{
    Cluster, Conservative, Easy, Fcfs, Holder, LocalJob, LocalPolicy, Overrun, Pass, PolicyKind, QueuedJob,
    Settled, Started,
};
pub use dispatch::{DispatchOutcome, Dispatching, dispatch};
pub use engine::{EventQueue, Model, run};
pub use error::SimError;
pub use grid::{
    BatchScheduler, Grid, GridJob, GridOutcome, GridPlace, NodeSlots, Offer, PlacePart, Resource,
    ResourceOutcome, TradeOffBroker,
};
pub use log::{EventLog, Happening, LogEntry};
pub use replay::{Replay, ReplayOptions, easy, replay};
pub use report::{
    Ending, JobRecord, Part, Report, SiteInfo, SiteReport, Stats, UserReport, default_threshold,
};
pub use swf::{LogJobs, jobs_of_log};
