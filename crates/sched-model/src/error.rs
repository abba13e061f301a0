//! The error type of this crate.

use crate::counted::counted;
use crate::{JobId, NodeId, Slot, Time};

/// Why the model refused a value.
///
/// Each variant names the offending value and where it is. "No solution" is never an error: see
/// [`Refusal`](crate::Refusal).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A quantity is NaN, infinite, out of its range, or larger than 1e60.
    #[error("{quantity} must be {expected}, got {value}")]
    Quantity {
        /// The name of the quantity, as in the vocabulary: `Time`, `Span`, ...
        quantity: &'static str,
        /// The range it must lie in.
        expected: &'static str,
        /// The value given.
        value: f64,
    },
    /// An interval ends before it starts, or is empty although it must have a length.
    #[error("{what} must end after it starts, got [{start}, {end})")]
    EmptyInterval {
        /// What has this interval, for example "a slot of node 3".
        what: String,
        /// Its start.
        start: f64,
        /// Its end.
        end: f64,
    },
    /// Two slots of one node cover the same instant.
    #[error("slots of node {node} overlap: [{}, {}) and [{}, {})", first.start, first.end, second.start, second.end)]
    OverlappingSlots {
        /// The node.
        node: NodeId,
        /// The slot that starts first.
        first: Box<Slot>,
        /// The slot that starts before the first has ended.
        second: Box<Slot>,
    },
    /// A list that must be in (start, node) order is not.
    #[error(
        "slot {index} (node {node}, start {start}) stands before a slot that comes earlier in (start, node) order"
    )]
    UnsortedSlots {
        /// Position of the first slot out of order, from 0.
        index: usize,
        /// Its node.
        node: NodeId,
        /// Its start.
        start: f64,
    },
    /// A window takes time that is not free in the list from which it is cut.
    #[error("node {node} is not free during [{start}, {end})")]
    NotFree {
        /// The node.
        node: NodeId,
        /// The start of the requested time.
        start: f64,
        /// The end of the requested time.
        end: f64,
    },
    /// A window that is given back covers time that the list already holds as free.
    #[error("node {node} is already free in a part of [{start}, {end})")]
    AlreadyFree {
        /// The node.
        node: NodeId,
        /// Start of the time given back.
        start: f64,
        /// End of the time given back.
        end: f64,
    },
    /// A count that must be positive is zero.
    #[error("{what} must be at least 1, got 0")]
    Zero {
        /// What is counted.
        what: &'static str,
    },
    /// A window contains a node twice.
    #[error("node {node} is twice in one window")]
    RepeatedNode {
        /// The node.
        node: NodeId,
    },
    /// Two jobs of a batch have the same id.
    #[error("job {job} is twice in the batch, at positions {first} and {second}")]
    RepeatedJob {
        /// The id.
        job: JobId,
        /// Position of its first use, from 0.
        first: usize,
        /// Position of its second use, from 0.
        second: usize,
    },
    /// An identifier that must be unique is not.
    #[error("{what} {id} is given twice")]
    RepeatedId {
        /// The kind of identifier.
        what: &'static str,
        /// The identifier.
        id: u64,
    },
    /// An identifier is unknown.
    #[error("unknown {what} {id}")]
    UnknownId {
        /// The kind of identifier.
        what: &'static str,
        /// The identifier.
        id: u64,
    },
    /// The number of values does not fit the shape of a matrix.
    #[error("a matrix of {rows} x {cols} needs {rows} * {cols} values, got {values}")]
    Shape {
        /// The requested number of rows.
        rows: usize,
        /// The requested number of columns.
        cols: usize,
        /// The number of values given.
        values: usize,
    },
    /// A cell of a matrix is out of range.
    #[error("the value in row {row}, column {col} must be {expected}, got {value}")]
    Cell {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        col: usize,
        /// The range it must lie in.
        expected: &'static str,
        /// The value given.
        value: f64,
    },
    /// A reservation asks for more CPUs than are free.
    #[error("needs {}, at {at} only {free} are free", counted(*needed, "CPU"))]
    TooFewFree {
        /// The requested number of CPUs.
        needed: u32,
        /// The number of CPUs free at that instant.
        free: u32,
        /// The first instant at which too few are free.
        at: f64,
    },
    /// More CPUs are given back than are taken.
    #[error("gives {} back, at {at} only {taken} are taken", counted(*released, "CPU"))]
    TooManyFree {
        /// The number of CPUs given back.
        released: u32,
        /// The number of CPUs taken at that instant.
        taken: u32,
        /// The first instant at which too few are taken.
        at: f64,
    },
    /// A number that is not a quantity (a factor, a share) lies outside its range.
    #[error("{what} must lie in {expected}, got {value}")]
    OutOfRange {
        /// The name of the number.
        what: &'static str,
        /// The range.
        expected: &'static str,
        /// The value given.
        value: f64,
    },
    /// A name that no variant of a registry has.
    #[error("unknown {what} {name:?}, expected one of: {}", known.join(", "))]
    UnknownName {
        /// The kind of the variants, for example "window search".
        what: &'static str,
        /// The given name.
        name: String,
        /// All names, in the order of the registry.
        known: Vec<&'static str>,
    },
}

impl ModelError {
    #[cold]
    pub(crate) fn empty_interval(what: impl Into<String>, start: Time, end: Time) -> Self {
        Self::EmptyInterval { what: what.into(), start: start.get(), end: end.get() }
    }

    #[cold]
    pub(crate) fn empty_slot(node: NodeId, start: Time, end: Time) -> Self {
        Self::empty_interval(format!("a slot of node {node}"), start, end)
    }

    pub(crate) fn out_of_range(what: &'static str, expected: &'static str, value: f64) -> Self {
        Self::OutOfRange { what, expected, value }
    }
}

/// Unwraps the result of a constructor that was called with literals.
///
/// # Panics
/// If the constructor returned an error.
#[inline]
#[track_caller]
pub(crate) fn must<T>(made: Result<T, ModelError>) -> T {
    match made {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}
