//! The cheapest move of a member from each resource to each other, where resources are few beside the arcs.

use std::collections::BinaryHeap;

use sched_model::order::order;

use super::core::{Arc, Core};
use crate::candidates::Reached;
use crate::kernel::NONE;

/// A member's move, at its cost there less its cost here. Prices do not change the order of the moves of a pair.
type Move = Reached<f64, u32>;

/// A member's move, and the one of the same pair that came before it.
struct Link {
    difference: f64,
    member: u32,
    before: u32,
}

/// The moves of each ordered pair of resources. For most pairs only the cheapest is ever needed: they are put in
/// order when its member leaves.
pub(super) struct CheapestMoves {
    resources: usize,
    /// The cost of the cheapest move, infinite where there is none, and its member.
    cheapest: Vec<f64>,
    member: Vec<u32>,
    /// The moves that came since the cheapest was last looked for: the latest of each pair, and all.
    latest: Vec<u32>,
    links: Vec<Link>,
    /// All others, some of them of members that are elsewhere now.
    ordered: Vec<BinaryHeap<Move>>,
}

impl CheapestMoves {
    /// The moves of all members from their resources `at`; `cost` is the cost of each there.
    pub(super) fn new(core: &Core, at: &[u32], cost: &[f64]) -> Self {
        let resources = core.loads.len();
        let pairs = resources * resources;
        let mut moves = Self {
            resources,
            cheapest: vec![f64::INFINITY; pairs],
            member: vec![NONE; pairs],
            latest: vec![NONE; pairs],
            links: Vec::with_capacity(core.arcs.len()),
            ordered: vec![BinaryHeap::new(); pairs],
        };
        // Those of a resource together, so that what is read together is near.
        for k in order(at.len(), &|a, b| at[a].cmp(&at[b])) {
            let i = k as usize;
            moves.add(k, at[i], core.arcs(i), cost[i]);
        }
        moves
    }

    /// The cost of the cheapest move from a resource to each other.
    #[inline]
    pub(super) fn from(&self, r: usize) -> &[f64] {
        &self.cheapest[r * self.resources..(r + 1) * self.resources]
    }

    /// The member of the cheapest move.
    pub(super) fn member(&self, from: usize, to: usize) -> u32 {
        self.member[from * self.resources + to]
    }

    /// Adds the moves of a member from its resource, where it costs `here`.
    fn add(&mut self, member: u32, from: u32, arcs: &[Arc], here: f64) {
        for arc in arcs.iter().filter(|arc| arc.to != from) {
            let pair = from as usize * self.resources + arc.to as usize;
            let difference = arc.cost - here;
            let before = std::mem::replace(&mut self.latest[pair], self.links.len() as u32);
            self.links.push(Link { difference, member, before });
            if difference < self.cheapest[pair] {
                (self.cheapest[pair], self.member[pair]) = (difference, member);
            }
        }
    }

    /// Notes that a member has moved; `at` already holds its new resource, `cost` is its cost there. Returns how many
    /// moves were read.
    pub(super) fn note(&mut self, member: u32, from: u32, arcs: &[Arc], at: &[u32], cost: f64) -> u64 {
        let mut read = 2 * arcs.len() as u64;
        for arc in arcs {
            let pair = from as usize * self.resources + arc.to as usize;
            if self.member[pair] == member {
                read += self.find(pair, from, at);
            }
        }
        self.add(member, at[member as usize], arcs, cost);
        read
    }

    /// Finds the cheapest move of a pair among members that are still there; returns how many were read.
    fn find(&mut self, pair: usize, from: u32, at: &[u32]) -> u64 {
        let stays = |of: &Move| at[of.what as usize] == from;
        let ordered = &mut self.ordered[pair];
        let mut read = 4;
        let mut link = std::mem::replace(&mut self.latest[pair], NONE);
        ordered.extend(
            std::iter::from_fn(|| {
                let &Link { difference, member, before } = self.links.get(link as usize)?;
                read += 4;
                link = before;
                Some(Move { distance: difference, what: member })
            })
            .filter(stays),
        );
        while ordered.peek().is_some_and(|of| !stays(of)) {
            ordered.pop();
            read += 4;
        }
        (self.cheapest[pair], self.member[pair]) =
            ordered.peek().map_or((f64::INFINITY, NONE), |of| (of.distance, of.what));
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::prepared::Prepared;
    use crate::kernel::watch::Watch;
    use crate::{AssignmentProblem, Costs};

    /// Members that come to a resource and leave it again, some of them many times.
    #[test]
    fn the_cheapest_is_known_after_every_move() {
        let (n, m) = (150, 4);
        let mut state = 3u64;
        let mut draw = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound
        };
        for spread in [5, 1_000_000] {
            let values: Vec<f64> = (0..n * m).map(|_| draw(spread) as f64).collect();
            let capacities = vec![n as u32; m];
            let problem = AssignmentProblem::new(Costs::dense(n, m, &values).unwrap());
            let problem = problem.with_capacities(&capacities);
            let prepared = Prepared::without_columns(&problem, Watch::NONE).ok().unwrap();
            let core =
                Core::collect(&prepared, 1, &capacities, &[0.0; 4], f64::INFINITY).ok().flatten().unwrap();
            let mut at = core.resource_of.clone();
            let cost: Vec<f64> = (0..n).map(|k| values[k * m + at[k] as usize]).collect();
            let mut moves = CheapestMoves::new(&core, &at, &cost);
            for step in 0..2000 {
                // First many to one resource, then the cheapest away from it, then any.
                let (k, to) = match step {
                    0..120 => (step, 1),
                    120..400 if moves.member(1, step % 2 * 2) != NONE => {
                        (moves.member(1, step % 2 * 2) as usize, step % 2 * 2)
                    }
                    _ => (draw(n), draw(m)),
                };
                let from = std::mem::replace(&mut at[k], to as u32);
                if from as usize != to {
                    moves.note(k as u32, from, core.arcs(k), &at, values[k * m + to]);
                }
                for (r, s) in (0..m).flat_map(|r| (0..m).map(move |s| (r, s))).filter(|(r, s)| r != s) {
                    let difference = |k: usize| values[k * m + s] - values[k * m + r];
                    let on = (0..n).filter(|&k| at[k] as usize == r);
                    let least = on.map(difference).fold(f64::INFINITY, f64::min);
                    assert_eq!(moves.from(r)[s], least, "{step}: {r} to {s}");
                    let member = moves.member(r, s);
                    assert_eq!(member == NONE, least == f64::INFINITY);
                    if member != NONE {
                        assert_eq!((at[member as usize] as usize, difference(member as usize)), (r, least));
                    }
                }
            }
        }
    }
}
