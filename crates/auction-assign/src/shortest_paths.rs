//! Shortest augmenting paths.
//!
//! R. Jonker, A. Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment
//! problems (1987).
//!
//! Deviations: bids and searches read candidate lists, and a whole row only where its list cannot decide (see
//! the crate root); resources hold any number of jobs; a heap keeps the order of distances within a search.

use sched_model::Meter;

use crate::candidates::closing::close;
use crate::candidates::drive::open;
use crate::kernel::stop::answer;
use crate::kernel::watch::Watch;
use crate::within::{Bounded, watched};
use crate::{Answer, AssignError, Assigner, Problem};

/// Shortest augmenting paths: a few rounds of bids without increment place most jobs; each of the others is
/// placed along a shortest augmenting path, on which other jobs move, to a free place.
///
/// Source: R. Jonker, A. Volgenant, *A shortest augmenting path algorithm for dense and sparse linear
/// assignment problems*, 1987.
///
/// Prefer it where costs vary widely and at random. Guarantee: exact (see [`Assigner`]). Time
/// O(jobs * (jobs * resources + resources log resources)), in practice a few passes over the costs; space
/// O(jobs + resources). Ties: the first in a fixed order, which begins at a different resource for each job.
///
/// ```
/// use auction_assign::{Assigner, Costs, Problem, ShortestPaths};
/// let costs = Costs::dense(2, 2, &[1.0, 2.0, 3.0, 9.0])?;
/// let answer = ShortestPaths.assign(&Problem::new(costs))?;
/// assert_eq!(answer.assignment().unwrap().total, 5.0);
/// # Ok::<(), auction_assign::AssignError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ShortestPaths;

impl ShortestPaths {
    /// As [`assign`](Assigner::assign), within a limit, like [`solve_within`](crate::solve_within).
    ///
    /// # Errors
    /// As [`assign`](Assigner::assign).
    ///
    /// ```
    /// use auction_assign::{Costs, Problem, ShortestPaths};
    /// use sched_model::{End, Limit};
    /// let problem = Problem::new(Costs::dense(2, 2, &[1.0, 2.0, 3.0, 9.0])?);
    /// let found = ShortestPaths.assign_within(&problem, &mut Limit::default().meter())?.outcome;
    /// assert_eq!((found.end, found.value), (End::Done, Some(5.0)));
    /// # Ok::<(), auction_assign::AssignError>(())
    /// ```
    pub fn assign_within(&self, problem: &Problem<'_>, meter: &mut Meter) -> Result<Bounded, AssignError> {
        watched(problem, meter, |watch| open(problem, watch, close))
    }
}

impl Assigner for ShortestPaths {
    fn name(&self) -> &'static str {
        "shortest-paths"
    }

    fn assign(&self, problem: &Problem<'_>) -> Result<Answer, AssignError> {
        answer(open(problem, Watch::NONE, close))
    }
}
