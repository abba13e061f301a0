//! How the methods over candidate lists begin, and how they end.

use crate::candidates::lists::CandidateLists;
use crate::candidates::market::Market;
use crate::candidates::paths::Search;
use crate::candidates::state::State;
use crate::candidates::whole_rows::WholeRowSearch;
use crate::kernel::exact::{self, Repair};
use crate::kernel::number::{Number, Unit};
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::source::Source;
use crate::kernel::stop::{Stop, answer};
use crate::kernel::watch::Watch;
use crate::{Answer, AssignError, Coverage, Problem};

/// Checks a problem, and has it solved from an empty market at the prices to start from.
pub(crate) fn open(
    problem: &Problem<'_>,
    solve: impl FnOnce(&Prepared<'_>, Market, &mut CandidateLists<'_>) -> Result<Answer, Stop>,
) -> Result<Answer, AssignError> {
    let run = || {
        let prepared = Prepared::new(problem, Watch::NONE)?;
        if prepared.jobs() == 0 {
            return Ok(prepared.finish(Found::nothing(&prepared)));
        }
        let prices = prepared.start();
        let mut lists = CandidateLists::new(&prepared, width(&prepared), &prices)?;
        let market = Market::new(prepared.jobs(), &prepared.capacities, prices);
        solve(&prepared, market, &mut lists)
    };
    answer(run())
}

/// Checks a problem in which places are left over, and lists the cheapest resources of each job in the same pass where that
/// can be done.
pub(crate) fn survey_and_list<'a>(
    problem: &Problem<'a>,
    watch: Watch<'a>,
) -> Result<(Prepared<'a>, Option<CandidateLists<'a>>), Stop> {
    let optional = matches!(problem.coverage(), Coverage::Optional { .. });
    if problem.jobs() > 0 && !optional && !Source::new(problem).is_sparse() {
        // Few want the same where there is so much to choose from.
        let width = if problem.resources() >= 2 * problem.jobs() { FEW_OFFERS } else { MANY_OFFERS };
        if let Some((survey, lists)) = CandidateLists::surveyed(problem, width, watch)? {
            return Ok((Prepared::of(problem, survey, watch)?, Some(lists)));
        }
    }
    Ok((Prepared::without_columns(problem, watch)?, None))
}

/// Offers per candidate list: what a row of many entries can afford, and what one of few needs.
pub(crate) fn width(prepared: &Prepared<'_>) -> usize {
    if prepared.source.is_sparse() { FEW_OFFERS } else { MANY_OFFERS }
}

const FEW_OFFERS: usize = 8;
const MANY_OFFERS: usize = 16;

/// What a job without a second choice offers beyond the price: more than any difference of costs.
pub(crate) fn alone(prepared: &Prepared<'_>) -> f64 {
    4.0 * power_of_two(prepared.survey.greatest.max(1e-300))
}

/// What a price beside the greatest cost can well be raised by: less is lost in rounding.
pub(crate) fn least_felt(prepared: &Prepared<'_>) -> f64 {
    (prepared.survey.greatest * 2f64.powi(-36)).max(f64::MIN_POSITIVE)
}

/// The greatest power of two not above a positive number.
pub(crate) fn power_of_two(value: f64) -> f64 {
    if value < f64::MIN_POSITIVE {
        f64::MIN_POSITIVE
    } else {
        f64::from_bits(value.to_bits() & (0x7ff << 52))
    }
}

/// What a search within a budget came to.
pub(crate) enum Ending {
    /// It came to its end.
    Answered(Answer),
    /// The budget was spent; this is how far it came.
    Unfinished {
        market: Box<Market>,
        /// What the searches have read.
        read: u64,
    },
}

/// From any prices to the exact answer: keeps who stands at the cheapest offer, places all others along shortest paths,
/// and brings free places to the common level.
pub(crate) fn close(
    prepared: &Prepared<'_>,
    mut market: Market,
    lists: &mut CandidateLists<'_>,
) -> Result<Answer, Stop> {
    loop {
        // Nothing exceeds the greatest number there is, so that this ends at once.
        match close_within(prepared, market, lists, u64::MAX)? {
            Ending::Answered(answer) => return Ok(answer),
            Ending::Unfinished { market: rest, .. } => market = *rest,
        }
    }
}

