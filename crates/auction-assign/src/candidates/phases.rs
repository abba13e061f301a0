//! Bids with falling epsilon and shortest paths in turn, as the work of each decides: the last part of the
//! automatic choice.

use crate::Answer;
use crate::candidates::closing::{Closing, close};
use crate::candidates::drive::{alone, least_felt, power_of_two};
use crate::candidates::lists::CandidateLists;
use crate::candidates::market::{Market, PhaseLimit};
use crate::kernel::prepared::Prepared;
use crate::kernel::stop::Stop;

/// Epsilons by which an unlisted resource may be better than the second best of a list while a phase goes on.
const SLACK: f64 = 4.0;

/// Bids with a small increment follow where bids without increment leave at most one job in so many unplaced.
const LEFT_FOR_LITTLE: usize = 8;

/// Where another method waits for its turn, or there is none and resources hold several jobs: paths come
/// before it if bids without increment leave at most one job in so many unplaced; and, where some places stay
/// free, an auction from scratch comes before both unless bids have placed one job in so many. The more jobs
/// are left, the more contended the places are, and the longer are paths.
const LEFT_FOR_PATHS: usize = 4;
const PLACED_FOR_RIVAL: usize = 10;

/// The work that may be predicted for paths directly after bids without increment, in sparse rows of one
/// place each, per job where a row had one entry, and in all. The shorter the rows, the more work bids with a
/// small increment take beside paths; the more jobs, the less.
const SHORT_PATHS_PER_JOB: u64 = 1500;
const SHORT_PATHS: u64 = 150_000;

/// By how much epsilon falls from phase to phase.
const EPSILON_FACTOR: f64 = 8.0;

/// Epsilons by which prices are lowered after a phase where places are left over: the more, the fewer free
/// places stay overpriced, and the more bids bring the other prices back. Less where the last phase took more
/// than so many bids per job, more where more than one free place for so many jobs stayed overpriced.
const FIRST_LOWERED: f64 = 2.0;
const MOST_LOWERED: f64 = 4.0;
const LEAST_LOWERED: f64 = 1.0;
const BIDS_PER_JOB_LOWERED: usize = 12;
const OVERPRICED_SHARE: u64 = 8;

/// Passes over the costs that the first shortest paths may take before the auction goes on, and where lists
/// are full of ties, so that bids gain little.
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

/// Another method for the same problem: it continues until it has read so many entries in all, and returns
/// its answer if it has one.
pub(crate) type GoOn<'r> = dyn FnMut(u64) -> Result<Option<Answer>, Stop> + 'r;

/// A method that was interrupted, and continues whenever bids and paths have read twice as much as it has.
/// The first answer ends both, so that neither adds more than its share of work.
pub(crate) struct Rival<'r> {
    go_on: &'r mut GoOn<'r>,
    /// Entries that it may have read so far.
    limit: u64,
    /// Whether it has not begun.
    waits: bool,
}

impl<'r> Rival<'r> {
    pub(crate) fn new(go_on: &'r mut GoOn<'r>, limit: u64) -> Self {
        Self { go_on, limit, waits: false }
    }

    /// One that has not begun, and may read so much in its first turn.
    pub(crate) fn waiting(go_on: &'r mut GoOn<'r>, limit: u64) -> Self {
        Self { go_on, limit, waits: true }
    }

    /// Whether there is no other method.
    fn never_begins(&self) -> bool {
        self.limit == u64::MAX
    }

    /// Its first turn.
    fn begin(&mut self) -> Result<Option<Answer>, Stop> {
        self.waits = false;
        (self.go_on)(self.limit)
    }

    /// Continues the method if it is its turn, after so much work of others.
    fn catch_up(&mut self, others: u64) -> Result<Option<Answer>, Stop> {
        if others < self.limit.saturating_mul(2) {
            return Ok(None);
        }
        self.waits = false;
        self.limit = others;
        (self.go_on)(others)
    }
}

/// The result of paths within a budget.
enum Ending {
    Answered(Answer),
    Unfinished(Box<Closing>),
}

