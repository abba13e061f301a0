//! Shortest paths over the resources.

use crate::kernel::NONE;
use crate::kernel::number::{Number, lesser};

/// The work of an arc of the search, in entries of a row read in a plain loop: the relaxation, and its share
/// of finding the nearest resource.
const WORK_ARC: u64 = 4;

/// Dijkstra's search on the full graph of resources.
pub(super) struct Search<N> {
    pub(super) distance: Vec<N>,
    parent: Vec<u32>,
    open: Vec<N>,
    pub(super) settled: Vec<usize>,
    /// Arcs looked at so far, as entries of a row.
    pub(super) work: u64,
}

impl<N: Number> Search<N> {
    pub(super) fn new(resources: usize) -> Self {
        Self {
            distance: vec![N::INFINITY; resources],
            parent: vec![NONE; resources],
            open: vec![N::INFINITY; resources],
            settled: Vec::new(),
            work: 0,
        }
    }

    pub(super) fn start(&mut self, source: impl Fn(usize) -> Option<N>) {
        self.settled.clear();
        self.parent.fill(NONE);
        for r in 0..self.distance.len() {
            self.distance[r] = source(r).unwrap_or(N::INFINITY);
            self.open[r] = self.distance[r];
        }
    }

    /// Settles the nearest resource still open.
    pub(super) fn nearest(&mut self) -> Option<(usize, N)> {
        let least = self.open.iter().copied().fold(N::INFINITY, lesser);
        if least == N::INFINITY {
            return None;
        }
        let r = self.open.iter().position(|&distance| distance == least)?;
        self.open[r] = N::INFINITY;
        self.settled.push(r);
        Some((r, least))
    }

    /// The resource from which this one was reached.
    pub(super) fn before(&self, r: usize) -> Option<usize> {
        (self.parent[r] != NONE).then_some(self.parent[r] as usize)
    }

    pub(super) fn relax(&mut self, r: usize, distance: N, price: N, moves: &[N], prices: &[N]) {
        self.work += WORK_ARC * moves.len() as u64;
        let base = distance - price;
        for s in 0..moves.len() {
            let reached = (base + moves[s] + prices[s]).saturated();
            // Rounding must not make a distance smaller than that of its parent.
            let reached = if reached < distance { distance } else { reached };
            if reached < self.distance[s] {
                self.distance[s] = reached;
                self.open[s] = reached;
                self.parent[s] = r as u32;
            }
        }
    }
}
