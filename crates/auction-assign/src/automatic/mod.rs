//! The choice of a method, as documented at [`Automatic`](crate::AssignerKind::Automatic).

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

/// Solves a problem by the method that suits its shape and costs ([`AssignerKind::Automatic`]), without a limit.
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

/// The head start of the chosen method: passes over the costs, more of them if places are left over (because the
/// auction then has to lower their prices again), and units of work per job.
const PASSES: u64 = 64;
const ROOMY_PASSES: u64 = 512;
const PER_JOB: u64 = 1400;

/// `transport` suits problems with at least this many jobs per resource, because prices found on samples then place
/// nearly all jobs in one pass, and at most this many resources, because it searches pairs of resources.
const JOBS_PER_RESOURCE: usize = 8;
const MAX_RESOURCES: usize = 1000;

/// With at most this many resources (in full and in sparse rows) `transport` comes first; with more, bids over lists
/// are usually faster.
const FEW_RESOURCES: usize = 256;
const FEW_LISTED_RESOURCES: usize = 64;

/// The assignment by a ranking is repaired if at most one job in this many does not pay its minimum cost + price.
const RANKED_SHARE: usize = 8;

/// If bids over lists leave more than one job in this many unplaced (with one place per resource, and with several),
/// shortest paths would be long.
const LEFT_ONE_TO_ONE: usize = 8;
const LEFT_OF_SEVERAL: usize = 4;

/// The turn of the method over candidate lists, if another method may follow: passes over the costs, and units of work
/// per job.
const LISTS_PASSES: u64 = 16;
const LISTS_PER_JOB: u64 = 850;

/// If bids over lists of sparse costs place less than one job in this many, the auction takes over.
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

/// Whether there are more places than jobs. (Whether all places will be taken, [`Prepared::is_tight`], also depends on
/// the jobs that stay unplaced.)
fn is_roomy(problem: &AssignmentProblem<'_>) -> bool {
    problem.total_capacity() > problem.jobs() as u64
}

/// Solves the problem by the chosen method, after merging equal rows or columns or transposing where that helps.
fn first(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Answer, Stop> {
    if let Some(answer) = reshaped::with_equal_columns(problem, watch, by_shape)? {
        return Ok(answer);
    }
    match reshaped::by_transposing(problem, watch)? {
        Some(answer) => Ok(answer),
        None => by_shape(problem, watch),
    }
}

/// Solves the problem by the method that is chosen by its shape.
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
        problem.jobs() >= JOBS_PER_RESOURCE * problem.resources() && problem.resources() <= MAX_RESOURCES;
    let few = if Source::new(problem).is_sparse() { FEW_LISTED_RESOURCES } else { FEW_RESOURCES };
    if suits_transport && problem.resources() <= few {
        return transport::solve(problem, watch);
    }
    // If places are left over, prices begin at 0, and the minima of the columns are not needed.
    let survey = if is_roomy(problem) { Prepared::without_columns } else { Prepared::new };
    let prepared = survey(problem, watch)?;
    prepared.first_look()?;
    if let Some(answer) = by_ranking(&prepared)? {
        return Ok(answer);
    }
    if rows::is_suited(&prepared) {
        return by_rows(prepared);
    }
    if !prepared.is_tight() && !suits_transport {
        return shortest_paths::solve(&prepared, None);
    }
    by_lists(prepared)
}

/// Solves the problem by a ranking of jobs and resources, repaired by shortest paths; `None` if the costs do not
/// resemble a ranking.
fn by_ranking(prepared: &Prepared<'_>) -> Result<Option<Answer>, Stop> {
    let Some(ranked) = sorted::rank(prepared)? else { return Ok(None) };
    // That the sampled exchanges agree with a ranking does not prove that the costs resemble one.
    let few = prepared.jobs() / RANKED_SHARE;
    match sorted::misplaced(prepared, &ranked, few)? {
        0 => finish(prepared, ranked, None).map(Some),
        misplaced if misplaced <= few => shortest_paths::solve(prepared, Some(ranked)).map(Some),
        _ => Ok(None),
    }
}

/// Solves the problem by whole rows, or by the auction if their paths would be long.
fn by_rows(prepared: Prepared<'_>) -> Result<Answer, Stop> {
    let priced = rows::place(&prepared, PASSES)?;
    if !priced.resource_of.contains(&NONE) {
        return finish(&prepared, priced, None);
    }
    // No method follows the auction, so its work is not limited by the turn.
    let prepared = Prepared { watch: prepared.watch.without_turn(), ..prepared };
    Auction::default().run_from(&prepared, priced)
}

/// Solves the problem by candidate lists, within a turn. If they use it up, or if bids leave many jobs unplaced, the
/// auction follows if every place will be taken (or if costs are sparse and bids have placed few jobs), otherwise
/// `transport`.
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
        return Err(Stop::TurnOver);
    }
    let answer = if is_contended { None } else { watch.attempt(|| market.close())? };
    match answer {
        Some(answer) => Ok(answer),
        None if prepared.is_tight() => Err(Stop::TurnOver),
        None => transport::solve(&problem, watch),
    }
}

/// Takes the first look at a problem that is solved through a derived problem. The survey for it counts as work of the
/// look, because an observer must not change the work of the search.
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
            Err(Stop::TurnOver)
        });
        assert!(seen.unwrap().best.is_some());
        assert!(meter.work() > 0);
    }
}
