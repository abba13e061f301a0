//! Bertsekas' auction with epsilon-scaling.
//!
//! D. P. Bertsekas, The auction algorithm: a distributed relaxation method for the assignment problem (1988);
//! D. P. Bertsekas, D. A. Castañón, The auction algorithm for the transportation problem (1989), for
//! resources of many places; D. P. Bertsekas, Linear Network Optimization (1991), for scaling.
//!
//! Deviations: bids read the candidate lists of this crate instead of whole rows, which changes no price; a
//! bid raises the price up to the second best *resource*, not to the next place of the same one; jobs within
//! epsilon of their best value keep their place from phase to phase; after the last phase shortest augmenting
//! paths close the remaining gap, so that the answer is exact and not only within epsilon.

use sched_model::{Meter, Outcome};

use crate::candidates::closing::Closing;
use crate::candidates::drive::{alone, first_look, least_felt, power_of_two, width};
use crate::candidates::lists::CandidateLists;
use crate::candidates::market::{Market, PhaseLimit};
use crate::candidates::phases::slack;
use crate::kernel::matching;
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::stop::Stop;
use crate::kernel::watch::{Tally, Watch};
use crate::within::watched;
use crate::{Answer, AssignError, Assigner, Assignment, AssignmentProblem, Shortage};

/// The auction: each unplaced job bids for the place where cost + price is least, and raises its price by
/// epsilon more than the difference to its second best place. It runs in phases with falling epsilon, each
/// from the prices of the one before.
///
/// Source: D. P. Bertsekas, *The auction algorithm: a distributed relaxation method for the assignment
/// problem*, 1988; with capacities D. P. Bertsekas, D. A. Castañón, 1989.
///
/// Prefer it where costs are spread like distances and shortest paths would be long. Guarantee: exact (see
/// [`Assigner`]); with [`without_closing`](Self::without_closing), within `(jobs + free places) * epsilon` of
/// the optimum, for the last epsilon. Time: O(log(jobs * range / step)) phases, where `range` is the greatest
/// difference of costs and `step` the last epsilon; in practice each phase takes a few bids per job; space
/// O(jobs + resources). Ties: the first in a fixed order, which begins at a different resource for each job.
///
/// ```
/// use auction_assign::{Assigner, Auction, Costs, AssignmentProblem};
/// // The cheapest pair, job 0 on resource 0, would force job 1 to pay 9.
/// let costs = Costs::dense(2, 2, &[1.0, 2.0, 3.0, 9.0])?;
/// let assignment = Auction::default().assign(&AssignmentProblem::new(costs))?.best.unwrap();
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

/// Bids per job after which the phases end in any case. With scaling, the hardest costs measured took some
/// tens of bids per job. If epsilon falls too fast, or is small beside the prices that free places have
/// reached, the number of bids is bounded only by the range of the prices divided by epsilon.
const MOST_BIDS_PER_JOB: usize = 1024;

impl Default for Auction {
    fn default() -> Self {
        Self { factor: 8.0, last: None, closing: true }
    }
}

impl Auction {
    /// Epsilon falls by this factor from phase to phase; 8 by default, at least 2. It is rounded up to a
    /// power of two, so that prices of whole costs stay whole multiples of epsilon.
    pub fn with_factor(self, factor: f64) -> Self {
        Self { factor: if factor >= 2.0 { factor.min(1e9) } else { 2.0 }, ..self }
    }

    /// The last epsilon, rounded down to a power of two; by default so small that whole costs give an exact
    /// answer.
    pub fn with_last_epsilon(self, epsilon: f64) -> Self {
        Self { last: (epsilon > 0.0 && epsilon.is_finite()).then_some(epsilon), ..self }
    }

    /// Stops after the last phase, as the plain auction does. The proof is then what its prices prove: within a
    /// gap, also where the total is optimal since the gap is below the step of whole costs. Where the phases do
    /// not end within 1024 bids per job, because epsilon is very small beside the prices, shortest paths
    /// complete the answer, and it is exact.
    pub fn without_closing(self) -> Self {
        Self { closing: false, ..self }
    }
}

impl Assigner for Auction {
    fn name(&self) -> &'static str {
        "auction"
    }

    fn solve(
        &self,
        problem: &AssignmentProblem<'_>,
        meter: &mut Meter,
    ) -> Result<Outcome<Assignment, Shortage>, AssignError> {
        watched(problem, meter, |watch| self.run(problem, watch))
    }
}

impl Auction {
    fn run(&self, problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Answer, Stop> {
        let tally = Tally::new(watch);
        let mut run = AuctionRun::new(*self, problem, &tally)?;
        loop {
            // No work exceeds the greatest number, so that one call gives the answer.
            if let Some(answer) = run.go_on(u64::MAX)? {
                return Ok(answer);
            }
        }
    }

    /// The least epsilon that ends with the exact answer on a grid of costs, and that prices can still be
    /// raised by.
    fn least(&self, prepared: &Prepared<'_>) -> f64 {
        let places: f64 = prepared.capacities.iter().map(|&c| f64::from(c)).sum();
        let fine = prepared.survey.step / (places.max(prepared.jobs() as f64) + 1.0);
        power_of_two(fine.max(least_felt(prepared)))
    }
}

/// An auction that can be interrupted after a given amount of work, and continued.
pub(crate) struct AuctionRun<'a> {
    auction: Auction,
    prepared: Prepared<'a>,
    lists: CandidateLists<'a>,
    tally: &'a Tally<'a>,
    stage: Stage,
    epsilon: f64,
}

