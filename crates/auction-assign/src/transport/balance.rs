//! Balances the loads of the resources on a core of pairs, by steps in single prices and then along shortest paths.
//!
//! D. P. Bertsekas, P. Tseng, Relaxation methods for minimum cost ordinary and generalized network flow problems (1988):
//! while single prices can be moved to where a resource is just full, they are; paths do the rest. Paths: R. G. Busacker,
//! P. J. Gowen (1961), J. Edmonds, R. M. Karp (1972), from all overfull resources at once, several for each search.
//!
//! Words:
//! - *excess*: jobs on a resource beyond its capacity. *Room*: free places.
//! - *level*: the common price of all resources with room, the lowest price there is. *Dear room*: free places of a resource above
//!   the level. Where every place will be taken there is no level, and all room is dear.
//! - *pool*: the imaginary jobs that cost nothing anywhere and hold the free places at the level, as one node of the
//!   searches. Its excess is the dear room that overfull resources will not fill.
//!
//! Deviations: capacities may leave room, which prices have to come down for, so that single prices are lowered as well as raised;
//! among the paths of one search those are taken that share no job and start and end where there is still something to move.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use sched_model::End;

use super::cheapest_moves::CheapestMoves;
use super::core::{Arc, Core};
use crate::kernel::NONE;
use crate::kernel::watch::Watch;

/// Sweeps over all resources, and by how much one must lessen what is out of balance for another to be made.
const MOST_SWEEPS: usize = 24;
const LEAST_GAIN: f64 = 0.9;

/// How far sweeps may move a price, as a share of the core's width: beyond, pairs that were left out may matter.
const SWEPT: f64 = 0.5;

/// After the first end of a path, a search goes on for so many times the work that it took to find it.
const ON_AND_ON: u64 = 2;

/// What taking the nearest node costs, as arcs.
const WORK_NODE: u64 = 16;

/// What an arc costs when it is put in order for the searches.
const WORK_LISTED: u64 = 8;

/// How balancing ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// No resource is overfull, and room stands at the level.
    Balanced,
    /// The core has too few arcs for that.
    TooNarrow,
    /// The budget is spent.
    Spent,
}

/// Loads, prices and where the members stand.
pub(super) struct Balance<'c> {
    core: &'c Core,
    capacities: &'c [u32],
    pub(super) prices: Vec<f64>,
    /// The lowest price, where places are left over.
    level: Option<f64>,
    loads: Vec<u32>,
    /// Where each member stands, and the cost there.
    pub(super) at: Vec<u32>,
    cost: Vec<f64>,
    /// Members by resource, and the place of each in that list.
    on: Vec<Vec<u32>>,
    position: Vec<u32>,
    /// Arcs into each resource: those of resource r from `into_offsets[r]` on.
    into_offsets: Vec<u32>,
    into: Vec<(u32, f64)>,
    /// Made before the first search, where it is worth while.
    moves: Option<CheapestMoves>,
    paths: Paths,
    /// Arcs looked at.
    pub(super) work: u64,
    watch: Watch<'c>,
    seen: u64,
}

/// What a search keeps for each node: the resources, and the pool behind them.
struct Paths {
    distance: Vec<f64>,
    parent: Vec<Parent>,
    settled: Vec<bool>,
    order: Vec<u32>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
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

impl<'c> Balance<'c> {
    pub(super) fn new(core: &'c Core, capacities: &'c [u32], has_slack: bool, watch: Watch<'c>) -> Self {
        let m = capacities.len();
        let members = core.jobs.len();
        let mut on = vec![Vec::new(); m];
        let mut position = vec![0; members];
        let mut at = vec![NONE; members];
        let mut cost = vec![0.0; members];
        let mut into_offsets = vec![0u32; m + 1];
        for arc in &core.arcs {
            into_offsets[arc.to as usize + 1] += 1;
        }
        for r in 0..m {
            into_offsets[r + 1] += into_offsets[r];
        }
        let mut next = into_offsets.clone();
        let mut into = vec![(0, 0.0); core.arcs.len()];
        for (k, &job) in core.jobs.iter().enumerate() {
            let r = core.resource_of[job as usize];
            at[k] = r;
            position[k] = on[r as usize].len() as u32;
            on[r as usize].push(k as u32);
            for arc in &core.arcs[core.offsets[k] as usize..core.offsets[k + 1] as usize] {
                let slot = &mut next[arc.to as usize];
                into[*slot as usize] = (k as u32, arc.cost);
                *slot += 1;
                if arc.to == r {
                    cost[k] = arc.cost;
                }
            }
        }
        let level = has_slack.then(|| core.prices.iter().copied().fold(f64::INFINITY, f64::min));
        let nodes = m + 1;
        let paths = Paths {
            distance: vec![f64::INFINITY; nodes],
            parent: vec![Parent::Source; nodes],
            settled: vec![false; nodes],
            order: Vec::new(),
            heap: BinaryHeap::new(),
        };
        Self {
            core,
            capacities,
            prices: core.prices.clone(),
            level,
            loads: core.loads.clone(),
            at,
            cost,
            on,
            position,
            into_offsets,
            into,
            moves: None,
            paths,
            work: core.arcs.len() as u64 * 2,
            watch,
            seen: 0,
        }
    }

