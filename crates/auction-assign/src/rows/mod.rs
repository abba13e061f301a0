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
//! that, other methods continue. Where places are left over, and rows are long, the first pass only finds the
//! cheapest resource of each job: whether costs lie on a grid is tested only for rows that are read again.
//!
//! Deviations: a job that was outbid bids again after all others; a job whose cheapest resources are equal
//! takes a free one of them, if there is one, and displaces no other; where bids leave many jobs waiting,
//! prices from the columns alone are tried instead; among many jobs, shortest paths read a core of few pairs
//! per job first; the total work is predicted from the paths found, and
//! other methods continue where it is too much.

mod core;
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
use crate::{Coverage, Problem};
pub(crate) use costs::Narrow;
use costs::{Rows, Unchecked, Wide};
pub(crate) use first::{Copied, choose, survey_and_choose, survey_narrow};
pub(crate) use stages::Passes;
use stages::{begin, bid, follow};
use standing::Standing;

/// Problems of fewer costs take little time by any method.
const LEAST_COSTS: usize = 1 << 12;

/// Whether rows are full and stored, and each resource has one place, with places enough.
pub(crate) fn suit(problem: &Problem<'_>) -> bool {
    problem.is_one_to_one()
        && problem.jobs().saturating_mul(problem.resources()) >= LEAST_COSTS
        && problem.jobs() <= problem.resources()
        && !matches!(problem.coverage(), Coverage::Optional { .. })
        && matches!(problem.costs().form(), Form::Dense(_) | Form::Rows { .. })
}

/// As [`suit`], for costs that were checked.
pub(crate) fn suit_prepared(prepared: &Prepared<'_>) -> bool {
    prepared.dummy.is_none() && suit(&prepared.problem)
}

/// The placements at the start of a search.
#[derive(Clone, Copy)]
enum Start<'c> {
    /// Where the cheapest resources are known, each is given to the first job that has it; all other jobs
    /// bid.
    Cheapest(Option<&'c [u32]>),
    /// Earlier placements, with [`NONE`](crate::kernel::NONE) for waiting jobs; no job bids.
    Placed(&'c [u32]),
}

/// Searches from these placements and prices, on these rows.
fn search<R: Rows>(
    prepared: &Prepared<'_>,
    rows: &R,
    prices: Vec<R::Cost>,
    start: Start<'_>,
    passes: Passes,
) -> Result<Standing<R::Cost>, Stop> {
    let (mut standing, mut waiting) = match start {
        Start::Cheapest(cheapest) => bid(prepared, rows, begin(prepared, prices, cheapest), passes)?,
        Start::Placed(resource_of) => {
            let standing = Standing::of(resource_of, prices);
            let waiting = standing.waiting();
            (standing, waiting)
        }
    };
    if core::suits(prepared, rows, waiting.len()) {
        let most = passes.work(prepared);
        (standing, waiting) = core::place(prepared, rows, standing, waiting, most)?;
    }
    follow(prepared, rows, standing, &waiting, passes)
}

/// Searches on the `narrow` copy, if there is one and it holds the prices.
fn search_narrow(
    prepared: &Prepared<'_>,
    narrow: Option<&Narrow<'_>>,
    prices: Vec<f64>,
    start: Start<'_>,
    passes: Passes,
) -> Result<Found, Stop> {
    let copied = narrow.and_then(|narrow| Some((narrow, narrow.narrowed(&prices)?)));
    let standing = match copied {
        Some((narrow, prices)) => search(prepared, narrow, prices, start, passes)?.wide(),
        None => search(prepared, &Wide(prepared), prices, start, passes)?,
    };
    Ok(standing.found(prepared))
}

/// Places jobs from prices that are 0 wherever a resource may stay free, and from the `cheapest` resource of
/// each job at these, where it is known; for problems that [`suit`](suit_prepared). Every placed job pays its
/// least cost + price, and free resources keep their price. Leaves jobs waiting, with `NONE`, where more
/// would have to be read. The rows read are those of the `narrow` copy, for as long as that holds the sums.
pub(crate) fn place(
    prepared: &Prepared<'_>,
    narrow: Option<&Narrow<'_>>,
    prices: Vec<f64>,
    cheapest: Option<&[u32]>,
    passes: Passes,
) -> Result<Found, Stop> {
    search_narrow(prepared, narrow, prices, Start::Cheapest(cheapest), passes)
}

/// As [`place`], from prices of 0 and the cheapest resource of each job at these, for costs that are known to
/// be numbers, but not to lie on the grid of the survey; `None` if a cost that was added to a price does not.
/// The row of a job on a resource with a price has been read; all other jobs are on their cheapest resource,
/// which needs no sum.
pub(crate) fn place_unchecked(
    prepared: &Prepared<'_>,
    cheapest: &[u32],
    passes: Passes,
) -> Result<Option<Found>, Stop> {
    let rows = Unchecked::new(prepared);
    let standing = search(prepared, &rows, prepared.start(), Start::Cheapest(Some(cheapest)), passes)?;
    Ok(rows.is_on_grid().then(|| standing.found(prepared)))
}

/// Continues from these placements, by paths alone.
pub(crate) fn go_on(
    prepared: &Prepared<'_>,
    narrow: Option<&Narrow<'_>>,
    found: Found,
    passes: Passes,
) -> Result<Found, Stop> {
    search_narrow(prepared, narrow, found.prices, Start::Placed(&found.resource_of), passes)
}

#[cfg(test)]
mod tests;
