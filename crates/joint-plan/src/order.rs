//! Orders in which the jobs of a batch are served, alternatives found in them, and a fixed sequence of
//! pseudorandom numbers.

use crate::JointError;
use sched_model::order::sort;
use sched_model::{Batch, Job, JobId, Refusal, SlotList, Time, Window};
use slot_window::{AlternativesSearch, BatchAlternatives, WindowSearch};

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
            Self::LargestFirst => sort(&mut order, &|a, b| size(b).total_cmp(&size(a))),
            Self::SmallestFirst => sort(&mut order, &|a, b| size(a).total_cmp(&size(b))),
            Self::WidestFirst => {
                sort(&mut order, &|&a, &b| jobs[b].request.nodes().cmp(&jobs[a].request.nodes()))
            }
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

/// The reason of a job that the search has not reached.
const NOT_SEARCHED: &Refusal = &Refusal::Stopped;

/// The alternatives of each job, found in an order of their own.
pub(crate) struct Offers {
    pub(crate) found: BatchAlternatives,
    /// The turn of each job of the batch.
    turns: Vec<usize>,
}

/// A job with its windows and, where it has none, the reason.
pub(crate) type Offer<'a> = (JobId, &'a [Window], Option<&'a Refusal>);

impl Offers {
    /// By this search, the jobs served in this order, no window starting before `from`.
    pub(crate) fn find(
        search: &AlternativesSearch<&dyn WindowSearch>,
        order: Order,
        (slots, jobs, from): (&SlotList, &[&Job], Time),
    ) -> Result<Self, JointError> {
        let order = order.of(jobs);
        let batch = Batch::new(order.iter().map(|&at| *jobs[at]).collect())?;
        let mut turns = vec![0; order.len()];
        for (turn, &at) in order.iter().enumerate() {
            turns[at] = turn;
        }
        Ok(Self { found: search.find(slots, &batch, from)?, turns })
    }

    /// In the order of the batch, to which the numbers of a coverage belong.
    pub(crate) fn offers(&self) -> impl Iterator<Item = Offer<'_>> {
        let found: Vec<Offer<'_>> = self.found.offers().collect();
        self.turns.iter().map(move |&turn| {
            let (job, windows, reason) = found[turn];
            (job, windows, reason.or(windows.is_empty().then_some(NOT_SEARCHED)))
        })
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
