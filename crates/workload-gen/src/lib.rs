//! Workloads for scheduling studies: slot and job generators, published workload models, Standard Workload Format.
#![forbid(unsafe_code)]

pub mod cycle;
mod elementary;
pub mod environment;
mod error;
pub mod etc;
mod kind;
pub mod lublin;
pub mod meta_broker;
pub mod multi_s_grid;
mod range;
pub mod sample;
mod setters;
mod special;
pub mod swf;
pub mod synthetic;

pub use error::WorkloadError;
