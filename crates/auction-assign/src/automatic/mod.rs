//! The method that fits the problem, as [`Automatic`](crate::AssignerKind::Automatic) states it, and the start from
//! an earlier answer.
//!
//! The search begins at the prices of an earlier answer, but trusts nothing about them: a pass over the costs
//! lists the cheapest resources of every job at these prices, and a job keeps its place only if no resource costs
//! it less.

mod reshaped;

use sched_model::Outcome;

use crate::auction::Auction;
use crate::finish::finish;
use crate::kernel::NONE;
use crate::kernel::prepared::{Found, Prepared, lowest_bit};
use crate::kernel::source::Source;
use crate::kernel::watch::{Stop, Watch};
use crate::market::Market;
use crate::{
    Answer, AssignError, Assigner, AssignerKind, Assignment, AssignmentProblem, Coverage, MAX_COST, Shortage,
    rows, shortest_paths, sorted, transport,
};

/// Solves a problem by the method that fits its shape and costs ([`AssignerKind::Automatic`]), without a limit.
///
/// # Errors
/// As for [`Assigner`].
///
/// ```
/// use auction_assign::{AssignmentProblem, Costs, assign};
/// let costs = Costs::dense(2, 2, &[1.0, 2.0, 3.0, 9.0])?;
/// let answer = assign(&AssignmentProblem::new(costs))?;
/// assert_eq!(answer.best.unwrap().resources, [Some(1), Some(0)]);
/// # Ok::<(), auction_assign::AssignError>(())
/// ```
pub fn assign(problem: &AssignmentProblem<'_>) -> Result<Outcome<Assignment, Shortage>, AssignError> {
    AssignerKind::Automatic.assign(problem)
}

/// The head start: units per job, and passes over the costs, more of them if places are left over, because the
/// auction then has to lower their prices again.
const PASSES: u64 = 64;
const ROOMY_PASSES: u64 = 512;
const PER_JOB: u64 = 1400;

/// With at least this many jobs per resource, a price per resource, found on samples, places nearly all jobs in
/// one pass; with at most this many resources, paths over pairs of resources are short.
const JOBS_PER_RESOURCE: usize = 8;
const MOST_RESOURCES: usize = 1000;

/// With at most this many resources (in full rows, and in rows that list their resources)
/// `transport` comes first; with more, bids over lists are mostly faster.
const FEW_RESOURCES: usize = 256;
const FEW_LISTED_RESOURCES: usize = 64;

/// A ranking is repaired if at most one job in this many does not pay its least cost + price.
const RANKED_SHARE: usize = 8;

/// If bids over lists leave more than one job in this many unplaced, paths are long: with one place per resource,
/// and with several.
const LEFT_ONE_TO_ONE: usize = 8;
const LEFT_OF_SEVERAL: usize = 4;

/// The turn of candidate lists when another method may continue.
const LISTS_PASSES: u64 = 16;
const LISTS_PER_JOB: u64 = 850;

/// If bids over lists of sparse costs place less than one job in this many, the auction is faster.
const PLACED_SHARE: usize = 10;

