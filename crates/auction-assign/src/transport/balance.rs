//! The balance of the loads of the resources on a core of pairs: loads, prices, placements. It is reached
//! along shortest paths over the resources.
//!
//! Words:
//! - *excess*: jobs on a resource beyond its capacity. *Room*: free places.
//! - *level*: the common price of all resources with room, the lowest price there is. *Overpriced room*: free
//!   places of a resource above the level. Where every place will be taken there is no level, and all room is
//!   overpriced.
//! - *pool*: the imaginary jobs that cost nothing anywhere and hold the free places at the level, as one node
//!   of the searches. Its excess is the overpriced room beyond the excess of the overfull resources.
//!
//! Each search begins at all overfull resources at once, and at the pool where overpriced room is left over,
//! and ends at free places. Distances are sums of reduced costs: what a move costs, prices included, beyond
//! what the job pays now.
//!
//! R. G. Busacker, P. J. Gowen (1961), with node prices J. Edmonds, R. M. Karp (1972). Deviation: of the
//! paths that one search finds, all are used that share no job, and whose ends are still out of balance.

use super::cheapest_moves::CheapestMoves;
use super::core::{Core, moved};
use crate::kernel::watch::{Stop, Watch};

/// The work of an arc, in entries of a row read in a plain loop: it is read out of order, and sorted.
const WORK_ARC: u64 = 3;

/// The work of sorting an arc for the searches.
const WORK_LISTED: u64 = 2;

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
    pub(super) moves: CheapestMoves,
    pub(super) paths: Paths,
    /// Arcs looked at.
    pub(super) work: u64,
    watch: Watch<'c>,
    seen: u64,
}

impl<'c> Balance<'c> {
    pub(super) fn new(core: &'c Core, capacities: &'c [u32], watch: Watch<'c>) -> Self {
        let at: Vec<u32> = core.jobs.iter().map(|&job| core.resource_of[job as usize]).collect();
        let cost =
            |(k, &r): (usize, &u32)| core.arcs(k).iter().find(|arc| arc.to == r).map_or(0.0, |arc| arc.cost);
        let cost: Vec<f64> = at.iter().enumerate().map(cost).collect();
        let places: u64 = capacities.iter().map(|&c| u64::from(c)).sum();
        let has_slack = places > core.resource_of.len() as u64;
        Self {
            core,
            capacities,
            prices: core.prices.clone(),
            level: has_slack.then(|| core.prices.iter().copied().fold(f64::INFINITY, f64::min)),
            loads: core.loads.clone(),
            moves: CheapestMoves::new(core, &at, &cost),
            at,
            cost,
            paths: Paths::new(capacities.len()),
            work: core.arcs.len() as u64 * WORK_LISTED,
            watch,
            seen: 0,
        }
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

    fn move_to(&mut self, k: u32, to: u32, cost: f64) {
        let i = k as usize;
        let from = std::mem::replace(&mut self.at[i], to);
        self.cost[i] = cost;
        self.loads[from as usize] -= 1;
        self.loads[to as usize] += 1;
        self.work += self.moves.note(k, from, self.core.arcs(i), &self.at, cost);
    }
}

/// The state of a search for each node: the resources, and after them the pool.
pub(super) struct Paths {
    pub(super) distance: Vec<f64>,
    pub(super) parent: Vec<Parent>,
    /// The nodes settled, in order of their distance.
    pub(super) order: Vec<u32>,
}

/// How a node was reached.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Parent {
    /// The search begins here.
    Source,
    /// A member moves from a resource.
    Move { member: u32, from: u32 },
    /// Through the pool, or to the pool from a resource with room.
    Pool { from: u32 },
}

impl Paths {
    pub(super) fn new(resources: usize) -> Self {
        let nodes = resources + 1;
        Self { distance: vec![f64::INFINITY; nodes], parent: vec![Parent::Source; nodes], order: Vec::new() }
    }
}

