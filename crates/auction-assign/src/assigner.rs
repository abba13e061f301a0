//! The trait that all methods have in common.

use crate::{Answer, AssignError, Problem};

/// A method that solves assignment problems.
///
/// # Guarantee
/// Every method except [`Greedy`](crate::Greedy) is exact for all costs: the [`Proof`](sched_model::Proof) is
/// `Exact`, and means that no assignment has a better sum of costs, compared without rounding (the `total`
/// stated is that sum in doubles). Two answers state a weaker proof, with a bound on the difference between
/// the total and the optimum: that of an [`Auction`](crate::Auction) [without
/// closing](crate::Auction::without_closing), and that of [`Sorted`](crate::Sorted) on product costs, which
/// computes only the quotients of the assignment.
///
/// # Errors
/// [`AssignError::Cost`] for a cost that is not a number, negative infinity, or beyond
/// [`MAX_COST`](crate::MAX_COST), [`AssignError::Penalty`] for such a penalty; [`AssignError::Unsupported`]
/// from a method that does not take the problem's form.
pub trait Assigner: std::fmt::Debug + Send + Sync {
    /// The name in the registry.
    fn name(&self) -> &'static str;

    /// Solves a problem.
    fn assign(&self, problem: &Problem<'_>) -> Result<Answer, AssignError>;
}
