//! Shortest augmenting paths that read whole rows, where each resource has one place.
//!
//! R. Jonker, A. Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment
//! problems (1987): distances to all resources in one array, all resources at the least distance settled
//! together.
//!
//! Deviation: how a resource was reached is not stored, but found again from the rows on the path, so that the
//! loop over a row has no branches.

use crate::kernel::NONE;
use crate::kernel::prepared::Prepared;
use crate::kernel::source::Row;
use crate::kernel::watch::Stop;
use crate::kernel::wide::{least, lower_to, positions_of};
use crate::rows::Standing;
use crate::solution::Shortage;

/// A resource at its distance.
#[derive(Clone, Copy)]
struct Settled {
    resource: u32,
    at: f64,
    /// The job whose row led here, [`NONE`] where it must be looked for.
    from: u32,
}

/// Searches for shortest augmenting paths; keeps its arrays from one search to the next.
pub(super) struct Search<'p, 'a> {
    prepared: &'p Prepared<'a>,
    /// Of each resource cost + price less the offset of the job, the least so far; infinite where it is settled.
    distance: Vec<f64>,
    /// The prices, infinite where a resource is settled.
    open: Vec<f64>,
    /// Room for a row that has to be written.
    buffer: Vec<f64>,
    settled: Vec<Settled>,
    /// Jobs whose rows were read, with the offset that was subtracted.
    read: Vec<(u32, f64)>,
    /// The moves of the path, the last one first: job, resource.
    path: Vec<(u32, u32)>,
    /// Resources at the present distance that are still to be expanded.
    todo: Vec<u32>,
    /// Work of all searches.
    pub(super) work: u64,
}

impl<'p, 'a> Search<'p, 'a> {
    pub(super) fn new(prepared: &'p Prepared<'a>) -> Self {
        let resources = prepared.source.cols();
        Self {
            prepared,
            distance: vec![f64::INFINITY; resources],
            open: Vec::with_capacity(resources),
            buffer: Vec::new(),
            settled: Vec::new(),
            read: Vec::new(),
            path: Vec::new(),
            todo: Vec::new(),
            work: 0,
        }
    }

    /// Places one more job, moving others along the cheapest path, and raises prices so that every placed job
    /// still pays its least cost + price.
    ///
    /// Invariant: distances are settled in ascending order; a settled resource nearer than the end of the
    /// path gets its price raised by the difference.
    pub(super) fn augment(&mut self, job: u32, standing: &mut Standing) -> Result<(), Stop> {
        let last = self.explore(job, standing)?;
        self.find_path(last, job, standing);
        // Rounding may not lower a price.
        for &Settled { resource, at, .. } in self.settled.iter().filter(|settled| settled.at < last.at) {
            let price = &mut standing.prices[resource as usize];
            *price += last.at - at;
        }
        // The job that was on a resource has moved before another comes.
        for &(job, to) in &self.path {
            standing.resource_of[job as usize] = to;
            standing.owner[to as usize] = job;
        }
        Ok(())
    }

    /// Settles resources until one has room: the end of the path.
    fn explore(&mut self, job: u32, standing: &Standing) -> Result<Settled, Stop> {
        self.distance.fill(f64::INFINITY);
        self.open.clear();
        self.open.extend_from_slice(&standing.prices);
        self.settled.clear();
        self.read.clear();
        self.todo.clear();
        let mut seen = self.work;
        self.work += 2 * self.distance.len() as u64;
        let mut level = self.read_row(job, 0.0);
        loop {
            self.prepared.watch.spend_since(&mut seen, self.work)?;
            if !(level < f64::INFINITY) {
                let resources: Vec<u32> = self.settled.iter().map(|settled| settled.resource).collect();
                let owners = resources.iter().map(|&r| standing.owner[r as usize]);
                let jobs = owners.chain([job]).collect();
                let capacity = resources.len() as u64;
                return Err(Shortage::new(jobs, resources, capacity).into());
            }
            if let Some(last) = self.settle(level, NONE, standing) {
                return Ok(last);
            }
            let mut nearest = f64::INFINITY;
            while let Some(r) = self.todo.pop() {
                self.prepared.watch.spend_since(&mut seen, self.work)?;
                let i = standing.owner[r as usize];
                let paid = self.prepared.source.cost(i as usize, r as usize) + standing.prices[r as usize];
                nearest = self.read_row(i, paid - level);
                if nearest <= level {
                    // As near as the present resource, so that this row led to it: room there ends the
                    // search. With rounding, another resource may be nearer by a last bit.
                    let from = if self.prepared.survey.step == 0.0 { NONE } else { i };
                    if let Some(last) = self.settle(nearest, from, standing) {
                        return Ok(last);
                    }
                }
            }
            // Everything at the least distance is settled; the last row read gave the least of the others.
            level = if nearest <= level { least(&self.distance) } else { nearest };
        }
    }

    /// Lowers each distance to cost + price - offset of a job's row where that is less; returns the least of
    /// all.
    fn read_row(&mut self, job: u32, offset: f64) -> f64 {
        self.read.push((job, offset));
        let (Row::Full(row) | Row::Listed(_, row)) = self.prepared.source.row(job as usize, &mut self.buffer);
        self.work += row.len() as u64;
        lower_to(&mut self.distance, row, &self.open, offset)
    }

    /// Settles every resource at this distance, to which a row led, and queues it for expansion; the first
    /// with room ends the search.
    fn settle(&mut self, at: f64, from: u32, standing: &Standing) -> Option<Settled> {
        let first = self.todo.len();
        positions_of(&self.distance, at, &mut self.todo);
        let mut nearest = self.todo[first..].iter();
        if let Some(&resource) = nearest.find(|&&r| standing.owner[r as usize] == NONE) {
            return Some(Settled { resource, at, from });
        }
        for &resource in &self.todo[first..] {
            self.distance[resource as usize] = f64::INFINITY;
            self.open[resource as usize] = f64::INFINITY;
            self.settled.push(Settled { resource, at, from });
        }
        None
    }

    /// Finds the moves of the path, from the last resource back to the job that is to be placed.
    fn find_path(&mut self, last: Settled, first: u32, standing: &Standing) {
        self.path.clear();
        let (mut to, mut before) = (last, self.settled.len());
        loop {
            let r = to.resource as usize;
            // The first row that leads here at this distance was read before the resource was settled.
            let leads = |&&(job, offset): &&(u32, f64)| {
                self.prepared.source.cost(job as usize, r) + standing.prices[r] - offset == to.at
            };
            let found =
                if to.from == NONE { self.read.iter().find(leads).map(|read| read.0) } else { Some(to.from) };
            let Some(job) = found else { return };
            self.path.push((job, to.resource));
            if job == first {
                return;
            }
            // And the resource of its job before that.
            let here = standing.resource_of[job as usize];
            let Some(at) = self.settled[..before].iter().rposition(|settled| settled.resource == here) else {
                return;
            };
            (to, before) = (self.settled[at], at);
        }
    }
}
