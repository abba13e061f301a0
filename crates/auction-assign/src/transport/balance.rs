//! Balances the loads of the resources on a core of pairs: loads, prices, and steps in single prices. Paths
//! do the rest (see `paths`).
//!
//! D. P. Bertsekas, P. Tseng, Relaxation methods for minimum cost ordinary and generalized network flow
//! problems (1988): while single prices can be moved to where a resource is just full, they are.
//!
//! Words:
//! - *excess*: jobs on a resource beyond its capacity. *Room*: free places.
//! - *level*: the common price of all resources with room, the lowest price there is. *Overpriced room*: free
//!   places of a resource above the level. Where every place will be taken there is no level, and all room is
//!   overpriced.
//! - *pool*: the imaginary jobs that cost nothing anywhere and hold the free places at the level, as one node
//!   of the searches. Its excess is the overpriced room beyond the excess of the overfull resources.
//!
//! Deviations: capacities may leave room, at which prices must fall, so that single prices are lowered as
//! well as raised.

use super::cheapest_moves::CheapestMoves;
use super::core::{Arc, Core};
use super::reached::{Nearest, Paths};
use crate::kernel::NONE;
use crate::kernel::stop::Stop;
use crate::kernel::watch::Watch;

/// The most sweeps over all resources; another sweep follows only if the last one left at most this share out
/// of balance.
const MOST_SWEEPS: usize = 24;
const LEAST_GAIN: f64 = 0.9;

