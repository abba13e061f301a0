//! What can be wrong with an answer.

/// What is wrong with an answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Flaw {
    /// The answer has another number of jobs or resources than the problem.
    #[error("{what}: {found}, but the problem has {expected}")]
    Shape {
        /// What is counted.
        what: &'static str,
        /// The number found.
        found: usize,
        /// The number of the problem.
        expected: usize,
    },
    /// A job is on a resource that is forbidden for it, or does not exist.
    #[error("job {job} is placed on resource {resource}, which is forbidden for it")]
    Forbidden {
        /// The job.
        job: usize,
        /// The resource.
        resource: u32,
    },
    /// A resource holds more than its capacity.
    #[error("resource {resource} holds {load} jobs, and has {capacity} places")]
    Overfull {
        /// The resource.
        resource: usize,
        /// The jobs there.
        load: u64,
        /// Its capacity.
        capacity: u32,
    },
    /// A job is not placed although every job must be.
    #[error("job {job} is not placed")]
    Unplaced {
        /// The job.
        job: usize,
    },
    /// More jobs could have been placed.
    #[error("{placed} jobs are placed where {possible} can be, or more")]
    TooFew {
        /// How many are placed.
        placed: usize,
        /// How many could be, at least.
        possible: usize,
    },
    /// The answer's sum is not that of its costs.
    #[error("the stated total is {stated}, the costs sum to {found}")]
    Total {
        /// The answer's sum.
        stated: f64,
        /// The sum of the costs.
        found: f64,
    },
    /// The answer has no duals.
    #[error("the answer has no duals, so that nothing can be proven")]
    NoDuals,
    /// A price is negative or not a number.
    #[error("the price of resource {resource} is {price}")]
    Price {
        /// The resource.
        resource: usize,
        /// Its price.
        price: f64,
    },
    /// The waiting profit is not that of the problem: none where every job is to be placed, the value of
    /// staying unplaced with [`Coverage::Penalty`](crate::Coverage::Penalty), any number with
    /// [`Coverage::MostJobs`](crate::Coverage::MostJobs) if a job is left out.
    #[error("the waiting profit is {waiting:?}, which does not fit the problem")]
    Waiting {
        /// The waiting profit found.
        waiting: Option<f64>,
    },
    /// A profit, the waiting profit, or the sum of all duals is not a finite number.
    #[error("{what} {index} is {value}: expected a finite number")]
    NotFinite {
        /// "profit", "waiting profit" or "sum of the duals".
        what: &'static str,
        /// The job; 0 for the others.
        index: usize,
        /// The value found.
        value: f64,
    },
    /// The sum of a dual's remainders is greater than its rounding can be.
    #[error("the remainders of {what} {index} are greater than its last bit")]
    Remainder {
        /// "profit", "price" or "waiting profit".
        what: &'static str,
        /// The job or resource; 0 for the waiting profit.
        index: usize,
    },
    /// A job named by a shortage may use a resource which the shortage does not name.
    #[error("job {job} of the shortage may also use resource {resource}")]
    Escape {
        /// The job.
        job: u32,
        /// The resource.
        resource: usize,
    },
    /// The answer is a shortage although the problem lets jobs stay unplaced.
    #[error("a shortage is no answer where jobs may stay unplaced")]
    MayStayOut,
    /// The places that a shortage states are not those of its resources.
    #[error("the shortage states {stated} places, its resources have {found}")]
    Places {
        /// The places stated.
        stated: u64,
        /// The places there are.
        found: u64,
    },
    /// The jobs named by a shortage fit into its places.
    #[error("{jobs} jobs fit into {capacity} places")]
    NoShortage {
        /// Number of jobs named.
        jobs: usize,
        /// Places of the resources named.
        capacity: u64,
    },
}
