//! Bids that read whole rows.

use crate::kernel::NONE;
use crate::kernel::prepared::Prepared;
use crate::kernel::source::Row;
use crate::kernel::two_least::{TwoLeast, free_at_level, two_least};
use crate::kernel::watch::Stop;
use crate::rows::Standing;

/// Bids of jobs for the resources of a market.
pub(super) struct Reduction<'p, 'a> {
    prepared: &'p Prepared<'a>,
    pub(super) standing: Standing,
    buffer: Vec<f64>,
    minima: Vec<f64>,
    /// Work done so far.
    pub(super) work: u64,
}

/// The result of a bid.
enum BidResult {
    Taken,
    /// The job that held the resource must bid again.
    Outbid(u32),
    /// No price would rise, and every cheapest resource is taken; or there is no second resource, or none at
    /// all.
    Tie,
}

impl<'p, 'a> Reduction<'p, 'a> {
    /// No job placed.
    pub(super) fn new(prepared: &'p Prepared<'a>, prices: Vec<f64>) -> Self {
        let standing = Standing::new(prepared.jobs(), prices);
        Self { prepared, standing, buffer: Vec::new(), minima: Vec::new(), work: 0 }
    }

    /// Starts from the least cost of each column as prices, which is good where columns differ greatly.
    pub(super) fn from_columns(prepared: &'p Prepared<'a>) -> Result<Self, Stop> {
        let mut least = vec![f64::INFINITY; prepared.source.cols()];
        let mut buffer = Vec::new();
        for job in 0..prepared.jobs() {
            prepared.watch.spend(least.len() as u64)?;
            let (Row::Full(row) | Row::Listed(_, row)) = prepared.source.row(job, &mut buffer);
            for (least, &cost) in least.iter_mut().zip(row) {
                *least = if cost < *least { cost } else { *least };
            }
        }
        let price = |least: f64| if least < f64::INFINITY { 0.0 - least } else { 0.0 };
        let mut reduction = Self::new(prepared, least.into_iter().map(price).collect());
        reduction.work = prepared.source.all_entries();
        Ok(reduction)
    }

    /// The job takes its cheapest resource, whose price rises by the difference to the second cheapest.
    fn bid(&mut self, job: u32) -> Result<BidResult, Stop> {
        let Self { prepared, standing, buffer, minima, work } = self;
        let Standing { prices, owner, resource_of } = standing;
        let (Row::Full(row) | Row::Listed(_, row)) = prepared.source.row(job as usize, buffer);
        let units = row.len() as u64;
        prepared.watch.spend(units)?;
        *work += units;
        let TwoLeast { least, at, second } = two_least(row, prices, minima);
        if !(least < f64::INFINITY) {
            // No pair is admissible: the search for a path will report it.
            return Ok(BidResult::Tie);
        }
        let is_only = !(second < f64::INFINITY);
        let mut at = at;
        if owner[at] != NONE {
            if is_only {
                return Ok(BidResult::Tie);
            }
            if second == least {
                // Another of the cheapest that is free? Each job begins at a different one.
                *work += units;
                prepared.watch.spend(units)?;
                let from = job as usize * row.len() / resource_of.len();
                match free_at_level(row, prices, least, owner, from) {
                    Some(free) => at = free,
                    None => return Ok(BidResult::Tie),
                }
            }
        }
        if !is_only {
            prices[at] += second - least;
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
