//! The method that fits the problem.

mod classes;
mod first_pass;
mod race;
mod shape;
mod turned;

use sched_model::Meter;

use self::first_pass::{FirstPass, open};
use self::shape::{MOST_CHEAPEST_RESOURCES, head_start, lists_come_first, suits_samples};
use crate::admissible;
use crate::candidates::drive::{self, first_look, width};
use crate::candidates::lists::CandidateLists;
use crate::candidates::market::Market;
use crate::candidates::phases::{self, Begun, Rival};
use crate::kernel::NONE;
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::stop::{Stop, answer};
use crate::kernel::watch::Watch;
use crate::rows::{self, Copied, Narrow};
use crate::sorted;
use crate::transport::{self, BySamples};
use crate::warm;
use crate::within::{Bounded, watched};
use crate::{Answer, AssignError, Assigner, Problem};

/// Solves a problem by the method that fits its shape and costs: [`Automatic`].
///
/// # Errors
/// [`AssignError::Cost`] and [`AssignError::Penalty`] for values out of range.
///
/// ```
/// use auction_assign::{Costs, Problem, solve};
/// let costs = Costs::dense(2, 2, &[1.0, 2.0, 3.0, 9.0])?;
/// let answer = solve(&Problem::new(costs))?;
/// assert_eq!(answer.assignment().unwrap().resources, [Some(1), Some(0)]);
/// # Ok::<(), auction_assign::AssignError>(())
/// ```
pub fn solve(problem: &Problem<'_>) -> Result<Answer, AssignError> {
    Automatic.assign(problem)
}

/// Solves a problem as [`solve`](crate::solve) does, within a limit, and reports its progress to an observer.
///
/// Work is entries of the costs read, bids and steps of searches in the same unit. The search stops at the
/// limit of work or memory, at the stop signal, or as soon as the gap is good enough; it then answers with
/// the best assignment it has seen, which places every job that must be placed, and with the bound that
/// prices prove. The first assignment and bound are known after the first two passes over the costs. Later
/// ones are computed each time that the search has done four times the work that they take, so that this
/// takes a fifth of the work at most. Stopped by a signal at work `w`, the answer is that of a limit of `w`,
/// to the byte; more work never makes incumbent or bound worse.
///
/// Memory is counted for candidate lists and moves, not for data as small as the answer.
///
/// # Errors
/// As [`solve`](crate::solve). Of a search that was stopped early only the costs that were read have been
/// checked.
///
/// ```
/// use auction_assign::{Costs, Problem, solve_within};
/// use sched_model::{End, Limit};
/// let values: Vec<f64> = (0..10_000).map(|k| f64::from((k * 7919 + k / 100 * 31) % 1009)).collect();
/// let problem = Problem::new(Costs::dense(100, 100, &values)?);
/// let limit = Limit::default().with_work(40_000);
/// let stopped = solve_within(&problem, &mut limit.meter())?.outcome;
/// assert_eq!(stopped.end, End::Work);
/// let (value, bound) = (stopped.value.unwrap(), stopped.bound.unwrap());
/// let best = solve_within(&problem, &mut Limit::default().meter())?.outcome;
/// assert_eq!(best.end, End::Done);
/// assert!(bound <= best.value.unwrap() && best.value.unwrap() <= value);
/// # Ok::<(), auction_assign::AssignError>(())
/// ```
pub fn solve_within(problem: &Problem<'_>, meter: &mut Meter<'_>) -> Result<Bounded, AssignError> {
    watched(problem, meter, |watch| Automatic.solve(problem, watch))
}

