//! A sample of the jobs, or all of them, on resources of proportional capacity.

use super::moves::Moves;
use super::rows::{Buffer, Rows};
use super::search::Search;
use crate::kernel::number::{Number, Unit, greater, lesser};
use crate::kernel::prepared::Found;
use crate::kernel::stop::Stop;
use crate::kernel::watch::Watch;
use crate::kernel::wide::write_sums;
use crate::solution::Shortage;

/// Jobs and resources with a price for each resource.
pub(super) struct Level<'f, 'a, N> {
    rows: Rows<'f, 'a>,
    unit: Unit,
    capacities: Vec<u32>,
    /// One per resource, the dummy's last. They only rise.
    pub(super) prices: Vec<N>,
    moves: Moves<N>,
    watch: Watch<'f>,
    /// Work that was counted.
    seen: u64,
}

impl<'f, 'a, N: Number> Level<'f, 'a, N> {
    pub(super) fn new(
        rows: Rows<'f, 'a>,
        capacities: Vec<u32>,
        prices: Vec<N>,
        unit: Unit,
        watch: Watch<'f>,
    ) -> Self {
        let moves = Moves::new(rows.count(), capacities.len(), unit);
        Self { rows, unit, capacities, prices, moves, watch, seen: 0 }
    }

    pub(super) fn into_found(self) -> Found<N> {
        let resource_of = self.moves.resource_of;
        let cost_of = resource_of.iter().enumerate().map(|(i, &r)| self.rows.cost(i, r as usize)).collect();
        Found { resource_of, cost_of, prices: self.prices, least_raise: f64::INFINITY }
    }

