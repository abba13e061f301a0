//! Bids that read whole rows.

use crate::kernel::NONE;
use crate::kernel::lanes::lower_each;
use crate::kernel::prepared::Prepared;
use crate::kernel::source::Row;
use crate::kernel::stop::Stop;
use crate::kernel::two_least::{TwoLeast, position_of_equal, two_least};

/// Who stands where, at which prices; a place per resource.
pub(super) struct Reduction<'p, 'a> {
    prepared: &'p Prepared<'a>,
    pub(super) prices: Vec<f64>,
    owner: Vec<u32>,
    pub(super) resource_of: Vec<u32>,
    pub(super) cost_of: Vec<f64>,
    buffer: Vec<f64>,
    minima: Vec<f64>,
    /// Entries read so far.
    pub(super) work: u64,
}

/// What became of a bid.
enum BidResult {
    Taken,
    /// Who stood there must bid again.
    Outbid(u32),
    /// No price would rise, and every cheapest resource is taken; or there is no second resource, or none at
    /// all.
    Tie,
}

impl<'p, 'a> Reduction<'p, 'a> {
    /// Nobody placed.
    pub(super) fn new(prepared: &'p Prepared<'a>, prices: Vec<f64>) -> Self {
        let n = prepared.jobs();
        Self {
            prepared,
            owner: vec![NONE; prices.len()],
            prices,
            resource_of: vec![NONE; n],
            cost_of: vec![0.0; n],
            buffer: Vec::new(),
            minima: Vec::new(),
            work: 0,
        }
    }

    /// The least cost of each column as the prices to start from: good where columns differ by much. Nobody
    /// is placed.
    pub(super) fn from_columns(prepared: &'p Prepared<'a>) -> Result<Self, Stop> {
        let mut least = vec![f64::INFINITY; prepared.capacities.len()];
        let mut buffer = Vec::new();
        for i in 0..prepared.jobs() {
            prepared.watch.spend(prepared.source.entries(i))?;
            if let Row::Full(row) = prepared.source.row(i, &mut buffer) {
                lower_each(&mut least, row);
            }
        }
        let prices = least.iter().map(|&least| if least.is_finite() { 0.0 - least } else { 0.0 });
        Ok(Self { work: prepared.source.all_entries(), ..Self::new(prepared, prices.collect()) })
    }

    /// Puts a job on a resource at its present price, if it is free; there must be nothing cheaper for the
    /// job.
    pub(super) fn place(&mut self, job: u32, resource: u32, cost: f64) -> bool {
        let owner = &mut self.owner[resource as usize];
        if *owner != NONE {
            return false;
        }
        *owner = job;
        (self.resource_of[job as usize], self.cost_of[job as usize]) = (resource, cost);
        true
    }

    /// The job takes its cheapest resource, which then costs as much more as the second cheapest does.
    fn bid(&mut self, job: u32) -> Result<BidResult, Stop> {
        let Self { prepared, prices, owner, resource_of, cost_of, buffer, minima, work } = self;
        let Row::Full(row) = prepared.source.row(job as usize, buffer) else { return Ok(BidResult::Tie) };
        prepared.watch.spend(row.len() as u64)?;
        *work += row.len() as u64;
        let TwoLeast { least, at, second } = two_least(row, prices, minima);
        if least == f64::INFINITY {
            // Nothing is admissible: the search for a path will say so.
            return Ok(BidResult::Tie);
        }
        let raise = second - least;
        let mut at = at;
        if owner[at] != NONE {
            if raise == 0.0 {
                // Another of the cheapest that is free? Not all look at the same one first.
                *work += row.len() as u64;
                prepared.watch.spend(row.len() as u64)?;
                let from = job as usize * row.len() / resource_of.len();
                match position_of_equal(row, prices, least, from, |r| owner[r] == NONE) {
                    Some(free) => at = free,
                    None => return Ok(BidResult::Tie),
                }
            } else if !raise.is_finite() {
                return Ok(BidResult::Tie);
            }
        }
        if raise.is_finite() {
            prices[at] += raise;
        }
        let before = std::mem::replace(&mut owner[at], job);
        (resource_of[job as usize], cost_of[job as usize]) = (at as u32, row[at]);
        if before == NONE {
            return Ok(BidResult::Taken);
        }
        resource_of[before as usize] = NONE;
        Ok(BidResult::Outbid(before))
    }

    /// Bids of all that wait in turn, who was outbid in the next round, until so much has been read in all;
    /// those who wait still. A job that meets a tie bids once more.
    pub(super) fn reduce(&mut self, limit: u64) -> Result<Vec<u32>, Stop> {
        let n = self.resource_of.len();
        let mut waiting: Vec<u32> =
            (0..n as u32).filter(|&job| self.resource_of[job as usize] == NONE).collect();
        let mut has_tied = vec![false; n];
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
