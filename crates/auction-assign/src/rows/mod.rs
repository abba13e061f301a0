//! Whole rows, read in plain loops: bids and shortest paths without lists.
//!
//! R. Jonker, A. Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment
//! problems (1987): prices to begin with are the least of each column, bids without increment (augmenting row
//! reduction) place most jobs, and shortest paths over whole rows the others.
//!
//! Where costs have few bits, or rows are short, lists cost more than they save. An entry of a plain loop
//! takes a third of the time of one that is listed. So this search comes first, and continues as long as the
//! rest is expected to take little work.
//!
//! Costs of few bits are read from a copy in 32 bits, which takes half the memory traffic and half the
//! instructions. Sums in 32 bits are exact as long as prices are no greater than the copy allows; beyond
//! that, other methods continue.
//!
//! Deviations: a job that was outbid bids again after all others; a job whose cheapest resources are equal
//! takes a free one of them, if there is one, and displaces no other; where bids leave many jobs waiting, prices
//! from the columns alone are tried instead; the total work is predicted from the paths found.

mod costs;
mod first;
mod narrowing;
mod paths;
mod reduction;
mod stages;
mod standing;

use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::stop::Stop;
use crate::problem::Form;
use crate::{AssignmentProblem, Coverage};
pub(crate) use costs::Narrow;
use costs::{Rows, Wide};
pub(crate) use first::{Copied, survey_narrow};
use stages::{begin, bid, follow};
use standing::Standing;

/// Problems of fewer costs take little time by any method.
const LEAST_COSTS: usize = 1 << 12;

/// With more jobs, lists read less than whole rows.
const MOST_JOBS: usize = 4000;

/// Whether rows are full and stored, and each resource has one place, with places enough.
pub(crate) fn suit(problem: &AssignmentProblem<'_>) -> bool {
    problem.is_one_to_one()
        && problem.jobs().saturating_mul(problem.resources()) >= LEAST_COSTS
        && problem.jobs() <= problem.resources()
        && problem.jobs() <= MOST_JOBS
        && !matches!(problem.coverage(), Coverage::Penalty(_))
        && matches!(problem.costs().form(), Form::Dense(_) | Form::Rows { .. })
}

/// As [`suit`], for costs that were checked.
pub(crate) fn suit_prepared(prepared: &Prepared<'_>) -> bool {
    prepared.dummy.is_none() && suit(&prepared.problem)
}

/// Searches on these rows, from these prices and the cheapest resource of each job where it is known: each is given
/// to the first job that has it, and all other jobs bid.
fn search<R: Rows>(
    prepared: &Prepared<'_>,
    rows: &R,
    prices: Vec<R::Cost>,
    cheapest: Option<&[u32]>,
    passes: u64,
) -> Result<Standing<R::Cost>, Stop> {
    let mut standing = bid(prepared, rows, begin(prepared, prices, cheapest))?;
    follow(prepared, rows, &mut standing, passes)?;
    Ok(standing)
}

/// Places jobs from prices that are 0 wherever a resource may stay free, and from the `cheapest` resource of
/// each job at these, where it is known; for problems that [`suit`](suit_prepared). The rows read are those of
/// the `narrow` copy, for as long as that holds the sums. It is [`Stop::Long`] where every place will be taken and all
/// paths together are predicted to read more than so many `passes` over the costs.
pub(crate) fn place(
    prepared: &Prepared<'_>,
    narrow: Option<&Narrow<'_>>,
    cheapest: Option<&[u32]>,
    passes: u64,
) -> Result<Found, Stop> {
    let prices = prepared.start();
    let copied = narrow.and_then(|narrow| Some((narrow, narrow.narrowed(&prices)?)));
    let standing = match copied {
        Some((narrow, prices)) => {
            let mut standing = search(prepared, narrow, prices, cheapest, passes)?.wide();
            follow(prepared, &Wide(prepared), &mut standing, passes)?;
            standing
        }
        None => search(prepared, &Wide(prepared), prices, cheapest, passes)?,
    };
    Ok(standing.found(prepared))
}

#[cfg(test)]
mod tests;
