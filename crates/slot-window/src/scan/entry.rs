//! What a scan keeps of a slot, and a sum that does not drift.

use super::{fits, latest_start};

/// A slot that can carry a task of the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    /// What the task costs on it.
    pub(crate) cost: f64,
    /// When the task must have ended.
    pub(crate) end: f64,
    /// How long the task takes on it.
    pub(crate) span: f64,
    /// Its node.
    pub(crate) node: u32,
    /// Its position in the scan.
    pub(crate) at: u32,
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

/// A sum whose rounding errors are carried along, so that additions and subtractions over a long scan do not
/// drift.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sum {
    value: f64,
    error: f64,
}

impl Sum {
    #[inline]
    pub(crate) fn add(&mut self, term: f64) {
        // Knuth's two-sum.
        let sum = self.value + term;
        let virtual_term = sum - self.value;
        self.error += (self.value - (sum - virtual_term)) + (term - virtual_term);
        self.value = sum;
    }

    #[inline]
    pub(crate) fn get(self) -> f64 {
        self.value + self.error
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
