//! The flaws that the verifier finds in an answer.

use sched_model::internal::counted;

/// An error in an answer, as found by [`verify`](crate::verify) or [`Shortage::verify`](crate::Shortage::verify).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Flaw {
    /// A list of the answer does not have the length that the problem requires, or an index is out of range or not in
    /// order.
    #[error("{what}: {found}, but the problem has {expected}")]
    Shape {
        /// What was counted, for example "jobs".
        what: &'static str,
        /// The number found.
        found: usize,
        /// The number of the problem.
        expected: usize,
    },
    /// A job is on a resource that is forbidden for it or does not exist.
    #[error("job {job} is placed on resource {resource}, which is forbidden for it")]
    Forbidden {
        /// The job.
        job: usize,
        /// The resource.
        resource: u32,
    },
    /// A resource holds more jobs than its capacity.
    #[error("resource {resource} holds {}, and has {capacity} places", counted(*load, "job"))]
    Overfull {
        /// The resource.
        resource: usize,
        /// The number of jobs on it.
        load: u64,
        /// Its capacity.
        capacity: u32,
    },
    /// A job is unplaced although every job must be placed.
    #[error("job {job} is not placed")]
    Unplaced {
        /// The job.
        job: usize,
    },
    /// More jobs could be placed.
    #[error("{} placed where {possible} can be, or more", counted(*placed, "job"))]
    TooFew {
        /// The number of placed jobs.
        placed: usize,
        /// A lower bound on the number that can be placed.
        possible: usize,
    },
    /// The stated total is not the sum of the costs.
    #[error("the stated total is {stated}, the costs sum to {found}")]
    Total {
        /// The stated total.
        stated: f64,
        /// The sum of the costs.
        found: f64,
    },
    /// The answer has no duals.
    #[error("the answer has no duals, so that nothing can be proven")]
    NoDuals,
    /// A price is negative or not a finite number.
    #[error("the price of resource {resource} is {price}")]
    Price {
        /// The resource.
        resource: usize,
        /// Its price.
        price: f64,
    },
    /// The waiting profit does not match the problem. It must be absent if every job must be placed, equal to the
    /// value of an unplaced job with [`Coverage::Penalty`](crate::Coverage::Penalty), and present with
    /// [`Coverage::MostJobs`](crate::Coverage::MostJobs) if a job is unplaced.
    #[error("the waiting profit is {waiting:?}, which does not fit the problem")]
    Waiting {
        /// The waiting profit found.
        waiting: Option<f64>,
    },
    /// A dual, or the sum of all duals, is not a finite number.
    #[error("{what} {index} is {value}: expected a finite number")]
    NotFinite {
        /// `profit`, `price`, `waiting profit` or `sum of the duals`.
        what: &'static str,
        /// The job of a profit, the resource of a price; otherwise 0.
        index: usize,
        /// The value found.
        value: f64,
    },
    /// The remainders of a dual sum to more than the rounding error of its double can be.
    #[error("the remainders of {what} {index} are greater than its last bit")]
    Remainder {
        /// `profit`, `price` or `waiting profit`.
        what: &'static str,
        /// The job of a profit, the resource of a price; otherwise 0.
        index: usize,
    },
    /// A job of the shortage may use a resource that is not in the shortage.
    #[error("job {job} of the shortage may also use resource {resource}")]
    Escape {
        /// The job.
        job: u32,
        /// The resource.
        resource: usize,
    },
    /// The answer is a shortage, but jobs may stay unplaced.
    #[error("a shortage is no answer where jobs may stay unplaced")]
    MayStayOut,
    /// The stated number of places is not that of the resources of the shortage.
    #[error("the shortage states {stated} places, its resources have {found}")]
    Places {
        /// The stated number of places.
        stated: u64,
        /// The number of places of the resources.
        found: u64,
    },
    /// The resources of the shortage have as many places as it has jobs, or more.
    #[error("{} fit into {capacity} places", counted(*jobs, "job"))]
    NoShortage {
        /// The number of jobs of the shortage.
        jobs: usize,
        /// The number of places of its resources.
        capacity: u64,
    },
}