pub(crate) fn solve(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Answer, Stop> {
    if let Some(answer) = from_start(problem, watch)? {
        return Ok(answer);
    }
    let passes = if is_roomy(problem) { ROOMY_PASSES } else { PASSES };
    let head_start = passes.saturating_mul(Source::new(problem).all_entries());
    let turn = watch.within(head_start.saturating_add(PER_JOB * problem.jobs() as u64));
    match watch.attempt(|| first(problem, turn))? {
        Some(answer) => Ok(answer),
        None => Auction::default().run(problem, watch),
    }
}

/// Whether places are left over.
fn is_roomy(problem: &AssignmentProblem<'_>) -> bool {
    problem.total_capacity() > problem.jobs() as u64
}

/// The answer of the method that comes first.
fn first(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Answer, Stop> {
    if let Some(answer) = reshaped::with_equal_columns(problem, watch, by_shape)? {
        return Ok(answer);
    }
    match reshaped::turned(problem, watch)? {
        Some(answer) => Ok(answer),
        None => by_shape(problem, watch),
    }
}

/// The answer by the method that the shape picks.
fn by_shape(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Answer, Stop> {
    if let Some(ranked) = sorted::rank_product(problem) {
        let prepared = Prepared::new(problem, watch)?;
        prepared.first_look()?;
        return match sorted::misplaced(&prepared, &ranked, 0)? {
            0 => finish(&prepared, ranked, None),
            _ => shortest_paths::solve(&prepared, Some(ranked)),
        };
    }
    let suits_level =
        problem.jobs() >= JOBS_PER_RESOURCE * problem.resources() && problem.resources() <= MOST_RESOURCES;
    let few = if Source::new(problem).is_sparse() { FEW_LISTED_RESOURCES } else { FEW_RESOURCES };
    if suits_level && problem.resources() <= few {
        return transport::solve(problem, watch);
    }
    // Where places are left over, prices begin at 0, and the least costs of the columns are not needed.
    let survey = if is_roomy(problem) { Prepared::without_columns } else { Prepared::new };
    let prepared = survey(problem, watch)?;
    prepared.first_look()?;
    if let Some(ranked) = sorted::rank(&prepared)? {
        // A few exchanges that agree with a ranking are no proof that costs resemble one.
        let few = prepared.jobs() / RANKED_SHARE;
        match sorted::misplaced(&prepared, &ranked, few)? {
            0 => return finish(&prepared, ranked, None),
            misplaced if misplaced <= few => return shortest_paths::solve(&prepared, Some(ranked)),
            _ => {}
        }
    }
    if rows::suit(&prepared) {
        let found = rows::place(&prepared, PASSES)?;
        if !found.resource_of.contains(&NONE) {
            return finish(&prepared, found, None);
        }
        // The auction has no turn: nothing takes over from it.
        let prepared = Prepared { watch: watch.for_good(), ..prepared };
        return Auction::default().run_from(&prepared, found);
    }
    if !prepared.is_tight() && !suits_level {
        return shortest_paths::solve(&prepared, None);
    }
    let turn =
        watch.within(LISTS_PASSES * prepared.source.all_entries() + LISTS_PER_JOB * problem.jobs() as u64);
    let prepared = Prepared { watch: turn, ..prepared };
    let market = shortest_paths::begin(&prepared, None)?;
    let (n, unplaced) = (prepared.jobs(), market.unplaced());
    let part = if problem.is_one_to_one() { LEFT_ONE_TO_ONE } else { LEFT_OF_SEVERAL };
    let is_contended = unplaced * part > n;
    let are_few = prepared.source.is_sparse() && (n - unplaced) * PLACED_SHARE < n;
    if is_contended && (prepared.is_tight() || are_few) {
        return Err(Stop::Long);
    }
    let answer = match is_contended {
        true => None,
        false => watch.attempt(|| market.close())?,
    };
    match answer {
        Some(answer) => Ok(answer),
        None if prepared.is_tight() => Err(Stop::Long),
        None => transport::solve(problem, watch),
    }
}

/// Takes the first look at a problem whose answer comes from a derived problem. The survey for it is not work of the
/// search, which an observer must not change.
fn look_first(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<(), Stop> {
    match watch.wants_any() {
        true => Prepared::without_columns(problem, watch.for_a_look())?.first_look(),
        false => Ok(()),
    }
}

/// A start that leaves more jobs unplaced than this number and one job in `MOST_UNPLACED` saves nothing.
const FEW: usize = 8;
const MOST_UNPLACED: usize = 4;

/// Prices beyond this cannot come from a problem with valid costs.
const HIGHEST: f64 = 4.0 * MAX_COST;

/// The answer from the start of a problem; `None` if there is no start, or too little of it still fits.
fn from_start(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Option<Answer>, Stop> {
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

/// The greatest power of two of which all prices are multiples.
fn raise_of(prices: &[f64]) -> f64 {
    let exponents = prices.iter().filter(|&&price| price != 0.0).map(|&price| lowest_bit(price));
    exponents.min().map_or(f64::INFINITY, |exponent| 2f64.powi(exponent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Costs;
    use crate::kernel::watch::watched;
    use sched_model::Limit;

    #[test]
    fn the_first_look_is_not_work_of_the_search() {
        let costs = [1.0, 2.0, 3.0, 9.0];
        let problem = AssignmentProblem::new(Costs::dense(2, 2, &costs).unwrap());
        let mut meter = Limit::none().meter().with_observer(|_| ());
        let seen = watched(&problem, &mut meter, |watch| {
            look_first(&problem, watch)?;
            assert_eq!((watch.work(), watch.wants_any()), (0, false));
            Err(Stop::Long)
        });
        assert!(seen.unwrap().best.is_some());
        assert!(meter.work() > 0);
    }
}