/// Closes, but stops once the searches have read `budget` entries and more than an eighth of their jobs still
/// wait.
fn close_within(
    prepared: &Prepared<'_>,
    market: Market,
    lists: &mut CandidateLists<'_>,
    budget: u64,
) -> Result<Ending, Stop> {
    let mut closing = Closing::new(prepared, market, lists)?;
    let few = (closing.jobs() / FEW_LEFT).max(1);
    if closing.go_on(budget, few, prepared, lists)? {
        closing.finish(prepared, lists).map(Ending::Answered)
    } else {
        Ok(Ending::Unfinished(Box::new(closing)))
    }
}

/// At most one job in so many is placed to the end without a limit of work.
const FEW_LEFT: usize = 8;

/// What paths may be foretold to read for them to be followed before any other bids.
fn short_paths(prepared: &Prepared<'_>) -> u64 {
    let (n, entries) = (prepared.jobs() as u64, prepared.source.all_entries());
    (SHORT_PATHS_PER_JOB * n * n / entries.max(1)).min(SHORT_PATHS)
}

/// What is known of a problem before bids over lists.
#[derive(Clone, Copy, Default)]
pub(crate) struct Begun {
    /// Whether prices are those of a ranking.
    pub(crate) is_ranked: bool,
    /// Whether paths over whole rows were begun from these prices, and left: mostly because they were predicted
    /// to take long.
    pub(crate) paths_are_long: bool,
}

