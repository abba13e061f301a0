//! A deterministic discrete-event simulation of economic grids: local load, backfilling, brokers, failures,
//! reports.
//!
//! This is the only crate of the family with a clock. The others make decisions; here the decisions are carried out,
//! jobs end early or late, machines fail, and results are measured.
//!
//! # Which to use when
//!
//! | you want to | use |
//! |---|---|
//! | run a log or a list of parallel jobs on one machine | [`easy`], or a [`Replay`] with any [`LocalPolicy`]; [`jobs_of_log`] converts a log in the Standard Workload Format |
//! | run a log of 10^7 jobs on one machine, or stop and resume a run | [`Replay::advance`] |
//! | try a local policy of your own | implement [`LocalPolicy`]; [`Pass`] makes sure that no CPU is given twice |
//! | run jobs of many users on several clusters with local load, through a broker | [`Grid`] |
//! | use a [trade-off heuristic](grid_heuristics::TradeOffHeuristic) as the broker | [`Grid::run`]: each heuristic is a [`BatchScheduler`] |
//! | use the two-phase cycle (window search, then choice) as the broker | [`TwoPhaseBroker`] |
//! | use the [live broker](live_broker), with promises, overruns, failing CPUs and cancellations | [`Grid::run_live`] |
//! | try a broker's scheduler of your own | implement [`BatchScheduler`] |
//! | stop a simulation at a limit of work, a deadline or a signal | the `meter` of [`Replay::run`], [`Grid::run`], [`Grid::run_live`] |
//! | know how far a result is from the optimum | [`lower_bounds`] |
//!
//! [`PolicyKind`] lists the local policies:
//!
//! | policy | which jobs may overtake others | who is promised a start | prefer it where |
//! |---|---|---|---|
//! | [first come, first served](PolicyKind::Fcfs) | none | the head of the queue | the order of arrival matters most |
//! | [EASY](PolicyKind::Easy) | those that do not delay the head | the head of the queue | the mean wait matters most |
//! | [conservative backfilling](PolicyKind::Conservative) | those that delay no other job | every job | users want to know their start when they submit |
//!
//! # What comes out
//! A [`JobRecord`] for each job, with exactly one [`Ending`]; a [`Report`] that sums them up: makespan, cost, waiting
//! and response time, bounded slowdown and utilisation, in total, per site and per user; and, if asked for, the log
//! of events ([`LogEntry`]). The CPU time charged is the CPU time used, and users pay what sites earn.
//!
//! # Limits
//! A simulation ends when all its jobs have left, or when its meter stops it: at a [`Limit`](sched_model::Limit) of
//! work (counted in events) or at a stop signal; [`Limit::none`](sched_model::Limit::none) sets no limit. It then
//! reports what has happened until then. Planning within a simulation keeps to the limits of the planner, by default
//! 20 million units of work (some tenths of a second) and 100 MB a cycle.
//!
//! # Determinism
//! Events are served in order of time, then of class, then of scheduling. Random numbers come from
//! `workload_gen::sample::stream` by seed and replicate. The same input gives the same bytes on every run, and
//! replicates may run on any number of threads.
//!
//! # Example: a log through EASY
//! ```
//! use grid_sim::{easy, jobs_of_log};
//! use sched_model::{Machine, MachineId, Price, Speed};
//! use workload_gen::swf::SwfLog;
//!
//! // Job, submit, wait, runtime, processors, ...; the ninth is the requested time.
//! let text = "1 0 -1 6 3 -1 -1 3 10 -1 1 7 1 -1 1 -1 -1 -1\n\
//!             2 1 -1 5 4 -1 -1 4 5 -1 1 7 1 -1 1 -1 -1 -1\n\
//!             3 2 -1 8 1 -1 -1 1 8 -1 1 8 1 -1 1 -1 -1 -1\n";
//! let (log, _) = SwfLog::read(text.as_bytes())?;
//! let machine = Machine::new(MachineId(0), 4, Speed::ETALON, Price::must(0.0))?;
//! let run = easy(&machine, &jobs_of_log(&log.records).jobs)?;
//! // Job 2 needs all four processors and is promised 10; job 3 fits beside that promise and starts at once.
//! assert_eq!(run.report.wait.mean, (0.0 + 9.0 + 0.0) / 3.0);
//! assert_eq!(run.report.makespan.get(), 15.0);
//! assert_eq!(run.report.utilisation, (3.0 * 6.0 + 4.0 * 5.0 + 8.0) / (4.0 * 15.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]
// Shows in the documentation which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

/// The README's example, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod bounds;
mod cluster;
mod display;
mod engine;
mod error;
mod fault_load;
mod grid;
mod job_store;
mod local_load;
mod log;
mod quantity;
mod replay;
mod report;
mod station;
mod swf;

pub use bounds::{GridBounds, lower_bounds};
pub use cluster::{LocalJob, LocalPolicy, Overrun, Pass, PolicyKind, QueuedJob};
pub use error::SimError;
pub use fault_load::{FaultLoad, Faults, Outage};
pub use grid::{
    BatchScheduler, Grid, GridJob, GridOutcome, GridPlace, LiveOutcome, Offer, PlacePart, Resource,
    TwoPhaseBroker,
};
pub use local_load::LocalLoad;
pub use log::{LogEntry, LogEvent};
pub use replay::{Replay, ReplayOutcome, ReplayState, easy};
pub use report::{Ending, JobRecord, Part, Report, ReportBuilder, SiteInfo, SiteReport, Stats, UserReport};
pub use swf::{LogJobs, jobs_of_log};

/// Parts that the program and the studies of this repository use; not covered by the compatibility promise of this
/// crate.
#[doc(hidden)]
pub mod internal {
    pub use crate::engine::EventQueue;
    pub use crate::error::{MOST_JOBS, check_count, check_expected};
    pub use crate::job_store::JobPlaces;
    pub use crate::log::EventLog;
    pub use crate::report::default_threshold;
}
