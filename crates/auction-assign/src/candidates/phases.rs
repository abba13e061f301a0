//! From bids without increment over lists to the answer: bids with a small increment, shortest paths, and where
//! these are long, bids with falling epsilon and paths in turn.

use crate::Answer;
use crate::candidates::closing::{Closing, close};
use crate::candidates::drive::{alone, least_felt, power_of_two, width};
use crate::candidates::lists::CandidateLists;
use crate::candidates::market::{Market, PhaseLimit};
use crate::kernel::NONE;
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::stop::Stop;

/// Epsilons by which an unlisted resource may be better than the second best of a list while a phase goes on.
const SLACK: f64 = 4.0;

/// Bids with a small increment follow where bids without increment leave at most one job in so many unplaced,
/// and so do paths where every place will be taken and each resource has one. The more jobs are left, the more
/// contended the places are, and the longer are paths.
const LEFT_FOR_LITTLE: usize = 8;

/// Paths are followed where resources hold several jobs, if at most one job in so many is unplaced.
const LEFT_FOR_PATHS: usize = 4;

/// By how much epsilon falls from phase to phase.
const EPSILON_FACTOR: f64 = 8.0;

/// Passes over the costs that the first shortest paths may take, and where lists are full of ties, so that bids
/// gain little.
const FIRST_PASSES: u64 = 16;
const FIRST_PASSES_TIES: u64 = 48;

/// Of what bids have read, the part that paths may read after all phases together, and the part that must be
/// left for them to be tried again.
const PATHS_SHARE: u64 = 2;
const LEAST_SHARE: u64 = 8;

/// Bids per job in a phase of small increment and in the first phase of the auction, after which they are
/// interrupted.
const BIDS_PER_JOB_LITTLE: usize = 16;
const BIDS_PER_JOB_FIRST: usize = 24;

/// Bids per job after which the first phase must have placed one in so many of the jobs that waited to go on.
const BIDS_PER_JOB_TRIED: usize = 2;
const PLACED_WHEN_TRIED: usize = 3;

/// Bids per job in one of the other phases, after which it is interrupted.
const BIDS_PER_JOB_PHASE: usize = 32;

/// The factor by which epsilon is raised after a phase that did not end: prices had to rise too far.
const EPSILON_RAISED: f64 = 64.0;

/// The error that lists may have in a phase: the closing search is exact, and bids that are off by some
/// epsilons avoid most reads of rows. It is 0 where places are left over: places that were bid for without
/// need would stay overpriced.
pub(crate) fn slack(prepared: &Prepared<'_>, epsilon: f64) -> f64 {
    if prepared.is_tight() { SLACK * epsilon } else { 0.0 }
}

/// The answer by candidate lists.
pub(crate) fn solve(prepared: &Prepared<'_>) -> Result<Answer, Stop> {
    if prepared.jobs() == 0 {
        return Ok(prepared.finish(Found::nothing(prepared)));
    }
    let (market, mut lists) = begin(prepared, None)?;
    match finish_if_short(prepared, market, &mut lists)? {
        Ending::Answered(answer) => Ok(answer),
        Ending::Long(market) | Ending::Contended(market) => finish(prepared, market, &mut lists),
    }
}

/// Bids without increment over candidate lists, from what other methods have placed.
pub(crate) fn begin<'a>(
    prepared: &Prepared<'a>,
    placed: Option<Found>,
) -> Result<(Market, CandidateLists<'a>), Stop> {
    let prices = placed.as_ref().map_or_else(|| prepared.start(), |found| found.prices.clone());
    let mut lists = CandidateLists::new(prepared, width(prepared), &prices)?;
    let mut market = Market::new(prepared.jobs(), &prepared.capacities, prices);
    if let Some(found) = placed {
        for (i, (&r, &cost)) in found.resource_of.iter().zip(&found.cost_of).enumerate() {
            if r != NONE {
                market.place(i as u32, r, cost);
            }
        }
        market.release(&mut lists, 0.0, prepared)?;
    }
    market.reduce(&mut lists, 2 * prepared.jobs(), prepared)?;
    Ok((market, lists))
}

/// The result of paths within a budget.
pub(crate) enum Ending {
    Answered(Answer),
    /// Some jobs wait, and the next paths are long.
    Long(Market),
    /// So many jobs wait that no path was tried.
    Contended(Market),
}

/// Closes, but stops once the searches have read `budget` entries and more than an eighth of their jobs still
/// wait.
fn close_within(
    prepared: &Prepared<'_>,
    market: Market,
    lists: &mut CandidateLists<'_>,
    budget: u64,
) -> Result<(Ending, u64), Stop> {
    let mut closing = Closing::new(prepared, market, lists)?;
    let few = (closing.jobs() / FEW_LEFT).max(1);
    let is_closed = closing.go_on(budget, few, prepared, lists)?;
    let read = closing.read();
    let ending = match is_closed {
        true => Ending::Answered(closing.finish(prepared, lists)?),
        false => Ending::Long(closing.into_market()),
    };
    Ok((ending, read))
}

/// At most one job in so many is placed to the end without a limit of work.
const FEW_LEFT: usize = 8;

