//! Shortest paths over the resources where the cheapest move of every ordered pair is known: the nearest
//! resource is found by reading all of them, which is faster than a heap while they are few.
//!
//! Which resource a path came from is not kept on the way, so that the loop over a row of moves only takes
//! minima; it is found again for the few resources on the paths that are used.

use super::balance::{Balance, Parent};
use crate::kernel::NONE;
use crate::kernel::lanes::{self, first_equal};

/// After the first end of a path, a search continues for so many times the resources that it took to find it.
const ON_AND_ON: usize = 2;

/// The work of taking the nearest resource beside a row of moves, in arcs.
const WORK_NODE: u64 = 8;

/// Resources of a row of moves that count as one arc.
const WORK_SHARE: u64 = 8;

/// Resources compared at once.
const LANES: usize = 8;

impl Balance<'_> {
    /// Settles nodes in order of their distance; returns the ends of paths and the distance up to which prices rise.
    pub(super) fn settle_dense(&mut self, pool_excess: u64, pool_room: u64) -> (Vec<u32>, f64) {
        let m = self.loads.len();
        // The distances so far, infinite where a node is taken; and 0 where it is still to be taken, else infinite.
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
            least = self.relax_dense(node, least, &mut open, &taken);
        }
        (ends, reached)
    }

    /// Lowers the distances from a settled node, and returns the least distance of the nodes not settled.
    fn relax_dense(&self, node: usize, at: f64, open: &mut [f64], taken: &[f64]) -> f64 {
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
        let least = reach(self.moves.from(node), &self.prices, at - self.prices[node], at, open, taken);
        if open[m] < least { open[m] } else { least }
    }

    /// Whether a resource has room at the level, through which the pool is reached.
    fn is_at_level(&self, r: usize) -> bool {
        self.level == Some(self.prices[r]) && self.loads[r] < self.capacities[r]
    }

    /// Finds how the nodes on the way to these ends were reached; prices are still those of the search.
    pub(super) fn trace_dense(&mut self, ends: &[u32], pool_excess: u64) {
        let m = self.loads.len();
        let mut known = vec![false; m + 1];
        for &end in ends {
            let mut node = end as usize;
            while !std::mem::replace(&mut known[node], true) {
                let parent = self.parent_dense(node, pool_excess);
                self.paths.parent[node] = parent;
                match parent {
                    Parent::Source => break,
                    Parent::Move { from, .. } | Parent::Pool { from } => node = from as usize,
                }
                self.work += m as u64 / WORK_SHARE;
            }
        }
    }

    /// From where a settled node was reached: the first, in the order of the search, whose way is as short.
    fn parent_dense(&self, node: usize, pool_excess: u64) -> Parent {
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

/// The distance of a resource by a move, from one at the distance `at`; `base` is that less its price.
#[inline(always)]
fn way(difference: f64, price: f64, base: f64, at: f64) -> f64 {
    let to = base + (difference + price);
    // Rounding must not make a distance smaller than that of its parent.
    if to < at { at } else { to }
}

/// Lowers the distances by a row of moves; returns the least of the open distances.
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
