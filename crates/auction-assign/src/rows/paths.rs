//! Whole rows as the search for shortest augmenting paths reads them where each resource has one place.

use crate::kernel::occupied::Occupied;
use crate::kernel::row_search::{Distances, Lowered, Offers};
use crate::kernel::watch::Watch;
use crate::kernel::wide::lower_to;
use crate::rows::costs::Rows;
use crate::rows::standing::Standing;

/// Full rows, and the current placements.
pub(super) struct FullRows<'s, R: Rows> {
    pub(super) rows: &'s R,
    pub(super) standing: &'s mut Standing<R::Cost>,
    pub(super) watch: Watch<'s>,
}

impl<R: Rows> Offers for FullRows<'_, R> {
    type Cost = R::Cost;

    fn occupied(&self) -> &impl Occupied {
        &*self.standing
    }

    fn resource_of(&self, job: u32) -> u32 {
        self.standing.resource_of[job as usize]
    }

    fn prices(&self) -> &[R::Cost] {
        &self.standing.prices
    }

    fn cost(&self, job: u32, resource: u32) -> R::Cost {
        self.rows.cost(job as usize, resource as usize)
    }

    fn lower(&self, job: u32, offset: R::Cost, to: &mut Distances<R::Cost>) -> Lowered<R::Cost> {
        let row = self.rows.row(job as usize, &mut to.buffer);
        Lowered { least: lower_to(&mut to.distance, row, &to.open, offset), work: self.rows.work(row.len()) }
    }

    fn work(&self, entries: usize) -> u64 {
        self.rows.work(entries)
    }

    fn is_rounded(&self) -> bool {
        self.rows.is_rounded()
    }

    fn is_exact(&self, price: R::Cost, distance: R::Cost) -> bool {
        self.rows.is_exact(price, distance)
    }

    fn set_price(&mut self, resource: u32, price: R::Cost) {
        self.standing.prices[resource as usize] = price;
    }

    /// The job that was there has already moved.
    fn shift(&mut self, job: u32, to: u32) {
        self.standing.resource_of[job as usize] = to;
        self.standing.owner[to as usize] = job;
    }

    fn watch(&self) -> Watch<'_> {
        self.watch
    }
}