    /// What a member pays: cost + price where it stands.
    pub(super) fn paid(&self, k: usize) -> f64 {
        self.cost[k] + self.prices[self.at[k] as usize]
    }

    fn arcs(&self, k: usize) -> &'c [Arc] {
        &self.core.arcs[self.core.offsets[k] as usize..self.core.offsets[k + 1] as usize]
    }

    fn excess(&self, r: usize) -> u32 {
        self.loads[r].saturating_sub(self.capacities[r])
    }

    /// Free places that stand too dear.
    fn dear_room(&self, r: usize) -> u32 {
        let is_dear = self.level.is_none_or(|level| self.prices[r] > level) && self.prices[r].is_finite();
        if is_dear { self.capacities[r].saturating_sub(self.loads[r]) } else { 0 }
    }

    /// Jobs and places out of balance: all excess, and all dear room.
    fn sums(&self) -> (u64, u64) {
        (0..self.loads.len()).fold((0, 0), |(excess, dear), r| {
            (excess + u64::from(self.excess(r)), dear + u64::from(self.dear_room(r)))
        })
    }

    /// Jobs and places out of balance.
    pub(super) fn unbalanced(&self) -> u64 {
        let (excess, dear) = self.sums();
        excess + dear
    }

    /// Moves single prices, as long as that brings much into balance.
    pub(super) fn sweep(&mut self, budget: u64) -> Result<(), End> {
        let mut before = u64::MAX;
        for _ in 0..MOST_SWEEPS {
            let out = self.unbalanced();
            if out == 0 || out as f64 > before as f64 * LEAST_GAIN || self.work > budget {
                break;
            }
            before = out;
            for r in 0..self.loads.len() {
                if self.loads[r] > self.capacities[r] {
                    self.raise(r);
                } else if self.dear_room(r) > 0 {
                    self.lower(r);
                }
            }
            self.count()?;
        }
        self.count()
    }

    /// Counts the work since the last time.
    fn count(&mut self) -> Result<(), End> {
        self.watch.spend_since(&mut self.seen, self.work)
    }

    /// Moves jobs along shortest paths until no more than `tolerated` jobs and places are out of balance.
    pub(super) fn search_all(&mut self, tolerated: u64, budget: u64) -> Result<Outcome, End> {
        if self.core.has_few_resources() && self.unbalanced() > tolerated {
            self.moves = Some(CheapestMoves::new(self.core, self.loads.len(), &self.at, &self.cost));
            self.work += self.core.arcs.len() as u64 * WORK_LISTED;
        }
        loop {
            let (excess, dear) = self.sums();
            if excess + dear <= tolerated {
                return Ok(Outcome::Balanced);
            }
            let found = self.search(excess, dear);
            self.count()?;
            if !found {
                return Ok(Outcome::TooNarrow);
            }
            if self.work > budget {
                return Ok(Outcome::Spent);
            }
        }
    }

    fn move_to(&mut self, k: u32, to: u32, cost: f64) {
        let i = k as usize;
        let from = self.at[i] as usize;
        let position = self.position[i] as usize;
        self.on[from].swap_remove(position);
        if let Some(&moved) = self.on[from].get(position) {
            self.position[moved as usize] = position as u32;
        }
        self.loads[from] -= 1;
        self.at[i] = to;
        self.cost[i] = cost;
        self.position[i] = self.on[to as usize].len() as u32;
        self.on[to as usize].push(k);
        self.loads[to as usize] += 1;
        let arcs = self.arcs(i);
        if let Some(moves) = &mut self.moves {
            moves.note(k, from as u32, arcs, &self.at, cost);
            self.work += WORK_NODE * arcs.len() as u64;
        }
    }

