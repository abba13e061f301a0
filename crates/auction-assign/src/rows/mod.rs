//! The method over whole rows: bids and shortest paths that read rows in plain loops, without candidate lists.
//!
//! R. Jonker, A. Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment problems
//! (1987): the initial prices are the negated minimum of each column, bids without increment (augmenting row reduction)
//! place most jobs, and shortest paths over whole rows place the others.
//!
//! If many costs are equal, or rows are short, lists cost more than they save: an entry read in a plain loop
//! takes a third of the time of one that is listed. So this method comes first, and continues as long as little
//! work is expected to remain.
//!
//! Deviations: a job that was outbid bids again after all others; a job with several equally cheap resources takes a
//! free one or, if there is none, displaces no other job; if bids leave many jobs unplaced, prices from the columns
//! alone are tried instead; if they end in many ties, a maximum matching of jobs with their cheapest resources places
//! more; the total work of paths is predicted from the paths found so far.

mod paths;

use self::paths::{NARROW, Partial, place_by_paths, place_in_copy};
use crate::costs::Form;
use crate::kernel::NONE;
use crate::kernel::matching::complete;
use crate::kernel::prepared::{Prepared, PricedAssignment};
use crate::kernel::source::Source;
use crate::kernel::watch::Stop;
use crate::kernel::wide::{TwoSmallest, free_at_level, positions_of, two_smallest, write_sums};
use crate::{AssignmentProblem, Costs};

/// The minimum number of costs; problems with fewer are fast by any method.
const MIN_COSTS: usize = 1 << 12;

/// The maximum number of jobs; with more, methods over lists read less.
const MAX_JOBS: usize = 4000;

/// Whether this method suits a problem: rows are full and stored, every resource has one place, and there are enough
/// places for all jobs.
pub(crate) fn is_suited(prepared: &Prepared<'_>) -> bool {
    let problem = &prepared.problem;
    prepared.dummy.is_none()
        && problem.is_one_to_one()
        && problem.jobs().saturating_mul(problem.resources()) >= MIN_COSTS
        && problem.jobs() <= problem.resources()
        && problem.jobs() <= MAX_JOBS
        && matches!(problem.costs.form(), Form::Dense(_) | Form::Rows { .. })
}

/// The maximum number of passes that paths may be predicted to read without a copy in 32 bits.
const PASSES_WITHOUT_COPY: u64 = 4;

/// Places all jobs of a problem that [suits](is_suited) the method. If every place will be taken and all paths together
/// are predicted to read more than `passes` passes over the costs, some jobs stay unplaced.
///
/// If paths are long and costs are whole multiples of few bits, paths read a copy in 32 bits, in about half the time.
/// If prices then exceed the numbers that are exact in 32 bits, these paths are found again without the copy.
pub(crate) fn place(prepared: &Prepared<'_>, passes: u64) -> Result<PricedAssignment, Stop> {
    let mut partial = bid(prepared)?;
    // If places are left over, later paths are hardly longer, and the auction would take as long.
    let max_passes = if prepared.is_tight() { passes } else { u64::MAX };
    let is_narrow = prepared.survey.max_magnitude <= NARROW * prepared.survey.step;
    let first = if is_narrow { PASSES_WITHOUT_COPY } else { max_passes };
    let is_short = place_by_paths(prepared, &prepared.source, &mut partial, first)?;
    if !is_short && is_narrow && !place_in_copy(prepared, &mut partial, max_passes)? {
        place_by_paths(prepared, &prepared.source, &mut partial, max_passes)?;
    }
    let Partial { prices, resource_of, .. } = partial;
    let cost = |(job, &r): (usize, &u32)| match r {
        NONE => 0.0,
        r => prepared.source.cost(job, r as usize),
    };
    let cost_of = resource_of.iter().enumerate().map(cost).collect();
    Ok(PricedAssignment { resource_of, cost_of, prices, min_raise: f64::INFINITY })
}

/// The number of passes over the costs that bids may read.
const BID_PASSES: u64 = 2;

/// If every place will be taken, and bids leave more than one job in this many unplaced, other initial prices are
/// tried; their result is used only if they leave fewer than half as many.
const MANY_LEFT: usize = 4;

