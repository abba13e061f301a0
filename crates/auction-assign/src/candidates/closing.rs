//! From bids without increment over lists to the answer: bids with a small increment, then all waiting jobs along
//! shortest paths, one after another.

use crate::Answer;
use crate::candidates::drive::{ByPaths, alone, least_felt, power_of_two, width};
use crate::candidates::lists::CandidateLists;
use crate::candidates::market::Market;
use crate::candidates::paths::Search;
use crate::candidates::state::State;
use crate::kernel::NONE;
use crate::kernel::exact;
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::stop::Stop;

/// Bids with a small increment follow where bids without increment leave at most one job in so many unplaced.
const LEFT_FOR_LITTLE: usize = 8;

/// Bids per job in that phase, after which it is interrupted.
const BIDS_PER_JOB: usize = 16;

/// Bids without increment over candidate lists, from what other methods have placed, and bids with a small one.
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
    let n = prepared.jobs();
    market.reduce(&mut lists, 2 * n, prepared)?;
    let waiting = market.waiting();
    // The paths of the last jobs are the long ones; bids with a small increment shorten them. Not where many
    // costs of a row are equal: paths are short there.
    let suits = prepared.is_tight() && waiting > 0 && waiting * LEFT_FOR_LITTLE <= n;
    if suits && 2 * lists.ties() < n {
        let little = power_of_two(lists.spread() / (n as f64 / 16.0).clamp(32.0, 1024.0));
        if little >= least_felt(prepared) {
            market.phase(&mut lists, little, alone(prepared), BIDS_PER_JOB * n, prepared)?;
        }
    }
    Ok((market, lists))
}

/// From any prices to the exact answer: keeps the jobs that pay their least value, places all others along
/// shortest paths, and brings free places to the common level.
pub(crate) fn close(
    prepared: &Prepared<'_>,
    mut market: Market,
    lists: &mut CandidateLists<'_>,
) -> Result<Answer, Stop> {
    keep(prepared, &mut market, lists)?;
    follow(prepared, market, lists)
}

/// Keeps the jobs that pay their least value, at one price per resource; the others wait.
pub(crate) fn keep(
    prepared: &Prepared<'_>,
    market: &mut Market,
    lists: &mut CandidateLists<'_>,
) -> Result<(), Stop> {
    market.release(lists, 0.0, prepared)?;
    market.reduce(lists, 2 * prepared.jobs(), prepared)?;
    market.release(lists, 0.0, prepared)
}

/// The answer by shortest paths, from a market of those that are kept.
pub(crate) fn follow(
    prepared: &Prepared<'_>,
    market: Market,
    lists: &mut CandidateLists<'_>,
) -> Result<Answer, Stop> {
    let least_raise = market.least_raise;
    let (mut state, waiting) = market.into_state();
    let mut search = Search::new(&state);
    for job in waiting {
        prepared.look(&state.resource_of, &state.prices)?;
        search.augment(job, &mut state, lists, prepared.watch)?;
    }
    if !prepared.is_tight() {
        search.settle(&mut state, lists, prepared.watch)?;
    }
    let State { resource_of, cost_of, prices, .. } = state;
    let found = Found { resource_of, cost_of, prices, least_raise };
    prepared.look(&found.resource_of, &found.prices)?;
    exact::finish(prepared, found, ByPaths(lists))
}