/// The default method. It tries several methods in turn, each within a limit of work, and passes prices and
/// placements on to the next:
///
/// 1. equal columns (resources that cost every job the same) become one resource with the places of all, and
///    equal rows one job, if a few entries of each suggest that few are different and a pass over all
///    confirms it. More jobs than resources of one place: the costs turned round, by 6 for up to 6
///    passes;
/// 2. product costs ([`Costs::product`](crate::Costs::product)) are sorted and, other than by
///    [`Sorted`](crate::Sorted) alone, proven against every quotient;
/// 3. where each resource holds eight jobs or more on average: [`Transport`](crate::Transport), which first
///    tests whether each job has a place on its cheapest resource, and is interrupted after the work of 28
///    passes over the costs and 1000 entries per job; it continues whenever the other methods have read twice
///    as much as it has. In sparse costs on more than 64 resources bids without increment (8) come before it,
///    and show what suits: if they leave at most one job in four unplaced, paths (9) follow; else, where
///    every place will be taken or they place less than one job in ten, the auction (see below) goes first,
///    for up to three head starts;
/// 4. costs that look like a ranking of jobs and resources (64 random exchanges agree) are sorted; where the
///    duals show that this is the optimum, it is the answer; else whole rows are tried as in 6, for up to 6
///    passes, and what follows starts from the ranking;
/// 5. one to one with every place taken, where most of 32 jobs have several cheapest resources, and three on
///    average (but most fewer than twelve, where 6 follows): a greatest matching on all cheapest pairs; if it
///    leaves at most one job in 16 unplaced, up to four passes of rounds (see 7), and shortest paths over
///    whole rows as below;
/// 6. else one to one, in full stored rows: bids without increment that read whole rows, for two passes, and
///    shortest paths over whole rows, for as long as these can be expected to read no more than 32 passes.
///    Costs of few bits (whole numbers up to 2^22, or other multiples of a power of two) are copied in 32
///    bits first, up to 2^26 of them, and then count half; with twice as many resources as jobs or more, only
///    after 6 passes. With 1500 jobs or more, of which bids have left between one in twelve and one in four,
///    paths first read a core of some 32 pairs per job, which passes over all costs test and let grow;
/// 7. one to one, where most of 32 jobs have several cheapest resources, or costs nearly are a ranking:
///    rounds of a greatest matching on all cheapest pairs, and of raising prices, for as long as a round
///    places one in four of the jobs that are not yet placed;
/// 8. bids without increment over candidate lists. If they leave at most one job in eight unplaced, paths (9)
///    follow in sparse costs of one place each, for as long as these are foretold to be short; then, if costs
///    differ, bids with a small increment (a 32nd to a 1024th of the spread of the candidate lists, the more
///    jobs the less) place the rest, unless paths over whole rows were begun and left;
/// 9. jobs that are not on their cheapest resource are placed along shortest augmenting paths
///    ([`ShortestPaths`](crate::ShortestPaths)), for 16 passes over the costs (48 where most jobs have
///    three cheapest resources; not at all where, one to one, more than one job in eight is unplaced, or
///    where paths over whole rows were begun and left). Paths read candidate lists or whole rows, whichever
///    has taken less work on recent paths. Where resources hold several jobs each, though too few for 3, every
///    place will be taken, and more than one job in four waits, paths are followed only as long as they are
///    foretold to take no more; else the auction (see below) goes first;
/// 10. if that does not suffice, phases of the [`Auction`](crate::Auction) with falling epsilon, which is
///     first raised where a phase has placed less than a third of the jobs after 2 bids per job, or does not
///     end within 24; from the third on, paths are tried after each, for half of what bids have read so far,
///     and after the last phase to the end. Where places are left over, prices are lowered after each phase,
///     since free places must have the price 0 in the end.
///
/// Once these methods have done the work of 32 passes and 700 entries per job (1250 where bids come before 3;
/// twice that with 3, unless bids come before it and every place will be taken; one to one with every place
/// taken up to 2.5 times that, the fewer resources the more, and with many of
/// them three times that or more once they have come to 10), or 3 has not advanced as it should, the
/// [`Auction`](crate::Auction) starts from scratch and takes turns with them, at twice their pace until it
/// has spent as much; the first answer ends both. So no problem takes more than about twice the work of the
/// auction, or one and a half times that work and the head start.
///
/// Guarantee: exact (see [`Assigner`]). Ties: those of the method that gives the answer. Space O(jobs +
/// resources); beside it the merged matrix where rows or columns are equal, the costs turned round, a copy at 4
/// bytes each of full costs of few bits, and a bit per pair where costs tie: each only where the limit of
/// memory leaves room for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Automatic;

impl Assigner for Automatic {
    fn name(&self) -> &'static str {
        "automatic"
    }

    fn assign(&self, problem: &Problem<'_>) -> Result<Answer, AssignError> {
        answer(self.solve(problem, Watch::NONE))
    }
}

/// Entries that samples and their cores may read per job, and passes over the costs, before bids and paths
/// over candidate lists are tried as well.
const SAMPLES_PER_JOB: u64 = 1000;
const SAMPLES_PASSES: u64 = 28;

impl Automatic {
    pub(crate) fn solve(self, problem: &Problem<'_>, watch: Watch<'_>) -> Result<Answer, Stop> {
        if let Some(answer) = warm::solve(problem, watch)? {
            return Ok(answer);
        }
        race::solve(problem, head_start(problem), watch, |watch| {
            let unmerged = |smaller: &Problem<'_>, watch: Watch<'_>| Self.solve_unmerged(smaller, watch);
            if let Some(answer) = classes::solve(problem, watch, unmerged)? {
                return Ok(answer);
            }
            match turned::solve(problem, watch)? {
                Some(answer) => Ok(answer),
                None => self.solve_unmerged(problem, watch),
            }
        })
    }

