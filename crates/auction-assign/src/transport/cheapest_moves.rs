//! The cheapest move of a member from each resource to each other, where resources are few beside the arcs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::core::{Arc, Core};
use crate::kernel::NONE;
use crate::kernel::number::Number;

/// A member's move: its cost there less its cost here. Prices do not change the order of the moves of a pair.
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

/// The moves of an ordered pair of resources that existed at the start: for most pairs only the cheapest is
/// ever needed.
#[derive(Clone, Copy)]
struct First {
    /// The position of the first in the list of all.
    from: u32,
    /// How many are left.
    left: u32,
    /// Whether they form a heap, the cheapest first.
    is_heap: bool,
}

/// A move of a member that came later, and the one that came before it.
#[derive(Clone, Copy)]
struct Late {
    of: Move,
    before: u32,
}

/// Later moves of a pair that are put into a heap together.
const MANY_LATE: usize = 24;

/// The moves of each ordered pair of resources. Moves of members that have left are skipped.
pub(super) struct CheapestMoves {
    resources: usize,
    /// The cost of the cheapest move, infinite where there is none, and its member.
    cheapest: Vec<f64>,
    member: Vec<u32>,
    first: Vec<First>,
    moves: Vec<Move>,
    /// Of members that came later: the latest of each pair, and the one before each.
    latest: Vec<u32>,
    late: Vec<Late>,
    /// Those of pairs that have many of them, by the pair's number in the list of heaps.
    heap_of: Vec<u32>,
    heaps: Vec<BinaryHeap<Reverse<Move>>>,
    /// Moves read to keep this up to date.
    pub(super) work: u64,
}

