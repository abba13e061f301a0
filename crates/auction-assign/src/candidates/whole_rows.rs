//! Shortest augmenting paths that read whole rows.
//!
//! R. Jonker, A. Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment
//! problems (1987): distances to all resources in one array, all resources at the least distance looked at
//! together.
//!
//! Where many offers cost the same, candidate lists decide nothing and a heap orders what is equal; a plain
//! loop over a row then is quicker. Which of the two searches is the better is measured while they run (see
//! `drive`).
//!
//! Deviations: resources hold any number of jobs; how a resource was reached is not noted, but found again
//! from the rows on the path, so that the loop over a row has nothing to choose.

use crate::candidates::state::{DeadEnd, State};
use crate::kernel::NONE;
use crate::kernel::lanes::{least, lower_to};
use crate::kernel::positions::positions_of;
use crate::kernel::prepared::Prepared;
use crate::kernel::source::Row;
use crate::kernel::stop::Stop;

/// A resource at its distance.
#[derive(Clone, Copy)]
struct Settled {
    resource: u32,
    at: f64,
    /// The job whose row led here, [`NONE`] where it must be looked for.
    from: u32,
}

/// Searches for shortest augmenting paths; keeps its arrays from one search to the next.
pub(crate) struct WholeRowSearch {
    /// Cost + price less the offset of the job, the least so far; infinite where a resource is settled.
    distance: Vec<f64>,
    /// The prices, infinite where a resource is settled.
    prices: Vec<f64>,
    /// Settled resources.
    settled: Vec<Settled>,
    /// Jobs whose rows were read, with what was taken off.
    read: Vec<(u32, f64)>,
    /// The moves of the path: job, resource, cost there.
    pub(crate) path: Vec<(u32, u32, f64)>,
    /// Resources at the present distance that are still to be looked at.
    todo: Vec<u32>,
    buffer: Vec<f64>,
    /// Entries read by all searches.
    pub(crate) work: u64,
}

impl WholeRowSearch {
    pub(crate) fn new(resources: usize) -> Self {
        Self {
            distance: vec![f64::INFINITY; resources],
            prices: vec![0.0; resources],
            settled: Vec::new(),
            read: Vec::new(),
            path: Vec::new(),
            todo: Vec::new(),
            buffer: Vec::new(),
            work: 0,
        }
    }

    /// Places one more job, moving others along the cheapest path, and raises prices so that every placed job
    /// still stands where cost + price is least. Changes nothing and returns false once more than `budget`
    /// entries were read.
    ///
    /// Invariant: distances are settled in ascending order; a settled resource nearer than the end of the
    /// path gets its price raised by the difference.
    pub(crate) fn augment(
        &mut self,
        job: u32,
        state: &mut State<f64>,
        prepared: &Prepared<'_>,
        budget: u64,
    ) -> Result<bool, Stop> {
        let limit = self.work.saturating_add(budget);
        let mut seen = self.work;
        self.distance.fill(f64::INFINITY);
        self.prices.copy_from_slice(&state.prices);
        self.settled.clear();
        self.read.clear();
        self.todo.clear();
        self.work += 2 * self.distance.len() as u64;
        let mut least = self.read_row(job, 0.0, prepared);
        let last = loop {
            if self.work > limit {
                return Ok(false);
            }
            prepared.watch.spend_since(&mut seen, self.work)?;
            if least == f64::INFINITY {
                let resources = self.settled.iter().map(|settled| settled.resource);
                return Err(DeadEnd { job, resources }.shortage(state).into());
            }
            if let Some(last) = self.settle(least, NONE, state) {
                break last;
            }
            let mut reached = None;
            let mut nearest = f64::INFINITY;
            while let Some(r) = self.todo.pop() {
                prepared.watch.spend_since(&mut seen, self.work)?;
                let mut i = state.first_on(r);
                while i != NONE && reached.is_none() {
                    let offset = state.cost_of[i as usize] + state.prices[r as usize] - least;
                    nearest = self.read_row(i, offset, prepared);
                    if nearest <= least {
                        // As near as what is being looked at, so that it was this row: room there ends the
                        // search. Rounded, it may have been another that is nearer by a last bit.
                        let from = if prepared.survey.step == 0.0 { NONE } else { i };
                        reached = self.settle(nearest, from, state);
                    }
                    i = state.next_on(i);
                }
                if reached.is_some() {
                    break;
                }
            }
            if let Some(last) = reached {
                break last;
            }
            // Everything at the least distance is settled; what was read last knows the least of the others.
            least = if nearest <= least { self.least() } else { nearest };
        };
        self.find_path(last, job, state, prepared);
        for &Settled { resource, at, .. } in &self.settled {
            // Rounding may not lower one.
            if last.at > at {
                state.set_price(resource, state.prices[resource as usize] + (last.at - at));
            }
        }
        for &(job, to, cost) in &self.path {
            if state.resource_of[job as usize] != NONE {
                state.remove(job);
            }
            state.place(job, to, cost);
        }
        Ok(true)
    }