/// Places jobs by bids without increment, and by a matching at the prices reached.
fn bid(prepared: &Prepared<'_>) -> Result<Partial, Stop> {
    let n = prepared.jobs();
    let all = prepared.source.all_entries();
    let mut reduction = Reduction::new(prepared, prepared.start());
    let unplaced = reduction.reduce(BID_PASSES.saturating_mul(all))?;
    if prepared.is_tight() && unplaced.len() * MANY_LEFT > n {
        // Subtracting the minima of the columns before those of the rows may suit these costs better.
        let mut other = Reduction::from_columns(prepared)?;
        let left = other.reduce((BID_PASSES + 1).saturating_mul(all))?;
        if left.len() * 2 < unplaced.len() {
            reduction = other;
        }
    }
    let mut partial = reduction.partial;
    if prepared.is_tight() && reduction.work < BID_PASSES * all && partial.unplaced().len() * MANY_TIED > n {
        place_at_prices(prepared, &mut partial)?;
    }
    Ok(partial)
}

/// If every place will be taken, and bids end because more than one job in this many meets a tie, a matching places
/// jobs at the prices reached.
const MANY_TIED: usize = 16;

/// The maximum number of resources of minimum cost + price that are listed for a job in [`place_at_prices`].
const MAX_TIED: usize = 32;

/// Places as many unplaced jobs as possible without raising a price: by a maximum matching of the jobs with up to
/// [`MAX_TIED`] of their resources of minimum cost + price.
fn place_at_prices(prepared: &Prepared<'_>, partial: &mut Partial) -> Result<(), Stop> {
    let (n, m, watch) = (prepared.jobs(), prepared.source.cols(), prepared.watch);
    let (mut offsets, mut columns) = (vec![0], Vec::new());
    let (mut buffer, mut sums, mut tight) = (Vec::new(), vec![0.0; m], Vec::new());
    for job in 0..n {
        watch.spend(m as u64)?;
        let row = prepared.source.row(job, &mut buffer).costs();
        let minimum = write_sums(row, &partial.prices, &mut sums);
        if minimum < f64::INFINITY {
            tight.clear();
            positions_of(&sums, minimum, &mut tight);
            // A different selection for each job, so that together they cover many resources.
            let step = tight.len().div_ceil(MAX_TIED);
            columns.extend(tight.iter().skip(job % step).step_by(step));
        }
        offsets.push(columns.len());
    }
    let free = vec![0.0; columns.len()];
    let pairs = AssignmentProblem::new(Costs::sparse(n, m, &offsets, &columns, &free)?);
    complete(&Source::new(&pairs), &vec![1; m], &mut partial.resource_of, watch)?;
    partial.owner.fill(NONE);
    for (job, &r) in (0..).zip(&partial.resource_of) {
        if r != NONE {
            partial.owner[r as usize] = job;
        }
    }
    Ok(())
}

/// The state of the bids without increment.
struct Reduction<'p, 'a> {
    prepared: &'p Prepared<'a>,
    partial: Partial,
    buffer: Vec<f64>,
    minima: Vec<f64>,
    /// The number of entries read so far.
    work: u64,
}

/// The result of a bid.
enum Bid {
    /// The job took a free resource.
    Taken,
    /// The job took the resource of this job, which must bid again.
    Outbid(u32),
    /// The job was not placed: no price would rise, and all its cheapest resources are taken; or its only resource is
    /// taken; or it has none.
    Tie,
}

impl<'p, 'a> Reduction<'p, 'a> {
    /// Creates a state in which no job is placed.
    fn new(prepared: &'p Prepared<'a>, prices: Vec<f64>) -> Self {
        let partial = Partial::new(prepared.jobs(), prices);
        Self { prepared, partial, buffer: Vec::new(), minima: Vec::new(), work: 0 }
    }

