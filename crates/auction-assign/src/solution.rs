//! What a method answers: an assignment with its duals, or why there is none.

use sched_model::{Outcome, Proof};

/// Prices of resources and profits of jobs: the proof that an assignment is the best.
///
/// Let the *value* of a pair be its cost when maximising and minus its cost when minimising. Then
/// `profits[j] + prices[r] >= value(j, r)` for every admissible pair, with equality where `j` stands on `r`; prices are
/// not negative, and 0 where a resource has room left. So no assignment can be worth more than the sum of the profits
/// and of `capacity * price`, which is what this one is worth.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Duals {
    /// What each job is worth to itself beyond the price it pays.
    pub profits: Vec<f64>,
    /// The price of one place on each resource.
    pub prices: Vec<f64>,
    /// The profit at which a job is content to stay unplaced; `None` where every job is to be placed. With
    /// [`Coverage::Optional`](crate::Coverage::Optional) it is the value of staying unplaced; with
    /// [`Coverage::MostJobs`](crate::Coverage::MostJobs) the least profit among the placed is not below it.
    pub waiting: Option<f64>,
}

/// Which job stands on which resource.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Assignment {
    /// The resource of each job, `None` for a job that is not placed.
    pub resources: Vec<Option<u32>>,
    /// The sum of the costs, summed in the order of the jobs, penalties of unplaced jobs included.
    pub total: f64,
    /// The duals; `None` from a method that proves nothing.
    pub duals: Option<Duals>,
}

impl Assignment {
    /// How many jobs are placed.
    pub fn placed(&self) -> usize {
        self.resources.iter().flatten().count()
    }
}

/// Why not every job can be placed: these jobs may only use these resources, which hold fewer (a violator of Hall's
/// condition).
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Shortage {
    /// The competing jobs, ascending.
    pub jobs: Vec<u32>,
    /// All resources that any of them may use, ascending.
    pub resources: Vec<u32>,
    /// The places there: fewer than the jobs.
    pub capacity: u64,
}

impl std::fmt::Display for Shortage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} jobs may only use {} resources, which hold {}",
            self.jobs.len(),
            self.resources.len(),
            self.capacity
        )
    }
}

/// What a method answers.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Answer {
    /// An assignment, and what is proven of it.
    Assigned(Outcome<Assignment>),
    /// Every job was to be placed and cannot be.
    Infeasible(Shortage),
}

impl Answer {
    /// The assignment, if there is one.
    pub fn assignment(&self) -> Option<&Assignment> {
        match self {
            Self::Assigned(outcome) => Some(&outcome.solution),
            Self::Infeasible(_) => None,
        }
    }

    /// What is proven of the assignment, if there is one.
    pub fn proof(&self) -> Option<Proof> {
        match self {
            Self::Assigned(outcome) => Some(outcome.proof),
            Self::Infeasible(_) => None,
        }
    }

    /// Why there is no assignment.
    pub fn shortage(&self) -> Option<&Shortage> {
        match self {
            Self::Assigned(_) => None,
            Self::Infeasible(shortage) => Some(shortage),
        }
    }
}
