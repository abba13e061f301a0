//! Looks at an unfinished search. A *look* computes the bound that the present prices prove, and a feasible assignment,
//! in which the unplaced jobs are placed greedily, as candidate for the incumbent.

use sched_model::internal::ExactSum;

use crate::kernel::NONE;
use crate::kernel::matching;
use crate::kernel::prepared::Prepared;
use crate::kernel::source::Row;
use crate::kernel::watch::{Look, Stop};
use crate::solution::Duals;

impl Prepared<'_> {
    /// Takes a look if one is due. `resource_of` may leave jobs unplaced ([`NONE`]) but must not overfill a resource;
    /// `prices` may be any.
    pub(crate) fn look(&self, resource_of: &[u32], prices: &[f64]) -> Result<(), Stop> {
        if self.is_look_due() { self.look_now(resource_of, prices) } else { Ok(()) }
    }

    /// Takes the first look of a search under a limit: at no placed job and prices of 0.
    pub(crate) fn first_look(&self) -> Result<(), Stop> {
        if self.watch.wants_any() && self.jobs() > 0 {
            self.look_now(&vec![NONE; self.jobs()], &vec![0.0; self.capacities.len()])?;
        }
        Ok(())
    }

    /// Whether [`look`](Self::look) would take a look now.
    pub(crate) fn is_look_due(&self) -> bool {
        // A look takes a pass over the costs, in which some rows are read twice.
        self.watch.is_due(self.source.all_entries() * 3 / 2)
    }

    /// As [`look`](Self::look), for a `resource_of` that may overfill resources: the last jobs on these count as
    /// unplaced.
    pub(crate) fn look_overfull(&self, resource_of: &[u32], prices: &[f64]) -> Result<(), Stop> {
        if !self.is_look_due() {
            return Ok(());
        }
        let mut room = self.capacities.clone();
        let mut kept = resource_of.to_vec();
        for r in &mut kept {
            match room.get_mut(*r as usize) {
                Some(room) if *room > 0 => *room -= 1,
                _ => *r = NONE,
            }
        }
        self.look_now(&kept, prices)
    }

    /// Takes a look whether or not one is due, unless the search has no limit.
    pub(crate) fn look_now(&self, resource_of: &[u32], prices: &[f64]) -> Result<(), Stop> {
        if !self.watch.is_limited() {
            return Ok(());
        }
        let watch = self.watch.for_a_look();
        let prices = self.dual_prices(prices);
        // Twice the maximum rounding error of a cost + price.
        let highest = prices.iter().fold(0.0f64, |a, &price| a.max(price));
        let margin = if self.on_grid(&prices) {
            0.0
        } else {
            2.0 * f64::EPSILON * (self.survey.max_magnitude + highest)
        };
        let mut room: Vec<u32> = self.capacities.clone();
        for &r in resource_of.iter().filter(|&&r| r != NONE) {
            room[r as usize] -= 1;
        }
        let mut chosen = resource_of.to_vec();
        let mut profits = Vec::with_capacity(chosen.len());
        let mut worth = ExactSum::default();
        let mut buffer = Vec::new();
        let mut is_stranded = false;
        for (i, chosen) in chosen.iter_mut().enumerate() {
            watch.spend(self.source.entries(i))?;
            let row = self.source.row(i, &mut buffer);
            let listed = row.min_sum(&prices);
            let out = self.dummy.map_or(f64::INFINITY, |cost| cost + prices[self.source.cols()]);
            let minimum = if out < listed { out } else { listed };
            if minimum == f64::INFINITY {
                // No pair is admissible; the search will find that.
                return Ok(());
            }
            profits.push(margin - minimum);
            worth.add(margin - minimum);
            if *chosen == NONE {
                watch.spend(self.source.entries(i))?;
                *chosen = self.cheapest_with_room(row, &prices, &room);
                match room.get_mut(*chosen as usize) {
                    Some(room) => *room -= 1,
                    None => is_stranded = true,
                }
            }
        }
        for (&price, &places) in prices.iter().zip(&self.capacities).filter(|&(&price, _)| price != 0.0) {
            let product = price * f64::from(places);
            worth.add(product);
            worth.add(price.mul_add(f64::from(places), -product));
        }
        let worth = if margin == 0.0 && worth.at_most(worth.value()) {
            worth.value()
        } else {
            worth.value().next_up()
        };
        if is_stranded && watch.wants_any() {
            is_stranded = !matching::complete(&self.source, &self.capacities, &mut chosen, watch)?.is_empty();
        }
        let assignment = (!is_stranded).then(|| {
            let costs: Vec<f64> = chosen.iter().enumerate().map(|(i, &r)| self.cost(i, r)).collect();
            self.assignment(&chosen, &costs)
        });
        let waiting = self.dummy.map(|cost| 0.0 - (cost + prices[self.source.cols()]));
        let duals =
            Duals { profits, prices: prices[..self.source.cols()].to_vec(), waiting, remainders: None };
        let look = Look { assignment, duals, bound: self.signed(0.0 - worth) };
        watch.record(&self.problem, look)
    }

    /// Converts prices to valid duals. If every place will be taken, they are shifted so that the minimum is 0;
    /// otherwise negative ones become 0. With a penalty the price of the dummy is 0. Resources without a place are too
    /// expensive for every job. The price of a resource with a place for every job is 0: a higher price would lower the
    /// profits by no more than it adds to the sum of `capacity * price`, so it would not improve the bound.
    fn dual_prices(&self, prices: &[f64]) -> Vec<f64> {
        let finite = || prices.iter().copied().filter(|price| price.is_finite());
        let zero = if self.is_tight() { finite().fold(f64::INFINITY, f64::min) } else { 0.0 };
        let max_magnitude = finite().fold(self.survey.max_magnitude, |a, price| a.max(price.abs()));
        let mut prices: Vec<f64> = (prices.iter().zip(&self.capacities))
            .map(|(&price, &capacity)| match capacity as usize {
                0 => 8.0 * max_magnitude,
                places if places >= self.jobs() => 0.0,
                _ => (price - zero).max(0.0) + 0.0,
            })
            .collect();
        if self.is_optional()
            && let Some(out) = prices.get_mut(self.source.cols())
        {
            *out = 0.0;
        }
        prices
    }

    /// Whether sums of costs and these prices are exact: all are multiples of the step of the costs and small enough
    /// ([`Survey::is_exact`](crate::kernel::prepared::Survey::is_exact)).
    pub(crate) fn on_grid(&self, prices: &[f64]) -> bool {
        let step = self.survey.step;
        let highest = prices.iter().fold(0.0f64, |a, price| a.max(price.abs()));
        self.survey.is_exact(highest, f64::INFINITY)
            && prices.iter().all(|price| (price / step).fract() == 0.0)
    }

    /// Returns the resource of minimum cost + price among those with room; [`NONE`] if there is none.
    fn cheapest_with_room(&self, row: Row<'_>, prices: &[f64], room: &[u32]) -> u32 {
        let mut best = (f64::INFINITY, NONE);
        let mut offer = |r: usize, cost: f64| {
            let value = cost + prices[r];
            if value < best.0 && room[r] > 0 {
                best = (value, r as u32);
            }
        };
        row.each(&mut offer);
        if let Some(cost) = self.dummy {
            offer(self.source.cols(), cost);
        }
        best.1
    }
}
