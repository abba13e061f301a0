//! The method that fits the problem.

use crate::candidates::drive::{self, Ending, alone, close, close_within, least_felt, power_of_two, width};
use crate::candidates::lists::CandidateLists;
use crate::candidates::market::Market;
use crate::classes;
use crate::kernel::NONE;
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::stop::{Stop, answer};
use crate::kernel::watch::Watch;
use crate::sorted;
use crate::transport;
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
    Automatic::default().assign(problem)
}

/// Tries methods in turn, each for as long as the work that it has taken allows, and hands prices and placements on:
///
/// 1. resources that cost every job the same become one with the places of all, jobs that cost the same everywhere likewise,
///    where a few entries of each say that there are few kinds and a pass over all agrees;
/// 2. product costs ([`Costs::product`](crate::Costs::product)) are sorted and, other than by [`Sorted`](crate::Sorted) alone, proven
///    against every quotient;
/// 3. where each resource holds eight jobs or more on average: [`Transport`](crate::Transport), which first asks whether every
///    job finds room on its cheapest, and is broken off after 48 passes over the costs;
/// 4. costs that look like a ranking of jobs and resources (64 random exchanges agree) are sorted; where the duals show
///    that this is the optimum all is done, else it is where the next step begins;
/// 5. bids without increment. If they leave at most one job in eight unplaced, and offers differ, bids by a little (a 32nd
///    to a 1024th of the spread of the candidate lists, the more jobs the less) place the rest;
/// 6. jobs that do not stand on their cheapest resource are placed along shortest augmenting paths
///    ([`ShortestPaths`](crate::ShortestPaths)), for 16 passes over the costs (48 where most jobs have several cheapest
///    offers). Paths go over candidate lists or over whole rows, by what each has cost lately;
/// 7. if that does not suffice, phases of the [`Auction`](crate::Auction) with falling epsilon; from the third on, paths are
///    tried after each, together for half of what bids have read so far, and close after the last. Where places are left over, prices
///    are lowered after each phase, since free places must be worth nothing in the end.
///
/// Guarantee: exact (see [`Assigner`]). Space O(jobs + resources).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Automatic {}

impl Assigner for Automatic {
    fn name(&self) -> &'static str {
        "automatic"
    }

    fn assign(&self, problem: &Problem<'_>) -> Result<Answer, AssignError> {
        answer(self.solve(problem, Watch::NONE))
    }
}

/// Resources up to which a pass asks whether every job finds room on its cheapest: with many, some is always wanted by too many.
const MOST_CHEAPEST_RESOURCES: usize = 256;

/// Jobs per resource from which on a price per resource, found on samples, places nearly all jobs in one pass.
const JOBS_PER_RESOURCE: usize = 8;

/// Of the jobs, the share that bids without increment may leave unplaced for bids of a little increment to be worth it.
const LEFT_FOR_LITTLE: usize = 8;

/// By how much epsilon falls from phase to phase.
const EPSILON_FACTOR: f64 = 8.0;

/// Epsilons by which prices are lowered after a phase where places are left over.
const LOWERED_BY: f64 = 4.0;

/// Passes over the costs that the first shortest paths may take before the auction goes on, and where lists are full of ties,
/// so that bids gain little.
const FIRST_PASSES: u64 = 16;
const FIRST_PASSES_TIES: u64 = 48;

/// Entries that samples and their cores may read per job, and passes over the costs, before candidate lists take over: about what
/// the auction needs on costs with a structure.
const TRANSPORT_PER_JOB: u64 = 1500;
const TRANSPORT_PASSES: u64 = 48;

/// Of what bids have read, the part that paths may read after all phases together, and the part that must be left for them
/// to be tried again.
const PATHS_SHARE: u64 = 2;
const LEAST_SHARE: u64 = 8;

/// Bids per job in a phase of little increment, and in a phase of the auction, before it is broken off.
const BIDS_PER_JOB_LITTLE: usize = 16;
const BIDS_PER_JOB_PHASE: usize = 32;

impl Automatic {
    pub(crate) fn solve(self, problem: &Problem<'_>, watch: Watch<'_>) -> Result<Answer, Stop> {
        let unmerged =
            |smaller: &Problem<'_>, watch: Watch<'_>| Self::default().solve_unmerged(smaller, watch);
        match classes::solve(problem, watch, unmerged)? {
            Some(answer) => Ok(answer),
            None => self.solve_unmerged(problem, watch),
        }
    }

