//! The error type of this crate, and the limits on the numbers of jobs and events.

use sched_model::{JobId, ModelError, Time, UserId};

/// An error in the input of a simulation, or in the answer of a caller's policy or scheduler.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// A value of the model was out of range.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// An event was scheduled before the present.
    #[error("an event cannot be scheduled at {at}: it is already {now}")]
    Past {
        /// The instant asked for.
        at: Time,
        /// The present.
        now: Time,
    },
    /// A job was given twice.
    #[error("job {job} was submitted twice")]
    RepeatedJob {
        /// The job.
        job: JobId,
    },
    /// A job names a user who does not exist.
    #[error("job {job} belongs to user {user}, who is not given")]
    UnknownUser {
        /// The job.
        job: JobId,
        /// The user it names.
        user: UserId,
    },
    /// A job has demands, and the broker that serves it does not support them.
    #[error("job {job} has demands, which only the live broker supports")]
    Demands {
        /// The job.
        job: JobId,
    },
    /// A policy, a scheduler or a list of cancellations named a job that is not known or does not wait.
    #[error("{who} named job {job}, which does not wait")]
    UnknownJob {
        /// Who named it.
        who: String,
        /// The job.
        job: JobId,
    },
    /// A policy or a scheduler placed a job where it does not fit.
    #[error("{who} placed job {job} at {start}: {why}")]
    BadPlace {
        /// The policy or scheduler.
        who: String,
        /// The job.
        job: JobId,
        /// The start it chose.
        start: Time,
        /// What is wrong with it.
        why: String,
    },
    /// A list has the wrong length.
    #[error("{what} must have {expected} entries, got {got}")]
    Length {
        /// What the list holds.
        what: String,
        /// The required length.
        expected: usize,
        /// The length given.
        got: usize,
    },
    /// The input has more elements than one simulation accepts.
    #[error("{what}: {given} requested, at most {most} allowed")]
    TooMany {
        /// What was counted.
        what: &'static str,
        /// The maximum.
        most: usize,
        /// The number given.
        given: usize,
    },
    /// More events are expected than one simulation accepts.
    #[error("{what}: {} expected, at most {most} allowed", expected_count(*.expected))]
    TooManyExpected {
        /// What the events are.
        what: &'static str,
        /// The maximum.
        most: usize,
        /// The expected number; infinite for events that follow each other without delay.
        expected: f64,
    },
    /// A number lies outside its range.
    #[error("{what} must be {expected}, got {value}")]
    OutOfRange {
        /// What the number is.
        what: &'static str,
        /// The allowed range.
        expected: &'static str,
        /// The value given.
        value: f64,
    },
    /// A scheduler failed.
    #[error("{who}: {why}")]
    Scheduler {
        /// The scheduler.
        who: String,
        /// Its message.
        why: String,
    },
    /// A workload could not be generated.
    #[error("the workload: {0}")]
    Workload(String),
}

fn expected_count(count: f64) -> String {
    if count.is_infinite() { "infinitely many".to_owned() } else { format!("{count:.0e}") }
}

impl From<workload_gen::WorkloadError> for SimError {
    fn from(error: workload_gen::WorkloadError) -> Self {
        Self::Workload(error.to_string())
    }
}

/// Returns an error that names `what`, `expected` and `value` unless `fits` holds.
///
/// # Errors
/// [`SimError::OutOfRange`].
pub(crate) fn require(
    fits: bool,
    what: &'static str,
    expected: &'static str,
    value: f64,
) -> Result<(), SimError> {
    if fits { Ok(()) } else { Err(SimError::OutOfRange { what, expected, value }) }
}

/// The maximum number of jobs of one simulation: 20 million. Each job has a record of some 200 bytes; larger numbers
/// are refused before memory is allocated for them.
pub const MOST_JOBS: usize = 20_000_000;

/// Returns an error if `given` exceeds [`MOST_JOBS`].
///
/// # Errors
/// [`SimError::TooMany`].
pub fn check_count(what: &'static str, given: usize) -> Result<(), SimError> {
    if given > MOST_JOBS { Err(SimError::TooMany { what, most: MOST_JOBS, given }) } else { Ok(()) }
}

/// Returns an error if more than [`MOST_JOBS`] events are expected. NaN is accepted: the settings that cause it are
/// checked elsewhere.
///
/// # Errors
/// [`SimError::TooManyExpected`].
pub fn check_expected(what: &'static str, expected: f64) -> Result<(), SimError> {
    let most = MOST_JOBS;
    if expected > most as f64 { Err(SimError::TooManyExpected { what, most, expected }) } else { Ok(()) }
}
