//! Who looks on while a method works: counts what is read, tells when to stop, keeps the best that was found.

use sched_model::End;

use crate::{Assignment, Duals};

/// What one look at an unfinished search gives: an assignment that keeps all rules, and the bound of its duals.
pub(crate) struct Standing {
    /// `None` where the jobs that wait could not simply be placed.
    pub(crate) assignment: Option<Assignment>,
    pub(crate) duals: Duals,
    /// No assignment has a better sum, in the sense of the problem.
    pub(crate) bound: f64,
}

/// What a search under a limit tells to.
pub(crate) trait Overseer {
    /// Counts work; an error ends the search.
    fn spend(&self, units: u64) -> Result<(), End>;

    /// Counts memory, likewise.
    fn reserve(&self, bytes: u64) -> Result<(), End>;

    /// Whether enough was spent since the last look for another, at this price, not to matter.
    fn is_due(&self, price: u64) -> bool;

    /// Whether nothing feasible is known yet.
    fn wants_any(&self) -> bool;

    /// Keeps what is better than what was known; an error ends the search, which is good enough.
    fn record(&self, standing: Standing) -> Result<(), End>;
}

/// A view of the overseer, if there is one; without one everything here costs a comparison.
#[derive(Clone, Copy)]
pub(crate) struct Watch<'a>(Option<&'a (dyn Overseer + 'a)>);

impl<'a> Watch<'a> {
    /// Nobody looks on.
    pub(crate) const NONE: Self = Self(None);

    pub(crate) fn by(overseer: &'a (dyn Overseer + 'a)) -> Self {
        Self(Some(overseer))
    }

    #[inline]
    pub(crate) fn is_on(self) -> bool {
        self.0.is_some()
    }

    /// Counts entries that were read or are about to be.
    #[inline]
    pub(crate) fn spend(self, units: u64) -> Result<(), End> {
        match self.0 {
            None => Ok(()),
            Some(overseer) => overseer.spend(units),
        }
    }

    /// Counts what a counter has risen by since it was `seen`.
    #[inline]
    pub(crate) fn spend_since(self, seen: &mut u64, now: u64) -> Result<(), End> {
        match self.0 {
            None => Ok(()),
            Some(overseer) => {
                let units = now - std::mem::replace(seen, now);
                overseer.spend(units)
            }
        }
    }

    /// Counts memory for `count` values that is about to be taken.
    pub(crate) fn reserve<T>(self, count: usize) -> Result<(), End> {
        match self.0 {
            None => Ok(()),
            Some(overseer) => overseer.reserve((size_of::<T>() as u64).saturating_mul(count as u64)),
        }
    }

    /// Whether a look that costs `price` is due.
    #[inline]
    pub(crate) fn is_due(self, price: u64) -> bool {
        self.0.is_some_and(|overseer| overseer.is_due(price))
    }

    pub(crate) fn wants_any(self) -> bool {
        self.0.is_some_and(|overseer| overseer.wants_any())
    }

    pub(crate) fn record(self, standing: Standing) -> Result<(), End> {
        match self.0 {
            None => Ok(()),
            Some(overseer) => overseer.record(standing),
        }
    }
}
