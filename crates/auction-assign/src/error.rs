//! The error type of this crate.

use thiserror::Error;

/// Why a problem was refused, or a method returned no answer. That a problem is infeasible is not an error: its
/// outcome holds a [`Shortage`](crate::Shortage).
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum AssignError {
    /// The number of values does not match the shape of the matrix.
    #[error("a {rows} x {cols} matrix was given {values} values")]
    Shape {
        /// Number of jobs.
        rows: usize,
        /// Number of resources.
        cols: usize,
        /// Number of values given.
        values: usize,
    },
    /// Rows overlap, because the stride is less than the number of columns.
    #[error("rows of {cols} costs cannot begin every {stride} values")]
    Stride {
        /// Distance from the beginning of one row to that of the next.
        stride: usize,
        /// Number of resources.
        cols: usize,
    },
    /// A cost is a whole number that a double cannot represent.
    #[error("cost {value} of job {job} on resource {resource}: a double cannot represent it exactly")]
    Inexact {
        /// The job (row).
        job: usize,
        /// The resource (column).
        resource: usize,
        /// The nearest double.
        value: f64,
    },
    /// There are more jobs or resources than can be numbered.
    #[error("a {rows} x {cols} matrix: at most {max} jobs and as many resources can be numbered", max = crate::costs::MAX_INDEX)]
    TooLarge {
        /// Number of jobs.
        rows: usize,
        /// Number of resources.
        cols: usize,
    },
    /// A cost is NaN, negative infinity, or of a magnitude above [`MAX_COST`](crate::MAX_COST).
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
    /// The row offsets of a sparse matrix are not as many as jobs plus one, do not begin at 0, descend, or do not end
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
    /// The columns of a sparse row do not ascend strictly, or lie outside the matrix.
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
    /// A length is not a number from 0 to [`MAX_COST`](crate::MAX_COST), a speed is not a positive number up to it, or
    /// the quotient of a length by the slowest speed exceeds it.
    #[error("{what} {index} is {value}: expected {expected}")]
    Factor {
        /// `length` or `speed`.
        what: &'static str,
        /// The index of the length or speed.
        index: usize,
        /// The value found.
        value: f64,
        /// The expected values, in words.
        expected: &'static str,
    },
    /// The number of capacities differs from the number of resources.
    #[error("{capacities} capacities for {resources} resources")]
    Capacities {
        /// Number of capacities.
        capacities: usize,
        /// Number of resources.
        resources: usize,
    },
    /// The penalty of an unplaced job is NaN, or of a magnitude above [`MAX_COST`](crate::MAX_COST).
    #[error("penalty {value} of an unplaced job: expected a magnitude of at most {max:e}", max = crate::MAX_COST)]
    Penalty {
        /// The value found.
        value: f64,
    },
    /// The method does not solve problems of this form.
    #[error("{method} cannot take this problem: {reason}")]
    Unsupported {
        /// The name of the method.
        method: &'static str,
        /// The reason.
        reason: &'static str,
    },
    /// A parameter of a strategy is out of range.
    #[error("{what} is {value}: expected {expected}")]
    Parameter {
        /// The name of the parameter.
        what: &'static str,
        /// The value found.
        value: f64,
        /// The expected values, in words.
        expected: &'static str,
    },
    /// The answer to start from belongs to a problem of another size.
    #[error("the start has {given} {what}, the problem {expected}")]
    Start {
        /// `jobs` or `prices`.
        what: &'static str,
        /// The number in the start.
        given: usize,
        /// The number in the problem.
        expected: usize,
    },
    /// A limit or the stop signal ended the search. Methods that take no limit never return this.
    #[error("the search was stopped: {0}")]
    Stopped(sched_model::End),
    /// A value of the model is invalid, such as an unknown name of a method.
    #[error(transparent)]
    Model(#[from] sched_model::ModelError),
}

impl From<sched_model::End> for AssignError {
    fn from(end: sched_model::End) -> Self {
        Self::Stopped(end)
    }
}
