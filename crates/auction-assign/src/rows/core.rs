//! A core of few pairs per job: shortest paths in it alone, then passes over all costs that prove the result
//! or tell which pairs are missing.
//!
//! A. Volgenant, Linear and semi-assignment problems: a core oriented approach (1996). Each job keeps the
//! cheapest resources at the prices that bids have left. Jobs that wait are placed along shortest paths over
//! these pairs, with a heap (Dijkstra). Then a pass compares the least cost + price of each row with what its
//! job pays: a job that would pay less elsewhere waits again, and its cheaper pairs join the core.
//!
//! Deviations: a job that no path in the core places is left to paths over whole rows, once no other job
//! waits; placements and prices from before are kept, and used again where the core turns out too poor.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::kernel::NONE;
use crate::kernel::float::Float;
use crate::kernel::number::lesser;
use crate::kernel::prepared::Prepared;
use crate::kernel::stop::Stop;
use crate::kernel::two_least::{at_most_nth, two_least};
use crate::rows::costs::Rows;
use crate::rows::standing::Standing;

/// Jobs from which on a core is tried: fewer rows stay in the cache, where paths over all of them are quick.
const LEAST_JOBS: usize = 1500;

/// At least one job in so many must wait after bids: the core itself takes some passes, and paths of few jobs
/// over whole rows take less.
const MOST_PLACED: usize = 12;

/// Where more than one job in so many waits, prices are too poor for a core.
const MANY_WAITING: usize = 4;

/// Where no path places more than one job in so many, too many pairs are missing.
const MANY_UNREACHED: usize = 128;

/// Pairs that each job keeps, about; and those that a job gets that no path places.
const KEPT: usize = 32;
const MORE: usize = 64;

/// The work of a pair on a path, in entries of a plain loop: it is read out of order, and the nearest
/// resource comes from a heap.
const WORK_PAIR: u64 = 24;

/// Whether a core is worth trying after bids.
pub(super) fn suits<R: Rows>(prepared: &Prepared<'_>, rows: &R, waiting: usize) -> bool {
    let n = prepared.jobs();
    n >= LEAST_JOBS
        && prepared.is_tight()
        && !rows.is_rounded()
        && waiting * MOST_PLACED >= n
        && waiting * MANY_WAITING <= n
}

/// Places waiting jobs by a core; returns the jobs that still wait. Every place must be taken in the end, and
/// sums must be exact; every placed job pays its least cost + price, before and after. Changes nothing where
/// that would take more than `most` work, or the memory of the core, or too many jobs wait again or are not
/// placed.
pub(super) fn place<R: Rows>(
    prepared: &Prepared<'_>,
    rows: &R,
    standing: Standing<R::Cost>,
    waiting: Vec<u32>,
    most: u64,
) -> Result<(Standing<R::Cost>, Vec<u32>), Stop> {
    let Some(_room) = prepared.watch.room::<Pair<R::Cost>>(prepared.jobs() * KEPT, prepared.jobs()) else {
        return Ok((standing, waiting));
    };
    let before = (standing.clone(), waiting.clone());
    let mut core = Core::new(prepared, rows, standing)?;
    let mut waiting = waiting;
    loop {
        let mut unreached = 0;
        for &job in &waiting {
            match core.augment(job) {
                Path::Placed => {}
                Path::None => unreached += 1,
                Path::Inexact => return Ok(before),
            }
            core.spend()?;
            if core.work > most || unreached * MANY_UNREACHED > prepared.jobs() {
                return Ok(before);
            }
        }
        waiting = core.compare()?;
        if waiting.len() == unreached {
            return Ok((core.standing, waiting));
        }
        if waiting.len() * MANY_WAITING > prepared.jobs() {
            return Ok(before);
        }
        if prepared.is_look_due() {
            let prices: Vec<f64> = core.standing.prices.iter().map(|&price| price.wide()).collect();
            prepared.look(&core.standing.resource_of, &prices)?;
        }
    }
}

/// A resource that a job may take, and its cost.
#[derive(Clone, Copy)]
struct Pair<F> {
    resource: u32,
    cost: F,
}

/// The result of a search for a path.
enum Path {
    Placed,
    /// None in the core.
    None,
    /// Sums would not be exact; nothing has changed.
    Inexact,
}

struct Core<'p, 'a, R: Rows> {
    prepared: &'p Prepared<'a>,
    rows: &'p R,
    standing: Standing<R::Cost>,
    pairs: Vec<Vec<Pair<R::Cost>>>,
    /// The cost of each placed job where it stands.
    cost_of: Vec<R::Cost>,
    /// Of each resource the least distance so far, infinite where it was not reached, and the job and the
    /// cost that lead there.
    distance: Vec<R::Cost>,
    from: Vec<(u32, R::Cost)>,
    reached: Vec<u32>,
    settled: Vec<(u32, R::Cost)>,
    /// Distances are not negative, so that their bits are in their order.
    queue: BinaryHeap<Reverse<(u64, u32)>>,
    minima: Vec<R::Cost>,
    found: Vec<u32>,
    buffer: Vec<R::Cost>,
    work: u64,
    seen: u64,
}

