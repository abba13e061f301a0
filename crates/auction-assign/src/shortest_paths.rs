//! Shortest augmenting paths.
//!
//! R. Jonker, A. Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment
//! problems (1987).
//!
//! Deviations: bids and searches read candidate lists, and a whole row only if the list is not sufficient (see the
//! crate root); resources hold any number of jobs; a heap orders the distances within a search.

use crate::kernel::number::power_of_two;
use crate::kernel::prepared::{Prepared, PricedAssignment};
use crate::kernel::watch::{Stop, Watch};
use crate::market::{Market, min_increment};
use crate::{Answer, AssignmentProblem};

/// Solves a problem from the beginning.
pub(crate) fn run(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Answer, Stop> {
    let prepared = Prepared::new(problem, watch)?;
    prepared.first_look()?;
    solve(&prepared, None)
}

/// Solves a prepared problem, starting from the result of another method if there is one.
pub(crate) fn solve(prepared: &Prepared<'_>, placed: Option<PricedAssignment>) -> Result<Answer, Stop> {
    begin(prepared, placed)?.close()
}

/// Bids with a small increment follow if bids without increment leave at most one job in this many unplaced.
const FEW_LEFT_SHARE: usize = 8;

/// The maximum number of bids with a small increment per job.
const BIDS_PER_JOB: usize = 16;

/// Places jobs by bids over candidate lists, without increment and then with a small one, starting from what another
/// method has placed.
pub(crate) fn begin<'p, 'a>(
    prepared: &'p Prepared<'a>,
    placed: Option<PricedAssignment>,
) -> Result<Market<'p, 'a>, Stop> {
    let is_begun = placed.is_some();
    let priced = placed.unwrap_or_else(|| PricedAssignment::none(prepared, prepared.start()));
    let mut market = Market::new(prepared, priced)?;
    if is_begun {
        market.release(0.0)?;
    }
    market.reduce()?;
    let (n, unplaced) = (prepared.jobs(), market.unplaced());
    // The paths of the last jobs are the longest; bids with a small increment shorten them. If many costs of a
    // row are equal, paths are short anyway.
    let suits = prepared.is_tight() && unplaced > 0 && unplaced * FEW_LEFT_SHARE <= n;
    if suits && 2 * market.lists.tied_jobs() < n {
        let little = power_of_two(market.lists.spread() / (n as f64 / 16.0).clamp(32.0, 1024.0));
        if little >= min_increment(prepared) {
            market.phase(little, BIDS_PER_JOB * n)?;
        }
    }
    Ok(market)
}