    /// Raises the price of an overfull resource to where as many members would rather be elsewhere as are too many, and moves
    /// them.
    fn raise(&mut self, r: usize) {
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
        let order = |a: &(f64, u32, Arc), b: &(f64, u32, Arc)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        leaving.select_nth_unstable_by(excess - 1, order);
        let highest = self.core.prices[r] + self.core.width * SWEPT;
        let price = leaving[excess - 1].0.min(highest);
        leaving.truncate(excess);
        leaving.retain(|&(at, ..)| at <= price);
        if price > self.prices[r] {
            self.prices[r] = price;
        }
        leaving.sort_unstable_by(order);
        for (_, k, arc) in leaving {
            self.move_to(k, arc.to, arc.cost);
        }
    }

    /// Lowers the price of a resource with room to where it is just full, or to the level, and takes the members who then would
    /// rather be here.
    fn lower(&mut self, r: usize) {
        let room = self.dear_room(r) as usize;
        let floor =
            self.level.unwrap_or(f64::NEG_INFINITY).max(self.core.prices[r] - self.core.width * SWEPT);
        let range = self.into_offsets[r] as usize..self.into_offsets[r + 1] as usize;
        self.work += range.len() as u64;
        // At which price each would come.
        let mut coming: Vec<(f64, u32, f64)> = (self.into[range].iter())
            .filter(|&&(k, _)| self.at[k as usize] as usize != r)
            .map(|&(k, cost)| (self.paid(k as usize) - cost, k, cost))
            .filter(|&(price, ..)| price > floor)
            .collect();
        let order = |a: &(f64, u32, f64), b: &(f64, u32, f64)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        let price = if coming.len() >= room {
            coming.select_nth_unstable_by(room - 1, order);
            let price = coming[room - 1].0;
            coming.truncate(room);
            price
        } else if floor > f64::NEG_INFINITY {
            floor
        } else {
            return;
        };
        if price < self.prices[r] {
            self.prices[r] = price;
        }
        coming.sort_unstable_by(order);
        for (_, k, cost) in coming {
            self.move_to(k, r as u32, cost);
        }
    }

    /// One search from everything that is too much to where room is, and the moves along its paths. False if no room can be
    /// reached.
    ///
    /// Invariant: every member stands where cost + price is least of its arcs; nodes nearer than where the search ended have their
    /// price raised by the difference, which keeps that so.
    fn search(&mut self, excess: u64, dear: u64) -> bool {
        let m = self.loads.len();
        let pool = m as u32;
        // What the pool has too much, or can take.
        let (pool_excess, mut pool_room) = match self.level {
            Some(_) => (dear.saturating_sub(excess), excess.saturating_sub(dear)),
            None => (0, 0),
        };
        self.begin(pool_excess);
        let started = self.work;
        let mut limit = u64::MAX;
        let mut ends: Vec<u32> = Vec::new();
        let mut reached = 0.0;
        while let Some(Reverse((bits, node))) = self.paths.heap.pop() {
            let distance = f64::from_bits(bits);
            if self.paths.settled[node as usize] {
                continue;
            }
            self.work += WORK_NODE;
            self.paths.settled[node as usize] = true;
            self.paths.order.push(node);
            reached = distance;
            let is_end = if node == pool { pool_room > 0 } else { self.dear_room(node as usize) > 0 };
            if is_end {
                ends.push(node);
                if ends.len() == 1 {
                    limit = self.work + ON_AND_ON * (self.work - started) + 64;
                }
            }
            if !ends.is_empty() && (self.work > limit || (node == pool && is_end)) {
                break;
            }
            self.expand(node, distance);
        }
        if ends.is_empty() || !self.is_within(reached) {
            return false;
        }
        self.raise_settled(reached);
        let mut pool_left = pool_excess;
        for end in ends {
            self.augment(end, &mut pool_left, &mut pool_room);
        }
        true
    }

