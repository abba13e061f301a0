//! Whole rows as the search for shortest augmenting paths reads them where resources hold any number of jobs.
//!
//! Where many offers cost the same, candidate lists decide nothing and a heap sorts equal distances; a plain
//! loop over a row is then faster. Which of the two searches is the better is measured while they run (see
//! `closing`).

use crate::candidates::state::State;
use crate::kernel::NONE;
use crate::kernel::number::lesser;
use crate::kernel::occupied::Occupied;
use crate::kernel::prepared::Prepared;
use crate::kernel::row_search::{Distances, Lowered, Offers};
use crate::kernel::source::Row;
use crate::kernel::watch::Watch;
use crate::kernel::wide::{least, lower_to};

/// The caller's rows, the dummy, and the current placements.
pub(super) struct WholeRows<'s, 'a> {
    pub(super) prepared: &'s Prepared<'a>,
    pub(super) state: &'s mut State<f64>,
}

impl Offers for WholeRows<'_, '_> {
    type Cost = f64;

    fn occupied(&self) -> &impl Occupied {
        &*self.state
    }

    fn resource_of(&self, job: u32) -> u32 {
        self.state.resource_of[job as usize]
    }

    fn prices(&self) -> &[f64] {
        &self.state.prices
    }

    fn cost(&self, job: u32, resource: u32) -> f64 {
        self.prepared.cost(job as usize, resource)
    }

    fn cost_here(&self, job: u32, _: u32) -> f64 {
        self.state.cost_of[job as usize]
    }

    fn lower(&self, job: u32, offset: f64, to: &mut Distances<f64>) -> Lowered<f64> {
        let Distances { distance, open, buffer } = to;
        let m = self.prepared.source.cols();
        let lower_one = |distance: &mut f64, cost: f64, price: f64| {
            *distance = lesser(*distance, cost + price - offset);
            *distance
        };
        let dummy = self.prepared.dummy;
        match self.prepared.source.row(job as usize, buffer) {
            Row::Full(row) => {
                let nearest = lower_to(&mut distance[..m], row, &open[..m], offset);
                let of_dummy = dummy.map(|cost| lower_one(&mut distance[m], cost, open[m]));
                Lowered { least: of_dummy.map_or(nearest, |at| lesser(at, nearest)), work: m as u64 }
            }
            Row::Listed(columns, costs) => {
                for (&r, &cost) in columns.iter().zip(costs) {
                    lower_one(&mut distance[r as usize], cost, open[r as usize]);
                }
                if let Some(cost) = dummy {
                    lower_one(&mut distance[m], cost, open[m]);
                }
                Lowered { least: least(distance), work: (distance.len() + columns.len()) as u64 }
            }
        }
    }

    fn work(&self, entries: usize) -> u64 {
        entries as u64
    }

    fn is_rounded(&self) -> bool {
        self.prepared.survey.step == 0.0
    }

    /// Whether sums were exact is tested at the end.
    fn is_exact(&self, _: f64, _: f64) -> bool {
        true
    }

    fn set_price(&mut self, resource: u32, price: f64) {
        self.state.set_price(resource, price);
    }

    fn shift(&mut self, job: u32, to: u32) {
        if self.state.resource_of[job as usize] != NONE {
            self.state.remove(job);
        }
        self.state.place(job, to, self.prepared.cost(job as usize, to));
    }

    fn watch(&self) -> Watch<'_> {
        self.prepared.watch
    }
}