/// How far sweeps may move a price, as a share of the core's width: beyond it, pairs that were left out may
/// matter.
const SWEPT: f64 = 0.5;

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
    /// Members by resource, and the place of each in that list; empty until they are needed.
    pub(super) on: Vec<Vec<u32>>,
    position: Vec<u32>,
    /// Arcs into each resource: those of resource r from `into_offsets[r]` on. Empty likewise.
    into_offsets: Vec<u32>,
    into: Vec<(u32, f64)>,
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
            on: Vec::new(),
            position: Vec::new(),
            into_offsets: Vec::new(),
            into: Vec::new(),
            moves: None,
            paths: Paths::new(capacities.len()),
            nearest: Nearest::default(),
            work: core.arcs.len() as u64 / 2,
            watch,
            seen: 0,
        }
    }

    /// Lists the members of each resource.
    pub(super) fn list_members(&mut self) {
        if self.on.is_empty() {
            self.on = vec![Vec::new(); self.loads.len()];
            for (k, &r) in self.at.iter().enumerate() {
                self.position.push(self.on[r as usize].len() as u32);
                self.on[r as usize].push(k as u32);
            }
        }
    }

    /// Lists the arcs into each resource.
    fn list_arcs(&mut self) {
        if !self.into.is_empty() {
            return;
        }
        let (m, core) = (self.loads.len(), self.core);
        let mut offsets = vec![0u32; m + 1];
        core.arcs.iter().for_each(|arc| offsets[arc.to as usize + 1] += 1);
        for r in 0..m {
            offsets[r + 1] += offsets[r];
        }
        let mut next = offsets.clone();
        self.into = vec![(0, 0.0); core.arcs.len()];
        for k in 0..core.jobs.len() {
            for arc in core.arcs(k) {
                let slot = &mut next[arc.to as usize];
                self.into[*slot as usize] = (k as u32, arc.cost);
                *slot += 1;
            }
        }
        self.into_offsets = offsets;
        self.work += 2 * core.arcs.len() as u64;
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

    /// One sweep over all resources.
    fn sweep_once(&mut self) -> Result<(), Stop> {
        self.list_members();
        self.list_arcs();
        for r in 0..self.loads.len() {
            if self.loads[r] > self.capacities[r] {
                self.raise(r);
            } else if self.overpriced_room(r) > 0 {
                self.lower(r);
            }
        }
        self.count()
    }

    /// Moves single prices, as long as that brings much into balance.
    pub(super) fn sweep(&mut self) -> Result<(), Stop> {
        let mut before = u64::MAX;
        for _ in 0..MOST_SWEEPS {
            let out = self.unbalanced();
            if out == 0 || out as f64 > before as f64 * LEAST_GAIN {
                break;
            }
            before = out;
            self.sweep_once()?;
        }
        self.count()
    }

    /// Counts the work since the last time.
    pub(super) fn count(&mut self) -> Result<(), Stop> {
        self.watch.spend_since(&mut self.seen, WORK_ARC * self.work)
    }

    pub(super) fn move_to(&mut self, k: u32, to: u32, cost: f64) {
        let i = k as usize;
        let from = self.at[i] as usize;
        if !self.on.is_empty() {
            let position = self.position[i] as usize;
            self.on[from].swap_remove(position);
            if let Some(&moved) = self.on[from].get(position) {
                self.position[moved as usize] = position as u32;
            }
            self.position[i] = self.on[to as usize].len() as u32;
            self.on[to as usize].push(k);
        }
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

    /// Raises the price of an overfull resource until its excess of members is cheaper elsewhere, and moves
    /// these.
    fn raise(&mut self, r: usize) {
        // At which price each member leaves, and where it goes.
        let mut leaving: Vec<(f64, u32, Arc)> = Vec::with_capacity(self.on[r].len());
        for &k in &self.on[r] {
            let mut best = (f64::INFINITY, Arc { cost: 0.0, to: NONE });
            let arcs = self.arcs(k as usize);
            self.work += arcs.len() as u64;
            for &arc in arcs {
                let value = arc.cost + self.prices[arc.to as usize];
                if value < best.0 && arc.to as usize != r {
                    best = (value, arc);
                }
            }
            if best.0 < f64::INFINITY {
                leaving.push((best.0 - self.cost[k as usize], k, best.1));
            }
        }
        let excess = self.excess(r) as usize;
        if leaving.len() < excess {
            return;
        }
        let highest = self.core.prices[r] + self.core.width * SWEPT;
        let price = nth_least(leaving.iter().map(|&(at, ..)| at), excess - 1).min(highest);
        if price > self.prices[r] {
            self.prices[r] = price;
        }
        for (_, k, arc) in up_to(leaving, price, excess) {
            self.move_to(k, arc.to, arc.cost);
        }
    }

    /// Lowers the price of a resource with room to where it is just full, or to the level, and moves to it
    /// the members that are then cheapest here.
    fn lower(&mut self, r: usize) {
        let room = self.overpriced_room(r) as usize;
        let floor =
            self.level.unwrap_or(f64::NEG_INFINITY).max(self.core.prices[r] - self.core.width * SWEPT);
        let range = self.into_offsets[r] as usize..self.into_offsets[r + 1] as usize;
        self.work += range.len() as u64;
        // Minus the price at which each member would move here.
        let coming: Vec<(f64, u32, f64)> = (self.into[range].iter())
            .filter(|&&(k, _)| self.at[k as usize] as usize != r)
            .map(|&(k, cost)| (cost - self.paid(k as usize), k, cost))
            .filter(|&(price, ..)| price < -floor)
            .collect();
        let price = if coming.len() >= room {
            (-nth_least(coming.iter().map(|&(at, ..)| at), room - 1)).max(floor)
        } else if floor > f64::NEG_INFINITY {
            floor
        } else {
            return;
        };
        if price < self.prices[r] {
            self.prices[r] = price;
        }
        for (_, k, cost) in up_to(coming, -price, room) {
            self.move_to(k, r as u32, cost);
        }
    }
}

/// The number that so many others are not above.
fn nth_least(numbers: impl Iterator<Item = f64>, n: usize) -> f64 {
    *numbers.collect::<Vec<f64>>().select_nth_unstable_by(n, f64::total_cmp).1
}

/// Those below a limit, and of those at it the first, so that they are no more than `most`.
fn up_to<T: Copy>(items: Vec<(f64, u32, T)>, limit: f64, most: usize) -> impl Iterator<Item = (f64, u32, T)> {
    let below = items.iter().filter(|item| item.0 < limit).count();
    let mut at = most - below.min(most);
    items.into_iter().filter(move |item| {
        let fits = item.0 == limit && at > 0;
        at -= usize::from(fits);
        item.0 < limit || fits
    })
}