    /// As [`solve`](Self::solve), without looking for resources or jobs that are equal.
    pub(crate) fn solve_unmerged(self, problem: &Problem<'_>, watch: Watch<'_>) -> Result<Answer, Stop> {
        let product = sorted::rank_product(problem);
        if product.is_none() && suits_samples(problem) {
            if problem.resources() <= MOST_CHEAPEST_RESOURCES
                && let Some(answer) = transport::cheapest::assign(problem, watch)?
            {
                return Ok(answer);
            }
            if lists_come_first(problem) {
                return Self::by_lists(problem, watch, None, Samples::Later);
            }
            let prepared = Prepared::without_columns(problem, watch)?;
            first_look(&prepared)?;
            let limit = limit_of_samples(&prepared);
            let mut samples = BySamples::new(&prepared);
            if let Some(answer) = samples.go_on(limit)? {
                return Ok(answer);
            }
            let mut go_on = |limit| samples.go_on(limit);
            let rival = Rival::new(&mut go_on, limit);
            return Self::by_lists(problem, watch, None, Samples::Begun(rival));
        }
        Self::by_lists(problem, watch, product, Samples::Never)
    }

    /// By rankings, whole rows and matchings, then by bids and paths over candidate lists.
    fn by_lists(
        problem: &Problem<'_>,
        watch: Watch<'_>,
        product: Option<Found>,
        samples: Samples<'_>,
    ) -> Result<Answer, Stop> {
        let n = problem.jobs();
        let FirstPass { mut prepared, listed, cheapest, narrow, is_checked } =
            open(problem, product.is_some(), watch)?;
        if n == 0 {
            return Ok(prepared.finish(Found::nothing(&prepared)));
        }
        first_look(&prepared)?;
        let ranked = product.or_else(|| sorted::rank(&prepared));
        let is_ranked = ranked.is_some();
        let mut begun = Begun { is_ranked, paths_are_long: false };
        let placed = match cheapest.as_deref().filter(|_| !is_checked) {
            Some(cheapest) => place_unchecked(&mut prepared, cheapest, watch)?,
            None => before_lists(&prepared, narrow, ranked, cheapest.as_deref())?,
        };
        let placed = match placed {
            Placed::Optimal(found) => return drive::finish_ranked(&prepared, found),
            Placed::Some(found) => {
                begun.paths_are_long = !is_ranked && rows::suit_prepared(&prepared);
                Some(found)
            }
            Placed::None => None,
        };
        let prices = placed.as_ref().map_or_else(|| prepared.start(), |found| found.prices.clone());
        let mut lists = match listed {
            Some(lists) => lists,
            None => CandidateLists::new(&prepared, width(&prepared), &prices)?,
        };
        let mut market = Market::new(n, &prepared.capacities, prices);
        if let Some(found) = placed {
            for (i, (&r, &cost)) in found.resource_of.iter().zip(&found.cost_of).enumerate() {
                if r != NONE {
                    market.place(i as u32, r, cost);
                }
            }
            market.release(&mut lists, 0.0, &prepared)?;
        }
        market.reduce(&mut lists, 2 * n, &prepared)?;
        match samples {
            Samples::Begun(rival) => phases::finish(&prepared, market, &mut lists, begun, rival),
            Samples::Later => {
                let mut samples = BySamples::new(&prepared);
                let mut go_on = |limit| samples.go_on(limit);
                let rival = Rival::waiting(&mut go_on, limit_of_samples(&prepared));
                phases::finish(&prepared, market, &mut lists, begun, rival)
            }
            Samples::Never => {
                let mut never = |_| Ok(None);
                let rival = Rival::new(&mut never, u64::MAX);
                phases::finish(&prepared, market, &mut lists, begun, rival)
            }
        }
    }
}

/// The part of samples of the jobs beside methods over candidate lists.
enum Samples<'r> {
    /// They had a first turn, and may have others.
    Begun(Rival<'r>),
    /// Their first turn is still to come.
    Later,
    /// Resources hold too few jobs for them.
    Never,
}

/// The work of samples in their first turn, at most.
fn limit_of_samples(prepared: &Prepared<'_>) -> u64 {
    SAMPLES_PER_JOB * prepared.jobs() as u64 + SAMPLES_PASSES * prepared.source.all_entries()
}

/// The result of the methods without candidate lists.
enum Placed {
    /// Every job is placed where cost + price is least, up to rounding.
    Optimal(Found),
    /// Some jobs are placed, with prices from which other methods continue.
    Some(Found),
    /// None.
    None,
}

