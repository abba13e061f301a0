//! Shortest augmenting paths that read whole rows.
//!
//! R. Jonker, A. Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment
//! problems (1987): distances to all resources in one array, all resources at the least distance settled
//! together.
//!
//! Deviation: how a resource was reached is not stored, but found again from the rows on the path, so that the
//! loop over a row has no branches.

use crate::kernel::NONE;
use crate::kernel::float::Float;
use crate::kernel::occupied::{DeadEnd, Occupied};
use crate::kernel::stop::Stop;
use crate::kernel::watch::Watch;
use crate::kernel::wide::{least, positions_of};

/// The input of the search: placements, prices, and rows of costs. Every placed job pays its least cost +
/// price.
pub(crate) trait Offers {
    /// How wide an entry is.
    type Cost: Float;

    fn occupied(&self) -> &impl Occupied;

    /// The resource of a job, [`NONE`] where it waits.
    fn resource_of(&self, job: u32) -> u32;

    fn prices(&self) -> &[Self::Cost];

    fn cost(&self, job: u32, resource: u32) -> Self::Cost;

    /// Lowers each distance to cost + price - offset of a job's row where that is less.
    fn lower(&self, job: u32, offset: Self::Cost, to: &mut Distances<Self::Cost>) -> Lowered<Self::Cost>;

    /// The work of reading so many entries.
    fn work(&self, entries: usize) -> u64;

    /// Whether sums are off by last bits.
    fn is_rounded(&self) -> bool;

    /// Whether sums stay exact with prices, and differences of sums, up to this magnitude.
    fn is_exact(&self, price: Self::Cost, distance: Self::Cost) -> bool;

    fn set_price(&mut self, resource: u32, price: Self::Cost);

    /// Moves a job, placed or not, to another resource.
    fn shift(&mut self, job: u32, to: u32);

    /// The overseer of the search.
    fn watch(&self) -> Watch<'_>;
}

/// The distances that rows lower.
pub(crate) struct Distances<F> {
    /// Cost + price less the offset of the job, the least so far; infinite where a resource is settled.
    pub(crate) distance: Vec<F>,
    /// The prices, infinite where a resource is settled.
    pub(crate) open: Vec<F>,
    /// Room for a row that has to be written.
    pub(crate) buffer: Vec<F>,
}

/// The result of lowering the distances by a row.
pub(crate) struct Lowered<F> {
    /// The least distance of all.
    pub(crate) least: F,
    pub(crate) work: u64,
}

/// A resource at its distance.
#[derive(Clone, Copy)]
struct Settled<F> {
    resource: u32,
    at: F,
    /// The job whose row led here, [`NONE`] where it must be looked for.
    from: u32,
}

/// Searches for shortest augmenting paths; keeps its arrays from one search to the next.
pub(crate) struct RowSearch<F> {
    to: Distances<F>,
    settled: Vec<Settled<F>>,
    /// Jobs whose rows were read, with the offset that was subtracted.
    read: Vec<(u32, F)>,
    /// The moves of the path, the last one first: job, resource.
    pub(crate) path: Vec<(u32, u32)>,
    /// Resources at the present distance that are still to be expanded.
    todo: Vec<u32>,
    /// Work of all searches.
    pub(crate) work: u64,
}

impl<F: Float> RowSearch<F> {
    pub(crate) fn new(resources: usize) -> Self {
        Self {
            to: Distances {
                distance: vec![F::INFINITY; resources],
                open: Vec::with_capacity(resources),
                buffer: Vec::new(),
            },
            settled: Vec::new(),
            read: Vec::new(),
            path: Vec::new(),
            todo: Vec::new(),
            work: 0,
        }
    }

    /// Places one more job, moving others along the cheapest path, and raises prices so that every placed job
    /// still pays its least cost + price. Changes nothing and returns false where sums would not be exact.
    ///
    /// Invariant: distances are settled in ascending order; a settled resource nearer than the end of the
    /// path gets its price raised by the difference.
    pub(crate) fn augment(&mut self, job: u32, offers: &mut impl Offers<Cost = F>) -> Result<bool, Stop> {
        let last = self.explore(job, offers)?;
        // Rounding may not lower a price.
        let raised = |settled: &&Settled<F>| settled.at < last.at;
        let price =
            |settled: &Settled<F>| offers.prices()[settled.resource as usize] + (last.at - settled.at);
        if !self.settled.iter().all(|settled| offers.is_exact(price(settled), last.at)) {
            return Ok(false);
        }
        self.find_path(last, job, offers);
        for &Settled { resource, at, .. } in self.settled.iter().filter(raised) {
            offers.set_price(resource, offers.prices()[resource as usize] + (last.at - at));
        }
        for &(job, to) in &self.path {
            offers.shift(job, to);
        }
        Ok(true)
    }

