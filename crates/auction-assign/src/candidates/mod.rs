//! Candidate lists, and shortest augmenting paths over them.
//!
//! Terms:
//! - *candidates* of a job: the few resources of minimum cost + price at some earlier prices, and a *bound* on
//!   the cost + price of all other resources. Prices only rise, so both stay lower bounds.
//! - *paid* for a pair: cost + price. The *best* pair of a job is the one of minimum cost + price.
//! - *bid*: a job takes its best resource, and raises the price up to its second best and by *epsilon*.
//! - *path*: a job takes a place, the job that held it takes another place, and so on up to a free place. The
//!   *distance* of a resource is the increase of the sums paid along the path to it.

pub(crate) mod lists;
pub(crate) mod paths;
pub(crate) mod selection;

use crate::kernel::NONE;
use crate::kernel::number::{Number, Unit};
use crate::kernel::prepared::PricedAssignment;
use crate::solution::Shortage;

pub(crate) use paths::Reached;

/// A partial assignment with prices at which every placed job pays its minimum cost + price.
pub(crate) struct State<N> {
    pub(crate) prices: Vec<N>,
    /// The prices rounded down to doubles, as candidate lists use them.
    pub(crate) rounded_down: Vec<f64>,
    pub(crate) unit: Unit,
    pub(crate) capacities: Vec<u32>,
    pub(crate) loads: Vec<u32>,
    /// The resource of each job, and the cost there.
    pub(crate) resource_of: Vec<u32>,
    pub(crate) cost_of: Vec<f64>,
    /// The jobs on each resource as a doubly linked list.
    head: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
}

impl<N: Number> State<N> {
    /// Creates a state in which no job is placed.
    pub(crate) fn new(jobs: usize, capacities: Vec<u32>, mut prices: Vec<N>, unit: Unit) -> Self {
        let m = capacities.len();
        for (price, _) in prices.iter_mut().zip(&capacities).filter(|&(_, &capacity)| capacity == 0) {
            // A resource without places is never considered.
            *price = N::INFINITY;
        }
        Self {
            rounded_down: prices.iter().map(|price| price.down(unit)).collect(),
            prices,
            unit,
            capacities,
            loads: vec![0; m],
            resource_of: vec![NONE; jobs],
            cost_of: vec![0.0; jobs],
            head: vec![NONE; m],
            next: vec![NONE; jobs],
            previous: vec![NONE; jobs],
        }
    }

    /// Returns the placements and prices; for `min_raise` see [`PricedAssignment::min_raise`].
    pub(crate) fn into_priced(self, min_raise: f64) -> PricedAssignment<N> {
        let Self { resource_of, cost_of, prices, .. } = self;
        PricedAssignment { resource_of, cost_of, prices, min_raise }
    }

    #[inline]
    pub(crate) fn set_price(&mut self, resource: u32, price: N) {
        self.prices[resource as usize] = price;
        self.rounded_down[resource as usize] = price.down(self.unit);
    }

    /// Cost + price of a pair.
    #[inline(always)]
    pub(crate) fn paid(&self, cost: f64, resource: u32) -> N {
        N::of(cost, self.unit) + self.prices[resource as usize]
    }

    #[inline]
    pub(crate) fn place(&mut self, job: u32, resource: u32, cost: f64) {
        let (i, r) = (job as usize, resource as usize);
        self.resource_of[i] = resource;
        self.cost_of[i] = cost;
        let first = self.head[r];
        self.next[i] = first;
        self.previous[i] = NONE;
        if first != NONE {
            self.previous[first as usize] = job;
        }
        self.head[r] = job;
        self.loads[r] += 1;
    }

    #[inline]
    pub(crate) fn remove(&mut self, job: u32) {
        let i = job as usize;
        let r = self.resource_of[i] as usize;
        let (before, after) = (self.previous[i], self.next[i]);
        if before == NONE {
            self.head[r] = after;
        } else {
            self.next[before as usize] = after;
        }
        if after != NONE {
            self.previous[after as usize] = before;
        }
        self.resource_of[i] = NONE;
        self.loads[r] -= 1;
    }

    #[inline]
    pub(crate) fn has_room(&self, resource: u32) -> bool {
        self.loads[resource as usize] < self.capacities[resource as usize]
    }

    /// The first job in the list of a resource; [`NONE`] if there is none.
    #[inline]
    pub(crate) fn first_on(&self, resource: u32) -> u32 {
        self.head[resource as usize]
    }

    /// The next job in the list of the same resource; [`NONE`] after the last.
    #[inline]
    pub(crate) fn next_on(&self, job: u32) -> u32 {
        self.next[job as usize]
    }

    /// Returns the proof that `job` cannot be placed, if a search from it has reached exactly these resources.
    pub(crate) fn shortage(&self, job: u32, resources: Vec<u32>) -> Shortage {
        let mut jobs = vec![job];
        let mut capacity = 0;
        for &r in &resources {
            capacity += u64::from(self.capacities[r as usize]);
            let mut i = self.first_on(r);
            while i != NONE {
                jobs.push(i);
                i = self.next_on(i);
            }
        }
        Shortage::new(jobs, resources, capacity)
    }
}
