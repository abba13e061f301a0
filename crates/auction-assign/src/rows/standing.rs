//! Placements and prices, with one place per resource.

use crate::kernel::NONE;
use crate::kernel::number::Float;
use crate::kernel::prepared::{Found, Prepared};

/// Placements and prices at which every placed job pays its least cost + price.
#[derive(Clone)]
pub(super) struct Standing<F> {
    pub(super) prices: Vec<F>,
    /// The job on each resource.
    pub(super) owner: Vec<u32>,
    pub(super) resource_of: Vec<u32>,
}

impl<F: Float> Standing<F> {
    /// No job placed.
    pub(super) fn new(jobs: usize, prices: Vec<F>) -> Self {
        Self { owner: vec![NONE; prices.len()], prices, resource_of: vec![NONE; jobs] }
    }

    /// Puts a job on a resource at its present price, if it is free; there must be nothing cheaper for the
    /// job.
    pub(super) fn place(&mut self, job: u32, resource: u32) -> bool {
        let owner = &mut self.owner[resource as usize];
        if *owner != NONE {
            return false;
        }
        *owner = job;
        self.resource_of[job as usize] = resource;
        true
    }

    /// The jobs that are not placed.
    pub(super) fn waiting(&self) -> Vec<u32> {
        (0..self.resource_of.len() as u32).filter(|&job| self.resource_of[job as usize] == NONE).collect()
    }

    /// The same in 64 bits.
    pub(super) fn wide(self) -> Standing<f64> {
        let Self { prices, owner, resource_of } = self;
        Standing { prices: prices.into_iter().map(Float::wide).collect(), owner, resource_of }
    }
}

impl Standing<f64> {
    pub(super) fn found(self, prepared: &Prepared<'_>) -> Found {
        let Self { prices, resource_of, .. } = self;
        let cost = |(job, &r): (usize, &u32)| {
            if r == NONE { 0.0 } else { prepared.source.cost(job, r as usize) }
        };
        let cost_of = resource_of.iter().enumerate().map(cost).collect();
        Found { resource_of, cost_of, prices, least_raise: f64::INFINITY }
    }
}
