//! Balances the loads of the resources on a core of pairs, along shortest paths over the resources.
//!
//! Words:
//! - *excess*: jobs on a resource beyond its capacity. *Room*: free places.
//! - *level*: the common price of all resources with room, the lowest price there is. *Overpriced room*: free
//!   places of a resource above the level. Where every place will be taken there is no level, and all room is
//!   overpriced.
//! - *pool*: the imaginary jobs that cost nothing anywhere and hold the free places at the level, as one node of
//!   the searches. Its excess is the overpriced room that is left after the excess of the overfull resources is
//!   taken from it.
//!
//! Each search begins at all overfull resources at once, and at the pool if overpriced room is left over, and ends
//! at free places. Distances are sums of reduced costs: what a move costs, including prices, beyond what the job
//! pays now.
//!
//! The cheapest move of every ordered pair is known, so the nearest resource is found by reading all of them,
//! which is faster than a heap while resources are few. The loop over a row of moves only takes minima and does
//! not record where a path came from; that is found again for the few resources on the paths that are used.
//!
//! R. G. Busacker, P. J. Gowen (1961), with the node prices of J. Edmonds, R. M. Karp (1972). Deviation: one
//! search uses all of its paths that share no job and whose ends are still out of balance.

use super::core::{CheapestMoves, Core, moved};
use crate::kernel::NONE;
use crate::kernel::lanes::{self, first_equal};
use crate::kernel::watch::{Stop, Watch};
use crate::kernel::wide::widest;

/// The work of an arc, in entries of a row read in a plain loop: it is read out of order, and sorted.
const WORK_ARC: u64 = 3;

/// The work of sorting an arc for the searches.
const WORK_LISTED: u64 = 2;

/// After finding the first end of a path, a search continues for this many times the resources settled until then.
const ON_AND_ON: usize = 2;

/// The work of settling the nearest resource, in addition to its row of moves, in arcs.
const WORK_NODE: u64 = 8;

/// Resources of a row of moves that count as one arc.
const WORK_SHARE: u64 = 8;

/// Resources compared at once.
const LANES: usize = 8;

/// Loads, prices, and the placements of the members.
pub(super) struct Balance<'c> {
    core: &'c Core,
    capacities: &'c [u32],
    pub(super) prices: Vec<f64>,
    /// The lowest price, if places are left over.
    level: Option<f64>,
    loads: Vec<u32>,
    /// The resource of each member, and the cost there.
    pub(super) at: Vec<u32>,
    cost: Vec<f64>,
    moves: CheapestMoves,
    paths: Paths,
    /// Arcs looked at.
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

    /// Free places priced above the level.
    fn overpriced_room(&self, r: usize) -> u32 {
        let is_above = self.level.is_none_or(|level| self.prices[r] > level) && self.prices[r].is_finite();
        if is_above { self.capacities[r].saturating_sub(self.loads[r]) } else { 0 }
    }

    /// Numbers of jobs and places out of balance: all excess, and all overpriced room.
    fn sums(&self) -> (u64, u64) {
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
struct Paths {
    distance: Vec<f64>,
    parent: Vec<Parent>,
    /// The nodes settled, in order of their distance.
    order: Vec<u32>,
}

/// How a node was reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parent {
    /// The search begins here.
    Source,
    /// A member moves from a resource.
    Move { member: u32, from: u32 },
    /// Through the pool, or to the pool from a resource with room.
    Pool { from: u32 },
}

