//! The auction of Bertsekas, with epsilon-scaling.
//!
//! D. P. Bertsekas, The auction algorithm: a distributed relaxation method for the assignment problem (1988);
//! D. P. Bertsekas, D. A. Castañón, The auction algorithm for the transportation problem (1989), for
//! resources of many places; D. P. Bertsekas, Linear Network Optimization (1991), for scaling.
//!
//! Deviations: bids read the candidate lists of this crate instead of whole rows, which changes no price. A bid raises
//! the price up to the second best *resource*, not to the next place of the same one. Jobs within epsilon of their
//! minimum cost + price keep their place from phase to phase. After the last phase shortest augmenting paths close the
//! remaining gap, so that the answer is exact and not only within epsilon. If the candidate lists have a spread (see
//! `run_phases`), the first epsilon is twice the spread, and the last one is a 4096th of the first unless it is given;
//! the first epsilon is raised if its phase takes too many bids.

use sched_model::{Meter, Outcome};

use crate::finish::finish_approximate;
use crate::kernel::number::power_of_two;
use crate::kernel::prepared::{Prepared, PricedAssignment};
use crate::kernel::watch::{Stop, Watch, watched};
use crate::kernel::{NONE, matching};
use crate::market::{Market, min_increment};
use crate::{Answer, AssignError, Assigner, Assignment, AssignmentProblem, Shortage};

/// The auction: each unplaced job bids for a place of its resource of minimum cost + price, and raises the price of
/// this place by the difference to its second best resource plus epsilon. The auction runs in phases of descending
/// epsilon; each phase starts from the prices of the one before.
///
/// Source: D. P. Bertsekas, *The auction algorithm: a distributed relaxation method for the assignment
/// problem*, 1988; with capacities D. P. Bertsekas, D. A. Castañón, 1989.
///
/// Prefer it where costs are distributed like distances, so that shortest paths would be long. Guarantee: exact (see
/// [`Assigner`]); with [`with_closing(false)`](Self::with_closing), within `(jobs + free places) * epsilon` of the
/// optimum, where `epsilon` is the last one. Time: O(log(cost / epsilon)) phases, where `cost` is the maximum
/// magnitude of a cost; in practice each phase takes a few bids per job. Space: O(jobs + resources). Ties: the first
/// resource in ascending order, beginning at a different resource for each job.
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
    /// The last epsilon, if it is given.
    last: Option<f64>,
    closing: bool,
}

/// The maximum number of bids per job of all phases together. With scaling, the hardest costs measured took some tens
/// of bids per job. But if epsilon falls too fast, or is small compared with the prices that free places have reached,
/// the only bound on the number of bids is the range of the prices divided by epsilon.
const MAX_BIDS_PER_JOB: usize = 1024;

impl Default for Auction {
    fn default() -> Self {
        Self { factor: 8.0, last: None, closing: true }
    }
}

impl Auction {
    /// Sets the factor by which epsilon falls from phase to phase, 8 by default and at least 2. It is rounded up to a
    /// power of two, so that prices of whole costs stay whole multiples of epsilon.
    pub fn with_factor(self, factor: f64) -> Self {
        Self { factor: if factor >= 2.0 { factor.min(1e9) } else { 2.0 }, ..self }
    }

    /// Sets the last epsilon, which is rounded down to a power of two. By default it is small enough that whole
    /// costs give an exact answer, or that paths can close the remaining gap. An `epsilon` that is not positive and
    /// finite restores the default.
    pub fn with_last_epsilon(self, epsilon: f64) -> Self {
        Self { last: (epsilon > 0.0 && epsilon.is_finite()).then_some(epsilon), ..self }
    }

