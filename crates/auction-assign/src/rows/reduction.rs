//! Bids that read whole rows.

use crate::kernel::NONE;
use crate::kernel::number::Float;
use crate::kernel::stop::Stop;
use crate::kernel::two_least::{TwoLeast, free_at_level, two_least};
use crate::kernel::watch::Watch;
use crate::rows::Standing;
use crate::rows::costs::Rows;

/// Bids of jobs for the resources of a market.
pub(super) struct Reduction<'p, R: Rows> {
    rows: &'p R,
    watch: Watch<'p>,
    pub(super) standing: Standing<R::Cost>,
    buffer: Vec<R::Cost>,
    minima: Vec<R::Cost>,
    /// Work done so far.
    pub(super) work: u64,
}

/// The result of a bid.
enum BidResult {
    Taken,
    /// The job that held the resource must bid again.
    Outbid(u32),
    /// No price would rise, and every cheapest resource is taken; or there is no second resource, or none at
    /// all; or sums with the new price could be inexact.
    Tie,
}

impl<'p, R: Rows> Reduction<'p, R> {
    pub(super) fn new(rows: &'p R, watch: Watch<'p>, standing: Standing<R::Cost>) -> Self {
        Self { rows, watch, standing, buffer: Vec::new(), minima: Vec::new(), work: 0 }
    }

    /// Starts from the least cost of each column as prices, which is good where columns differ greatly. No
    /// job is placed.
    pub(super) fn from_columns(
        rows: &'p R,
        watch: Watch<'p>,
        jobs: usize,
        cols: usize,
    ) -> Result<Self, Stop> {
        let mut least = vec![R::Cost::INFINITY; cols];
        let mut buffer = Vec::new();
        let mut work = 0;
        for job in 0..jobs {
            work += rows.work(cols);
            watch.spend(rows.work(cols))?;
            for (least, &cost) in least.iter_mut().zip(rows.row(job, &mut buffer)) {
                *least = if cost < *least { cost } else { *least };
            }
        }
        let (none, infinity) = (R::Cost::ZERO, R::Cost::INFINITY);
        let prices = least.into_iter().map(|least| if least < infinity { none - least } else { none });
        Ok(Self { work, ..Self::new(rows, watch, Standing::new(jobs, prices.collect())) })
    }

    /// The job takes its cheapest resource, whose price rises by the difference to the second cheapest.
    fn bid(&mut self, job: u32) -> Result<BidResult, Stop> {
        let Self { rows, watch, standing, buffer, minima, work } = self;
        let Standing { prices, owner, resource_of } = standing;
        let row = rows.row(job as usize, buffer);
        let units = rows.work(row.len());
        watch.spend(units)?;
        *work += units;
        let TwoLeast { least, at, second } = two_least(row, prices, minima);
        if !(least < R::Cost::INFINITY) {
            // No pair is admissible: the search for a path will report it.
            return Ok(BidResult::Tie);
        }
        let is_only = !(second < R::Cost::INFINITY);
        let mut at = at;
        if owner[at] != NONE {
            if is_only {
                return Ok(BidResult::Tie);
            }
            if second == least {
                // Another of the cheapest that is free? Each job begins at a different one.
                *work += units;
                watch.spend(units)?;
                let from = job as usize * row.len() / resource_of.len();
                match free_at_level(row, prices, least, owner, from) {
                    Some(free) => at = free,
                    None => return Ok(BidResult::Tie),
                }
            }
        }
        if !is_only {
            let raised = prices[at] + (second - least);
            if !rows.is_exact(raised, R::Cost::ZERO) {
                return Ok(BidResult::Tie);
            }
            prices[at] = raised;
        }
        let before = std::mem::replace(&mut owner[at], job);
        resource_of[job as usize] = at as u32;
        if before == NONE {
            return Ok(BidResult::Taken);
        }
        resource_of[before as usize] = NONE;
        Ok(BidResult::Outbid(before))
    }

    /// The waiting jobs bid in turn, and those outbid in the next round, until `limit` entries have been read
    /// in all; returns the jobs that still wait. A job that meets a tie bids once more.
    pub(super) fn reduce(&mut self, limit: u64) -> Result<Vec<u32>, Stop> {
        let mut waiting = self.standing.waiting();
        let mut has_tied = vec![false; self.standing.resource_of.len()];
        let mut left = Vec::new();
        while !waiting.is_empty() {
            let mut next = Vec::new();
            for &job in &waiting {
                if self.work > limit {
                    left.push(job);
                    continue;
                }
                match self.bid(job)? {
                    BidResult::Taken => {}
                    BidResult::Outbid(other) => next.push(other),
                    BidResult::Tie if !std::mem::replace(&mut has_tied[job as usize], true) => next.push(job),
                    BidResult::Tie => left.push(job),
                }
            }
            waiting = next;
        }
        Ok(left)
    }
}