    /// Creates a state with the negated minimum cost of each column as prices, which helps if columns differ greatly.
    fn from_columns(prepared: &'p Prepared<'a>) -> Result<Self, Stop> {
        let mut minima = vec![f64::INFINITY; prepared.source.cols()];
        let mut buffer = Vec::new();
        for job in 0..prepared.jobs() {
            prepared.watch.spend(minima.len() as u64)?;
            let row = prepared.source.row(job, &mut buffer).costs();
            for (minimum, &cost) in minima.iter_mut().zip(row) {
                *minimum = if cost < *minimum { cost } else { *minimum };
            }
        }
        let price = |minimum: f64| if minimum < f64::INFINITY { 0.0 - minimum } else { 0.0 };
        let mut reduction = Self::new(prepared, minima.into_iter().map(price).collect());
        reduction.work = prepared.source.all_entries();
        Ok(reduction)
    }

    /// Lets a job bid: it takes its cheapest resource, whose price rises by the difference to the second cheapest.
    fn bid(&mut self, job: u32) -> Result<Bid, Stop> {
        let Self { prepared, partial, buffer, minima, work } = self;
        let Partial { prices, owner, resource_of } = partial;
        let row = prepared.source.row(job as usize, buffer).costs();
        let units = row.len() as u64;
        prepared.watch.spend(units)?;
        *work += units;
        let TwoSmallest { smallest, at, second } = two_smallest(row, prices, minima);
        if !(smallest < f64::INFINITY) {
            // The job has no admissible pair; the search for a path will report that.
            return Ok(Bid::Tie);
        }
        let is_only = !(second < f64::INFINITY);
        let mut at = at;
        if owner[at] != NONE {
            if is_only {
                return Ok(Bid::Tie);
            }
            if second == smallest {
                // Look for a free one among the cheapest resources; each job begins at a different one.
                *work += units;
                prepared.watch.spend(units)?;
                let from = job as usize * row.len() / resource_of.len();
                match free_at_level(row, prices, smallest, owner, from) {
                    Some(free) => at = free,
                    None => return Ok(Bid::Tie),
                }
            }
        }
        if !is_only {
            prices[at] += second - smallest;
        }
        let before = std::mem::replace(&mut owner[at], job);
        resource_of[job as usize] = at as u32;
        if before == NONE {
            return Ok(Bid::Taken);
        }
        resource_of[before as usize] = NONE;
        Ok(Bid::Outbid(before))
    }

    /// Lets the unplaced jobs bid in order, and those that are outbid in the next round, until `limit` entries have
    /// been read in all. A job that meets a tie bids once more. Returns the jobs that stay unplaced.
    fn reduce(&mut self, limit: u64) -> Result<Vec<u32>, Stop> {
        let mut unplaced = self.partial.unplaced();
        let mut has_tied = vec![false; self.partial.resource_of.len()];
        let mut left = Vec::new();
        while !unplaced.is_empty() {
            let mut next = Vec::new();
            for &job in &unplaced {
                if self.work > limit {
                    left.push(job);
                    continue;
                }
                match self.bid(job)? {
                    Bid::Taken => {}
                    Bid::Outbid(other) => next.push(other),
                    Bid::Tie if !std::mem::replace(&mut has_tied[job as usize], true) => next.push(job),
                    Bid::Tie => left.push(job),
                }
            }
            unplaced = next;
        }
        Ok(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::watch::watched;
    use sched_model::Limit;

    #[test]
    fn a_chain_of_jobs_moves_where_no_price_has_to_rise() {
        // Job i pays least on resources i and i + 1, and each but the last is on the second of them.
        const N: usize = 50;
        let cost = |k: usize| if (k / N..=k / N + 1).contains(&(k % N)) { 1.0 } else { 2.0 };
        let values: Vec<f64> = (0..N * N).map(cost).collect();
        let problem = AssignmentProblem::new(Costs::dense(N, N, &values).unwrap());
        let mut partial = Partial::new(N, vec![0.0; N]);
        for job in 0..N - 1 {
            partial.resource_of[job] = job as u32 + 1;
            partial.owner[job + 1] = job as u32;
        }
        let run = watched(&problem, &mut Limit::none().meter(), |watch| {
            place_at_prices(&Prepared::new(&problem, watch)?, &mut partial)?;
            Err(Stop::TurnOver)
        });
        assert!(run.unwrap().best.is_none());
        let in_order: Vec<u32> = (0..N as u32).collect();
        assert_eq!((&partial.resource_of, &partial.owner), (&in_order, &in_order));
    }
}
