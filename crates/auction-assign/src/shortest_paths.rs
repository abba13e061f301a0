//! Shortest augmenting paths.
//!
//! R. Jonker, A. Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment
//! problems (1987).
//!
//! Deviations: bids and searches read candidate lists, and a whole row only where its list cannot decide (see
//! the crate root); resources hold any number of jobs; a heap keeps the order of distances within a search.

use sched_model::{Meter, Outcome};

use crate::candidates::closing::{begin, close};
use crate::candidates::drive::first_look;
use crate::kernel::prepared::Prepared;
use crate::kernel::stop::Stop;
use crate::kernel::watch::watched;
use crate::{Answer, AssignError, Assigner, Assignment, AssignmentProblem, Shortage};

/// Shortest augmenting paths: a few rounds of bids without increment, and with a small one where few jobs wait,
/// place most jobs; each of the others is placed along a shortest augmenting path, on which other jobs move, to a
/// free place.
///
/// Source: R. Jonker, A. Volgenant, *A shortest augmenting path algorithm for dense and sparse linear
/// assignment problems*, 1987.
///
/// Prefer it where costs vary widely and at random. Guarantee: exact (see [`Assigner`]). Time
/// O(jobs * (jobs * resources + resources log resources)), in practice a few passes over the costs; space
/// O(jobs + resources). Ties: the first in a fixed order, which begins at a different resource for each job.
///
/// ```
/// use auction_assign::{Assigner, Costs, AssignmentProblem, ShortestPaths};
/// let costs = Costs::dense(2, 2, &[1.0, 2.0, 3.0, 9.0])?;
/// assert_eq!(ShortestPaths.assign(&AssignmentProblem::new(costs))?.value, Some(5.0));
/// # Ok::<(), auction_assign::AssignError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ShortestPaths;

impl Assigner for ShortestPaths {
    fn name(&self) -> &'static str {
        "shortest-paths"
    }

    fn solve(
        &self,
        problem: &AssignmentProblem<'_>,
        meter: &mut Meter,
    ) -> Result<Outcome<Assignment, Shortage>, AssignError> {
        watched(problem, meter, |watch| {
            let prepared = Prepared::new(problem, watch)?;
            first_look(&prepared)?;
            solve(&prepared)
        })
    }
}

/// The answer for costs that were checked.
pub(crate) fn solve(prepared: &Prepared<'_>) -> Result<Answer, Stop> {
    let (market, mut lists) = begin(prepared, None)?;
    close(prepared, market, &mut lists)
}