/// As [`close`], but gives up, with what was reached, once the searches have read `budget` entries and more than an
/// eighth of the jobs they were to place still wait.
pub(crate) fn close_within(
    prepared: &Prepared<'_>,
    mut market: Market,
    lists: &mut CandidateLists<'_>,
    budget: u64,
) -> Result<Ending, Stop> {
    market.release(lists, 0.0, prepared)?;
    market.reduce(lists, 2 * prepared.jobs(), prepared)?;
    market.release(lists, 0.0, prepared)?;
    let least_raise = market.least_raise;
    let (mut state, waiting) = market.into_state();
    let mut paths = Paths::new(&state, prepared);
    for (done, &job) in waiting.iter().enumerate() {
        if paths.work > budget && done * 8 < waiting.len() * 7 {
            let market = Box::new(Market::from_state(state, least_raise));
            return Ok(Ending::Unfinished { market, read: paths.work });
        }
        prepared.look(&state.resource_of, &state.prices)?;
        paths.augment(job, &mut state, lists, prepared)?;
    }
    if !prepared.is_tight() {
        paths.by_lists.settle(&mut state, lists, prepared.watch)?;
    }
    let State { resource_of, cost_of, prices, .. } = state;
    let found = Found { resource_of, cost_of, prices, least_raise };
    prepared.look(&found.resource_of, &found.prices)?;
    exact::finish(prepared, found, ByPaths(lists)).map(Ending::Answered)
}

/// Both searches for shortest augmenting paths: which of them a job is placed by is decided by what they have cost.
struct Paths {
    by_lists: Search<f64>,
    by_rows: WholeRowSearch,
    /// What a path by lists, and one by rows, has cost lately.
    cost: [u64; 2],
    /// Paths until the dearer search is tried again, and how many there were before it was tried the last time.
    until_trial: u32,
    pause: u32,
    work: u64,
}

/// The second path, and then ever fewer, are tried by the search that was the dearer, which may read so many times what the
/// other does.
const FIRST_TRIAL: u32 = 2;
const FIRST_PAUSE: u32 = 8;
const LONGEST_PAUSE: u32 = 64;
const MOST_OF_TRIAL: u64 = 4;

/// Rows whose entries the first path by lists may read.
const FIRST_ROWS: u64 = 64;

impl Paths {
    fn new(state: &State<f64>, prepared: &Prepared<'_>) -> Self {
        // Reading whole rows of lists of few, or those of all jobs of a large resource, is never the better.
        let by_rows = !prepared.source.is_sparse() && prepared.jobs() < 2 * state.prices.len();
        let first_trial = if by_rows { FIRST_TRIAL } else { u32::MAX };
        Self {
            by_lists: Search::new(state),
            by_rows: WholeRowSearch::new(state.prices.len()),
            cost: [0; 2],
            until_trial: first_trial,
            pause: FIRST_PAUSE,
            work: 0,
        }
    }

    fn augment(
        &mut self,
        job: u32,
        state: &mut State<f64>,
        lists: &mut CandidateLists<'_>,
        prepared: &Prepared<'_>,
    ) -> Result<(), Stop> {
        // What was never tried has cost nothing yet.
        let better = usize::from(self.by_rows.work > 0 && self.cost[1] < self.cost[0]);
        self.until_trial -= 1;
        let is_trial = self.until_trial == 0;
        if is_trial {
            let budget = MOST_OF_TRIAL * self.cost[better];
            let placed = self.augment_by(1 - better, job, state, lists, prepared, budget)?;
            let won = placed && self.cost[1 - better] < self.cost[better];
            self.pause = if won { FIRST_PAUSE } else { (self.pause * 2).min(LONGEST_PAUSE) };
            self.until_trial = self.pause;
            if placed {
                return Ok(());
            }
        }
        // The first path by lists shows what they cost; where they are of no use it could be very long.
        let first = self.by_rows.work == 0 && self.until_trial < u32::MAX / 2;
        let budget = if first { FIRST_ROWS * state.prices.len() as u64 } else { u64::MAX };
        if !self.augment_by(better, job, state, lists, prepared, budget)? {
            self.augment_by(1 - better, job, state, lists, prepared, u64::MAX)?;
        }
        Ok(())
    }