/// From the result of bids without increment to the answer.
pub(crate) fn finish(
    prepared: &Prepared<'_>,
    mut market: Market,
    lists: &mut CandidateLists<'_>,
    begun: Begun,
    mut rival: Rival<'_>,
) -> Result<Answer, Stop> {
    let n = prepared.jobs();
    let mut waiting = market.waiting();
    let are_few = waiting * LEFT_FOR_LITTLE <= n;
    let many_ties = 2 * lists.ties() >= n;
    let spread = lists.spread();
    if prepared.is_tight() && are_few && prepared.source.is_sparse() && prepared.problem.is_one_to_one() {
        let mut closing = Closing::after_bids(prepared, market);
        if closing.go_on_if_short(short_paths(prepared), prepared, lists)? {
            return closing.finish(prepared, lists);
        }
        market = closing.into_market();
        waiting = market.waiting();
    }
    // The paths of the last jobs are the long ones; bids with a small increment shorten them. Not where a
    // ranking is nearly optimal or many costs of a row are equal: paths are short there.
    if prepared.is_tight()
        && !begun.is_ranked
        && !begun.paths_are_long
        && waiting > 0
        && are_few
        && !many_ties
    {
        let little = power_of_two(spread / (n as f64 / 16.0).clamp(32.0, 1024.0));
        if little >= least_felt(prepared) {
            let most = PhaseLimit { bids: BIDS_PER_JOB_LITTLE * n, work: u64::MAX };
            market.phase(lists, little, alone(prepared), most, prepared)?;
        }
    }
    let passes = if many_ties { FIRST_PASSES_TIES } else { FIRST_PASSES };
    let budget = passes * prepared.source.all_entries();
    // Where resources hold several jobs each, an auction from scratch takes no more bids than one from here.
    let shares_places = !prepared.problem.is_one_to_one() && prepared.is_tight();
    if shares_places && rival.never_begins() && waiting * LEFT_FOR_PATHS > n {
        let mut closing = Closing::after_bids(prepared, market);
        if closing.go_on_if_short(budget, prepared, lists)? {
            return closing.finish(prepared, lists);
        }
        market = closing.into_market();
        prepared.watch.prefer_other()?;
    }
    // One to one, many paths from poor prices are long. Where pairs are forbidden, paths show whether all
    // jobs can be placed.
    let may_follow = are_few || prepared.survey.forbidden || !prepared.problem.is_one_to_one();
    if may_follow && !begun.paths_are_long && (!rival.waits || waiting * LEFT_FOR_PATHS <= n) {
        match close_within(prepared, market, lists, budget)? {
            Ending::Answered(answer) => return Ok(answer),
            Ending::Unfinished(closing) => market = closing.into_market(),
        }
    }
    if rival.waits {
        if waiting * LEFT_FOR_PATHS > n && (prepared.is_tight() || (n - waiting) * PLACED_FOR_RIVAL < n) {
            prepared.watch.prefer_other()?;
        }
        if let Some(answer) = rival.begin()? {
            return Ok(answer);
        }
    }
    // Where lists are full of ties they do not show how far costs differ.
    let greatest = prepared.survey.greatest / 4.0;
    bid_in_phases(
        prepared,
        market,
        lists,
        power_of_two(if many_ties { greatest } else { 2.0 * spread }),
        budget,
        rival,
    )
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

/// Phases of falling epsilon, with paths tried after each while they read little beside the bids.
fn bid_in_phases(
    prepared: &Prepared<'_>,
    mut market: Market,
    lists: &mut CandidateLists<'_>,
    first: f64,
    mut bidding: u64,
    mut rival: Rival<'_>,
) -> Result<Answer, Stop> {
    let n = prepared.jobs();
    if prepared.is_tight() && prepared.problem.is_one_to_one() {
        // As the auction from scratch.
        prepared.watch.resemble_other();
    }
    let least = least_felt(prepared).max(prepared.survey.step / (n as f64 + 1.0));
    let greatest = power_of_two(prepared.survey.greatest / 4.0);
    let (mut epsilon, mut highest) = (first, first);
    let mut first_close = epsilon / 256.0;
    let mut on_paths = 0;
    let mut lowering = FIRST_LOWERED;
    while epsilon > least {
        lists.slack = slack(prepared, epsilon);
        market.release(lists, epsilon, prepared)?;
        let before = market.spent(lists);
        let bids_before = market.bids;
        let may_rise = epsilon == highest && epsilon < greatest;
        let ended = if may_rise {
            first_phase(prepared, &mut market, lists, epsilon)?
        } else {
            let most = PhaseLimit { bids: BIDS_PER_JOB_PHASE * n, work: u64::MAX };
            market.phase(lists, epsilon, alone(prepared), most, prepared)?
        };
        bidding += market.spent(lists) - before;
        lists.slack = 0.0;
        if !prepared.is_tight() && ended {
            // Places bid for and left again are overpriced now: by no more than some epsilons.
            market.lower(lowering * epsilon, 0.0);
            lists.renew(&market.prices, prepared.watch)?;
            let overpriced = market.overpriced_places();
            if overpriced * OVERPRICED_SHARE > n as u64 {
                lowering = (2.0 * lowering).min(MOST_LOWERED);
            } else if market.bids - bids_before > BIDS_PER_JOB_LOWERED * n {
                lowering = (lowering / 2.0).max(LEAST_LOWERED);
            }
        }
        if let Some(answer) = rival.catch_up(bidding + on_paths)? {
            return Ok(answer);
        }
        if !ended && may_rise {
            epsilon = (epsilon * EPSILON_RAISED).min(greatest);
            highest = epsilon;
            first_close = epsilon / 256.0;
            continue;
        }
        let left = (bidding / PATHS_SHARE).saturating_sub(on_paths);
        if epsilon <= first_close && left >= bidding / LEAST_SHARE {
            match close_within(prepared, market, lists, left)? {
                Ending::Answered(answer) => return Ok(answer),
                Ending::Unfinished(closing) => {
                    on_paths += closing.read();
                    market = closing.into_market();
                }
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
    use crate::{Costs, Problem};

    /// All want the quick resources: prices rise by far more than the differences within a list.
    #[test]
    fn a_first_phase_of_too_small_an_epsilon_is_left_early() {
        let n = 200;
        let of = |k: usize| 1.0 + (k * 7919 % 1009) as f64;
        let values: Vec<f64> = (0..n * n).map(|k| (1e6 * of(k / n) / of(k % n + n)).round()).collect();
        let problem = Problem::new(Costs::dense(n, n, &values).unwrap());
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
