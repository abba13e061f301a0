//! The entry of a slot in a scan, and a sum whose rounding errors do not accumulate.

use super::fit::{fits, latest_start};
use sched_model::two_sum;

/// A slot that can carry a task of the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    /// The cost of the task on it.
    pub(crate) cost: f64,
    /// The instant by which the task must end.
    pub(crate) end: f64,
    /// The span of the task on it.
    pub(crate) span: f64,
    /// Its node.
    pub(crate) node: u32,
    /// Its position in the list.
    pub(crate) at: u32,
    /// A window may hold so many slots of one group at most.
    pub(crate) group: u32,
}

impl Entry {
    /// Whether the task can start at this instant; once it cannot, it never can.
    #[inline(always)]
    pub(crate) fn fits(&self, now: f64) -> bool {
        fits(now, self.span, self.end)
    }

    /// Cheapest first, ties by node, then by place in the list. Costs are never negative, so that their bits
    /// are in the order of their values.
    #[inline]
    fn key(&self) -> (u64, u32, u32) {
        (self.cost.to_bits(), self.node, self.at)
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    #[inline]
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// A sum with the sum of its rounding errors, so that errors do not accumulate over a long scan. Where terms
/// differ by more than some thirty decades, the sum of errors is itself rounded: a bound on that is kept too.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sum {
    value: f64,
    error: f64,
    /// A bound on the rounding of the sum of errors, except for the rounding of this number.
    lost: f64,
}

impl Sum {
    #[inline]
    pub(crate) fn add(&mut self, term: f64) {
        let (value, error) = two_sum(self.value, term);
        let (error, lost) = two_sum(self.error, error);
        (self.value, self.error) = (value, error);
        self.lost += lost.abs();
    }

    /// The sum, up to one rounding and the error [`lost`](Self::lost).
    #[inline]
    pub(crate) fn get(self) -> f64 {
        self.value + self.error
    }

    /// The greatest difference of the true sum from [`get`](Self::get), beside one rounding; mostly 0.
    #[inline]
    pub(crate) fn lost(self) -> f64 {
        2.0 * self.lost
    }

    /// A lower bound of the true sum, up to roundings of its last bits.
    #[inline]
    pub(crate) fn at_least(self) -> f64 {
        self.get() - self.lost()
    }
}

/// An [`Entry`] in order of expiry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expiring {
    /// Last instant at which the task can start.
    pub(crate) latest: f64,
    pub(crate) entry: Entry,
}

impl From<Entry> for Expiring {
    fn from(entry: Entry) -> Self {
        Self { latest: latest_start(entry.end, entry.span), entry }
    }
}

impl PartialEq for Expiring {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Expiring {}

impl PartialOrd for Expiring {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Expiring {
    #[inline]
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.latest.total_cmp(&other.latest).then_with(|| self.entry.cmp(&other.entry))
    }
}

#[cfg(test)]
mod tests {
    use super::Sum;

    #[test]
    fn what_a_sum_has_lost_is_counted() {
        let mut sum = Sum::default();
        // What is left are 0.75; the rounding of the errors of great terms leaves 2.6e26.
        for term in [2.0, -2.0, 1e30, 1e44, 1e60, -1e44, 0.25, 0.5, -1e60, -1e30] {
            sum.add(term);
        }
        assert!((sum.get() - 0.75).abs() <= sum.lost() && sum.at_least() <= 0.75, "{sum:?}");
        let mut sum = Sum::default();
        for term in [1e15, 0.1, -1e15, 0.3] {
            sum.add(term);
        }
        assert_eq!((sum.get(), sum.lost()), (0.4, 0.0));
    }
}
