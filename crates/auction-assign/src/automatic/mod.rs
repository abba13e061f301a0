//! The method that fits the problem, as [`Automatic`](crate::AssignerKind::Automatic) states it.

mod reshaped;
mod start;

use sched_model::Outcome;

use crate::auction::Auction;
use crate::finish::finish;
use crate::kernel::NONE;
use crate::kernel::prepared::Prepared;
use crate::kernel::source::Source;
use crate::kernel::watch::{Stop, Watch};
use crate::{
    Answer, AssignError, Assigner, AssignerKind, Assignment, AssignmentProblem, Shortage, rows,
    shortest_paths, sorted, transport,
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

/// A ranking is repaired if at most one job in this many does not pay its minimum cost + price.
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

pub(crate) fn run(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Answer, Stop> {
    if let Some(answer) = start::from_start(problem, watch)? {
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

/// Whether there are more places than jobs. (Whether all are taken, [`Prepared::is_tight`], also depends on the jobs
/// that stay out.)
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
    let suits_transport =
        problem.jobs() >= JOBS_PER_RESOURCE * problem.resources() && problem.resources() <= MOST_RESOURCES;
    let few = if Source::new(problem).is_sparse() { FEW_LISTED_RESOURCES } else { FEW_RESOURCES };
    if suits_transport && problem.resources() <= few {
        return transport::solve(problem, watch);
    }
    // Where places are left over, prices begin at 0, and the smallest costs of the columns are not needed.
    let survey = if is_roomy(problem) { Prepared::without_columns } else { Prepared::new };
    let prepared = survey(problem, watch)?;
    prepared.first_look()?;
    if let Some(answer) = by_ranking(&prepared)? {
        return Ok(answer);
    }
    if rows::suit(&prepared) {
        return by_rows(prepared);
    }
    if !prepared.is_tight() && !suits_transport {
        return shortest_paths::solve(&prepared, None);
    }
    by_lists(prepared)
}

/// The answer by a ranking of jobs and resources, repaired by paths; `None` if costs resemble none.
fn by_ranking(prepared: &Prepared<'_>) -> Result<Option<Answer>, Stop> {
    let Some(ranked) = sorted::rank(prepared)? else { return Ok(None) };
    // A few exchanges that agree with a ranking are no proof that costs resemble one.
    let few = prepared.jobs() / RANKED_SHARE;
    match sorted::misplaced(prepared, &ranked, few)? {
        0 => finish(prepared, ranked, None).map(Some),
        misplaced if misplaced <= few => shortest_paths::solve(prepared, Some(ranked)).map(Some),
        _ => Ok(None),
    }
}

/// The answer by whole rows, or by the auction where their paths would be long.
fn by_rows(prepared: Prepared<'_>) -> Result<Answer, Stop> {
    let found = rows::place(&prepared, PASSES)?;
    if !found.resource_of.contains(&NONE) {
        return finish(&prepared, found, None);
    }
    // The auction has no turn: nothing takes over from it.
    let prepared = Prepared { watch: prepared.watch.for_good(), ..prepared };
    Auction::default().run_from(&prepared, found)
}

/// The answer by lists in a turn of their own. After it, and where they leave many jobs unplaced, the auction
/// follows if every place will be taken, otherwise `transport`.
fn by_lists(prepared: Prepared<'_>) -> Result<Answer, Stop> {
    let (problem, watch, n) = (prepared.problem, prepared.watch, prepared.jobs());
    let turn = watch.within(LISTS_PASSES * prepared.source.all_entries() + LISTS_PER_JOB * n as u64);
    let prepared = Prepared { watch: turn, ..prepared };
    let market = shortest_paths::begin(&prepared, None)?;
    let unplaced = market.unplaced();
    let part = if problem.is_one_to_one() { LEFT_ONE_TO_ONE } else { LEFT_OF_SEVERAL };
    let is_contended = unplaced * part > n;
    let are_few = prepared.source.is_sparse() && (n - unplaced) * PLACED_SHARE < n;
    if is_contended && (prepared.is_tight() || are_few) {
        return Err(Stop::Long);
    }
    let answer = if is_contended { None } else { watch.attempt(|| market.close())? };
    match answer {
        Some(answer) => Ok(answer),
        None if prepared.is_tight() => Err(Stop::Long),
        None => transport::solve(&problem, watch),
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
