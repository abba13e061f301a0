//! The nodes that a search has reached, and how.

/// The state of a search for each node: the resources, and after them the pool.
pub(super) struct Paths {
    pub(super) distance: Vec<f64>,
    pub(super) parent: Vec<Parent>,
    pub(super) settled: Vec<bool>,
    pub(super) order: Vec<u32>,
}

/// The arrays of the search over rows of moves.
#[derive(Default)]
pub(super) struct Nearest {
    /// The distances of the resources and the pool so far, infinite where a node is taken.
    pub(super) open: Vec<f64>,
    /// 0 where a node is still to be taken, infinite where it is not.
    pub(super) taken: Vec<f64>,
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
        Self {
            distance: vec![f64::INFINITY; nodes],
            parent: vec![Parent::Source; nodes],
            settled: vec![false; nodes],
            order: Vec::new(),
        }
    }

    /// Unsettles what is further away than this.
    pub(super) fn forget_beyond(&mut self, reached: f64) {
        let Self { distance, settled, order, .. } = self;
        order.retain(|&node| {
            settled[node as usize] = distance[node as usize] <= reached;
            settled[node as usize]
        });
    }
}
