//! The faults that the verifier finds in an answer.

/// Why [`verify`](crate::verify) or [`Shortage::verify`](crate::Shortage::verify) refuses an answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Flaw {
    /// The answer does not have the problem's number of jobs or resources, or it names one that does not exist.
    #[error("{what}: {found}, but the problem has {expected}")]
    Shape {
        /// The things counted, for example "jobs".
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
    /// A job is unplaced although every job must be placed.
    #[error("job {job} is not placed")]
    Unplaced {
        /// The job.
        job: usize,
    },
    /// More jobs could have been placed.
    #[error("{placed} jobs are placed where {possible} can be, or more")]
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
    /// The waiting profit does not fit the problem. It must be absent if every job must be placed, equal to the
    /// value of staying unplaced with [`Coverage::Penalty`](crate::Coverage::Penalty), and present with
    /// [`Coverage::MostJobs`](crate::Coverage::MostJobs) if a job is left out.
    #[error("the waiting profit is {waiting:?}, which does not fit the problem")]
    Waiting {
        /// The waiting profit found.
        waiting: Option<f64>,
    },
    /// A dual, or the sum of all duals, is not a finite number.
    #[error("{what} {index} is {value}: expected a finite number")]
    NotFinite {
        /// "profit", "price", "waiting profit" or "sum of the duals".
        what: &'static str,
        /// The job or resource; 0 for the others.
        index: usize,
        /// The value found.
        value: f64,
    },
    /// The remainders of a dual sum to more than its rounding error can be.
    #[error("the remainders of {what} {index} are greater than its last bit")]
    Remainder {
        /// "profit", "price" or "waiting profit".
        what: &'static str,
        /// The job or resource; 0 for the waiting profit.
        index: usize,
    },
    /// A job named by the shortage may use a resource that the shortage does not name.
    #[error("job {job} of the shortage may also use resource {resource}")]
    Escape {
        /// The job.
        job: u32,
        /// The resource.
        resource: usize,
    },
    /// The answer is a shortage although jobs may stay unplaced.
    #[error("a shortage is no answer where jobs may stay unplaced")]
    MayStayOut,
    /// The stated number of places is not that of the named resources.
    #[error("the shortage states {stated} places, its resources have {found}")]
    Places {
        /// The places stated.
        stated: u64,
        /// The places there are.
        found: u64,
    },
    /// The jobs named by the shortage fit into its places.
    #[error("{jobs} jobs fit into {capacity} places")]
    NoShortage {
        /// Number of jobs named.
        jobs: usize,
        /// Places of the resources named.
        capacity: u64,
    },
}