    /// Lowers the distances by a job's row; returns the least of all.
    fn read_row(&mut self, job: u32, offset: f64, prepared: &Prepared<'_>) -> f64 {
        self.read.push((job, offset));
        let mut buffer = std::mem::take(&mut self.buffer);
        let least = match prepared.source.row(job as usize, &mut buffer) {
            Row::Full(row) => {
                self.work += row.len() as u64;
                let m = row.len();
                let mut least = lower_to(&mut self.distance[..m], row, &self.prices[..m], offset);
                if let Some(cost) = prepared.dummy {
                    let value = cost + self.prices[m] - offset;
                    let distance = &mut self.distance[m];
                    *distance = if value < *distance { value } else { *distance };
                    least = if *distance < least { *distance } else { least };
                }
                least
            }
            Row::Listed(columns, costs) => {
                self.work += (self.distance.len() + columns.len()) as u64;
                for (&r, &cost) in columns.iter().zip(costs) {
                    let value = cost + self.prices[r as usize] - offset;
                    let distance = &mut self.distance[r as usize];
                    *distance = if value < *distance { value } else { *distance };
                }
                if let Some(cost) = prepared.dummy {
                    let m = prepared.source.cols();
                    let value = cost + self.prices[m] - offset;
                    let distance = &mut self.distance[m];
                    *distance = if value < *distance { value } else { *distance };
                }
                self.least()
            }
        };
        self.buffer = buffer;
        least
    }

    fn least(&self) -> f64 {
        least(&self.distance)
    }

    /// Settles every resource at this distance, to which a row led, and has it looked at; the first with room
    /// ends the search.
    fn settle(&mut self, at: f64, from: u32, state: &State<f64>) -> Option<Settled> {
        let first = self.todo.len();
        positions_of(&self.distance, at, &mut self.todo);
        if let Some(&resource) = self.todo[first..].iter().find(|&&r| state.has_room(r)) {
            return Some(Settled { resource, at, from });
        }
        for &resource in &self.todo[first..] {
            self.distance[resource as usize] = f64::INFINITY;
            self.prices[resource as usize] = f64::INFINITY;
            self.settled.push(Settled { resource, at, from });
        }
        None
    }

    /// Which job moves where, from the last resource back to the job that was to be placed.
    fn find_path(&mut self, last: Settled, first: u32, state: &State<f64>, prepared: &Prepared<'_>) {
        self.path.clear();
        let mut to = last;
        loop {
            let cost = |job: u32| prepared.cost(job as usize, to.resource);
            let price = state.prices[to.resource as usize];
            // The first row that leads here at this distance was read before the resource was settled.
            let leads = |&&(job, offset): &&(u32, f64)| cost(job) + price - offset == to.at;
            let found =
                if to.from == NONE { self.read.iter().find(leads).map(|read| read.0) } else { Some(to.from) };
            let Some(job) = found else { return };
            self.path.push((job, to.resource, cost(job)));
            let before = state.resource_of[job as usize];
            match self.settled.iter().find(|settled| settled.resource == before) {
                Some(&settled) if job != first => to = settled,
                _ => return,
            }
        }
    }
}