    /// The assignment of least sum, and its prices. `before` is an earlier resource of each job, if that is
    /// known. False if the `budget`, in entries read, was spent first. `look` is called between steps, with
    /// an assignment that may overfill resources, and the prices.
    pub(super) fn solve(
        &mut self,
        before: &[u32],
        budget: u64,
        look: impl Fn(&[u32], &[N]) -> Result<(), Stop>,
    ) -> Result<bool, Stop> {
        self.place_all(before)?;
        let overfull = self.moves.loads.iter().zip(&self.capacities).any(|(load, capacity)| load > capacity);
        if !overfull && !self.has_overpriced_room() {
            return Ok(true);
        }
        let pairs = self.capacities.len().saturating_mul(self.capacities.len());
        self.watch.reserve::<(N, [usize; 4])>(pairs)?;
        self.moves.begin();
        let mut search = Search::new(self.capacities.len());
        while self.relieve(&mut search)? {
            look(&self.moves.resource_of, &self.prices)?;
            if search.work + self.moves.work > budget {
                return Ok(false);
            }
        }
        while self.settle(&mut search)? {
            look(&self.moves.resource_of, &self.prices)?;
            if search.work + self.moves.work > budget {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Places every job where cost + price is least; among equals on its earlier resource, or where there is
    /// room.
    fn place_all(&mut self, before: &[u32]) -> Result<(), Stop> {
        let mut buffer = Buffer::default();
        let view: Vec<f64> = self.prices.iter().map(|price| price.down(self.unit)).collect();
        let mut sums = vec![0.0; view.len()];
        for job in 0..self.moves.resource_of.len() {
            self.watch.spend(2 * view.len() as u64)?;
            let row = self.rows.row(job, &mut buffer);
            let least = write_sums(row, &view, &mut sums);
            if least == f64::INFINITY {
                // No resource that has a place is admissible.
                let shortage =
                    Shortage { jobs: vec![self.rows.job(job)], resources: Vec::new(), capacity: 0 };
                return Err(shortage.into());
            }
            let r = if N::EXACT {
                self.cheapest_of_equal(row, &sums, least, before.get(job).copied())
            } else {
                let has_room = |r: usize| self.has_room(r);
                let first = sums.iter().position(|&sum| sum == least).unwrap_or_default();
                let other = if has_room(first) {
                    None
                } else {
                    (first + 1..sums.len()).find(|&r| sums[r] == least && has_room(r))
                };
                other.unwrap_or(first)
            };
            self.moves.place(job, r);
        }
        Ok(())
    }

    /// The cheapest resource, compared without rounding. The prices are still doubles, and rounding a sum of
    /// two keeps the order, so that it is one of those whose rounded sums are least.
    fn cheapest_of_equal(&self, row: &[f64], sums: &[f64], least: f64, before: Option<u32>) -> usize {
        let mut best = (N::INFINITY, 0);
        for (r, (&cost, _)) in row.iter().zip(sums).enumerate().filter(|&(_, (_, &sum))| sum == least) {
            let value = N::of(cost, self.unit) + self.prices[r];
            let preferred = before == Some(r as u32) || (self.has_room(r) && !self.has_room(best.1));
            if value < best.0 || (value == best.0 && preferred && before != Some(best.1 as u32)) {
                best = (value, r);
            }
        }
        best.1
    }

    fn has_room(&self, r: usize) -> bool {
        self.moves.loads[r] < self.capacities[r]
    }

    fn lowest_price(&self) -> N {
        self.prices.iter().copied().fold(N::INFINITY, lesser)
    }

    /// Whether a resource with room costs more than another.
    fn has_overpriced_room(&self) -> bool {
        let level = self.lowest_price();
        (0..self.prices.len()).any(|r| self.has_room(r) && self.prices[r] > level)
    }

    /// Moves one job off an overfull resource, along a shortest path. False if no resource is overfull.
    fn relieve(&mut self, search: &mut Search<N>) -> Result<bool, Stop> {
        if !self.moves.loads.iter().zip(&self.capacities).any(|(load, capacity)| load > capacity) {
            return Ok(false);
        }
        loop {
            search.start(|r| (self.moves.loads[r] > self.capacities[r]).then_some(N::default()));
            let mut end = None;
            while let Some((r, distance)) = search.nearest() {
                if self.has_room(r) {
                    end = Some((r, distance));
                    break;
                }
                self.expand(search, r, distance)?;
            }
            let Some((last, length)) = end else { return Err(self.shortage(search).into()) };
            for &r in &search.settled {
                self.prices[r] = self.prices[r] + (length - search.distance[r]);
            }
            if self.advance(search, last) {
                return Ok(true);
            }
        }
    }

    /// Brings room that costs more than the lowest price to that price or fills it. False if there is none.
    ///
    /// Free places belong to imaginary jobs that cost nothing anywhere; they take the lowest price, so that a
    /// search may begin at any resource, with the difference of its price from the lowest as distance.
    fn settle(&mut self, search: &mut Search<N>) -> Result<bool, Stop> {
        if !self.has_overpriced_room() {
            return Ok(false);
        }
        let level = self.lowest_price();
        search.start(|r| self.prices[r].is_finite().then_some(self.prices[r] - level));
        let mut overpriced =
            (0..self.prices.len()).filter(|&r| self.has_room(r) && self.prices[r] > level).count();
        let mut end = None;
        let mut length = N::default();
        while let Some((r, distance)) = search.nearest() {
            length = distance;
            if self.has_room(r) && self.prices[r] > level {
                if search.before(r).is_some() {
                    end = Some(r);
                    break;
                }
                overpriced -= 1;
                if overpriced == 0 {
                    break;
                }
            }
            self.expand(search, r, distance)?;
        }
        for &r in &search.settled {
            let price = &mut self.prices[r];
            // Those that no move reached have the price of the common level, except where rounding would
            // lower a price.
            *price = if search.before(r).is_none() {
                greater(*price, level + length)
            } else {
                *price + (length - search.distance[r])
            };
        }
        if let Some(last) = end {
            self.advance(search, last);
        }
        Ok(true)
    }

    fn expand(&mut self, search: &mut Search<N>, r: usize, distance: N) -> Result<(), Stop> {
        search.relax(r, distance, self.prices[r], self.moves.from(r, &self.rows), &self.prices);
        Ok(self.watch.spend_since(&mut self.seen, search.work + self.moves.work)?)
    }

    /// Moves a job along every arc of the path, if all of them are known; else reads the jobs of the resource
    /// of the first unknown arc, and returns false. Prices are feasible either way: a bound is not above the
    /// cost it stands for.
    fn advance(&mut self, search: &Search<N>, last: usize) -> bool {
        let Self { moves, rows, .. } = self;
        let mut to = last;
        while let Some(from) = search.before(to) {
            if !moves.knows(from, to) {
                moves.look_further(from, rows);
                return false;
            }
            to = from;
        }
        let mut to = last;
        while let Some(from) = search.before(to) {
            moves.shift(from, to, rows);
            to = from;
        }
        true
    }

    /// No room can be reached from the overfull resources: their jobs may only use the resources met.
    fn shortage(&self, search: &Search<N>) -> Shortage {
        let mut met = vec![false; self.prices.len()];
        let mut capacity = 0;
        for &r in &search.settled {
            met[r] = true;
            capacity += u64::from(self.capacities[r]);
        }
        let jobs = (self.moves.resource_of.iter().enumerate())
            .filter(|&(_, &r)| met[r as usize])
            .map(|(job, _)| self.rows.job(job))
            .collect();
        let mut resources: Vec<u32> = search.settled.iter().map(|&r| r as u32).collect();
        resources.sort_unstable();
        Shortage { jobs, resources, capacity }
    }
}