/// What few passes over whole rows place where it is not yet known whether the costs lie on a grid; `None`
/// where they do not, or rows do not suit. Then the costs have been checked.
fn begin_unchecked<'a>(
    prepared: &mut Prepared<'a>,
    cheapest: &[u32],
    watch: Watch<'a>,
) -> Result<Option<Found>, Stop> {
    let begun = if rows::suit_prepared(prepared) && prepared.survey.step > 0.0 {
        rows::place_unchecked(prepared, cheapest, rows::Passes::few())?
    } else {
        None
    };
    if begun.is_none() {
        *prepared = Prepared::without_columns(&prepared.problem, watch)?;
    }
    Ok(begun)
}

/// The result of the search over whole rows where it is not yet known whether the costs lie on a grid.
fn place_unchecked<'a>(
    prepared: &mut Prepared<'a>,
    cheapest: &[u32],
    watch: Watch<'a>,
) -> Result<Placed, Stop> {
    let found = match begin_unchecked(prepared, cheapest, watch)? {
        Some(found) if is_complete(&found) => return Ok(Placed::Optimal(found)),
        Some(found) => found,
        None => return before_lists(prepared, None, None, Some(cheapest)),
    };
    let problem = prepared.problem;
    let narrow = match rows::survey_narrow(&problem, watch)? {
        Some(Copied { survey, narrow, .. }) => {
            *prepared = Prepared::of(&problem, survey, watch)?;
            Some(narrow)
        }
        None => {
            *prepared = Prepared::without_columns(&problem, watch)?;
            None
        }
    };
    if prepared.survey.step == 0.0 {
        // The placements rest on sums that were taken to be exact.
        return before_lists(prepared, None, None, Some(cheapest));
    }
    let found = rows::go_on(prepared, narrow.as_ref(), found, rows::Passes::default())?;
    Ok(if is_complete(&found) { Placed::Optimal(found) } else { Placed::Some(found) })
}

/// Whether every job is placed.
fn is_complete(found: &Found) -> bool {
    !found.resource_of.contains(&NONE)
}

/// The result of a ranking, or else of whole rows and matchings.
fn before_lists(
    prepared: &Prepared<'_>,
    narrow: Option<Narrow<'_>>,
    ranked: Option<Found>,
    cheapest: Option<&[u32]>,
) -> Result<Placed, Stop> {
    let is_ranked = ranked.is_some();
    let mut placed = None;
    if let Some(found) = ranked {
        if sorted::is_optimal(prepared, &found)? {
            return Ok(Placed::Optimal(found));
        }
        if rows::suit_prepared(prepared) {
            // A few exchanges that agree with a ranking are no proof that costs resemble one.
            let found =
                rows::place(prepared, narrow.as_ref(), prepared.start(), cheapest, rows::Passes::few())?;
            if is_complete(&found) {
                return Ok(Placed::Optimal(found));
            }
        }
        placed = Some(found);
    }
    let prices = placed.as_ref().map_or_else(|| prepared.start(), |found| found.prices.clone());
    let is_plain = is_plain(prepared);
    let bids_follow = rows::suit_prepared(prepared);
    let matched =
        if is_ranked || !is_plain { None } else { admissible::match_ties(prepared, &prices, bids_follow)? };
    if let Some(found) = matched {
        let found = match found {
            found if is_complete(&found) => found,
            found => rows::go_on(prepared, narrow.as_ref(), found, rows::Passes::default())?,
        };
        if is_complete(&found) {
            return Ok(Placed::Optimal(found));
        }
        placed = Some(found);
    } else if !is_ranked && bids_follow {
        let found = rows::place(prepared, narrow.as_ref(), prices, cheapest, rows::Passes::default())?;
        if is_complete(&found) {
            return Ok(Placed::Optimal(found));
        }
        placed = Some(found);
    } else if is_plain && let Some(found) = admissible::match_distinct(prepared, &prices)? {
        return Ok(Placed::Optimal(found));
    }
    let prices = placed.as_ref().map_or_else(|| prepared.start(), |found| found.prices.clone());
    let before = placed.as_ref().map(|found| found.resource_of.as_slice());
    if is_plain
        && (is_ranked || admissible::pays(prepared, &prices))
        && let Some(found) = admissible::match_by_rounds(prepared, prices, before)?
    {
        if is_complete(&found) {
            return Ok(Placed::Optimal(found));
        }
        placed = Some(found);
    }
    Ok(placed.map_or(Placed::None, Placed::Some))
}

/// Whether there is one place for every job, no more, and rows are full. Where places are left over the first
/// pass lists every row, and bids place nearly all.
fn is_plain(prepared: &Prepared<'_>) -> bool {
    prepared.dummy.is_none()
        && prepared.is_tight()
        && !prepared.source.is_sparse()
        && prepared.problem.is_one_to_one()
}
