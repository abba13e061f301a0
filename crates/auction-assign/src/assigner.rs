//! The trait that all methods have in common.

use crate::{AssignError, Assignment, AssignmentProblem, Shortage};
use sched_model::{Limit, Meter, Outcome};

/// A method that solves assignment problems.
///
/// # Guarantee
/// Every method except [`Greedy`](crate::Greedy) is exact for all costs, unless a limit stops it: the
/// [`Proof`](sched_model::Proof) is `Exact`, and means that no assignment has a better sum of costs, compared
/// without rounding (the `total` stated is that sum in doubles). Two answers state a weaker proof, with a bound on
/// the difference between the total and the optimum: that of an [`Auction`](crate::Auction) [without
/// closing](crate::Auction::without_closing), and that of [`Sorted`](crate::Sorted) on product costs, which
/// computes only the quotients of the assignment.
///
/// # Errors
/// [`AssignError::Cost`] for a cost that is not a number, negative infinity, or beyond
/// [`MAX_COST`](crate::MAX_COST), [`AssignError::Penalty`] for such a penalty; [`AssignError::Capacities`] for
/// capacities of another number than there are resources; [`AssignError::Unsupported`] from a method that does not
/// take the problem's form.
pub trait Assigner: std::fmt::Debug + Send + Sync {
    /// The name in the registry.
    fn name(&self) -> &'static str;

    /// Solves a problem within the limit of a meter.
    ///
    /// Work is entries of the costs read, bids and steps of searches in the same unit. A search that is stopped
    /// (by work or memory, by the signal, or since its gap is good enough) answers with the best assignment it has
    /// seen, which places every job that must be placed, and with the bound that its duals prove. The first of both
    /// are known after two passes over the costs; later ones are computed each time that the search has done four
    /// times the work that they take. Without any limit there are none on the way. Stopped by a signal at work
    /// `w`, the answer is that of a limit of `w`, to the byte; more work never makes assignment or bound worse.
    /// Memory is counted for candidate lists and moves, not for data as small as the answer. Of a search that was
    /// stopped early only the costs that were read have been checked.
    ///
    /// Where it is proven that not every job can be placed, the refusal names the jobs that compete for too few
    /// places.
    fn solve(
        &self,
        problem: &AssignmentProblem<'_>,
        meter: &mut Meter,
    ) -> Result<Outcome<Assignment, Shortage>, AssignError>;

    /// Solves a problem without a limit: the time is polynomial in its size.
    fn assign(&self, problem: &AssignmentProblem<'_>) -> Result<Outcome<Assignment, Shortage>, AssignError> {
        self.solve(problem, &mut Limit::none().meter())
    }
}
