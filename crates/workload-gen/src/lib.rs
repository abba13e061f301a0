//! Workloads for scheduling studies: readers of real logs, and generators of jobs, nodes and task times.
//!
//! | you want | use |
//! |---|---|
//! | a real log | [`swf::SwfLog::read`], or [`swf::SwfReader`] record by record |
//! | a log in another format: Slurm, Batsim, CSV, clouds | `convert` (feature `convert`) |
//! | a log like a real one, of any length | [`synthetic::LogGenerator`] |
//! | rigid parallel jobs with arrivals, sizes and run times | [`lublin::LublinModel`] |
//! | free slots and a batch of jobs for one scheduling cycle | [`cycle::SlotGenerator`], [`cycle::JobGenerator`] |
//! | nodes with prices and local load, and their free slots | [`environment::EnvironmentGenerator`] |
//! | times of tasks on machines | [`etc::EtcGenerator`]; if the mean times are known, [`etc::Variation`] |
//! | clusters with prices, and parallel jobs for a meta-broker | [`meta_broker::MetaBrokerWorkload`] |
//!
//! # Seeds
//! Every generator takes the random number generator from the caller. [`sample::stream`] makes one from a seed and
//! the number of the replicate; replicates are independent and may be drawn in any order. The same stream gives the
//! same bytes on every machine and with any number of threads.
//!
//! # Configurations
//! A generator is a configuration: its fields are the parameters of the paper, and their defaults are the paper's
//! values. Change fields directly or, where there are setters, by these, and draw with `generate`, which checks all
//! fields first. An error names the field and its value.
//!
//! ```
//! use workload_gen::environment::EnvironmentGenerator;
//! use workload_gen::sample::stream;
//!
//! let environment =
//!     EnvironmentGenerator::default().with_nodes(40).with_horizon(2400.0).generate(&mut stream(1, 0))?;
//! assert_eq!(environment.nodes.len(), 40);
//! let error = EnvironmentGenerator::default().with_horizon(-1.0).generate(&mut stream(1, 0)).unwrap_err();
//! assert_eq!(error.to_string(), "horizon is -1; it must be positive, at most 1e60");
//! # Ok::<(), workload_gen::WorkloadError>(())
//! ```
//!
//! # Features
//! `serde`: configurations can be read, with defaults for missing fields, and written; results can be written.
//! Logs have their own format. `convert`: logs in other formats.

#![forbid(unsafe_code)]
// The documentation shows which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "convert")]
pub mod convert;
pub mod cycle;
mod draw;
pub mod environment;
mod error;
pub mod etc;
pub mod lublin;
pub mod meta_broker;
pub mod sample;
pub mod swf;
pub mod synthetic;

pub use error::WorkloadError;

/// Items for the programs and studies of this repository; not part of the public interface of this crate.
#[doc(hidden)]
pub mod internal {
    pub use crate::draw::range;
    pub use crate::draw::{
        Distribution, Exponential, Gamma, TwoStageUniform, Uniform, UniformInt, chance, unit,
    };
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
