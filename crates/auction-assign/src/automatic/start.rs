//! The start from an earlier answer.
//!
//! The search begins at the prices of the answer, but trusts nothing about them: a pass over the costs lists the
//! cheapest resources of every job at these prices, and a job keeps its place only if no resource costs it less.

use crate::kernel::NONE;
use crate::kernel::prepared::{Found, Prepared, lowest_bit};
use crate::kernel::watch::{Stop, Watch};
use crate::market::Market;
use crate::{Answer, AssignError, Assignment, AssignmentProblem, Coverage, MAX_COST};

/// A start that leaves more jobs unplaced than this number and one job in `MOST_UNPLACED` saves nothing.
const FEW: usize = 8;
const MOST_UNPLACED: usize = 4;

/// Prices beyond this cannot come from a problem with valid costs.
const HIGHEST: f64 = 4.0 * MAX_COST;

/// The answer from the start of a problem; `None` if there is no start, or too little of it still fits.
pub(super) fn from_start(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Option<Answer>, Stop> {
    let Some(start) = problem.start else { return Ok(None) };
    check(problem, start)?;
    let prepared = Prepared::without_columns(problem, watch)?;
    let Some(prices) = prices(&prepared, start) else { return Ok(None) };
    let placed = placed(&prepared, start, prices);
    prepared.look_now(&placed.resource_of, &placed.prices)?;
    let mut market = Market::new(&prepared, placed)?;
    market.keep()?;
    if market.unplaced() > prepared.jobs() / MOST_UNPLACED + FEW {
        return Ok(None);
    }
    market.follow().map(Some)
}

fn check(problem: &AssignmentProblem<'_>, start: &Assignment) -> Result<(), AssignError> {
    let expect = |what, given: usize, expected: usize| {
        if given == expected { Ok(()) } else { Err(AssignError::Start { what, given, expected }) }
    };
    expect("jobs", start.resources.len(), problem.jobs())?;
    start.duals.as_ref().map_or(Ok(()), |duals| expect("prices", duals.prices.len(), problem.resources()))
}

/// A price per resource, including the dummy; `None` if the start has no prices, or some that cannot be summed.
fn prices(prepared: &Prepared<'_>, start: &Assignment) -> Option<Vec<f64>> {
    let duals = start.duals.as_ref()?;
    let mut prices = duals.prices.clone();
    if let Some(cost) = prepared.dummy {
        // Where staying unplaced is optional, there is always room.
        let optional = matches!(prepared.problem.coverage, Coverage::Penalty(_));
        prices.push(if optional { 0.0 } else { (0.0 - duals.waiting.unwrap_or_default()) - cost });
    }
    (prepared.jobs() > 0 && prices.iter().all(|price| price.abs() <= HIGHEST)).then_some(prices)
}

/// Places every job where the start has it, as far as there is room and the pair is not forbidden.
fn placed(prepared: &Prepared<'_>, start: &Assignment, prices: Vec<f64>) -> Found {
    let least_raise = if prepared.on_grid(&prices) { f64::INFINITY } else { raise_of(&prices) };
    let mut found = Found { least_raise, ..Found::none(prepared, prices) };
    let mut room = prepared.capacities.clone();
    let unplaced = prepared.dummy.map_or(NONE, |_| prepared.source.cols() as u32);
    for (job, resource) in start.resources.iter().enumerate() {
        let resource = resource.unwrap_or(unplaced);
        let Some(room) = room.get_mut(resource as usize).filter(|room| **room > 0) else { continue };
        let cost = prepared.cost(job, resource);
        if cost < f64::INFINITY {
            *room -= 1;
            (found.resource_of[job], found.cost_of[job]) = (resource, cost);
        }
    }
    found
}

/// The largest power of two of which all prices are multiples.
fn raise_of(prices: &[f64]) -> f64 {
    let exponents = prices.iter().filter(|&&price| price != 0.0).map(|&price| lowest_bit(price));
    exponents.min().map_or(f64::INFINITY, |exponent| 2f64.powi(exponent))
}
