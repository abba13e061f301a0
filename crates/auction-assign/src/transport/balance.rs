//! Balancing of the loads of the resources on a core, along shortest paths over the resources.
//!
//! Terms:
//! - *excess*: the jobs on a resource beyond its capacity. *Room*: its free places.
//! - *level*: the minimum of all prices, which in the end is the price of all resources with room. *Overpriced room*:
//!   the free places of a resource whose price is above the level. If every place will be taken there is no level, and
//!   all room is overpriced.
//! - *pool*: imaginary jobs that cost nothing anywhere and hold the free places at the level, as one node of
//!   the searches. Its excess is the overpriced room minus the excess of the overfull resources.
//!
//! Each search begins at all overfull resources at once, and at the pool if it has an excess, and ends at overpriced
//! room, or at the pool. Distances are sums of reduced costs: the cost + price after a move minus what the job pays
//! before.
//!
//! The cheapest move of every ordered pair is known, so the nearest resource is found by reading all of them,
//! which is faster than a heap while resources are few. The loop over a row of moves only computes minima and does
//! not record predecessors; these are found again for the few resources on the paths that are used.
//!
//! R. G. Busacker, P. J. Gowen (1961), with the node prices of J. Edmonds, R. M. Karp (1972). Deviation: one
//! search uses all of its paths that share no job and whose ends are still out of balance.

use super::core::{CheapestMoves, Core, max_shift};
use crate::kernel::NONE;
use crate::kernel::lanes::{self, first_equal};
use crate::kernel::watch::{Stop, Watch};
use crate::kernel::wide::widest;

/// The work of an arc, in entries of a row read in a plain loop; an arc is read out of order, and sorted.
const WORK_ARC: u64 = 3;

/// The work of sorting an arc for the searches, in arcs.
const WORK_LISTED: u64 = 2;

/// After the first end of a path is found, a search settles this many times as many further nodes.
const SETTLED_AFTER_END: usize = 2;

/// The work of settling the nearest node, in addition to its row of moves, in arcs.
const WORK_NODE: u64 = 8;

/// The number of entries of a row of moves that count as one arc.
const WORK_SHARE: u64 = 8;

/// The number of resources that are compared at once.
const LANES: usize = 8;

/// The state of the balancing: loads, prices, and the placements of the members.
pub(super) struct Balance<'c> {
    core: &'c Core,
    capacities: &'c [u32],
    pub(super) prices: Vec<f64>,
    /// The minimum price, if places are left over.
    level: Option<f64>,
    loads: Vec<u32>,
    /// The resource of each member, and the cost there.
    pub(super) at: Vec<u32>,
    cost: Vec<f64>,
    moves: CheapestMoves,
    paths: Paths,
    /// The work so far, in arcs.
    work: u64,
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

    fn excess(&self, r: usize) -> u32 {
        self.loads[r].saturating_sub(self.capacities[r])
    }

    fn has_room(&self, r: usize) -> bool {
        self.loads[r] < self.capacities[r]
    }

    /// The number of free places of a resource whose price is above the level.
    fn overpriced_room(&self, r: usize) -> u32 {
        let is_above = self.level.is_none_or(|level| self.prices[r] > level) && self.prices[r].is_finite();
        if is_above { self.capacities[r].saturating_sub(self.loads[r]) } else { 0 }
    }

    /// The sums of all excess and of all overpriced room.
    fn sums(&self) -> (u64, u64) {
        (0..self.loads.len()).fold((0, 0), |(excess, overpriced), r| {
            (excess + u64::from(self.excess(r)), overpriced + u64::from(self.overpriced_room(r)))
        })
    }

    /// Moves member `k` to resource `to`, where its cost is `cost`.
    fn move_to(&mut self, k: u32, to: u32, cost: f64) {
        let i = k as usize;
        let from = std::mem::replace(&mut self.at[i], to);
        self.cost[i] = cost;
        self.loads[from as usize] -= 1;
        self.loads[to as usize] += 1;
        self.work += self.moves.update(k, from, self.core.arcs(i), &self.at, cost);
    }
}

/// The state of a search, for each node: the resources, and after them the pool.
struct Paths {
    distance: Vec<f64>,
    parent: Vec<Parent>,
    /// The settled nodes, in ascending order of distance.
    order: Vec<u32>,
}

/// How a node is reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parent {
    /// The search begins at this node.
    Source,
    /// By the move of a member from another resource.
    Move { member: u32, from: u32 },
    /// A resource from the pool, or the pool from a resource with room at the level.
    Pool { from: u32 },
}

