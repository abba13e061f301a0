//! Workloads for scheduling studies: slot and job generators, published workload models, Standard Workload Format.
#![forbid(unsafe_code)]

mod error;
pub mod swf;

pub use error::WorkloadError;
