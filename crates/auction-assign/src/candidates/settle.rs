//! Bringing free places to one level, along the shortest paths of [`Search`].

use crate::candidates::lists::CandidateLists;
use crate::candidates::paths::{Next, Reached, Search};
use crate::candidates::state::State;
use crate::kernel::NONE;
use crate::kernel::number::{Number, greater, lesser};
use crate::kernel::watch::{Stop, Watch};

impl<N: Number> Search<N> {
    /// Makes every resource with room left cost no more than any other, as it must where there are more
    /// places than jobs: free places must have the least price of all.
    ///
    /// The free places belong to imaginary jobs that cost nothing anywhere and want the cheapest place. Those
    /// that are priced above the level move along shortest paths; where the path is a single step, the common
    /// price level simply rises to them.
    pub(super) fn settle(
        &mut self,
        state: &mut State<N>,
        lists: &mut CandidateLists<'_>,
        watch: Watch<'_>,
    ) -> Result<(), Stop> {
        loop {
            let level = (state.prices.iter().zip(&state.capacities))
                .filter(|&(_, &capacity)| capacity > 0)
                .map(|(&price, _)| price)
                .fold(N::INFINITY, lesser);
            let is_above = |r: usize| state.has_room(r as u32) && state.prices[r] > level;
            let above: Vec<bool> = (0..state.prices.len()).map(is_above).collect();
            let mut left = above.iter().filter(|&&above| above).count();
            if left == 0 {
                return Ok(());
            }
            self.work += state.prices.len() as u64;
            watch.spend(state.prices.len() as u64)?;
            self.begin(state, lists);
            for r in 0..state.prices.len() {
                if state.capacities[r] > 0 {
                    self.distance[r] = state.prices[r] - level;
                    self.parent[r] = NONE;
                    self.touched.push(r as u32);
                    self.heap.push(Reached { distance: self.distance[r], what: Next::Settle(r as u32) });
                }
            }
            // Room reached through a job ends the search; the jobs' own relaxation looks for it.
            let mut end = (N::INFINITY, NONE);
            let settled = self.explore(state, lists, &mut end, watch, |r| {
                left -= usize::from(above[r as usize]);
                left == 0
            })?;
            let length = settled.unwrap_or(end.0);
            for &(r, distance) in &self.scanned {
                // Those that no job reached have the price of the common level, except where rounding would
                // lower a price.
                let price = if self.parent[r as usize] == NONE {
                    greater(state.prices[r as usize], level + length)
                } else {
                    state.prices[r as usize] + (length - distance)
                };
                state.set_price(r, price);
            }
            if settled.is_none() {
                self.shift(end.1, NONE, state);
            }
        }
    }
}
