//! Exact prices for an assignment found with rounded sums, which usually is already optimal.
//!
//! Only pairs whose cost + price is *near* what their job pays, within a margin far above any rounding error, can be
//! cheaper than that. Prices of full resources are lowered, in exact numbers, until no job would pay less elsewhere
//! (label correcting: R. Bellman, On a routing problem, 1958). If that does not end soon, another assignment may be
//! better.

use std::collections::VecDeque;

use crate::candidates::State;
use crate::kernel::number::{Number, max_of, min_of};
use crate::kernel::watch::{Stop, Watch};

/// The margin as a fraction of the maximum cost or price: 2^15 units in its last place.
pub(crate) const MARGIN: f64 = 1.0 / (1u64 << 37) as f64;

/// The maximum average number of near pairs and of visits per job, beyond which the attempt ends.
const MAX_PAIRS: usize = 8;
const MAX_VISITS: usize = 32;

/// The work of a visit, and of each pair that is read or listed, in entries of a row read in a plain loop.
const WORK_VISIT: u64 = 8;
const WORK_PAIR: u64 = 4;

/// The near pairs of all jobs, collected job by job.
pub(crate) struct NearPairs {
    /// The end of the pairs of each job.
    ends: Vec<usize>,
    /// The pairs, as (resource, cost).
    pairs: Vec<(u32, f64)>,
    /// The maximum number of pairs of a successful attempt.
    max_pairs: usize,
}

impl NearPairs {
    /// Creates an empty collection for this number of jobs.
    pub(crate) fn new(jobs: usize) -> Self {
        Self { ends: Vec::with_capacity(jobs), pairs: Vec::new(), max_pairs: MAX_PAIRS * jobs }
    }

    /// Adds a pair of the present job.
    pub(crate) fn add(&mut self, resource: u32, cost: f64) {
        if self.pairs.len() <= self.max_pairs {
            self.pairs.push((resource, cost));
        }
    }

    /// Ends the pairs of the present job.
    pub(crate) fn end(&mut self) {
        self.ends.push(self.pairs.len());
    }

