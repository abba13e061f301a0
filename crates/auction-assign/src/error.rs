//! The errors of malformed problems.

use thiserror::Error;

/// Malformed input. A problem without an assignment is not an error but a [`Shortage`](crate::Shortage).
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum AssignError {
    /// The number of values does not fit the shape.
    #[error("a {rows} x {cols} matrix was given {values} values")]
    Shape {
        /// Number of jobs.
        rows: usize,
        /// Number of resources.
        cols: usize,
        /// Number of values given.
        values: usize,
    },
    /// Rows overlap: the stride is less than the number of columns.
    #[error("rows of {cols} costs cannot begin every {stride} values")]
    Stride {
        /// Distance from the beginning of one row to that of the next.
        stride: usize,
        /// Number of resources.
        cols: usize,
    },
    /// A whole number that no double represents.
    #[error("cost {value} of job {job} on resource {resource}: a double cannot represent it exactly")]
    Inexact {
        /// The job (row).
        job: usize,
        /// The resource (column).
        resource: usize,
        /// The nearest double.
        value: f64,
    },
    /// More jobs or resources than can be numbered.
    #[error("a {rows} x {cols} matrix: at most {max} jobs and as many resources can be numbered", max = crate::costs::MAX_INDEX)]
    TooLarge {
        /// Number of jobs.
        rows: usize,
        /// Number of resources.
        cols: usize,
    },
    /// A cost that is NaN, of too great a magnitude, or negative infinity.
    #[error(
        "cost {value} of job {job} on resource {resource}: expected a magnitude of at most {max:e}, or infinity for a forbidden pair",
        max = crate::MAX_COST
    )]
    Cost {
        /// The job (row).
        job: usize,
        /// The resource (column).
        resource: usize,
        /// The value found.
        value: f64,
    },
    /// Row offsets of a sparse matrix that are not one more than the jobs, do not start at 0, fall, or do not end
    /// at the number of values.
    #[error("row offset {index} of the sparse matrix is {value}: {expected}")]
    Offset {
        /// Index of the offset.
        index: usize,
        /// The value found.
        value: usize,
        /// The expected values, in words.
        expected: &'static str,
    },
    /// Columns of a sparse row that do not ascend strictly, or lie outside the matrix.
    #[error("entry {entry} of job {job} names resource {resource}: columns must ascend and lie below {cols}")]
    Column {
        /// The job (row).
        job: usize,
        /// Index of the entry among all entries.
        entry: usize,
        /// The column found.
        resource: u32,
        /// Number of resources.
        cols: usize,
    },
    /// A length that is negative or not finite, a speed that is not positive and finite, or a value beyond the
    /// limit of costs.
    #[error("{what} {index} is {value}: expected {expected}")]
    Factor {
        /// "length" or "speed".
        what: &'static str,
        /// Its index.
        index: usize,
        /// The value found.
        value: f64,
        /// The expected values, in words.
        expected: &'static str,
    },
    /// The number of capacities is not the number of resources.
    #[error("{capacities} capacities for {resources} resources")]
    Capacities {
        /// Number of capacities.
        capacities: usize,
        /// Number of resources.
        resources: usize,
    },
    /// The penalty of an unplaced job is not a number, or beyond the limit of costs.
    #[error("penalty {value} of an unplaced job: expected a magnitude of at most {max:e}", max = crate::MAX_COST)]
    Penalty {
        /// The value found.
        value: f64,
    },
    /// The method does not take problems of this form.
    #[error("{method} cannot take this problem: {reason}")]
    Unsupported {
        /// The method.
        method: &'static str,
        /// The reason.
        reason: &'static str,
    },
    /// A parameter of a strategy is out of range.
    #[error("{what} is {value}: expected {expected}")]
    Parameter {
        /// The parameter.
        what: &'static str,
        /// The value found.
        value: f64,
        /// The expected values, in words.
        expected: &'static str,
    },
    /// The answer to start from belongs to a problem of another size.
    #[error("the start has {given} {what}, the problem {expected}")]
    Start {
        /// "jobs" or "prices".
        what: &'static str,
        /// The number in the start.
        given: usize,
        /// The number in the problem.
        expected: usize,
    },
    /// The limit of a search was reached. Methods that take no limit never return this.
    #[error("the search was stopped: {0}")]
    Stopped(sched_model::End),
    /// A value of the model is wrong, such as a name that no variant has.
    #[error(transparent)]
    Model(#[from] sched_model::ModelError),
}

impl From<sched_model::End> for AssignError {
    fn from(end: sched_model::End) -> Self {
        Self::Stopped(end)
    }
}
