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

use crate::candidates::drive::{alone, close, least_felt, open, power_of_two};
use crate::candidates::lists::CandidateLists;
use crate::candidates::market::Market;
use crate::candidates::phases::slack;
use crate::kernel::matching;
use crate::kernel::prepared::Prepared;
use crate::kernel::stop::Stop;
use crate::{Answer, AssignError, Assigner, Problem};

/// The auction: unplaced jobs bid for the place where cost + price is least, and raise its price by epsilon more than
/// the difference to their second choice. It runs in phases with falling epsilon, each from the prices of the one
/// before.
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

/// Bids per job after which the phases end in any case. Scaling spends some tens on the hardest costs measured; an epsilon
/// that falls too fast, or that is small beside what free places were once bid up to, spends a number that has no bound
/// but the range of the prices by epsilon.
const MOST_BIDS_PER_JOB: usize = 1024;

impl Default for Auction {
    fn default() -> Self {
        Self { factor: 8.0, last: None, closing: true }
    }
}

impl Auction {
    /// Epsilon falls by this factor from phase to phase; 8 by default, at least 2. It is rounded up to a power of two,
    /// so that prices of whole costs stay whole multiples of epsilon.
    pub fn with_factor(self, factor: f64) -> Self {
        Self { factor: if factor >= 2.0 { factor.min(1e9) } else { 2.0 }, ..self }
    }

    /// The last epsilon, rounded down to a power of two; by default so small that whole costs give an exact answer.
    pub fn with_last_epsilon(self, epsilon: f64) -> Self {
        Self { last: (epsilon > 0.0 && epsilon.is_finite()).then_some(epsilon), ..self }
    }

    /// Stops after the last phase, as the plain auction does. Where prices would have to climb in too small steps, so that the
    /// phases do not end within 1024 bids per job, shortest paths complete the answer nevertheless, and it is exact.
    pub fn without_closing(self) -> Self {
        Self { closing: false, ..self }
    }
}

impl Assigner for Auction {
    fn name(&self) -> &'static str {
        "auction"
    }

    fn assign(&self, problem: &Problem<'_>) -> Result<Answer, AssignError> {
        open(problem, |prepared, mut market, lists| {
            // Bidding alone would never end where somebody cannot be placed.
            let feasible = prepared.dummy.is_some()
                || !prepared.survey.forbidden
                || matching::greatest(&prepared.source, &prepared.capacities, prepared.watch)?
                    == prepared.jobs();
            if feasible {
                let ended = self.bid_in_phases(prepared, &mut market, lists)?;
                if ended && !self.closing {
                    return Ok(prepared.finish_approximate(market.into_found()));
                }
            }
            lists.slack = 0.0;
            close(prepared, market, lists)
        })
    }
}

impl Auction {
    /// Whether the phases came to their end, and not to that of the bids.
    fn bid_in_phases(
        &self,
        prepared: &Prepared<'_>,
        market: &mut Market,
        lists: &mut CandidateLists<'_>,
    ) -> Result<bool, Stop> {
        let last_bid = prepared.jobs().saturating_mul(MOST_BIDS_PER_JOB);
        let mut epsilon = power_of_two(prepared.survey.greatest / 4.0).max(self.least(prepared));
        let last = self.last.map_or(0.0, power_of_two).max(self.least(prepared));
        let factor = 2.0 * power_of_two(self.factor * 0.999_999);
        loop {
            // What closes is exact whatever the phases were; bids that are off by some epsilons spare most looks at rows.
            lists.slack = if self.closing { slack(prepared, epsilon) } else { 0.0 };
            market.release(lists, epsilon, prepared)?;
            let left = |market: &Market| last_bid.saturating_sub(market.bids);
            let bids = left(market);
            let ended = market.phase(lists, epsilon, alone(prepared), bids, prepared)? && {
                let bids = left(market);
                self.closing || market.level(lists, epsilon, alone(prepared), bids, prepared)?
            };
            if !ended {
                return Ok(false);
            }
            if epsilon <= last {
                return Ok(true);
            }
            epsilon = (epsilon / factor).max(last);
        }
    }

    /// The least epsilon that ends with the exact answer on a grid of costs, and that prices can still be raised by.
    fn least(&self, prepared: &Prepared<'_>) -> f64 {
        let places: f64 = prepared.capacities.iter().map(|&c| f64::from(c)).sum();
        let fine = prepared.survey.step / (places.max(prepared.jobs() as f64) + 1.0);
        power_of_two(fine.max(least_felt(prepared)))
    }
}
