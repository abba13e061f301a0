//! Shortest augmenting paths that read whole rows, one place per resource.
//!
//! Distances to all resources in one array, all resources at the least distance looked at together. How a
//! resource was reached is not noted, but found again from the rows on the path, so that the loop over a row
//! has nothing to choose.

use crate::kernel::NONE;
use crate::kernel::float::Float;
use crate::kernel::lanes::{least, lower_to};
use crate::kernel::positions::positions_of;
use crate::kernel::stop::Stop;
use crate::kernel::watch::Watch;
use crate::rows::costs::Rows;
use crate::rows::standing::Standing;
use crate::solution::Shortage;

/// A resource at its distance.
#[derive(Clone, Copy)]
struct Settled<F> {
    resource: u32,
    at: F,
    /// The job whose row led here, [`NONE`] where it must be looked for.
    from: u32,
}

/// Searches for shortest augmenting paths; keeps its arrays from one search to the next.
pub(super) struct PathSearch<'p, R: Rows> {
    rows: &'p R,
    watch: Watch<'p>,
    /// Cost + price less the offset of the job, the least so far; infinite where a resource is settled.
    distance: Vec<R::Cost>,
    /// The prices, infinite where a resource is settled.
    open: Vec<R::Cost>,
    settled: Vec<Settled<R::Cost>>,
    /// Jobs whose rows were read, with what was taken off.
    read: Vec<(u32, R::Cost)>,
    /// Resources at the present distance that are still to be looked at.
    todo: Vec<u32>,
    buffer: Vec<R::Cost>,
    /// Work of all searches.
    pub(super) work: u64,
}

impl<'p, R: Rows> PathSearch<'p, R> {
    pub(super) fn new(rows: &'p R, watch: Watch<'p>, resources: usize) -> Self {
        Self {
            rows,
            watch,
            distance: vec![R::Cost::INFINITY; resources],
            open: Vec::with_capacity(resources),
            settled: Vec::new(),
            read: Vec::new(),
            todo: Vec::new(),
            buffer: Vec::new(),
            work: 0,
        }
    }

    /// Places one more job, moving others along the cheapest path, and raises prices so that every placed job
    /// still stands where cost + price is least. Changes nothing and returns false where sums would not be
    /// exact.
    ///
    /// Invariant: distances are settled in ascending order; a settled resource nearer than the end of the
    /// path gets its price raised by the difference.
    pub(super) fn augment(&mut self, job: u32, standing: &mut Standing<R::Cost>) -> Result<bool, Stop> {
        self.distance.fill(R::Cost::INFINITY);
        self.open.clone_from(&standing.prices);
        self.settled.clear();
        self.read.clear();
        self.todo.clear();
        let mut seen = self.work;
        self.work += 2 * self.rows.work(self.distance.len());
        let mut level = self.read_row(job, R::Cost::ZERO);
        let last = loop {
            self.watch.spend_since(&mut seen, self.work)?;
            if !(level < R::Cost::INFINITY) {
                return Err(self.shortage(job, standing).into());
            }
            if let Some(last) = self.settle(level, NONE, standing) {
                break last;
            }
            let mut reached = None;
            let mut nearest = R::Cost::INFINITY;
            while let Some(r) = self.todo.pop() {
                self.watch.spend_since(&mut seen, self.work)?;
                let i = standing.owner[r as usize];
                let paid = self.rows.cost(i as usize, r as usize) + standing.prices[r as usize];
                nearest = self.read_row(i, paid - level);
                if nearest <= level {
                    // As near as what is being looked at, so that it was this row: a free resource there
                    // ends the search.
                    // Rounded, it may have been another that is nearer by a last bit.
                    let from = if self.rows.is_rounded() { NONE } else { i };
                    reached = self.settle(nearest, from, standing);
                    if reached.is_some() {
                        break;
                    }
                }
            }
            if let Some(last) = reached {
                break last;
            }
            // Everything at the least distance is settled; what was read last knows the least of the others.
            level = if nearest <= level { least(&self.distance) } else { nearest };
        };
        let raised =
            |settled: &Settled<R::Cost>| standing.prices[settled.resource as usize] + (last.at - settled.at);
        if !self.settled.iter().all(|settled| self.rows.is_exact(raised(settled), last.at)) {
            return Ok(false);
        }
        self.shift(last, job, standing);
        for &Settled { resource, at, .. } in self.settled.iter().filter(|settled| settled.at < last.at) {
            let price = &mut standing.prices[resource as usize];
            *price = *price + (last.at - at);
        }
        Ok(true)
    }

    /// Lowers the distances by a job's row; returns the least of all.
    fn read_row(&mut self, job: u32, offset: R::Cost) -> R::Cost {
        self.read.push((job, offset));
        let row = self.rows.row(job as usize, &mut self.buffer);
        self.work += self.rows.work(row.len());
        lower_to(&mut self.distance, row, &self.open, offset)
    }

    /// Settles every resource at this distance, to which a row led, and has it looked at; the first that is
    /// free ends the search.
    fn settle(&mut self, at: R::Cost, from: u32, standing: &Standing<R::Cost>) -> Option<Settled<R::Cost>> {
        let first = self.todo.len();
        positions_of(&self.distance, at, &mut self.todo);
        let mut nearest = self.todo[first..].iter();
        if let Some(&resource) = nearest.find(|&&r| standing.owner[r as usize] == NONE) {
            return Some(Settled { resource, at, from });
        }
        for &resource in &self.todo[first..] {
            self.distance[resource as usize] = R::Cost::INFINITY;
            self.open[resource as usize] = R::Cost::INFINITY;
            self.settled.push(Settled { resource, at, from });
        }
        None
    }

    /// Moves every job on the path one on, from the last resource back to the job that was to be placed.
    fn shift(&mut self, last: Settled<R::Cost>, first: u32, standing: &mut Standing<R::Cost>) {
        let mut to = last;
        loop {
            let at = to.resource as usize;
            let price = standing.prices[at];
            // The first row that leads here at this distance was read before the resource was settled.
            let leads = |&&(job, offset): &&(u32, R::Cost)| {
                self.rows.cost(job as usize, at) + price - offset == to.at
            };
            let found =
                if to.from == NONE { self.read.iter().find(leads).map(|read| read.0) } else { Some(to.from) };
            let Some(job) = found else { return };
            let before = std::mem::replace(&mut standing.resource_of[job as usize], to.resource);
            standing.owner[at] = job;
            match self.settled.iter().find(|settled| settled.resource == before) {
                Some(&settled) if job != first => to = settled,
                _ => return,
            }
        }
    }

    /// The jobs met may only use the resources met.
    fn shortage(&self, job: u32, standing: &Standing<R::Cost>) -> Shortage {
        let mut resources: Vec<u32> = self.settled.iter().map(|settled| settled.resource).collect();
        let mut jobs: Vec<u32> = resources.iter().map(|&r| standing.owner[r as usize]).collect();
        jobs.push(job);
        jobs.sort_unstable();
        resources.sort_unstable();
        Shortage { jobs, capacity: resources.len() as u64, resources }
    }
}
