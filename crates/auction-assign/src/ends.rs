//! How the methods over candidate lists begin, and how they end.

use crate::exact;
use crate::frame::{Found, Frame};
use crate::lists::Lists;
use crate::market::Market;
use crate::paths::Search;
use crate::state::State;
use crate::{Answer, AssignError, Problem};

/// Checks a problem, and has it solved from an empty market at the prices to start from.
pub(crate) fn open(
    problem: &Problem<'_>,
    solve: impl FnOnce(&Frame<'_>, Market, &mut Lists<'_, '_>) -> Answer,
) -> Result<Answer, AssignError> {
    let frame = match Frame::new(problem)? {
        Ok(frame) => frame,
        Err(shortage) => return Ok(Answer::Infeasible(shortage)),
    };
    if frame.jobs() == 0 {
        return Ok(frame.finish(Found::nothing(&frame)));
    }
    let prices = frame.start();
    let mut lists = Lists::new(&frame.source, frame.void, width(&frame), &prices);
    let market = Market::new(frame.jobs(), &frame.capacities, prices);
    Ok(solve(&frame, market, &mut lists))
}

/// Offers per candidate list: what a row of many entries can afford, and what one of few needs.
pub(crate) fn width(frame: &Frame<'_>) -> usize {
    if frame.source.is_sparse() { 8 } else { 16 }
}

/// What a job without a second choice offers beyond the price: more than any difference of costs.
pub(crate) fn alone(frame: &Frame<'_>) -> f64 {
    4.0 * power_of_two(frame.survey.greatest.max(1e-300))
}

/// What a price beside the greatest cost can well be raised by: less is lost in rounding.
pub(crate) fn least_felt(frame: &Frame<'_>) -> f64 {
    (frame.survey.greatest * 2f64.powi(-36)).max(f64::MIN_POSITIVE)
}

/// The greatest power of two not above a positive number.
pub(crate) fn power_of_two(value: f64) -> f64 {
    if value < f64::MIN_POSITIVE {
        f64::MIN_POSITIVE
    } else {
        f64::from_bits(value.to_bits() & (0x7ff << 52))
    }
}

/// From any prices to the exact answer: keeps who stands at the cheapest offer, places all others along shortest paths,
/// and brings free places to the common level.
pub(crate) fn close(frame: &Frame<'_>, market: Market, lists: &mut Lists<'_, '_>) -> Answer {
    match close_within(frame, market, lists, usize::MAX) {
        Ok(answer) => answer,
        // Nothing exceeds the greatest number there is; the market is as good a start again.
        Err(market) => close(frame, market, lists),
    }
}

/// As [`close`], but gives up, with what was reached, once the searches have scanned `budget` resources and more than an
/// eighth of the jobs they were to place still wait.
#[allow(clippy::result_large_err)] // the market goes on in the caller; moving it once costs nothing beside a search
pub(crate) fn close_within(
    frame: &Frame<'_>,
    mut market: Market,
    lists: &mut Lists<'_, '_>,
    budget: usize,
) -> Result<Answer, Market> {
    market.release(lists, 0.0);
    market.reduce(lists, 2 * frame.jobs());
    market.release(lists, 0.0);
    let finest = market.finest;
    let (mut state, waiting) = market.into_state();
    let mut search = Search::new(&state);
    for (done, &job) in waiting.iter().enumerate() {
        if search.scanned_so_far > budget && done * 8 < waiting.len() * 7 {
            return Err(Market::from_state(state, finest));
        }
        if let Err(shortage) = search.augment(job, &mut state, lists) {
            return Ok(Answer::Infeasible(shortage));
        }
    }
    if !frame.is_tight() {
        search.settle(&mut state, lists);
    }
    let State { resource_of, cost_of, prices, .. } = state;
    let found = Found { resource_of, cost_of, prices, finest };
    Ok(exact::finish(frame, found, Some(lists)))
}