    /// Whether prices raised by this search stay within the core's width of each other.
    fn is_within(&self, reached: f64) -> bool {
        if self.core.width == f64::INFINITY {
            return true;
        }
        let mut ends = (f64::INFINITY, f64::NEG_INFINITY);
        for (r, (&now, &before)) in self.prices.iter().zip(&self.core.prices).enumerate() {
            if now.is_finite() {
                let by = if self.paths.settled[r] { reached - self.paths.distance[r] } else { 0.0 };
                let moved = (now - before) + by;
                ends = (ends.0.min(moved), ends.1.max(moved));
            }
        }
        ends.1 - ends.0 <= self.core.width
    }

    fn begin(&mut self, pool_excess: u64) {
        let m = self.loads.len();
        let paths = &mut self.paths;
        paths.distance.fill(f64::INFINITY);
        paths.settled.fill(false);
        paths.order.clear();
        paths.heap.clear();
        for r in 0..m {
            if self.loads[r] > self.capacities[r] {
                paths.distance[r] = 0.0;
                paths.parent[r] = Parent::Source;
                paths.heap.push(Reverse((0, r as u32)));
            }
        }
        if pool_excess > 0 {
            paths.distance[m] = 0.0;
            paths.parent[m] = Parent::Source;
            paths.heap.push(Reverse((0, m as u32)));
        }
        self.work += m as u64 / 4;
    }

    /// Reaches on from a settled node.
    fn expand(&mut self, node: u32, distance: f64) {
        let m = self.loads.len();
        let Self { core, paths, prices, on, cost, level, loads, capacities, moves, .. } = self;
        if node as usize == m {
            let level = level.unwrap_or_default();
            for s in (0..m).filter(|&s| prices[s].is_finite() && capacities[s] > 0) {
                paths.reach(s, distance + (prices[s] - level), Parent::Pool { from: node });
            }
            self.work += m as u64;
            return;
        }
        let r = node as usize;
        if let Some(moves) = moves {
            let base = distance - prices[r];
            for (s, &difference) in moves.from(r).iter().enumerate() {
                let to = base + (difference + prices[s]);
                let to = if to < distance { distance } else { to };
                if to < paths.distance[s]
                    && let Some(member) = moves.member(r, s)
                {
                    paths.reach(s, to, Parent::Move { member, from: node });
                }
            }
            self.work += m as u64;
        }
        let scanned: &[u32] = if moves.is_some() { &[] } else { &on[r] };
        for &k in scanned {
            let base = distance - (cost[k as usize] + prices[r]);
            let range = core.offsets[k as usize] as usize..core.offsets[k as usize + 1] as usize;
            self.work += range.len() as u64;
            for arc in &core.arcs[range] {
                let to = base + (arc.cost + prices[arc.to as usize]);
                // Rounding may not lead back.
                let to = if to < distance { distance } else { to };
                paths.reach(arc.to as usize, to, Parent::Move { member: k, from: node });
            }
        }
        if *level == Some(prices[r]) && loads[r] < capacities[r] {
            paths.reach(m, distance, Parent::Pool { from: node });
        }
    }

    fn raise_settled(&mut self, reached: f64) {
        let m = self.loads.len();
        for &node in &self.paths.order {
            let by = reached - self.paths.distance[node as usize];
            if node as usize == m {
                self.level = self.level.map(|level| level + by);
            } else {
                self.prices[node as usize] += by;
            }
        }
        // Rounding may not part what stands on the level from it.
        if let (Some(level), true) = (self.level, self.paths.settled[m]) {
            for &node in &self.paths.order {
                let r = node as usize;
                if r < m
                    && (self.prices[r] < level || self.paths.parent[r] == (Parent::Pool { from: m as u32 }))
                {
                    self.prices[r] = level;
                }
            }
        }
    }

    /// Moves every member on the path to this end on, if the path is still whole.
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
                    let arc = self.arcs(member as usize).iter().find(|arc| arc.to == node);
                    let cost = arc.map_or(f64::INFINITY, |arc| arc.cost);
                    self.move_to(member, node, cost);
                    node = from;
                }
                Parent::Pool { from } => node = from,
            }
        }
    }

    /// Whether a resource reached as dear room has still some; at the level by now, it needs nothing.
    fn can_end(&self, r: usize) -> bool {
        self.loads[r] < self.capacities[r]
    }
}

impl Paths {
    #[inline]
    fn reach(&mut self, node: usize, distance: f64, parent: Parent) {
        if distance < self.distance[node] {
            self.distance[node] = distance;
            self.parent[node] = parent;
            self.heap.push(Reverse((distance.to_bits(), node as u32)));
        }
    }
}
