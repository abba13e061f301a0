//! The method that fits the problem.

mod classes;
mod first_pass;
mod race;
mod turned;

use sched_model::{Meter, Outcome};

use self::first_pass::{FirstPass, open};
use crate::candidates::closing::close;
use crate::candidates::drive::{self, first_look};
use crate::candidates::phases::{self, Ending};
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::source::Source;
use crate::kernel::stop::Stop;
use crate::kernel::watch::Watch;
use crate::rows;
use crate::sorted;
use crate::transport;
use crate::warm;
use crate::within::watched;
use crate::{Answer, AssignError, Assigner, Assignment, AssignmentProblem, Shortage};

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

/// The default method: by the shape of the problem, one method first, and after a head start the auction beside
/// it.
///
/// 1. Equal columns (resources that cost every job the same) become one resource with the places of all, and
///    equal rows one job, if a few entries of each suggest that few are different and a pass over all
///    confirms it. Full costs of more jobs than resources of one place are turned round.
/// 2. Product costs ([`Costs::product`](crate::Costs::product)) are sorted and, other than by
///    [`Sorted`](crate::Sorted) alone, proven against every quotient.
/// 3. Where each resource holds eight jobs or more on average, and resources are at most a thousand:
///    [`Transport`](crate::Transport). In sparse costs on more than 64 resources the lists of 5 come first.
/// 4. Where every place will be taken, costs that look like a ranking of jobs and resources (64 random exchanges
///    agree) are sorted; if the duals show that this is the optimum, or that at most one job in eight does not
///    pay its least, paths put these right. Else, full stored rows of one place each, up to 4000 jobs: bids
///    without increment read whole rows for two passes; shortest paths place the rest. Costs of few bits (whole
///    numbers up to 2^22, or other multiples of a power of two) are copied in 32 bits first, and then count half,
///    unless there are twice as many resources as jobs. Where every place will be taken and paths are predicted to
///    read more than 32 passes, asked after one pass, or after eight where the costs of a job repeat, they hand
///    over to the phases of 5.
/// 5. Else candidate lists: bids without increment; bids with a small increment (a 32nd to a 1024th of the
///    spread of the lists, the more jobs the less) if few jobs wait and costs differ; shortest augmenting paths
///    for 16 passes over the costs (48 where most jobs have three cheapest resources; not at all where one to one
///    more than one job in eight waits, else more than one in four). Then 3 where that suits (the auction where
///    no path was tried and every place will be taken, or bids have placed less than one job in ten); else paths
///    to the end where places are left over, and phases of bids with falling epsilon where not, with paths tried
///    after each from the third on.
///
/// Once these methods have done the work of 64 passes (256 where places are left over) and 1400 entries per job,
/// the [`Auction`](crate::Auction) starts from scratch and takes equal turns with them; the first answer ends
/// both. So no problem takes more than that head start and about twice the work of the auction.
///
/// Guarantee: exact (see [`Assigner`]). Ties: those of the method that gives the answer. Space O(jobs +
/// resources); beside it the merged matrix where rows or columns are equal, the costs turned round, and a copy
/// at 4 bytes each of full costs of few bits: each only where the limit of memory leaves room for it.
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

/// Jobs per resource from which on a price per resource, found on samples, places nearly all jobs in one
/// pass, and resources up to which paths over the pairs of them are short.
const JOBS_PER_RESOURCE: usize = 8;
const MOST_RESOURCES: usize = 1000;

/// Passes that paths over whole rows may be predicted to read, where every place will be taken.
const PASSES: u64 = 32;

/// A ranking is repaired where at most one job in so many does not pay its least cost + price.
const RANKED_SHARE: usize = 8;

/// Where bids without increment place less than one job in so many, the auction does sooner.
const PLACED_SHARE: usize = 10;

/// Resources up to which they come first where each job lists its own: with more, bids over lists mostly do
/// sooner.
const FEW_LISTED_RESOURCES: usize = 64;

fn run(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Answer, Stop> {
    if let Some(answer) = warm::solve(problem, watch)? {
        return Ok(answer);
    }
    race::solve(problem, watch, |watch| {
        if let Some(answer) = classes::solve(problem, watch, by_shape)? {
            return Ok(answer);
        }
        match turned::solve(problem, watch)? {
            Some(answer) => Ok(answer),
            None => by_shape(problem, watch),
        }
    })
}

/// The answer by the method that the shape picks.
fn by_shape(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Answer, Stop> {
    if let Some(ranked) = sorted::rank_product(problem) {
        let prepared = Prepared::new(problem, watch)?;
        first_look(&prepared)?;
        let is_optimal = sorted::misplaced(&prepared, &ranked, 0)? == 0;
        let finish = if is_optimal { drive::finish_ranked } else { repaired };
        return finish(&prepared, ranked);
    }
    let level = suits_level(problem);
    let lists_first = problem.resources() > FEW_LISTED_RESOURCES && Source::new(problem).is_sparse();
    if level && !lists_first {
        return transport::solve(problem, watch);
    }
    let FirstPass { prepared, cheapest, narrow } = open(problem, watch)?;
    first_look(&prepared)?;
    if let Some(ranked) = sorted::rank(&prepared) {
        // A few exchanges that agree with a ranking are no proof that costs resemble one.
        let few = prepared.jobs() / RANKED_SHARE;
        match sorted::misplaced(&prepared, &ranked, few)? {
            0 => return drive::finish_ranked(&prepared, ranked),
            misplaced if misplaced <= few => return repaired(&prepared, ranked),
            _ => {}
        }
    }
    if !rows::suit_prepared(&prepared) {
        return by_lists(&prepared, level);
    }
    // Where places are left over, paths grow little, and lists would take as long.
    let passes = if prepared.is_tight() { PASSES } else { u64::MAX };
    match rows::place(&prepared, narrow.as_ref(), cheapest.as_deref(), passes)? {
        rows::Placed::All(found) => drive::finish_ranked(&prepared, found),
        rows::Placed::Some(found) => {
            let (market, mut lists) = phases::begin(&prepared, Some(found))?;
            phases::finish(&prepared, market, &mut lists)
        }
    }
}

/// Whether resources hold so many jobs on average that prices from samples say much, and are few enough for
/// paths over pairs of them.
fn suits_level(problem: &AssignmentProblem<'_>) -> bool {
    problem.jobs() >= JOBS_PER_RESOURCE * problem.resources() && problem.resources() <= MOST_RESOURCES
}

/// The answer from a ranking that is not optimal, whose prices are mostly near the best.
fn repaired(prepared: &Prepared<'_>, ranked: Found) -> Result<Answer, Stop> {
    let (market, mut lists) = phases::begin(prepared, Some(ranked))?;
    close(prepared, market, &mut lists)
}

/// The answer by candidate lists; where paths are long, by `level` if that suits.
fn by_lists(prepared: &Prepared<'_>, level: bool) -> Result<Answer, Stop> {
    if !level || prepared.jobs() == 0 {
        return phases::solve(prepared);
    }
    let (market, mut lists) = phases::begin(prepared, None)?;
    match phases::finish_if_short(prepared, market, &mut lists)? {
        Ending::Answered(answer) => return Ok(answer),
        Ending::Contended(market)
            if prepared.is_tight()
                || (prepared.jobs() - market.waiting()) * PLACED_SHARE < prepared.jobs() =>
        {
            prepared.watch.hand_over()?;
        }
        Ending::Contended(_) | Ending::Long(_) => {}
    }
    transport::solve_prepared(prepared)
}
