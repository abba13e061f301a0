//! The method that fits the problem, and the start from an earlier answer.
//!
//! Of an earlier answer the prices are where the search begins, and nothing is believed of them: a pass over the
//! costs lists the cheapest resources of every job at these prices, and a job keeps its place only if none of them
//! costs it less.

mod reshaped;

use sched_model::{Meter, Outcome};

use crate::auction::Auction;
use crate::finish::finish;
use crate::kernel::NONE;
use crate::kernel::prepared::{Found, Prepared, lowest_bit};
use crate::kernel::source::Source;
use crate::kernel::watch::{Stop, Watch, watched};
use crate::market::Market;
use crate::{
    Answer, AssignError, Assigner, Assignment, AssignmentProblem, Coverage, MAX_COST, Shortage, rows,
    shortest_paths, sorted, transport,
};

/// Solves a problem by the method that fits its shape and costs, [`Automatic`], without a limit.
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
    Automatic.assign(problem)
}

/// The default method: by the shape of the problem, one method first, and after a head start the auction in its
/// place.
///
/// 1. Equal columns (resources that cost every job the same) become one resource with the places of all, if a few
///    entries of each suggest that few are different and a pass over all confirms it. Full costs of one place each
///    are turned round where jobs are more than resources, or where rows are equal: as columns of the turned
///    matrix they become one.
/// 2. Product costs ([`Costs::product`](crate::Costs::product)) are sorted and, other than by
///    [`Sorted`](crate::Sorted) alone, proven against every quotient.
/// 3. Where each resource holds eight jobs or more on average, and resources are at most a thousand:
///    [`Transport`](crate::Transport); on more than 256 resources, or 64 in sparse costs, 5 comes first, for 16
///    passes and 850 entries per job, or alone where every place will be taken.
/// 4. Where every place will be taken, costs that look like a ranking of jobs and resources (64 random exchanges
///    agree) are sorted; if the duals show that this is the optimum, or that at most one job in eight does not
///    pay its least, paths put these right. Else, full stored rows of one place each, up to 4000 jobs: bids
///    without increment read whole rows for two passes; shortest paths place the rest.
/// 5. Else candidate lists: bids without increment; bids with a small increment (a 32nd to a 1024th of the
///    spread of the lists, the more jobs the less) if few jobs wait and costs differ; shortest augmenting paths.
///
/// This method has a head start: the work of 64 passes over the costs (512 where places are left over) and 1400
/// entries per job. Once it has done that, or, where every place will be taken, foresees more (paths over
/// whole rows that are predicted, after one pass, to read more than 64; lists after which more than one job in
/// eight waits, or one in four where resources hold several; or that have done the work of 16 passes and 850
/// entries per job), the [`Auction`](crate::Auction) solves the problem from scratch. So no problem takes more than
/// the head start and the work of the auction alone.
///
/// Guarantee: exact (see [`Assigner`]). Ties: those of the method that gives the answer. Space O(jobs +
/// resources); beside it the merged matrix where rows or columns are equal, and the costs turned round: each only where
/// the limit of memory leaves room for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Automatic;

impl Assigner for Automatic {
    fn name(&self) -> &'static str {
        "automatic"
    }

    fn solve(
        &self,
        problem: &AssignmentProblem<'_>,
        meter: &mut Meter,
    ) -> Result<Outcome<Assignment, Shortage>, AssignError> {
        watched(problem, meter, |watch| run(problem, watch))
    }
}

/// The head start: passes over the costs, more of them where places are left over, since an auction has to bring
/// their prices down again; and units per job.
const PASSES: u64 = 64;
const ROOMY_PASSES: u64 = 512;
const PER_JOB: u64 = 1400;

/// Jobs per resource from which on a price per resource, found on samples, places nearly all jobs in one
/// pass, and resources up to which paths over the pairs of them are short.
const JOBS_PER_RESOURCE: usize = 8;
const MOST_RESOURCES: usize = 1000;

/// Resources up to which they come first, in full rows and where each job lists its own: with more, bids over
/// lists mostly do sooner.
const FEW_RESOURCES: usize = 256;
const FEW_LISTED_RESOURCES: usize = 64;