impl<'p, 'a, R: Rows> Core<'p, 'a, R> {
    /// The core at the present prices.
    fn new(prepared: &'p Prepared<'a>, rows: &'p R, standing: Standing<R::Cost>) -> Result<Self, Stop> {
        let (n, m) = (prepared.jobs(), prepared.source.cols());
        let cost = |(job, &r): (usize, &u32)| {
            if r == NONE { R::Cost::ZERO } else { rows.cost(job, r as usize) }
        };
        let cost_of = standing.resource_of.iter().enumerate().map(cost).collect();
        let mut core = Self {
            prepared,
            rows,
            standing,
            pairs: vec![Vec::new(); n],
            cost_of,
            distance: vec![R::Cost::INFINITY; m],
            from: vec![(NONE, R::Cost::ZERO); m],
            reached: Vec::new(),
            settled: Vec::new(),
            queue: BinaryHeap::new(),
            minima: Vec::new(),
            found: Vec::new(),
            buffer: Vec::new(),
            work: 0,
            seen: 0,
        };
        for job in 0..n {
            core.list(job, KEPT, R::Cost::INFINITY);
            core.spend()?;
        }
        Ok(core)
    }

    /// Reports the work done since the last time.
    fn spend(&mut self) -> Result<(), Stop> {
        Ok(self.prepared.watch.spend_since(&mut self.seen, self.work)?)
    }

    /// Adds those of the `wanted` cheapest resources of a job that cost less than `limit`, price included.
    fn list(&mut self, job: usize, wanted: usize, limit: R::Cost) {
        let row = self.rows.row(job, &mut self.buffer);
        self.work += 2 * self.rows.work(row.len());
        let prices = &self.standing.prices;
        at_most_nth(row, prices, wanted, &mut self.minima, &mut self.found);
        let pairs = &mut self.pairs[job];
        let listed = pairs.len();
        for &resource in &self.found {
            let cost = row[resource as usize];
            let is_listed = pairs[..listed].iter().any(|pair| pair.resource == resource);
            if cost + prices[resource as usize] < limit && !is_listed {
                pairs.push(Pair { resource, cost });
            }
        }
    }

    /// Places a waiting job along the cheapest path in the core, and raises prices so that every placed job
    /// still pays the least of its pairs.
    ///
    /// Invariant: resources are settled in ascending order of their distances; a settled resource nearer than
    /// the end of the path gets its price raised by the difference.
    fn augment(&mut self, first: u32) -> Path {
        let last = self.explore(first);
        for r in self.reached.drain(..) {
            self.distance[r as usize] = R::Cost::INFINITY;
        }
        self.queue.clear();
        let Some((end, length)) = last else { return Path::None };
        let Self { rows, standing, settled, .. } = self;
        let Standing { prices, owner, resource_of } = standing;
        let raised = |&(r, at): &(u32, R::Cost)| prices[r as usize] + (length - at);
        if !settled.iter().all(|settled| rows.is_exact(raised(settled), length)) {
            return Path::Inexact;
        }
        for &(r, at) in &*settled {
            prices[r as usize] = prices[r as usize] + (length - at);
        }
        let mut to = end;
        loop {
            let (job, cost) = self.from[to as usize];
            let before = std::mem::replace(&mut resource_of[job as usize], to);
            owner[to as usize] = job;
            self.cost_of[job as usize] = cost;
            if job == first {
                return Path::Placed;
            }
            to = before;
        }
    }

    /// Settles resources until one is free: the end of the path, and its length. What is no nearer than a free
    /// resource is not looked at.
    #[inline(never)]
    fn explore(&mut self, first: u32) -> Option<(u32, R::Cost)> {
        let Standing { prices, owner, .. } = &self.standing;
        self.settled.clear();
        let mut limit = R::Cost::INFINITY;
        let values = self.pairs[first as usize].iter().map(|pair| pair.cost + prices[pair.resource as usize]);
        let (mut job, mut offset) = (first, values.fold(R::Cost::INFINITY, lesser));
        loop {
            let pairs = &self.pairs[job as usize];
            self.work += WORK_PAIR * pairs.len() as u64;
            for &Pair { resource, cost } in pairs {
                let r = resource as usize;
                let distance = cost + prices[r] - offset;
                if distance < self.distance[r] && distance < limit {
                    if !(self.distance[r] < R::Cost::INFINITY) {
                        self.reached.push(resource);
                    }
                    if owner[r] == NONE {
                        limit = distance;
                    }
                    self.distance[r] = distance;
                    self.from[r] = (job, cost);
                    self.queue.push(Reverse((distance.wide().to_bits(), resource)));
                }
            }
            // An entry of a distance that was lowered since is passed over.
            let (r, at) = loop {
                let Reverse((bits, r)) = self.queue.pop()?;
                let at = self.distance[r as usize];
                if at.wide().to_bits() == bits {
                    break (r, at);
                }
            };
            let next = owner[r as usize];
            if next == NONE {
                return Some((r, at));
            }
            self.settled.push((r, at));
            (job, offset) = (next, self.cost_of[next as usize] + prices[r as usize] - at);
        }
    }

    /// Compares what each job pays with its whole row; returns the jobs that wait, those among them that
    /// would pay less elsewhere. Their cores grow.
    fn compare(&mut self) -> Result<Vec<u32>, Stop> {
        let mut waiting = Vec::new();
        for job in 0..self.pairs.len() {
            self.spend()?;
            let at = self.standing.resource_of[job];
            if at == NONE {
                self.list(job, MORE, R::Cost::INFINITY);
                waiting.push(job as u32);
                continue;
            }
            let row = self.rows.row(job, &mut self.buffer);
            self.work += self.rows.work(row.len());
            let paid = self.cost_of[job] + self.standing.prices[at as usize];
            if two_least(row, &self.standing.prices, &mut self.minima).least < paid {
                self.list(job, KEPT, paid);
                self.standing.owner[at as usize] = NONE;
                self.standing.resource_of[job] = NONE;
                waiting.push(job as u32);
            }
        }
        Ok(waiting)
    }
}

#[cfg(test)]
mod tests;
