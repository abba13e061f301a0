//! The start of a search from an earlier answer.
//!
//! The search begins at the prices of the answer, which may be any: a pass over the costs lists the cheapest resources
//! of every job at these prices, and a job keeps its place only if no resource has a lower cost + price.

use crate::kernel::NONE;
use crate::kernel::prepared::{Prepared, PricedAssignment, lowest_bit};
use crate::kernel::watch::{Stop, Watch};
use crate::market::Market;
use crate::{Answer, AssignError, Assignment, AssignmentProblem, Coverage, MAX_COST};

/// A start that leaves more unplaced than this number of jobs plus one job in `UNPLACED_SHARE` is ignored.
const FEW: usize = 8;
const UNPLACED_SHARE: usize = 4;

/// The maximum magnitude of a price; larger ones cannot come from a problem with valid costs.
const MAX_PRICE: f64 = 4.0 * MAX_COST;

/// Solves a problem from its start; `None` if there is no start, or if it is ignored.
pub(super) fn from_start(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Option<Answer>, Stop> {
    let Some(start) = problem.start else { return Ok(None) };
    check(problem, start)?;
    let prepared = Prepared::without_columns(problem, watch)?;
    let Some(prices) = prices(&prepared, start) else { return Ok(None) };
    let placed = placed(&prepared, start, prices);
    prepared.look_now(&placed.resource_of, &placed.prices)?;
    let mut market = Market::new(&prepared, placed)?;
    market.keep_satisfied()?;
    if market.unplaced() > prepared.jobs() / UNPLACED_SHARE + FEW {
        return Ok(None);
    }
    market.close_by_paths().map(Some)
}

/// Returns an error unless the start has as many jobs and prices as the problem jobs and resources.
fn check(problem: &AssignmentProblem<'_>, start: &Assignment) -> Result<(), AssignError> {
    let expect = |what, given: usize, expected: usize| {
        if given == expected { Ok(()) } else { Err(AssignError::Start { what, given, expected }) }
    };
    expect("jobs", start.resources.len(), problem.jobs())?;
    start.duals.as_ref().map_or(Ok(()), |duals| expect("prices", duals.prices.len(), problem.resources()))
}

/// Returns the price of each resource, including the dummy; `None` if the start has no prices, or invalid ones.
fn prices(prepared: &Prepared<'_>, start: &Assignment) -> Option<Vec<f64>> {
    let duals = start.duals.as_ref()?;
    let mut prices = duals.prices.clone();
    if let Some(cost) = prepared.dummy {
        // With a penalty the dummy has room left, so its price is the minimum, 0.
        let optional = matches!(prepared.problem.coverage, Coverage::Penalty(_));
        prices.push(if optional { 0.0 } else { (0.0 - duals.waiting.unwrap_or_default()) - cost });
    }
    (prepared.jobs() > 0 && prices.iter().all(|price| price.abs() <= MAX_PRICE)).then_some(prices)
}

/// Places every job on its resource in the start, as far as there is room and the pair is not forbidden.
fn placed(prepared: &Prepared<'_>, start: &Assignment, prices: Vec<f64>) -> PricedAssignment {
    let min_raise = if prepared.on_grid(&prices) { f64::INFINITY } else { raise_of(&prices) };
    let mut priced = PricedAssignment { min_raise, ..PricedAssignment::none(prepared, prices) };
    let mut room = prepared.capacities.clone();
    let unplaced = prepared.dummy.map_or(NONE, |_| prepared.source.cols() as u32);
    for (job, resource) in start.resources.iter().enumerate() {
        let resource = resource.unwrap_or(unplaced);
        let Some(room) = room.get_mut(resource as usize).filter(|room| **room > 0) else { continue };
        let cost = prepared.cost(job, resource);
        if cost < f64::INFINITY {
            *room -= 1;
            (priced.resource_of[job], priced.cost_of[job]) = (resource, cost);
        }
    }
    priced
}

/// Returns the largest power of two of which all prices are multiples.
fn raise_of(prices: &[f64]) -> f64 {
    let exponents = prices.iter().filter(|&&price| price != 0.0).map(|&price| lowest_bit(price));
    exponents.min().map_or(f64::INFINITY, |exponent| 2f64.powi(exponent))
}
