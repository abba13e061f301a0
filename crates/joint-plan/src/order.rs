//! Orders in which the jobs of a batch are served, and a fixed sequence of pseudorandom numbers.

use sched_model::Job;

/// Orders in which the jobs are served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// The order of the batch.
    Given,
    /// Greatest work times nodes first.
    LargestFirst,
    /// Least work times nodes first.
    SmallestFirst,
    /// Most nodes first.
    WidestFirst,
    /// Last job first.
    Reversed,
    /// Shuffled by this seed.
    Shuffled(u64),
}

pub(crate) const ORDERS: [Order; 5] =
    [Order::Given, Order::LargestFirst, Order::SmallestFirst, Order::WidestFirst, Order::Reversed];

impl Order {
    /// The positions of the jobs in this order; ties by position.
    pub(crate) fn of(self, jobs: &[&Job]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        let size = |&at: &usize| jobs[at].request.work().get() * jobs[at].request.nodes() as f64;
        match self {
            Self::Given => {}
            Self::LargestFirst => order.sort_by(|a, b| size(b).total_cmp(&size(a)).then(a.cmp(b))),
            Self::SmallestFirst => order.sort_by(|a, b| size(a).total_cmp(&size(b)).then(a.cmp(b))),
            Self::WidestFirst => order.sort_by_key(|&at| (std::cmp::Reverse(jobs[at].request.nodes()), at)),
            Self::Reversed => order.reverse(),
            Self::Shuffled(seed) => {
                let mut sequence = Sequence(seed);
                for last in (1..order.len()).rev() {
                    order.swap(last, sequence.below(last + 1));
                }
            }
        }
        order
    }
}

/// A fixed sequence of pseudorandom numbers (G. Steele, D. Lea, C. Flood: *Fast splittable pseudorandom
/// number generators*, 2014).
pub(crate) struct Sequence(pub(crate) u64);

impl Sequence {
    /// A number below `count`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % count.max(1) as u64) as usize
    }
}