impl Paths {
    fn new(resources: usize) -> Self {
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
    /// Invariant: every member pays the least cost + price of its arcs. The price of a node nearer than the end of
    /// the search rises by the difference of the distances, which keeps the invariant.
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

    /// Moves every member on the path to this end one resource further, unless another path has used one of them.
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

    /// Settles nodes in order of their distance; returns the ends of paths and the distance up to which prices rise.
    fn settle(&mut self, pool_excess: u64, pool_room: u64) -> (Vec<u32>, f64) {
        let m = self.loads.len();
        // `open`: the distances so far, infinite for settled nodes. `taken`: 0 for nodes still to be settled,
        // otherwise infinite.
        let source = |is_source: bool| if is_source { 0.0 } else { f64::INFINITY };
        let mut open: Vec<f64> = (0..m).map(|r| source(self.excess(r) > 0)).collect();
        open.push(source(pool_excess > 0));
        let mut taken = vec![0.0; m + 1];
        self.paths.order.clear();
        let mut ends = Vec::new();
        let (mut reached, mut limit) = (0.0, usize::MAX);
        let mut least = lanes::least(&open);
        while least < f64::INFINITY && self.paths.order.len() < limit {
            let node = first_equal(&open, least);
            (open[node], taken[node]) = (f64::INFINITY, f64::INFINITY);
            reached = least;
            self.paths.distance[node] = least;
            self.paths.order.push(node as u32);
            let is_end = if node == m { pool_room > 0 } else { self.overpriced_room(node) > 0 };
            if is_end {
                ends.push(node as u32);
                if ends.len() == 1 {
                    limit = (self.paths.order.len() * (1 + ON_AND_ON)).max(4);
                }
                if node == m {
                    break;
                }
            }
            self.work += WORK_NODE + m as u64 / WORK_SHARE;
            least = self.relax(node, least, &mut open, &taken);
        }
        (ends, reached)
    }

    /// Lowers the distances from a settled node, and returns the minimum distance of the nodes not settled.
    fn relax(&self, node: usize, at: f64, open: &mut [f64], taken: &[f64]) -> f64 {
        let m = self.loads.len();
        if node == m {
            let level = self.level.unwrap_or_default();
            for s in (0..m).filter(|&s| self.capacities[s] > 0 && self.prices[s].is_finite()) {
                let to = at + (self.prices[s] - level) + taken[s];
                open[s] = if to < open[s] { to } else { open[s] };
            }
            return lanes::least(open);
        }
        if self.is_at_level(node) {
            let to = at + taken[m];
            open[m] = if to < open[m] { to } else { open[m] };
        }
        let (moves, base) = (self.moves.from(node), at - self.prices[node]);
        let least = widest(
            #[inline(always)]
            || reach(moves, &self.prices, base, at, open, taken),
        );
        if open[m] < least { open[m] } else { least }
    }

    /// Whether a resource has room at the level, so that the pool can be reached through it.
    fn is_at_level(&self, r: usize) -> bool {
        self.level == Some(self.prices[r]) && self.has_room(r)
    }

    /// Finds how the nodes on the way to these ends were reached; prices are still those of the search.
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

    /// Where a settled node was reached from: the first node, in the order of the search, that gives the same
    /// distance.
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
            } else if way(self.moves.from(r)[node], price, at - self.prices[r], at) == here {
                let member = self.moves.member(r, node);
                if member != NONE {
                    return Parent::Move { member, from };
                }
            }
        }
        Parent::Source
    }
}

/// The distance of a resource reached by a move from one at distance `at`; `base` is `at` minus the price of that
/// one.
#[inline(always)]
fn way(difference: f64, price: f64, base: f64, at: f64) -> f64 {
    let to = base + (difference + price);
    // Rounding must not make a distance smaller than that of its parent.
    if to < at { at } else { to }
}

/// Lowers the distances by a row of moves; returns the minimum of the open distances.
#[inline(always)]
fn reach(moves: &[f64], prices: &[f64], base: f64, at: f64, open: &mut [f64], taken: &[f64]) -> f64 {
    let m = moves.len();
    let (prices, open, taken) = (&prices[..m], &mut open[..m], &taken[..m]);
    let mut least = [f64::INFINITY; LANES];
    let whole = m - m % LANES;
    for from in (0..whole).step_by(LANES) {
        let range = from..from + LANES;
        let (moves, prices, taken) = (&moves[range.clone()], &prices[range.clone()], &taken[range.clone()]);
        let open = &mut open[range];
        for l in 0..LANES {
            let to = way(moves[l], prices[l], base, at) + taken[l];
            open[l] = if to < open[l] { to } else { open[l] };
            least[l] = if open[l] < least[l] { open[l] } else { least[l] };
        }
    }
    let mut all = least.into_iter().fold(f64::INFINITY, |a, b| if b < a { b } else { a });
    for s in whole..m {
        let to = way(moves[s], prices[s], base, at) + taken[s];
        open[s] = if to < open[s] { to } else { open[s] };
        all = if open[s] < all { open[s] } else { all };
    }
    all
}