    /// As [`solve`](Self::solve), without looking for resources or jobs that are equal.
    pub(crate) fn solve_unmerged(self, problem: &Problem<'_>, watch: Watch<'_>) -> Result<Answer, Stop> {
        let product = sorted::rank_product(problem);
        let (n, m) = (problem.jobs(), problem.resources());
        if product.is_none() && n >= JOBS_PER_RESOURCE * m {
            if m <= MOST_CHEAPEST_RESOURCES
                && let Some(answer) = transport::cheapest::assign(problem, watch)?
            {
                return Ok(answer);
            }
            let prepared = Prepared::without_columns(problem, watch)?;
            first_look(&prepared)?;
            let budget = TRANSPORT_PER_JOB * n as u64 + TRANSPORT_PASSES * prepared.source.all_entries();
            if let Some(answer) = transport::solve_by_samples(&prepared, budget)? {
                return Ok(answer);
            }
        }
        // Where places are left over, prices begin at 0, whatever the columns hold.
        let is_roomy = problem.total_capacity() > n as u64;
        let (prepared, listed) = match (is_roomy, product.is_some()) {
            (true, false) => drive::survey_and_list(problem, watch)?,
            (true, true) => (Prepared::without_columns(problem, watch)?, None),
            (false, _) => (Prepared::new(problem, watch)?, None),
        };
        if n == 0 {
            return Ok(prepared.finish(Found::nothing(&prepared)));
        }
        first_look(&prepared)?;
        let ranked = product.or_else(|| sorted::rank(&prepared));
        if let Some(found) = ranked.as_ref()
            && sorted::is_optimal(&prepared, found)?
        {
            let found = ranked.unwrap_or_else(|| Found::nothing(&prepared));
            return drive::finish_ranked(&prepared, found);
        }
        let prices = ranked.as_ref().map_or_else(|| prepared.start(), |found| found.prices.clone());
        let mut lists = match listed {
            Some(lists) => lists,
            None => CandidateLists::new(&prepared, width(&prepared), &prices)?,
        };
        let mut market = Market::new(n, &prepared.capacities, prices);
        let nearly_ranked = ranked.is_some();
        if let Some(found) = ranked {
            for (i, (&r, &cost)) in found.resource_of.iter().zip(&found.cost_of).enumerate() {
                market.place(i as u32, r, cost);
            }
            market.release(&mut lists, 0.0, &prepared)?;
        }
        market.reduce(&mut lists, 2 * n, &prepared)?;
        let waiting = market.resource_of.iter().filter(|&&r| r == NONE).count();
        let spread = lists.spread();
        let felt = least_felt(&prepared);
        let entries = prepared.source.all_entries();
        let many_ties = 2 * lists.ties() >= n;
        let budget = if many_ties { FIRST_PASSES_TIES } else { FIRST_PASSES } * entries;
        // The last jobs' paths are the long ones; bids by a little more than nothing shorten them. Not where a ranking
        // is nearly right or rows offer much at one cost: paths are short there.
        if prepared.is_tight()
            && !nearly_ranked
            && waiting > 0
            && waiting * LEFT_FOR_LITTLE <= n
            && !many_ties
        {
            let little = power_of_two(spread / (n as f64 / 16.0).clamp(32.0, 1024.0));
            if little >= felt {
                market.phase(&mut lists, little, alone(&prepared), BIDS_PER_JOB_LITTLE * n, &prepared)?;
            }
        }
        match close_within(&prepared, market, &mut lists, budget)? {
            Ending::Answered(answer) => return Ok(answer),
            Ending::Unfinished { market: rest, .. } => market = *rest,
        }
        let least = felt.max(prepared.survey.step / (n as f64 + 1.0));
        // Where lists are full of ties they do not say how far costs are apart.
        let mut epsilon = power_of_two(if many_ties { prepared.survey.greatest / 4.0 } else { 2.0 * spread });
        let first_close = epsilon / 256.0;
        let mut bidding = budget;
        let mut on_paths = 0;
        while epsilon > least {
            market.release(&mut lists, epsilon, &prepared)?;
            let before = market.spent(&lists);
            market.phase(&mut lists, epsilon, alone(&prepared), BIDS_PER_JOB_PHASE * n, &prepared)?;
            bidding += market.spent(&lists) - before;
            if !prepared.is_tight() {
                // Places bid for and left again are too dear now: by no more than some epsilons.
                market.lower(LOWERED_BY * epsilon, 0.0);
                lists.renew(&market.prices, prepared.watch)?;
            }
            let left = (bidding / PATHS_SHARE).saturating_sub(on_paths);
            if epsilon <= first_close && left >= bidding / LEAST_SHARE {
                match close_within(&prepared, market, &mut lists, left)? {
                    Ending::Answered(answer) => return Ok(answer),
                    Ending::Unfinished { market: rest, read } => {
                        market = *rest;
                        on_paths += read;
                    }
                }
            }
            epsilon /= EPSILON_FACTOR;
        }
        close(&prepared, market, &mut lists)
    }
}

/// What placing every job in its turn, and prices of 0, give: the first that a watched search knows.
fn first_look(prepared: &Prepared<'_>) -> Result<(), Stop> {
    if prepared.watch.wants_any() && prepared.jobs() > 0 {
        let nobody = vec![NONE; prepared.jobs()];
        prepared.look_now(&nobody, &vec![0.0; prepared.capacities.len()])?;
    }
    Ok(())
}