impl CheapestMoves {
    /// The moves of all members from their resources `at`; `cost` is the cost of each there.
    pub(super) fn new(core: &Core, resources: usize, at: &[u32], cost: &[f64]) -> Self {
        let pairs = resources * resources;
        let mut first = vec![First { from: 0, left: 0, is_heap: false }; pairs];
        for (k, &from) in at.iter().enumerate() {
            let row = &mut first[from as usize * resources..(from as usize + 1) * resources];
            core.arcs(k).iter().for_each(|arc| row[arc.to as usize].left += 1);
        }
        let mut next = 0;
        for pair in &mut first {
            pair.from = next;
            next += std::mem::take(&mut pair.left);
        }
        let blank = Move { difference: f64::INFINITY, member: NONE };
        let mut moves = vec![blank; next as usize];
        let mut cheapest = vec![f64::INFINITY; pairs];
        let mut member = vec![NONE; pairs];
        for (k, (&from, &here)) in at.iter().zip(cost).enumerate() {
            for arc in core.arcs(k).iter().filter(|arc| arc.to != from) {
                let pair = from as usize * resources + arc.to as usize;
                let difference = arc.cost - here;
                let slot = &mut first[pair];
                moves[(slot.from + slot.left) as usize] = Move { difference, member: k as u32 };
                slot.left += 1;
                if difference < cheapest[pair] {
                    (cheapest[pair], member[pair]) = (difference, k as u32);
                }
            }
        }
        let none = || vec![NONE; pairs];
        let (latest, heap_of) = (none(), none());
        let (late, heaps) = (Vec::new(), Vec::new());
        Self { resources, cheapest, member, first, moves, latest, late, heap_of, heaps, work: 0 }
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

    /// Notes that a member has moved; `at` already holds its new resource, `cost` is its cost there.
    pub(super) fn note(&mut self, member: u32, from: u32, arcs: &[Arc], at: &[u32], cost: f64) {
        let m = self.resources;
        let to = at[member as usize];
        for arc in arcs {
            let pair = from as usize * m + arc.to as usize;
            if self.member[pair] == member {
                self.find(pair, from, at);
            }
            if arc.to != to {
                let pair = to as usize * m + arc.to as usize;
                let difference = arc.cost - cost;
                let before = std::mem::replace(&mut self.latest[pair], self.late.len() as u32);
                self.late.push(Late { of: Move { difference, member }, before });
                if difference < self.cheapest[pair] {
                    (self.cheapest[pair], self.member[pair]) = (difference, member);
                }
            }
        }
        self.work += 2 * arcs.len() as u64;
    }

    /// Finds the cheapest move of a pair among members that are still there.
    fn find(&mut self, pair: usize, from: u32, at: &[u32]) {
        let stays = |of: &Move| at[of.member as usize] == from;
        let mut best = self.best_late(pair, stays);
        let First { from: start, left, is_heap } = &mut self.first[pair];
        let range = *start as usize..(*start + *left) as usize;
        let heap = &mut self.moves[range];
        let mut count = heap.len();
        if !*is_heap {
            count = 0;
            for at in 0..heap.len() {
                if stays(&heap[at]) {
                    heap[count] = heap[at];
                    count += 1;
                }
            }
            (0..count / 2).rev().for_each(|at| sink(&mut heap[..count], at));
            *is_heap = true;
            self.work += 4 * heap.len() as u64;
        }
        while count > 0 && !stays(&heap[0]) {
            count -= 1;
            heap.swap(0, count);
            sink(&mut heap[..count], 0);
            self.work += 4;
        }
        *left = count as u32;
        if count > 0 && best.is_none_or(|best| heap[0] < best) {
            best = Some(heap[0]);
        }
        (self.cheapest[pair], self.member[pair]) =
            best.map_or((f64::INFINITY, NONE), |best| (best.difference, best.member));
        self.work += 4;
    }

    /// The cheapest of the later moves whose members are still there.
    fn best_late(&mut self, pair: usize, stays: impl Fn(&Move) -> bool) -> Option<Move> {
        let (mut best, mut count) = (None, 0);
        // The list without those that have left.
        let mut before = std::mem::replace(&mut self.latest[pair], NONE);
        let mut last = NONE;
        while before != NONE {
            let link = before;
            let Late { of, before: next } = self.late[link as usize];
            before = next;
            self.work += 1;
            if !stays(&of) {
                continue;
            }
            if last == NONE {
                self.latest[pair] = link;
            } else {
                self.late[last as usize].before = link;
            }
            last = link;
            count += 1;
            best = if best.is_none_or(|best| of < best) { Some(of) } else { best };
        }
        if last != NONE {
            self.late[last as usize].before = NONE;
        }
        if count > MANY_LATE && self.heap_of[pair] == NONE {
            self.heap_of[pair] = self.heaps.len() as u32;
            self.heaps.push(BinaryHeap::new());
        }
        let Some(heap) = self.heaps.get_mut(self.heap_of[pair] as usize) else { return best };
        if count > MANY_LATE {
            let mut link = std::mem::replace(&mut self.latest[pair], NONE);
            while link != NONE {
                let Late { of, before } = self.late[link as usize];
                heap.push(Reverse(of));
                link = before;
            }
            self.work += 4 * count as u64;
        }
        while heap.peek().is_some_and(|top| !stays(&top.0)) {
            heap.pop();
            self.work += 4;
        }
        match (best, heap.peek()) {
            (Some(best), Some(top)) if top.0 < best => Some(top.0),
            (None, Some(top)) => Some(top.0),
            _ => best,
        }
    }
}

/// Brings a move down to where none below it is cheaper.
fn sink(heap: &mut [Move], mut at: usize) {
    loop {
        let mut child = 2 * at + 1;
        if child >= heap.len() {
            return;
        }
        if child + 1 < heap.len() && heap[child + 1] < heap[child] {
            child += 1;
        }
        if heap[at] <= heap[child] {
            return;
        }
        heap.swap(at, child);
        at = child;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::prepared::Prepared;
    use crate::kernel::watch::Watch;
    use crate::transport::core::Sample;
    use crate::transport::core::Size;
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
            let sample = Sample::new(&prepared, 1);
            let size = Size { width: f64::INFINITY, arcs: usize::MAX };
            let core =
                Core::collect(&sample, &capacities, &[0.0; 4], size, Watch::NONE).ok().flatten().unwrap();
            let mut at = core.resource_of.clone();
            let cost: Vec<f64> = (0..n).map(|k| values[k * m + at[k] as usize]).collect();
            let mut moves = CheapestMoves::new(&core, m, &at, &cost);
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
            assert!(!moves.heaps.is_empty(), "many must have come to one resource");
        }
    }
}
