//! Bertsekas' auction with epsilon-scaling.
//!
//! D. P. Bertsekas, The auction algorithm: a distributed relaxation method for the assignment problem (1988);
//! D. P. Bertsekas, D. A. Castañón, The auction algorithm for the transportation problem (1989), for resources of many
//! places; D. P. Bertsekas, Linear Network Optimization (1991), for scaling.
//!
//! Deviations: bids go by the candidate lists of this crate instead of whole rows, which changes no price; a bid goes up to
//! the second best *resource*, not the next place of the same one; jobs within epsilon of their best keep their place from
//! phase to phase; after the last phase shortest augmenting paths close the remaining gap, so that the answer is exact
//! and not only within epsilon.

use crate::exact;
use crate::frame::{Found, Frame};
use crate::lists::Lists;
use crate::market::Market;
use crate::paths::Search;
use crate::state::State;
use crate::{Answer, AssignError, Assigner, Problem, matching};

/// The auction: unplaced jobs bid for the place where cost + price is least, and raise its price by as much as their
/// second choice is worse, and by epsilon; phases with falling epsilon, each from the prices of the one before.
///
/// Prefer it where costs are spread like distances and shortest paths would be long. Guarantee: exact (see
/// [`Assigner`]); with [`without_closing`](Self::without_closing), within `(jobs + free places) * epsilon` of the optimum, for the last
/// epsilon. Time: O(log(jobs * range / step)) phases, in practice of a few bids per job; space
/// O(jobs + resources). Ties: the first in a fixed order that begins at another resource for each job.
///
/// ```
/// use auction_assign::{Assigner, Auction, Costs, Problem};
/// // The cheapest pair, job 0 on resource 0, would force job 1 to pay 9.
/// let costs = Costs::dense(2, 2, &[1.0, 2.0, 3.0, 9.0])?;
/// let answer = Auction::default().assign(&Problem::new(costs))?;
/// let assignment = answer.assignment().unwrap();
/// assert_eq!(assignment.resources, [Some(1), Some(0)]);
/// assert_eq!(assignment.total, 5.0);
/// # Ok::<(), auction_assign::AssignError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Auction {
    factor: f64,
    last: Option<f64>,
    closing: bool,
}

impl Default for Auction {
    fn default() -> Self {
        Self { factor: 8.0, last: None, closing: true }
    }
}

impl Auction {
    /// Epsilon falls by this factor from phase to phase; 8 unless told, at least 2. It is rounded up to a power of two,
    /// so that prices of whole costs stay whole multiples of epsilon.
    pub fn with_factor(self, factor: f64) -> Self {
        Self { factor: if factor >= 2.0 { factor.min(1e9) } else { 2.0 }, ..self }
    }

    /// The last epsilon, rounded down to a power of two; unless told, so small that whole costs give an exact answer.
    pub fn with_last_epsilon(self, epsilon: f64) -> Self {
        Self { last: (epsilon > 0.0 && epsilon.is_finite()).then_some(epsilon), ..self }
    }

    /// Stops after the last phase, as the plain auction does.
    pub fn without_closing(self) -> Self {
        Self { closing: false, ..self }
    }
}

impl Assigner for Auction {
    fn name(&self) -> &'static str {
        "auction"
    }

    fn assign(&self, problem: &Problem<'_>) -> Result<Answer, AssignError> {
        let frame = match Frame::new(problem)? {
            Ok(frame) => frame,
            Err(shortage) => return Ok(Answer::Infeasible(shortage)),
        };
        if frame.jobs() == 0 {
            return Ok(frame.finish(Found::nothing(&frame)));
        }
        // Bidding alone would never end where somebody cannot be placed.
        let feasible = frame.void.is_some()
            || !frame.survey.forbidden
            || matching::greatest(&frame.source, &frame.capacities) == frame.jobs();
        let mut lists = Lists::new(&frame.source, frame.void, width(&frame), &frame.start());
        let mut market = Market::new(frame.jobs(), &frame.capacities, frame.start());
        if feasible {
            let mut epsilon = power_of_two(frame.survey.greatest / 4.0).max(self.least(&frame));
            let last = self.last.map_or(0.0, power_of_two).max(self.least(&frame));
            let factor = 2.0 * power_of_two(self.factor * 0.999_999);
            loop {
                market.release(&mut lists, epsilon);
                market.phase(&mut lists, epsilon, alone(&frame), usize::MAX);
                if !self.closing {
                    market.level(&mut lists, epsilon, alone(&frame));
                }
                if epsilon <= last {
                    break;
                }
                epsilon = (epsilon / factor).max(last);
            }
            if !self.closing {
                return Ok(frame.finish_approximate(market.into_found()));
            }
        }
        Ok(close(&frame, market, &mut lists))
    }
}

impl Auction {
    /// The least epsilon that ends with the exact answer on a grid of costs, and that prices can still be raised by.
    fn least(&self, frame: &Frame<'_>) -> f64 {
        let places: f64 = frame.capacities.iter().map(|&c| f64::from(c)).sum();
        let fine = frame.survey.step / (places.max(frame.jobs() as f64) + 1.0);
        let coarse = frame.survey.greatest * 2f64.powi(-36);
        power_of_two(fine.max(coarse).max(f64::MIN_POSITIVE))
    }
}

/// Offers per candidate list: what a row of many entries can afford, and what one of few needs.
pub(crate) fn width(frame: &Frame<'_>) -> usize {
    if frame.source.is_sparse() { 8 } else { 16 }
}

/// What a job without a second choice offers beyond the price: more than any difference of costs.
pub(crate) fn alone(frame: &Frame<'_>) -> f64 {
    4.0 * power_of_two(frame.survey.greatest.max(1e-300))
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
