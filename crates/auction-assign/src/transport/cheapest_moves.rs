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
