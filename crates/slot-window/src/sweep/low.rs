//! The lowest costs that a scan has collected: a lower bound that can prove that no window is affordable.

use sched_model::plain_sum_error;
use std::collections::BinaryHeap;

/// The lowest costs of a growing collection, as a lower bound: costs of slots that leave the collection stay.
#[derive(Debug, Default)]
pub(crate) struct Low {
    count: usize,
    /// Bits of the costs, greatest on top.
    costs: BinaryHeap<u64>,
    /// Their plain sum, the greatest it has been, and of how many terms it is.
    sum: f64,
    peak: f64,
    terms: usize,
    /// The greatest of them, infinite until there are `count`.
    greatest: f64,
    /// Their sum, infinite until there are `count`.
    least_sum: f64,
    /// The factor that allows for the rounding of a sum.
    shrink: f64,
}

impl Low {
    /// Empties it to keep the `count` lowest.
    pub(crate) fn reset(&mut self, count: usize) {
        self.count = count;
        self.costs.clear();
        (self.sum, self.peak, self.terms) = (0.0, 0.0, 0);
        self.shrink = 1.0 - f64::EPSILON * (count as f64 + 4.0);
        self.greatest = f64::INFINITY;
        self.settle();
    }

    fn settle(&mut self) {
        if self.costs.len() == self.count {
            self.greatest = self.costs.peek().map_or(f64::NEG_INFINITY, |&bits| f64::from_bits(bits));
            self.least_sum = (self.sum - plain_sum_error(self.terms, self.peak)).max(0.0);
        } else {
            self.least_sum = f64::INFINITY;
        }
    }

    /// Whether a slot of this cost may complete an affordable window with slots taken in before.
    #[inline]
    pub(crate) fn allows(&self, cost: f64, budget: f64) -> bool {
        (self.least_sum + cost) * self.shrink <= budget
    }

    #[inline(always)]
    pub(crate) fn take(&mut self, cost: f64) {
        if cost < self.greatest {
            self.take_low(cost);
        }
    }

    #[inline(never)]
    fn take_low(&mut self, cost: f64) {
        if self.costs.len() < self.count {
            self.costs.push(cost.to_bits());
        } else if let Some(mut top) = self.costs.peek_mut() {
            self.sum -= f64::from_bits(*top);
            self.terms += 1;
            *top = cost.to_bits();
        }
        self.sum += cost;
        self.terms += 1;
        self.peak = self.peak.max(self.sum);
        self.settle();
    }
}