/// The next step.
enum Stage {
    /// A phase begins.
    Phase(Market),
    /// A phase continues.
    Bids(Market),
    Paths(Box<Closing>),
    Over,
}

impl<'a> AuctionRun<'a> {
    /// Everything up to the first bid.
    pub(crate) fn new(
        auction: Auction,
        problem: &AssignmentProblem<'a>,
        tally: &'a Tally<'a>,
    ) -> Result<Self, Stop> {
        let prepared = Prepared::new(problem, tally.watch())?;
        first_look(&prepared)?;
        let prices = prepared.start();
        let mut lists = CandidateLists::new(&prepared, width(&prepared), &prices)?;
        let market = Market::new(prepared.jobs(), &prepared.capacities, prices);
        // Bidding alone would never end where some job cannot be placed.
        let feasible = prepared.dummy.is_some()
            || !prepared.survey.forbidden
            || matching::greatest(&prepared.source, &prepared.capacities, prepared.watch)? == prepared.jobs();
        let stage = if feasible {
            Stage::Phase(market)
        } else {
            Stage::Paths(Box::new(Closing::new(&prepared, market, &mut lists)?))
        };
        let epsilon = power_of_two(prepared.survey.greatest / 4.0).max(auction.least(&prepared));
        Ok(Self { auction, prepared, lists, tally, stage, epsilon })
    }

    /// Continues until `limit` entries have been read in all; `None` if there is no answer yet.
    pub(crate) fn go_on(&mut self, limit: u64) -> Result<Option<Answer>, Stop> {
        if self.prepared.jobs() == 0 {
            return Ok(Some(self.prepared.finish(Found::nothing(&self.prepared))));
        }
        while self.tally.spent() < limit {
            match std::mem::replace(&mut self.stage, Stage::Over) {
                Stage::Phase(mut market) => {
                    // The closing search is exact whatever the phases did; bids that are off by some epsilons
                    // avoid most reads of rows.
                    let slack = if self.auction.closing { slack(&self.prepared, self.epsilon) } else { 0.0 };
                    self.lists.slack = slack;
                    market.release(&mut self.lists, self.epsilon, &self.prepared)?;
                    self.stage = Stage::Bids(market);
                }
                Stage::Bids(market) => {
                    if let Some(found) = self.bid(market, limit)? {
                        return Ok(Some(self.prepared.finish_approximate(found)));
                    }
                }
                Stage::Paths(mut closing) => {
                    let left = limit.saturating_sub(self.tally.spent());
                    let most = closing.read().saturating_add(left);
                    if closing.go_on(most, 0, &self.prepared, &mut self.lists)? {
                        return closing.finish(&self.prepared, &mut self.lists).map(Some);
                    }
                    self.stage = Stage::Paths(closing);
                }
                Stage::Over => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Continues a phase and sets the next step; returns the result if there is no next step.
    fn bid(&mut self, mut market: Market, limit: u64) -> Result<Option<Found>, Stop> {
        let (prepared, lists) = (&self.prepared, &mut self.lists);
        let last_bid = prepared.jobs().saturating_mul(MOST_BIDS_PER_JOB);
        let alone = alone(prepared);
        let left = last_bid.saturating_sub(market.bids);
        let most = PhaseLimit { bids: left, work: limit.saturating_sub(self.tally.spent()) };
        let mut ended = market.phase(lists, self.epsilon, alone, most, prepared)?;
        if !ended && self.tally.spent() >= limit && market.bids < last_bid {
            self.stage = Stage::Bids(market);
            return Ok(None);
        }
        if ended && !self.auction.closing {
            let left = last_bid.saturating_sub(market.bids);
            ended = market.level(lists, self.epsilon, alone, left, prepared)?;
        }
        let last = self.auction.last.map_or(0.0, power_of_two).max(self.auction.least(prepared));
        if ended && self.epsilon > last {
            let factor = 2.0 * power_of_two(self.auction.factor * 0.999_999);
            self.epsilon = (self.epsilon / factor).max(last);
            self.stage = Stage::Phase(market);
            return Ok(None);
        }
        if ended && !self.auction.closing {
            return Ok(Some(market.into_found()));
        }
        lists.slack = 0.0;
        self.stage = Stage::Paths(Box::new(Closing::new(prepared, market, lists)?));
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Costs;

    /// Epsilon falls by the factor, rounded up to a power of two: seen where every phase ends in one turn.
    #[test]
    fn epsilon_falls_by_powers_of_two() {
        let values: Vec<f64> = (0..400).map(|k| f64::from(k * 7919 % 1009)).collect();
        let problem = AssignmentProblem::new(Costs::dense(20, 20, &values).unwrap());
        for (factor, falls) in [(2.0, 2.0), (5.0, 8.0), (8.0, 8.0), (9.0, 16.0)] {
            let tally = Tally::new(Watch::NONE);
            let auction = Auction::default().with_factor(factor);
            let mut run = AuctionRun::new(auction, &problem, &tally).ok().unwrap();
            let first = run.epsilon;
            while run.epsilon == first {
                assert!(run.go_on(tally.spent() + 1).ok().unwrap().is_none());
            }
            assert_eq!(run.epsilon, first / falls, "{factor}");
        }
    }
}
