//! Logs in other formats: conversion of text to records of the [Standard Workload Format](crate::swf), and back.
//!
//! | you have | use |
//! |---|---|
//! | a table with named columns | [`read_csv`] |
//! | the output of Slurm's `sacct`, `squeue`, as a table or as JSON | [`read_sacct`], [`read_squeue`]; the commands are [`SACCT_COMMAND`], [`SQUEUE_COMMAND`] |
//! | the output of `sinfo`, as a table or as JSON | [`read_sinfo`], for nodes; the command is [`SINFO_COMMAND`] |
//! | Google's cluster traces of 2019 | [`read_google_2019`] |
//! | tables of Alibaba's cluster trace of 2018, of Azure's machines | [`read_alibaba_tasks`], [`read_azure_machines`] |
//! | a workload of Batsim | [`read_batsim`], [`write_batsim`] |
//! | a platform of Batsim | [`read_batsim_platform`], [`write_batsim_platform`] |
//! | jobs that ran, to be drawn by Evalys | [`write_jobs_csv`] |
//!
//! All functions convert text to values; none opens a file. Readers report what they drop, as [`crate::swf`] does:
//! a line without job number or submit time is dropped as a whole; any other value that cannot be read is dropped
//! alone.
//!
//! If instants are dates or seconds since 1970 (numbers above 10^8, in the year 1973), the log counts from the
//! first submit, and its comment `UnixStartTime` states that instant.

mod batsim;
mod clouds;
mod delimited;
mod draft;
mod hosts;
mod jobs_csv;
mod slurm;

use crate::swf::{SwfLog, SwfReport};
pub use batsim::{BatsimHost, read_batsim, read_batsim_platform, write_batsim, write_batsim_platform};
pub use clouds::{read_alibaba_tasks, read_azure_machines, read_google_2019};
pub use delimited::{CSV_COLUMNS, SACCT_COMMAND, SQUEUE_COMMAND, read_csv};
#[doc(hidden)]
pub use jobs_csv::lowest_free;
pub use jobs_csv::{RanJob, write_jobs_csv};
pub use slurm::{SINFO_COMMAND, SlurmNode, read_sacct, read_sinfo, read_squeue};

/// A log read from another format.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Conversion {
    /// The log.
    pub log: SwfLog,
    /// What was dropped, and why. Lines are those of the text; in JSON, positions in the list of jobs, from 1.
    pub report: SwfReport,
    /// Number of lines that the rules of the format skip, such as job steps.
    pub skipped: u64,
    /// The names of the nodes that the job of each record holds; empty if the text does not name them.
    pub held: Vec<Vec<String>>,
}

impl std::fmt::Display for Conversion {
    /// One line: `12 records; 1 line lost, 2 values lost; 3 lines skipped`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let s = |count: u64| if count == 1 { "" } else { "s" };
        let records = self.log.records.len() as u64;
        write!(f, "{records} record{}; {}", s(records), self.report)?;
        write!(f, "; {} line{} skipped", self.skipped, s(self.skipped))
    }
}

/// Whether Slurm printed JSON, not a table.
fn is_json(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '['])
}

/// Parses a JSON text with at most 128 levels.
fn parse_json(text: &str) -> Result<serde_json::Value, crate::WorkloadError> {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| crate::WorkloadError::Json {
        place: format!("line {}, column {}", error.line(), error.column()),
        why: error.to_string(),
    })
}
