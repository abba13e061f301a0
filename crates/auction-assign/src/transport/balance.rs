//! The balance of the loads of the resources on a core of pairs: loads, prices, placements. Paths bring it about
//! (see `paths`).
//!
//! Words:
//! - *excess*: jobs on a resource beyond its capacity. *Room*: free places.
//! - *level*: the common price of all resources with room, the lowest price there is. *Overpriced room*: free
//!   places of a resource above the level. Where every place will be taken there is no level, and all room is
//!   overpriced.
//! - *pool*: the imaginary jobs that cost nothing anywhere and hold the free places at the level, as one node
//!   of the searches. Its excess is the overpriced room beyond the excess of the overfull resources.

use super::cheapest_moves::CheapestMoves;
use super::core::{Arc, Core};
use super::paths::{Nearest, Paths};
use crate::kernel::stop::Stop;
use crate::kernel::watch::Watch;

/// The work of an arc, in entries of a row read in a plain loop: it is read out of order, and sorted.
pub(super) const WORK_ARC: u64 = 3;

/// Loads, prices, and the placements of the members.
pub(super) struct Balance<'c> {
    pub(super) core: &'c Core,
    pub(super) capacities: &'c [u32],
    pub(super) prices: Vec<f64>,
    /// The lowest price, where places are left over.
    pub(super) level: Option<f64>,
    pub(super) loads: Vec<u32>,
    /// The resource of each member, and the cost there.
    pub(super) at: Vec<u32>,
    pub(super) cost: Vec<f64>,
    /// Made before the first search, where it is worth while.
    pub(super) moves: Option<CheapestMoves>,
    pub(super) paths: Paths,
    pub(super) nearest: Nearest,
    /// Arcs looked at.
    pub(super) work: u64,
    watch: Watch<'c>,
    seen: u64,
}

impl<'c> Balance<'c> {
    pub(super) fn new(core: &'c Core, capacities: &'c [u32], has_slack: bool, watch: Watch<'c>) -> Self {
        let mut at = Vec::with_capacity(core.jobs.len());
        let mut cost = Vec::with_capacity(core.jobs.len());
        for (k, &job) in core.jobs.iter().enumerate() {
            let r = core.resource_of[job as usize];
            at.push(r);
            cost.push(core.arcs(k).iter().find(|arc| arc.to == r).map_or(0.0, |arc| arc.cost));
        }
        let level = has_slack.then(|| core.prices.iter().copied().fold(f64::INFINITY, f64::min));
        Self {
            core,
            capacities,
            prices: core.prices.clone(),
            level,
            loads: core.loads.clone(),
            at,
            cost,
            moves: None,
            paths: Paths::new(capacities.len()),
            nearest: Nearest::default(),
            work: core.arcs.len() as u64 / 2,
            watch,
            seen: 0,
        }
    }

    /// What a member pays: cost + price on its resource.
    pub(super) fn paid(&self, k: usize) -> f64 {
        self.cost[k] + self.prices[self.at[k] as usize]
    }

    pub(super) fn arcs(&self, k: usize) -> &'c [Arc] {
        &self.core.arcs[self.core.offsets[k] as usize..self.core.offsets[k + 1] as usize]
    }

    pub(super) fn excess(&self, r: usize) -> u32 {
        self.loads[r].saturating_sub(self.capacities[r])
    }

    /// Free places priced above the level.
    pub(super) fn overpriced_room(&self, r: usize) -> u32 {
        let is_above = self.level.is_none_or(|level| self.prices[r] > level) && self.prices[r].is_finite();
        if is_above { self.capacities[r].saturating_sub(self.loads[r]) } else { 0 }
    }

    /// Jobs and places out of balance: all excess, and all overpriced room.
    pub(super) fn sums(&self) -> (u64, u64) {
        (0..self.loads.len()).fold((0, 0), |(excess, overpriced), r| {
            (excess + u64::from(self.excess(r)), overpriced + u64::from(self.overpriced_room(r)))
        })
    }

    /// Jobs and places out of balance.
    pub(super) fn unbalanced(&self) -> u64 {
        let (excess, overpriced) = self.sums();
        excess + overpriced
    }

    /// Counts the work since the last time.
    pub(super) fn count(&mut self) -> Result<(), Stop> {
        self.watch.spend_since(&mut self.seen, WORK_ARC * self.work)
    }

    pub(super) fn move_to(&mut self, k: u32, to: u32, cost: f64) {
        let i = k as usize;
        let from = self.at[i] as usize;
        self.loads[from] -= 1;
        self.at[i] = to;
        self.cost[i] = cost;
        self.loads[to as usize] += 1;
        let arcs = self.arcs(i);
        if let Some(moves) = &mut self.moves {
            let before = moves.work;
            moves.note(k, from as u32, arcs, &self.at, cost);
            self.work += moves.work - before;
        }
    }
}