    /// Settles resources until one has room: the end of the path.
    fn explore(&mut self, job: u32, offers: &impl Offers<Cost = F>) -> Result<Settled<F>, Stop> {
        self.to.distance.fill(F::INFINITY);
        self.to.open.clear();
        self.to.open.extend_from_slice(offers.prices());
        self.settled.clear();
        self.read.clear();
        self.todo.clear();
        let mut seen = self.work;
        self.work += 2 * offers.work(self.to.distance.len());
        let mut level = self.read_row(job, F::ZERO, offers);
        loop {
            offers.watch().spend_since(&mut seen, self.work)?;
            if !(level < F::INFINITY) {
                let resources = self.settled.iter().map(|settled| settled.resource);
                return Err(DeadEnd { job, resources }.shortage(offers.occupied()).into());
            }
            if let Some(last) = self.settle(level, NONE, offers) {
                return Ok(last);
            }
            let mut nearest = F::INFINITY;
            while let Some(r) = self.todo.pop() {
                offers.watch().spend_since(&mut seen, self.work)?;
                let mut i = offers.occupied().first_on(r);
                while i != NONE {
                    let paid = offers.cost(i, r) + offers.prices()[r as usize];
                    nearest = self.read_row(i, paid - level, offers);
                    if nearest <= level {
                        // As near as the present resource, so that this row led to it: room there ends the
                        // search. With rounding, another resource may be nearer by a last bit.
                        let from = if offers.is_rounded() { NONE } else { i };
                        if let Some(last) = self.settle(nearest, from, offers) {
                            return Ok(last);
                        }
                    }
                    i = offers.occupied().next_on(i);
                }
            }
            // Everything at the least distance is settled; the last row read gave the least of the others.
            level = if nearest <= level { least(&self.to.distance) } else { nearest };
        }
    }

    /// Lowers the distances by a job's row; returns the least of all.
    fn read_row(&mut self, job: u32, offset: F, offers: &impl Offers<Cost = F>) -> F {
        self.read.push((job, offset));
        let Lowered { least, work } = offers.lower(job, offset, &mut self.to);
        self.work += work;
        least
    }

    /// Settles every resource at this distance, to which a row led, and queues it for expansion; the first
    /// with room ends the search.
    fn settle(&mut self, at: F, from: u32, offers: &impl Offers<Cost = F>) -> Option<Settled<F>> {
        let first = self.todo.len();
        positions_of(&self.to.distance, at, &mut self.todo);
        let mut nearest = self.todo[first..].iter();
        if let Some(&resource) = nearest.find(|&&r| offers.occupied().has_room(r)) {
            return Some(Settled { resource, at, from });
        }
        for &resource in &self.todo[first..] {
            self.to.distance[resource as usize] = F::INFINITY;
            self.to.open[resource as usize] = F::INFINITY;
            self.settled.push(Settled { resource, at, from });
        }
        None
    }

    /// Finds the moves of the path, from the last resource back to the job that is to be placed.
    fn find_path(&mut self, last: Settled<F>, first: u32, offers: &impl Offers<Cost = F>) {
        self.path.clear();
        let (mut to, mut before) = (last, self.settled.len());
        loop {
            let price = offers.prices()[to.resource as usize];
            // The first row that leads here at this distance was read before the resource was settled.
            let leads = |&&(job, offset): &&(u32, F)| offers.cost(job, to.resource) + price - offset == to.at;
            let found =
                if to.from == NONE { self.read.iter().find(leads).map(|read| read.0) } else { Some(to.from) };
            let Some(job) = found else { return };
            self.path.push((job, to.resource));
            if job == first {
                return;
            }
            // And the resource of its job before that.
            let here = offers.resource_of(job);
            let Some(at) = self.settled[..before].iter().rposition(|settled| settled.resource == here) else {
                return;
            };
            (to, before) = (self.settled[at], at);
        }
    }
}
