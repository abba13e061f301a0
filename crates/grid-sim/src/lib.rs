//! A deterministic discrete-event simulation of economic grids: local load, backfilling, brokers, failures, reports.

#![forbid(unsafe_code)]

mod engine;
mod error;
mod report;

pub use engine::{EventQueue, Model, run};
pub use error::SimError;
pub use report::{Ending, JobRecord, Part, Report, SiteInfo, SiteReport, Stats, UserReport};