impl Paths {
    fn new(resources: usize) -> Self {
        let nodes = resources + 1;
        Self { distance: vec![f64::INFINITY; nodes], parent: vec![Parent::Source; nodes], order: Vec::new() }
    }
}

impl Balance<'_> {
    /// Moves jobs along shortest paths until no more than `tolerated` jobs and places are out of balance; returns false
    /// if the core has too few arcs for that.
    pub(super) fn search_all(&mut self, tolerated: usize) -> Result<bool, Stop> {
        loop {
            let (excess, overpriced) = self.sums();
            if excess + overpriced <= tolerated as u64 {
                return Ok(true);
            }
            let found = self.search(excess, overpriced);
            self.watch.spend_since(&mut self.seen, WORK_ARC * self.work)?;
            if !found || max_shift(&self.core.prices, &self.prices) > self.core.width {
                return Ok(false);
            }
        }
    }

    /// Runs one search from all excess to room, and moves jobs along its paths. Returns false if no room can be
    /// reached.
    ///
    /// Invariant: every member pays the minimum cost + price of its arcs. The price of each settled node rises by the
    /// difference between its distance and the maximum one, which keeps the invariant.
    fn search(&mut self, excess: u64, overpriced: u64) -> bool {
        // The excess of the pool, or its room.
        let (pool_excess, mut pool_room) = match self.level {
            Some(_) => (overpriced.saturating_sub(excess), excess.saturating_sub(overpriced)),
            None => (0, 0),
        };
        let (ends, reached) = self.settle(pool_excess, pool_room);
        if ends.is_empty() {
            return false;
        }
        self.trace(&ends, pool_excess);
        self.raise_settled(reached);
        let mut pool_left = pool_excess;
        for end in ends {
            self.augment(end, &mut pool_left, &mut pool_room);
        }
        true
    }

    /// Raises the prices of all settled nodes, and the level if the pool is settled. `reached` is the maximum distance.
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
            // In exact numbers no settled price stays below the level, and a price reaches the level exactly if the
            // shortest path to it comes from the pool. Rounding must not separate either from the level.
            if let Some((before, raised)) = pool
                && (prices[r] < raised || paths.distance[m] + (price - before) == distance)
            {
                prices[r] = raised;
            }
        }
    }

    /// Moves every member on the path to this end to its next resource, unless another path has used one of them, or
    /// the path would no longer reduce the imbalance.
    fn augment(&mut self, end: u32, pool_left: &mut u64, pool_room: &mut u64) {
        let pool = self.loads.len() as u32;
        let has_room = if end == pool { *pool_room > 0 } else { self.has_room(end as usize) };
        if !has_room {
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
                    if node == pool && !self.has_room(from as usize) {
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

    /// Settles nodes in ascending order of distance; returns the ends of paths, and the distance of the last node.
    fn settle(&mut self, pool_excess: u64, pool_room: u64) -> (Vec<u32>, f64) {
        let m = self.loads.len();
        // `open`: the distances so far of the nodes that are not settled, infinite for settled ones. `closed`: 0 for
        // nodes that are not settled, infinite for settled ones; added to a new distance it keeps these closed.
        let source = |is_source: bool| if is_source { 0.0 } else { f64::INFINITY };
        let mut open: Vec<f64> = (0..m).map(|r| source(self.excess(r) > 0)).collect();
        open.push(source(pool_excess > 0));
        let mut closed = vec![0.0; m + 1];
        self.paths.order.clear();
        let mut ends = Vec::new();
        let (mut reached, mut limit) = (0.0, usize::MAX);
        let mut minimum = lanes::min(&open);
        while minimum < f64::INFINITY && self.paths.order.len() < limit {
            let node = first_equal(&open, minimum);
            (open[node], closed[node]) = (f64::INFINITY, f64::INFINITY);
            reached = minimum;
            self.paths.distance[node] = minimum;
            self.paths.order.push(node as u32);
            let is_end = if node == m { pool_room > 0 } else { self.overpriced_room(node) > 0 };
            if is_end {
                ends.push(node as u32);
                if ends.len() == 1 {
                    limit = (self.paths.order.len() * (1 + SETTLED_AFTER_END)).max(4);
                }
                if node == m {
                    break;
                }
            }
            self.work += WORK_NODE + m as u64 / WORK_SHARE;
            minimum = self.relax(node, minimum, &mut open, &closed);
        }
        (ends, reached)
    }

    /// Lowers the distances of the nodes reached from a settled one at distance `at`; returns the minimum distance of
    /// the nodes that are not settled.
    fn relax(&self, node: usize, at: f64, open: &mut [f64], closed: &[f64]) -> f64 {
        let m = self.loads.len();
        if node == m {
            let level = self.level.unwrap_or_default();
            for s in (0..m).filter(|&s| self.capacities[s] > 0 && self.prices[s].is_finite()) {
                let to = at + (self.prices[s] - level) + closed[s];
                open[s] = if to < open[s] { to } else { open[s] };
            }
            return lanes::min(open);
        }
        if self.is_at_level(node) {
            let to = at + closed[m];
            open[m] = if to < open[m] { to } else { open[m] };
        }
        let (moves, base) = (self.moves.from(node), at - self.prices[node]);
        let minimum = widest(
            #[inline(always)]
            || relax_row(moves, &self.prices, base, at, open, closed),
        );
        if open[m] < minimum { open[m] } else { minimum }
    }

    /// Whether a resource has room at the level, so that the pool can be reached through it.
    fn is_at_level(&self, r: usize) -> bool {
        self.level == Some(self.prices[r]) && self.has_room(r)
    }

    /// Finds the parents of all nodes on the paths to these ends; prices must still be those of the search.
    fn trace(&mut self, ends: &[u32], pool_excess: u64) {
        let m = self.loads.len();
        let mut known = vec![false; m + 1];
        for &end in ends {
            let mut node = end as usize;
            while !std::mem::replace(&mut known[node], true) {
                let parent = self.parent(node, pool_excess);
                self.paths.parent[node] = parent;
                match parent {
                    Parent::Source => break,
                    Parent::Move { from, .. } | Parent::Pool { from } => node = from as usize,
                }
                self.work += m as u64 / WORK_SHARE;
            }
        }
    }

    /// Returns the parent of a settled node: the first node, in the order of the search, that gives the same distance.
    fn parent(&self, node: usize, pool_excess: u64) -> Parent {
        let m = self.loads.len();
        let distance = &self.paths.distance;
        let here = distance[node];
        let is_source = if node == m { pool_excess > 0 } else { self.excess(node) > 0 };
        if is_source {
            return Parent::Source;
        }
        if node == m {
            let comes = |&&from: &&u32| {
                let r = from as usize;
                r < m && distance[r] == here && self.is_at_level(r)
            };
            return self.paths.order.iter().find(comes).map_or(Parent::Source, |&from| Parent::Pool { from });
        }
        let price = self.prices[node];
        for &from in &self.paths.order {
            let r = from as usize;
            if r == node {
                break;
            }
            let at = distance[r];
            if r == m {
                if at + (price - self.level.unwrap_or_default()) == here {
                    return Parent::Pool { from };
                }
            } else if distance_by(self.moves.from(r)[node], price, at - self.prices[r], at) == here {
                let member = self.moves.member(r, node);
                if member != NONE {
                    return Parent::Move { member, from };
                }
            }
        }
        Parent::Source
    }
}

/// Returns the distance of a resource of this price, reached by a move of this difference of cost from a resource at
/// distance `at`; `base` is `at` minus the price of that resource.
#[inline(always)]
fn distance_by(difference: f64, price: f64, base: f64, at: f64) -> f64 {
    let to = base + (difference + price);
    // Rounding must not make a distance smaller than that of its parent.
    if to < at { at } else { to }
}

/// Lowers the distances by a row of moves from a resource at distance `at`; returns the minimum of the open distances.
#[inline(always)]
fn relax_row(moves: &[f64], prices: &[f64], base: f64, at: f64, open: &mut [f64], closed: &[f64]) -> f64 {
    let m = moves.len();
    let (prices, open, closed) = (&prices[..m], &mut open[..m], &closed[..m]);
    let mut minima = [f64::INFINITY; LANES];
    let whole = m - m % LANES;
    for from in (0..whole).step_by(LANES) {
        let range = from..from + LANES;
        let (moves, prices, closed) = (&moves[range.clone()], &prices[range.clone()], &closed[range.clone()]);
        let open = &mut open[range];
        for l in 0..LANES {
            let to = distance_by(moves[l], prices[l], base, at) + closed[l];
            open[l] = if to < open[l] { to } else { open[l] };
            minima[l] = if open[l] < minima[l] { open[l] } else { minima[l] };
        }
    }
    let mut all = minima.into_iter().fold(f64::INFINITY, |a, b| if b < a { b } else { a });
    for s in whole..m {
        let to = distance_by(moves[s], prices[s], base, at) + closed[s];
        open[s] = if to < open[s] { to } else { open[s] };
        all = if open[s] < all { open[s] } else { all };
    }
    all
}