/// Bids with a small increment, then paths as long as they are short, from the result of bids without increment.
pub(crate) fn finish_if_short(
    prepared: &Prepared<'_>,
    mut market: Market,
    lists: &mut CandidateLists<'_>,
) -> Result<Ending, Stop> {
    let n = prepared.jobs();
    let waiting = market.waiting();
    let are_few = waiting * LEFT_FOR_LITTLE <= n;
    let many_ties = 2 * lists.ties() >= n;
    // The paths of the last jobs are the long ones; bids with a small increment shorten them. Not where many
    // costs of a row are equal: paths are short there.
    if prepared.is_tight() && waiting > 0 && are_few && !many_ties {
        let little = power_of_two(lists.spread() / (n as f64 / 16.0).clamp(32.0, 1024.0));
        if little >= least_felt(prepared) {
            let most = PhaseLimit { bids: BIDS_PER_JOB_LITTLE * n, work: u64::MAX };
            market.phase(lists, little, alone(prepared), most, prepared)?;
        }
    }
    // Where pairs are forbidden, paths show whether all jobs can be placed.
    let may_follow = match prepared.problem.is_one_to_one() {
        true => are_few || prepared.survey.forbidden,
        false => waiting * LEFT_FOR_PATHS <= n,
    };
    if !may_follow {
        return Ok(Ending::Contended(market));
    }
    let passes = if many_ties { FIRST_PASSES_TIES } else { FIRST_PASSES };
    Ok(close_within(prepared, market, lists, passes * prepared.source.all_entries())?.0)
}

/// A phase of the first epsilon. False where it would take too many bids: prices must rise far, and do so in
/// steps of epsilon.
fn first_phase(
    prepared: &Prepared<'_>,
    market: &mut Market,
    lists: &mut CandidateLists<'_>,
    epsilon: f64,
) -> Result<bool, Stop> {
    let waiting = market.waiting();
    let most = |bids: usize| PhaseLimit { bids: bids * prepared.jobs(), work: u64::MAX };
    if market.phase(lists, epsilon, alone(prepared), most(BIDS_PER_JOB_TRIED), prepared)? {
        return Ok(true);
    }
    if waiting.saturating_sub(market.waiting()) * PLACED_WHEN_TRIED < waiting {
        return Ok(false);
    }
    let rest = most(BIDS_PER_JOB_FIRST - BIDS_PER_JOB_TRIED);
    market.phase(lists, epsilon, alone(prepared), rest, prepared)
}

/// Where every place will be taken, phases of falling epsilon, with paths tried after each while they read
/// little beside the bids; then paths to the end.
pub(crate) fn finish(
    prepared: &Prepared<'_>,
    mut market: Market,
    lists: &mut CandidateLists<'_>,
) -> Result<Answer, Stop> {
    if !prepared.is_tight() {
        return close(prepared, market, lists);
    }
    let n = prepared.jobs();
    let many_ties = 2 * lists.ties() >= n;
    let least = least_felt(prepared).max(prepared.survey.step / (n as f64 + 1.0));
    // Where lists are full of ties they do not show how far costs differ.
    let greatest = power_of_two(prepared.survey.greatest / 4.0);
    let mut epsilon = if many_ties { greatest } else { power_of_two(2.0 * lists.spread()) };
    let mut highest = epsilon;
    let mut first_close = epsilon / 256.0;
    let (mut bidding, mut on_paths) = (FIRST_PASSES * prepared.source.all_entries(), 0);
    while epsilon > least {
        lists.slack = slack(prepared, epsilon);
        market.release(lists, epsilon, prepared)?;
        let before = market.spent(lists);
        let may_rise = epsilon == highest && epsilon < greatest;
        let ended = if may_rise {
            first_phase(prepared, &mut market, lists, epsilon)?
        } else {
            let most = PhaseLimit { bids: BIDS_PER_JOB_PHASE * n, work: u64::MAX };
            market.phase(lists, epsilon, alone(prepared), most, prepared)?
        };
        bidding += market.spent(lists) - before;
        lists.slack = 0.0;
        if !ended && may_rise {
            epsilon = (epsilon * EPSILON_RAISED).min(greatest);
            highest = epsilon;
            first_close = epsilon / 256.0;
            continue;
        }
        let left = (bidding / PATHS_SHARE).saturating_sub(on_paths);
        if epsilon <= first_close && left >= bidding / LEAST_SHARE {
            let (ending, read) = close_within(prepared, market, lists, left)?;
            on_paths += read;
            match ending {
                Ending::Answered(answer) => return Ok(answer),
                Ending::Long(left) | Ending::Contended(left) => market = left,
            }
        }
        epsilon /= EPSILON_FACTOR;
    }
    close(prepared, market, lists)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::watch::Watch;
    use crate::{AssignmentProblem, Costs};

    /// All want the quick resources: prices rise by far more than the differences within a list.
    #[test]
    fn a_first_phase_of_too_small_an_epsilon_is_left_early() {
        let n = 200;
        let of = |k: usize| 1.0 + (k * 7919 % 1009) as f64;
        let values: Vec<f64> = (0..n * n).map(|k| (1e6 * of(k / n) / of(k % n + n)).round()).collect();
        let problem = AssignmentProblem::new(Costs::dense(n, n, &values).unwrap());
        let prepared = Prepared::new(&problem, Watch::NONE).ok().unwrap();
        let run = |epsilon: f64| {
            let prices = prepared.start();
            let mut lists = CandidateLists::new(&prepared, 16, &prices).ok().unwrap();
            let mut market = Market::new(n, &prepared.capacities, prices);
            let ended = first_phase(&prepared, &mut market, &mut lists, epsilon).ok().unwrap();
            (ended, market.bids, market.waiting())
        };
        let greatest = power_of_two(prepared.survey.greatest);
        let (ended, bids, waiting) = run(greatest / 65_536.0);
        assert!(!ended && bids == BIDS_PER_JOB_TRIED * n && waiting > 0, "{bids} {waiting}");
        let (ended, bids, waiting) = run(greatest / 4.0);
        assert!(ended && waiting == 0, "{bids} {waiting}");
    }
}