    /// Lowers prices until every job pays no more on its resource than for any of its near pairs; returns the prices.
    /// `None` if there are too many pairs or visits, or if a price would fall below that of a resource with room, or by
    /// more than `max_fall`.
    pub(crate) fn lower<N: Number>(
        &self,
        state: &State<N>,
        (resource_of, cost_of): (&[u32], &[f64]),
        max_fall: N,
        watch: Watch<'_>,
    ) -> Result<Option<Vec<N>>, Stop> {
        watch.spend(WORK_PAIR * self.pairs.len() as u64)?;
        let (n, unit) = (resource_of.len(), state.unit);
        let pairs = |job: usize| {
            let first = if job == 0 { 0 } else { self.ends[job - 1] };
            &self.pairs[first..self.ends[job]]
        };
        let mut loads = vec![0; state.prices.len()];
        // The jobs near each resource.
        let mut wanted_by = vec![Vec::new(); state.prices.len()];
        for (job, &r) in resource_of.iter().enumerate() {
            loads[r as usize] += 1;
            pairs(job).iter().for_each(|&(other, _)| wanted_by[other as usize].push(job as u32));
        }
        let places = || state.prices.iter().zip(&state.capacities).zip(&loads);
        let free = places().filter(|&((_, capacity), load)| load < capacity).map(|((&price, _), _)| price);
        let floor = free.fold(N::NEG_INFINITY, max_of);
        let is_below = places().any(|((&price, &capacity), _)| capacity > 0 && price < floor);
        if is_below || self.pairs.len() > self.max_pairs {
            return Ok(None);
        }
        let mut prices = state.prices.clone();
        let mut queue: VecDeque<u32> = (0..n as u32).collect();
        let mut is_queued = vec![true; n];
        let mut visits = MAX_VISITS * n;
        while let Some(job) = queue.pop_front() {
            let Some(left) = visits.checked_sub(1) else { return Ok(None) };
            visits = left;
            let i = job as usize;
            watch.spend(WORK_VISIT + WORK_PAIR * pairs(i).len() as u64)?;
            is_queued[i] = false;
            let r = resource_of[i] as usize;
            let value = |&(other, cost): &(u32, f64)| N::of(cost, unit) + prices[other as usize];
            let elsewhere = pairs(i).iter().map(value).fold(N::INFINITY, min_of);
            let own = N::of(cost_of[i], unit);
            if !(elsewhere < own + prices[r]) {
                continue;
            }
            prices[r] = elsewhere - own;
            if prices[r] < floor || state.prices[r] - prices[r] > max_fall {
                return Ok(None);
            }
            watch.spend(WORK_PAIR * wanted_by[r].len() as u64)?;
            for &other in &wanted_by[r] {
                if !std::mem::replace(&mut is_queued[other as usize], true) {
                    queue.push_back(other);
                }
            }
        }
        Ok(Some(prices))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::number::{Fixed, Unit};
    use crate::kernel::watch::watched;
    use crate::{AssignmentProblem, Costs};
    use sched_model::Limit;

    const TINY: f64 = 4.0 * f64::EPSILON;

    fn fixed(price: f64) -> Fixed<2> {
        Fixed::of(price, Unit::below(0.1))
    }

    /// The prices lowered for this assignment, where every pair is near and a resource has one place.
    fn lowered<const M: usize>(
        costs: &[[f64; M]],
        resource_of: &[u32],
        prices: [f64; M],
        max_fall: f64,
    ) -> Option<Vec<Fixed<2>>> {
        paid(costs, resource_of, prices, max_fall).0
    }

    /// As [`lowered`], with the work.
    fn paid<const M: usize>(
        costs: &[[f64; M]],
        resource_of: &[u32],
        prices: [f64; M],
        max_fall: f64,
    ) -> (Option<Vec<Fixed<2>>>, u64) {
        let n = costs.len();
        let state = State::new(n, vec![1; M], prices.map(fixed).to_vec(), Unit::below(0.1));
        let mut near = NearPairs::new(n);
        for (row, &own) in costs.iter().zip(resource_of) {
            (0..).zip(row).filter(|&(r, _)| r != own).for_each(|(r, &cost)| near.add(r, cost));
            near.end();
        }
        let cost_of: Vec<f64> = costs.iter().zip(resource_of).map(|(row, &r)| row[r as usize]).collect();
        let problem = AssignmentProblem::new(Costs::dense(0, 0, &[0.0; 0]).unwrap());
        let (mut meter, mut prices) = (Limit::none().meter(), None);
        let run = watched(&problem, &mut meter, |watch| {
            prices = near.lower(&state, (resource_of, &cost_of), fixed(max_fall), watch)?;
            Err(Stop::TurnOver)
        });
        assert!(run.unwrap().best.is_none());
        (prices, meter.work())
    }

    #[test]
    fn every_visit_and_every_pair_is_paid() {
        // Both jobs are visited once, and each has one pair, which is also listed.
        let (prices, work) = paid(&[[1.0, 2.0], [2.0, 1.0]], &[0, 1], [0.0; 2], 1.0);
        assert_eq!((prices, work), (Some(vec![fixed(0.0); 2]), 2 * WORK_VISIT + 4 * WORK_PAIR));
        // The price of resource 0 falls, which is told to job 1, near it and still queued.
        let (prices, work) = paid(&[[1.0 + TINY, 1.0], [2.0, 1.0]], &[0, 1], [0.0; 2], 1.0);
        assert!(prices.is_some());
        assert_eq!(work, 2 * WORK_VISIT + 5 * WORK_PAIR);
    }

    #[test]
    fn a_price_that_falls_takes_others_with_it() {
        // Job 0 pays TINY more than on resource 1. If the price of resource 1 is TINY too high, job 0 pays too much
        // only once that price has fallen.
        let costs = [[1.0 + TINY, 1.0, 9.0], [9.0, 1.0, 1.0], [9.0, 9.0, 1.0]];
        let expected = Some([-TINY, 0.0, 0.0].map(fixed).to_vec());
        assert_eq!(lowered(&costs, &[0, 1, 2], [0.0; 3], 1.0), expected);
        assert_eq!(lowered(&costs, &[0, 1, 2], [0.0, TINY, 0.0], 1.0), expected);
    }

    #[test]
    fn no_prices_prove_an_assignment_that_is_not_optimal() {
        // Jobs 0 and 1 should change places, by TINY.
        let costs = [[1.0 + TINY, 1.0, 9.0], [1.0, 1.0, 9.0], [9.0, 9.0, 1.0]];
        assert_eq!(lowered(&costs, &[0, 1, 2], [0.0; 3], 1.0), None);
        assert!(lowered(&costs, &[1, 0, 2], [0.0; 3], 1.0).is_some());
    }

    #[test]
    fn no_price_falls_by_more_than_most() {
        for (max_fall, falls) in [(2.0, true), (1.0, true), (0.5, false)] {
            let prices = lowered(&[[1.0 + TINY, 1.0], [2.0, 1.0]], &[0, 1], [0.0; 2], max_fall * TINY);
            assert_eq!(prices.is_some(), falls, "{max_fall}");
        }
    }

    #[test]
    fn no_price_is_below_that_of_a_resource_with_room() {
        assert_eq!(lowered(&[[1.0 + TINY, 1.0]], &[0], [0.0; 2], 1.0), None);
        assert_eq!(lowered(&[[1.0, 1.0]], &[0], [TINY, 0.0], 1.0), Some(vec![fixed(0.0); 2]));
        // Nothing needs to fall, but resource 0 starts below resource 1.
        assert_eq!(lowered(&[[1.0, 1.0]], &[0], [-TINY, 0.0], 1.0), None);
    }
}