    /// Sets whether shortest paths close the gap that the last phase leaves; true by default. Without them, as in the
    /// plain auction, the proof is a gap, even if the total must be optimal because the gap is less than the step of
    /// whole costs. If the phases do not end within 1024 bids per job, because epsilon is very small compared with the
    /// prices, shortest paths complete the answer in any case, which is then exact.
    pub fn with_closing(self, closing: bool) -> Self {
        Self { closing, ..self }
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

/// The last epsilon before shortest paths, as a fraction of the first one.
const CLOSING_SHARE: f64 = 1.0 / 4096.0;

/// The maximum number of bids per job in the first phase, and the factor by which epsilon is raised if the phase does
/// not end within them.
const BIDS_PER_JOB_FIRST: usize = 24;
const RAISE_FACTOR: f64 = 64.0;

/// How many epsilons an unlisted resource may be better than the second best of a list before the list is remade.
const SLACK: f64 = 4.0;

impl Auction {
    pub(crate) fn run(&self, problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Answer, Stop> {
        let prepared = Prepared::new(problem, watch)?;
        prepared.first_look()?;
        self.run_from(&prepared, PricedAssignment::none(&prepared, prepared.start()))
    }

    /// Runs the auction from the placements and prices of another method. If most jobs are unplaced there, or have ties
    /// at these prices, it starts from the beginning instead.
    pub(crate) fn run_from(&self, prepared: &Prepared<'_>, priced: PricedAssignment) -> Result<Answer, Stop> {
        let half = prepared.jobs() / 2;
        if priced.resource_of.iter().filter(|&&r| r == NONE).count() <= half {
            let market = Market::new(prepared, priced)?;
            if market.lists.tied_jobs() <= half {
                return self.solve_from(market);
            }
        }
        self.solve_from(Market::new(prepared, PricedAssignment::none(prepared, prepared.start()))?)
    }

    /// Runs all phases, and the closing search.
    fn solve_from(&self, mut market: Market<'_, '_>) -> Result<Answer, Stop> {
        let prepared = market.prepared;
        // If some job cannot be placed, bidding alone would never end.
        let is_feasible = prepared.dummy.is_some()
            || !prepared.survey.forbidden
            || matching::max_size(&prepared.source, &prepared.capacities, prepared.watch)? == prepared.jobs();
        if is_feasible && self.run_phases(&mut market)? && !self.closing {
            return Ok(finish_approximate(prepared, market.into_priced()));
        }
        market.lists.slack = 0.0;
        market.close()
    }

    /// Runs all phases; returns false if they do not end within [`MAX_BIDS_PER_JOB`].
    fn run_phases(&self, market: &mut Market<'_, '_>) -> Result<bool, Stop> {
        let prepared = market.prepared;
        let min_epsilon = self.min_epsilon(prepared);
        let last_bid = prepared.jobs().saturating_mul(MAX_BIDS_PER_JOB);
        let last = self.last.map_or(0.0, power_of_two).max(min_epsilon);
        let highest = power_of_two(prepared.survey.max_magnitude / 4.0).max(min_epsilon);
        // If costs are nearly the sum of a job part and a resource part, the spread of the lists shows how far they
        // deviate from such a sum, unless most lists consist of ties.
        let has_spread =
            self.closing && prepared.is_tight() && 2 * market.lists.tied_jobs() < prepared.jobs();
        let mut epsilon =
            if has_spread { power_of_two(2.0 * market.lists.spread()).clamp(last, highest) } else { highest };
        // Shortest paths close the gap that this epsilon leaves.
        let last = if has_spread && self.last.is_none() { last.max(epsilon * CLOSING_SHARE) } else { last };
        let mut is_first = epsilon < highest;
        loop {
            // The closing search is exact whatever the phases have done, and if bids may be off by a few epsilons, most
            // reads of rows are avoided. But if places are left over, places that were bid for needlessly would stay
            // overpriced.
            market.lists.slack = if self.closing && prepared.is_tight() { SLACK * epsilon } else { 0.0 };
            market.release(epsilon)?;
            let left = |market: &Market<'_, '_>| last_bid.saturating_sub(market.bids);
            if is_first {
                let max_bids = left(market).min(BIDS_PER_JOB_FIRST * prepared.jobs());
                if !market.phase(epsilon, max_bids)? {
                    // Prices have to rise far: take larger steps.
                    epsilon = (epsilon * RAISE_FACTOR).min(highest);
                    is_first = epsilon < highest;
                    continue;
                }
                is_first = false;
            }
            if !market.phase(epsilon, left(market))?
                || !(self.closing || market.level(epsilon, left(market))?)
            {
                return Ok(false);
            }
            if epsilon <= last {
                return Ok(true);
            }
            epsilon = (epsilon / self.fall_factor()).max(last);
        }
    }

    /// The factor, rounded up to a power of two.
    fn fall_factor(&self) -> f64 {
        2.0 * power_of_two(self.factor * 0.999_999)
    }

    /// The epsilon at which the auction is exact for costs that are multiples of a step, but not less than
    /// [`min_increment`].
    fn min_epsilon(&self, prepared: &Prepared<'_>) -> f64 {
        let places: f64 = prepared.capacities.iter().map(|&c| f64::from(c)).sum();
        let fine = prepared.survey.step / (places.max(prepared.jobs() as f64) + 1.0);
        power_of_two(fine.max(min_increment(prepared)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Costs, assign};
    use sched_model::Limit;

    const N: usize = 60;

    #[test]
    fn an_auction_goes_on_from_most_of_an_assignment() {
        let values: Vec<f64> = (0..N * N).map(|k| (k * k * k % 10_007) as f64).collect();
        let problem = AssignmentProblem::new(Costs::dense(N, N, &values).unwrap());
        let best = assign(&problem).unwrap().best.unwrap();
        // The work of an auction that begins with the first jobs of the best assignment, at its prices.
        let work_from = |placed: Option<usize>| {
            let mut meter = Limit::none().meter();
            let outcome = watched(&problem, &mut meter, |watch| {
                let prepared = Prepared::new(&problem, watch)?;
                let mut priced = PricedAssignment::none(&prepared, prepared.start());
                if let Some(placed) = placed {
                    priced.prices.clone_from(&best.duals.as_ref().unwrap().prices);
                    for i in 0..placed {
                        priced.resource_of[i] = best.resources[i].unwrap();
                        priced.cost_of[i] = prepared.cost(i, priced.resource_of[i]);
                    }
                }
                Auction::default().run_from(&prepared, priced)
            });
            assert_eq!(outcome.unwrap().value, Some(best.total));
            meter.work()
        };
        let from_nothing = work_from(None);
        assert!(2 * work_from(Some(N)) < from_nothing && work_from(Some(N / 2)) < from_nothing);
        // A few jobs are not kept.
        assert_eq!(work_from(Some(N / 2 - 1)), from_nothing);
    }
}
