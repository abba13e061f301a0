//! The error type of this crate.

/// The reason why the input was rejected, or why a search ended without an answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// A cost or time is NaN or exceeds 10^120 in magnitude, the maximum product of two quantities.
    #[error(
        "the {what} of alternative {alternative} of job {job} must be a finite number up to 1e120, got {value}"
    )]
    Value {
        /// `cost` or `time`.
        what: &'static str,
        /// Position of the job in the batch, from 0.
        job: usize,
        /// Position of the alternative among those of the job, from 0.
        alternative: usize,
        /// The value.
        value: f64,
    },
    /// The batch has more alternatives than the algorithms can number.
    #[error("a batch holds at most {most} alternatives")]
    TooManyAlternatives {
        /// The maximum number of alternatives.
        most: usize,
    },
    /// A limit is NaN.
    #[error("the {what} must be a number, got NaN")]
    Limit {
        /// `budget` or `time limit`.
        what: &'static str,
    },
    /// An account names a job that does not exist, or that an account has named before.
    #[error("account {account}: job {job} does not exist, or pays from another account, too")]
    Account {
        /// Position of the account, from 0.
        account: usize,
        /// Position of the job, from 0.
        job: usize,
    },
    /// A weight is negative, NaN or infinite.
    #[error("the weight of {criterion} must be finite and at least 0, got {value}")]
    Weight {
        /// The criterion.
        criterion: &'static str,
        /// The weight.
        value: f64,
    },
    /// Two settings cannot be combined.
    #[error("{first} and {second} cannot be combined")]
    Together {
        /// The first setting.
        first: &'static str,
        /// The second setting.
        second: &'static str,
    },
    /// A lexicographic order has no criteria.
    #[error("a lexicographic order needs at least one criterion")]
    NoCriterion,
    /// The penalty or weight of a job is out of range.
    #[error(
        "the penalty or weight of job {job} must be finite and at most 1e120 in magnitude, a weight at least 0, got {value}"
    )]
    Service {
        /// The job; in a problem whose jobs have no identifiers, its position, from 0.
        job: sched_model::JobId,
        /// The value.
        value: f64,
    },
    /// A list does not have exactly one entry per job.
    #[error("one number for each of {jobs} jobs is needed, got {given}")]
    Count {
        /// Number of jobs of the batch.
        jobs: usize,
        /// Number of entries given.
        given: usize,
    },
    /// An earlier choice names an alternative that its job does not have.
    #[error("job {job} has no alternative {alternative}")]
    NoSuchAlternative {
        /// Position of the job in the batch, from 0.
        job: usize,
        /// Position among the alternatives of the job, from 0.
        alternative: usize,
    },
    /// The limit of work or memory, or a stop signal, ended a search before it had an answer.
    #[error("{0}, before there was an answer")]
    Stopped(sched_model::End),
    /// Windows of two jobs need the same node at the same time.
    #[error(
        "windows of job {first} and of job {second} overlap on node {node}: choosing both would be no schedule"
    )]
    Conflict {
        /// The job whose window starts first.
        first: sched_model::JobId,
        /// The other job.
        second: sched_model::JobId,
        /// The node.
        node: sched_model::NodeId,
    },
    /// A job is given twice.
    #[error("job {job} is offered twice")]
    RepeatedJob {
        /// The job.
        job: sched_model::JobId,
    },
    /// A value of the model is wrong, such as a name that no variant has.
    #[error(transparent)]
    Model(#[from] sched_model::ModelError),
}

impl From<sched_model::End> for BatchError {
    fn from(end: sched_model::End) -> Self {
        Self::Stopped(end)
    }
}

impl TryFrom<BatchError> for sched_model::End {
    type Error = BatchError;

    fn try_from(error: BatchError) -> Result<Self, BatchError> {
        match error {
            BatchError::Stopped(end) => Ok(end),
            error => Err(error),
        }
    }
}
