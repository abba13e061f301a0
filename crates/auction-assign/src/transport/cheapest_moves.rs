//! The cheapest move of a member from each resource to each other, where resources are few beside the arcs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::core::{Arc, Core};
use crate::kernel::number::Number;

/// A member's move: what it costs there less what it costs here. Prices do not change the order of these.
#[derive(Clone, Copy, PartialEq)]
struct Move {
    difference: f64,
    member: u32,
}

impl Eq for Move {}
impl PartialOrd for Move {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Move {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.difference.order(other.difference).then(self.member.cmp(&other.member))
    }
}

/// The moves of each ordered pair of resources, those of members that have left passed over.
pub(super) struct CheapestMoves {
    resources: usize,
    heaps: Vec<BinaryHeap<Reverse<Move>>>,
    /// What the cheapest costs, infinite where there is none.
    cheapest: Vec<f64>,
}

impl CheapestMoves {
    /// Of all members where they stand; `cost` is what each costs there.
    pub(super) fn new(core: &Core, resources: usize, at: &[u32], cost: &[f64]) -> Self {
        let mut moves: Vec<Vec<Reverse<Move>>> = vec![Vec::new(); resources * resources];
        for (k, (&from, &here)) in at.iter().zip(cost).enumerate() {
            for arc in core.arcs(k).iter().filter(|arc| arc.to != from) {
                let pair = from as usize * resources + arc.to as usize;
                moves[pair].push(Reverse(Move { difference: arc.cost - here, member: k as u32 }));
            }
        }
        let heaps: Vec<BinaryHeap<_>> = moves.into_iter().map(BinaryHeap::from).collect();
        let cheapest =
            heaps.iter().map(|heap| heap.peek().map_or(f64::INFINITY, |top| top.0.difference)).collect();
        Self { resources, heaps, cheapest }
    }

    /// What the cheapest move from a resource to each other costs.
    #[inline]
    pub(super) fn from(&self, r: usize) -> &[f64] {
        &self.cheapest[r * self.resources..(r + 1) * self.resources]
    }

    /// Whose move that is.
    pub(super) fn member(&self, from: usize, to: usize) -> Option<u32> {
        self.heaps[from * self.resources + to].peek().map(|top| top.0.member)
    }

    /// A member has moved; `at` already says where to, `cost` is what it costs there.
    pub(super) fn note(&mut self, member: u32, from: u32, arcs: &[Arc], at: &[u32], cost: f64) {
        let m = self.resources;
        let to = at[member as usize];
        for arc in arcs {
            if arc.to != from {
                let pair = from as usize * m + arc.to as usize;
                let heap = &mut self.heaps[pair];
                while heap.peek().is_some_and(|top| at[top.0.member as usize] != from) {
                    heap.pop();
                }
                self.cheapest[pair] = heap.peek().map_or(f64::INFINITY, |top| top.0.difference);
            }
            if arc.to != to {
                let pair = to as usize * m + arc.to as usize;
                let difference = arc.cost - cost;
                self.heaps[pair].push(Reverse(Move { difference, member }));
                let cheapest = &mut self.cheapest[pair];
                *cheapest = if difference < *cheapest { difference } else { *cheapest };
            }
        }
    }
}
