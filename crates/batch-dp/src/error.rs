//! The one error type of this crate.

use sched_model::MAX_QUANTITY;

/// What was wrong with the input of a choice.
///
/// A batch that cannot be placed is not an error: see [`Decision`](crate::Decision).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// A cost or a time was NaN, infinite, or larger in magnitude than [`MAX_QUANTITY`].
    #[error(
        "{quantity} of alternative {alternative} of job {job} must be finite and at most {MAX_QUANTITY:e} in magnitude, got {value}"
    )]
    Value {
        /// `"cost"` or `"time"`.
        quantity: &'static str,
        /// Index of the job in the batch.
        job: usize,
        /// Index of the alternative among those of the job.
        alternative: usize,
        /// The value given.
        value: f64,
    },
    /// A limit was NaN.
    #[error("the limit on total {total} must be a number, got NaN")]
    Limit {
        /// The sum that it should limit.
        total: crate::Total,
    },
    /// A weight of a vector criterion was NaN, infinite, negative or too large, or all four were zero.
    #[error(
        "the weight of {criterion} must be finite, not negative, at most {MAX_QUANTITY:e}, and one of the four above zero, got {value}"
    )]
    Weight {
        /// The criterion whose weight it is.
        criterion: crate::Criterion,
        /// The value given.
        value: f64,
    },
    /// A lexicographic order named no criterion.
    #[error("a lexicographic order needs at least one criterion")]
    EmptyOrder,
    /// The batch has more alternatives than the solvers can number.
    #[error("a batch holds at most {most} alternatives, got {alternatives}")]
    TooManyAlternatives {
        /// How many were given.
        alternatives: usize,
        /// How many are possible.
        most: usize,
    },
    /// The front of the jobs up to and including `job` has more points than the caller allows.
    #[error("the Pareto front passed its cap of {cap} points at job {job} of {jobs}")]
    FrontTooLarge {
        /// The cap that was set.
        cap: usize,
        /// Index of the job whose alternatives made the front too large.
        job: usize,
        /// Number of jobs in the batch.
        jobs: usize,
    },
    /// An unknown name of a variant.
    #[error("unknown batch choice {name:?}; known are {known}")]
    UnknownKind {
        /// The name given.
        name: String,
        /// The names that would do.
        known: String,
    },
}