/// A ranking is repaired where at most one job in so many does not pay its least cost + price.
const RANKED_SHARE: usize = 8;

/// Where bids over lists leave more than one job in so many, paths are long: of one place each, or of several.
const LEFT_ONE_TO_ONE: usize = 8;
const LEFT_OF_SEVERAL: usize = 4;

/// The turn of candidate lists where another method may go on.
const LISTS_PASSES: u64 = 16;
const LISTS_PER_JOB: u64 = 850;

/// Where bids over lists of sparse costs place less than one job in so many, the auction does sooner.
const PLACED_SHARE: usize = 10;

fn run(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Answer, Stop> {
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
    // Where places are left over, prices begin at 0, whatever the columns hold.
    let survey = if is_roomy(problem) { Prepared::without_columns } else { Prepared::new };
    let prepared = survey(problem, watch)?;
    prepared.first_look()?;
    if let Some(ranked) = sorted::rank(&prepared) {
        // A few exchanges that agree with a ranking are no proof that costs resemble one.
        let few = prepared.jobs() / RANKED_SHARE;
        match sorted::misplaced(&prepared, &ranked, few)? {
            0 => return finish(&prepared, ranked, None),
            misplaced if misplaced <= few => return shortest_paths::solve(&prepared, Some(ranked)),
            _ => {}
        }
    }
    if rows::suit_prepared(&prepared) {
        let found = rows::place(&prepared, PASSES)?;
        return finish(&prepared, found, None);
    }
    if !prepared.is_tight() && !suits_level {
        return shortest_paths::solve(&prepared, None);
    }
    let turn =
        watch.within(LISTS_PASSES * prepared.source.all_entries() + LISTS_PER_JOB * problem.jobs() as u64);
    let prepared = Prepared { watch: turn, ..prepared };
    let market = shortest_paths::begin(&prepared, None)?;
    let (n, waiting) = (prepared.jobs(), market.waiting());
    let one_to_one = problem.is_one_to_one();
    let part = if one_to_one { LEFT_ONE_TO_ONE } else { LEFT_OF_SEVERAL };
    // Where pairs are forbidden, paths show whether all jobs can be placed.
    let is_contended = waiting * part > n && !(one_to_one && prepared.survey.forbidden);
    let are_few = prepared.source.is_sparse() && (n - waiting) * PLACED_SHARE < n;
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

/// The first look at a problem whose answer is found by another one.
fn look_first(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<(), Stop> {
    if watch.wants_any() { Prepared::without_columns(problem, watch)?.first_look() } else { Ok(()) }
}

/// More waiting jobs than these and one in so many are as well placed from nothing.
const FEW: usize = 8;
const MOST_WAITING: usize = 4;

/// Prices beyond so many times the greatest cost that is allowed come from no such problem.
const HIGHEST: f64 = 4.0 * MAX_COST;

/// The answer from the start of a problem; `None` where there is none, or little of it still fits.
fn from_start(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Option<Answer>, Stop> {
    let Some(start) = problem.start() else { return Ok(None) };
    check(problem, start)?;
    let prepared = Prepared::without_columns(problem, watch)?;
    let Some(prices) = prices(&prepared, start) else { return Ok(None) };
    let placed = placed(&prepared, start, prices);
    prepared.look_now(&placed.resource_of, &placed.prices)?;
    let mut market = Market::new(&prepared, placed)?;
    market.keep()?;
    if market.waiting() > prepared.jobs() / MOST_WAITING + FEW {
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

/// A price per resource, the dummy's included; `None` where the start has none, or none that can be summed.
fn prices(prepared: &Prepared<'_>, start: &Assignment) -> Option<Vec<f64>> {
    let duals = start.duals.as_ref()?;
    let mut prices = duals.prices.clone();
    if let Some(cost) = prepared.dummy {
        // Where staying unplaced is optional, there is always room.
        let optional = matches!(prepared.problem.coverage(), Coverage::Penalty(_));
        prices.push(if optional { 0.0 } else { (0.0 - duals.waiting.unwrap_or_default()) - cost });
    }
    (prepared.jobs() > 0 && prices.iter().all(|price| price.abs() <= HIGHEST)).then_some(prices)
}

/// Every job where the start has it, as far as there is room and the pair is not forbidden.
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