impl Balance<'_> {
    /// Moves jobs along shortest paths until no more than `tolerated` jobs and places are out of balance; false where
    /// the core has too few arcs for that.
    pub(super) fn search_all(&mut self, tolerated: usize) -> Result<bool, Stop> {
        loop {
            let (excess, overpriced) = self.sums();
            if excess + overpriced <= tolerated as u64 {
                return Ok(true);
            }
            let found = self.search(excess, overpriced);
            self.watch.spend_since(&mut self.seen, WORK_ARC * self.work)?;
            if !found || moved(&self.core.prices, &self.prices) > self.core.width {
                return Ok(false);
            }
        }
    }

    /// One search from all excess to room, and the moves along its paths. False if no room can be reached.
    ///
    /// Invariant: every member pays the least cost + price of its arcs; nodes nearer than the end of the
    /// search have their price raised by the difference, which keeps it.
    fn search(&mut self, excess: u64, overpriced: u64) -> bool {
        // The excess of the pool, or its room.
        let (pool_excess, mut pool_room) = match self.level {
            Some(_) => (overpriced.saturating_sub(excess), excess.saturating_sub(overpriced)),
            None => (0, 0),
        };
        let (ends, reached) = self.settle_dense(pool_excess, pool_room);
        if ends.is_empty() {
            return false;
        }
        self.trace_dense(&ends, pool_excess);
        self.raise_settled(reached);
        let mut pool_left = pool_excess;
        for end in ends {
            self.augment(end, &mut pool_left, &mut pool_room);
        }
        true
    }

    fn raise_settled(&mut self, reached: f64) {
        let m = self.loads.len();
        let Self { paths, prices, level, .. } = self;
        let pool = level.filter(|_| paths.order.contains(&(m as u32))).map(|before| {
            let raised = before + (reached - paths.distance[m]);
            *level = Some(raised);
            (before, raised)
        });
        for r in paths.order.iter().map(|&node| node as usize).filter(|&r| r < m) {
            let (price, distance) = (prices[r], paths.distance[r]);
            prices[r] = price + (reached - distance);
            // Rounding must not move a price that is at the level away from it.
            if let Some((before, raised)) = pool
                && (prices[r] < raised || paths.distance[m] + (price - before) == distance)
            {
                prices[r] = raised;
            }
        }
    }

    /// Moves every member on the path to this end one resource further, if no other path has used one of
    /// them.
    fn augment(&mut self, end: u32, pool_left: &mut u64, pool_room: &mut u64) {
        let pool = self.loads.len() as u32;
        let can_end = if end == pool { *pool_room > 0 } else { self.can_end(end as usize) };
        if !can_end {
            return;
        }
        let mut node = end;
        loop {
            match self.paths.parent[node as usize] {
                Parent::Source => {
                    let left = if node == pool { *pool_left > 0 } else { self.excess(node as usize) > 0 };
                    if !left {
                        return;
                    }
                    break;
                }
                Parent::Move { member, from } => {
                    if self.at[member as usize] != from {
                        return;
                    }
                    node = from;
                }
                Parent::Pool { from } => {
                    if node == pool && self.loads[from as usize] >= self.capacities[from as usize] {
                        return;
                    }
                    node = from;
                }
            }
        }
        if node == pool {
            *pool_left -= 1;
        }
        if end == pool {
            *pool_room -= 1;
        }
        let mut node = end;
        loop {
            match self.paths.parent[node as usize] {
                Parent::Source => return,
                Parent::Move { member, from } => {
                    let arc = self.core.arcs(member as usize).iter().find(|arc| arc.to == node);
                    let cost = arc.map_or(f64::INFINITY, |arc| arc.cost);
                    self.move_to(member, node, cost);
                    node = from;
                }
                Parent::Pool { from } => node = from,
            }
        }
    }

    /// Whether a resource that was reached as overpriced room still has some; at the level there is nothing
    /// to do.
    fn can_end(&self, r: usize) -> bool {
        self.loads[r] < self.capacities[r]
    }
}
