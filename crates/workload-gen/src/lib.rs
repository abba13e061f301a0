//! Workloads for scheduling studies: slot and job generators, published workload models, Standard Workload Format.
#![forbid(unsafe_code)]

pub mod cycle;
mod elementary;
pub mod environment;
mod error;
mod range;
pub mod sample;
mod setters;
mod special;
pub mod swf;

pub use error::WorkloadError;