    /// By lists (0) or by whole rows (1); false if the budget did not suffice, and nothing has changed.
    fn augment_by(
        &mut self,
        chosen: usize,
        job: u32,
        state: &mut State<f64>,
        lists: &mut CandidateLists<'_>,
        prepared: &Prepared<'_>,
        budget: u64,
    ) -> Result<bool, Stop> {
        let before = self.by_lists.work + lists.work + self.by_rows.work;
        let placed = if chosen == 0 {
            self.by_lists.augment_within(job, state, lists, budget, prepared.watch)?
        } else {
            let placed = self.by_rows.augment(job, state, prepared, budget)?;
            for &(job, resource, _) in self.by_rows.path.iter().filter(|_| placed) {
                self.by_lists.note_placed(job, resource, state);
            }
            placed
        };
        let spent = self.by_lists.work + lists.work + self.by_rows.work - before;
        self.work += spent;
        // Half of what is remembered is the last path; the longest paths come last.
        self.cost[chosen] = (self.cost[chosen] + spent).div_ceil(2);
        Ok(placed)
    }
}

/// The answer from an assignment found without lists, in which every job stands right but for rounding.
pub(crate) fn finish_ranked(prepared: &Prepared<'_>, found: Found) -> Result<Answer, Stop> {
    if prepared.sums_are_exact(&found) {
        return Ok(prepared.finish(found));
    }
    let mut lists = CandidateLists::new(prepared, width(prepared), &found.prices)?;
    exact::finish(prepared, found, ByPaths(&mut lists))
}

/// As [`finish_ranked`], where there are lists.
pub(crate) fn finish_listed(
    prepared: &Prepared<'_>,
    found: Found,
    lists: &mut CandidateLists<'_>,
) -> Result<Answer, Stop> {
    exact::finish(prepared, found, ByPaths(lists))
}

/// Places again along shortest paths.
struct ByPaths<'l, 'a>(&'l mut CandidateLists<'a>);

impl Repair for ByPaths<'_, '_> {
    fn repair<N: Number>(
        self,
        prepared: &Prepared<'_>,
        found: Found<N>,
        unit: Unit,
    ) -> Result<Found<N>, Stop> {
        let lists = self.0;
        let Found { resource_of, cost_of, prices, least_raise } = found;
        let mut state = State::new(resource_of.len(), prepared.capacities.clone(), prices, unit);
        lists.epoch += 1;
        let mut waiting = Vec::new();
        let mut seen = lists.work;
        for (i, (&r, &cost)) in resource_of.iter().zip(&cost_of).enumerate() {
            prepared.watch.spend_since(&mut seen, lists.work)?;
            if is_cheaper(i, state.value(cost, r), &state, lists) {
                waiting.push(i as u32);
            } else {
                state.place(i as u32, r, cost);
            }
        }
        let mut search = Search::new(&state);
        for job in waiting {
            search.augment(job, &mut state, lists, prepared.watch)?;
        }
        if !prepared.is_tight() {
            search.settle(&mut state, lists, prepared.watch)?;
        }
        Ok(Found {
            resource_of: state.resource_of,
            cost_of: state.cost_of,
            prices: state.prices,
            least_raise,
        })
    }
}

/// Whether a job has an offer below what it pays.
fn is_cheaper<N: Number>(i: usize, paid: N, state: &State<N>, lists: &mut CandidateLists<'_>) -> bool {
    loop {
        for offer in lists.of(i) {
            if N::at_least(offer.key, state.unit) >= paid {
                break;
            }
            if state.value(offer.cost, offer.resource) < paid {
                return true;
            }
        }
        if N::at_least(lists.bound(i), state.unit) >= paid {
            return false;
        }
        if !lists.stale(i) {
            break;
        }
        lists.refill(i, &state.view);
    }
    let mut cheaper = false;
    lists.every(i, &state.view, paid.limit(state.unit), |r, cost| {
        cheaper |= state.value(cost, r) < paid;
    });
    cheaper
}
