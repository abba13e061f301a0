//! The overseer of a method: it counts work, stops the search at a limit, and keeps the best result.

use std::cell::Cell;

use sched_model::End;

use crate::kernel::stop::Stop;
use crate::{Assignment, Duals};

/// The result of one look at an unfinished search: a feasible assignment, and the bound of its duals.
pub(crate) struct Standing {
    /// `None` where the waiting jobs could not be placed greedily.
    pub(crate) assignment: Option<Assignment>,
    pub(crate) duals: Duals,
    /// No assignment has a better sum, in the sense of the problem.
    pub(crate) bound: f64,
}

/// Receives the reports of a search under a limit. Calls that it does not handle itself are passed to the
/// outer overseer, if there is one.
pub(crate) trait Overseer {
    /// The outer overseer.
    fn outer(&self) -> Watch<'_>;

    /// Counts work; an error ends the search.
    fn spend(&self, units: u64) -> Result<(), End> {
        self.outer().spend(units)
    }

    /// Counts the work of a look, which is no part of the search; an error ends it likewise.
    fn spend_looking(&self, units: u64) -> Result<(), End> {
        self.outer().spend_looking(units)
    }

    /// Lets another method that runs in turn with the search go on to its end, since this one foresees much
    /// work; an error ends the search, for the other has. Comes back where there is no other.
    fn hand_over(&self) -> Result<(), End> {
        self.outer().hand_over()
    }

    /// Counts memory, likewise.
    fn reserve(&self, bytes: u64) -> Result<(), End> {
        self.outer().reserve_bytes(bytes)
    }

    /// Counts memory that was freed.
    fn release(&self, bytes: u64) {
        self.outer().release_bytes(bytes);
    }

    /// Whether a look of this work is small beside the work since the last one.
    fn is_due(&self, price: u64) -> bool {
        self.outer().is_due(price)
    }

    /// Whether no feasible assignment is known yet.
    fn wants_any(&self) -> bool {
        self.outer().wants_any()
    }

    /// Keeps the assignment and the bound if they are better; an error ends the search, because the gap is
    /// good enough.
    fn record(&self, standing: Standing) -> Result<(), End> {
        self.outer().record(standing)
    }
}

/// A reference to the overseer, if there is one; without one each call costs a comparison.
#[derive(Clone, Copy)]
pub(crate) struct Watch<'a> {
    overseer: Option<&'a (dyn Overseer + 'a)>,
    /// Whether the search may have to stop within a pass over the costs.
    limits: bool,
}

impl<'a> Watch<'a> {
    /// Without an overseer.
    pub(crate) const NONE: Self = Self { overseer: None, limits: false };

    pub(crate) fn by(overseer: &'a (dyn Overseer + 'a), limits: bool) -> Self {
        Self { overseer: Some(overseer), limits }
    }

    /// Another overseer, which passes its reports on to this one.
    pub(crate) fn through<'b>(self, overseer: &'b (dyn Overseer + 'b)) -> Watch<'b> {
        Watch { overseer: Some(overseer), limits: self.limits }
    }

    /// Whether work must be counted row by row, and results be reported.
    #[inline]
    pub(crate) fn is_limited(self) -> bool {
        self.limits
    }

    /// Counts entries that were read or are about to be.
    #[inline]
    pub(crate) fn spend(self, units: u64) -> Result<(), End> {
        match self.overseer {
            None => Ok(()),
            Some(overseer) => overseer.spend(units),
        }
    }

    /// Counts the work of a look.
    #[inline]
    pub(crate) fn spend_looking(self, units: u64) -> Result<(), End> {
        match self.overseer {
            None => Ok(()),
            Some(overseer) => overseer.spend_looking(units),
        }
    }

    /// Lets another method, if there is one, go on to its end.
    pub(crate) fn hand_over(self) -> Result<(), End> {
        match self.overseer {
            None => Ok(()),
            Some(overseer) => overseer.hand_over(),
        }
    }

    /// Counts the increase of a counter since it was `seen`.
    #[inline]
    pub(crate) fn spend_since(self, seen: &mut u64, now: u64) -> Result<(), End> {
        match self.overseer {
            None => Ok(()),
            Some(overseer) => {
                let units = now - std::mem::replace(seen, now);
                overseer.spend(units)
            }
        }
    }

    /// Counts memory for `count` values that is about to be taken.
    pub(crate) fn reserve<T>(self, count: usize) -> Result<(), End> {
        self.reserve_bytes((size_of::<T>() as u64).saturating_mul(count as u64))
    }

    pub(crate) fn reserve_bytes(self, bytes: u64) -> Result<(), End> {
        match self.overseer {
            None => Ok(()),
            Some(overseer) => overseer.reserve(bytes),
        }
    }

    pub(crate) fn release_bytes(self, bytes: u64) {
        if let Some(overseer) = self.overseer {
            overseer.release(bytes);
        }
    }

    /// Memory for `count` values that are not needed but save time; `None` where the limit leaves no room for
    /// them, and the search does without. So it does where they would take the room of the candidate lists of
    /// so many `jobs`, which may be needed later.
    pub(crate) fn room<T>(self, count: usize, jobs: usize) -> Option<Room<'a>> {
        let room = |bytes: u64| self.reserve_bytes(bytes).ok().map(|()| Room { watch: self, bytes });
        let bytes = (size_of::<T>() as u64).saturating_mul(count as u64);
        let lists = LIST.saturating_mul(jobs as u64);
        let values = room(bytes)?;
        if room(lists).is_some() {
            return Some(values);
        }
        drop(values);
        if room(lists).is_some() { None } else { room(bytes) }
    }

    /// Whether a look that costs `price` is due.
    #[inline]
    pub(crate) fn is_due(self, price: u64) -> bool {
        self.limits && self.overseer.is_some_and(|overseer| overseer.is_due(price))
    }

    pub(crate) fn wants_any(self) -> bool {
        self.limits && self.overseer.is_some_and(|overseer| overseer.wants_any())
    }

    pub(crate) fn record(self, standing: Standing) -> Result<(), End> {
        match self.overseer {
            None => Ok(()),
            Some(overseer) => overseer.record(standing),
        }
    }
}

/// Bytes of a candidate list, at most.
const LIST: u64 = 512;

/// Memory that is counted as long as this lives.
#[must_use]
pub(crate) struct Room<'a> {
    watch: Watch<'a>,
    bytes: u64,
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        self.watch.release_bytes(self.bytes);
    }
}

/// Counts the work, and passes all reports on.
pub(crate) struct Tally<'a> {
    outer: Watch<'a>,
    spent: Cell<u64>,
}

impl<'a> Tally<'a> {
    pub(crate) fn new(outer: Watch<'a>) -> Self {
        Self { outer, spent: Cell::new(0) }
    }

    /// The watch that is counted.
    pub(crate) fn watch(&self) -> Watch<'_> {
        self.outer.through(self)
    }

    pub(crate) fn spent(&self) -> u64 {
        self.spent.get()
    }
}

impl Overseer for Tally<'_> {
    fn outer(&self) -> Watch<'_> {
        self.outer
    }

    fn spend(&self, units: u64) -> Result<(), End> {
        self.spent.set(self.spent.get() + units);
        self.outer.spend(units)
    }
}

/// An attempt that may end for want of memory, where something else may still go on: it knows what it has taken.
pub(crate) struct Attempt<'a> {
    outer: Watch<'a>,
    bytes: Cell<u64>,
}

impl<'a> Attempt<'a> {
    pub(crate) fn new(outer: Watch<'a>) -> Self {
        Self { outer, bytes: Cell::new(0) }
    }

    pub(crate) fn watch(&self) -> Watch<'_> {
        self.outer.through(self)
    }

    /// The result; `None` where memory ended the attempt, which gives back what it has counted.
    pub(crate) fn result<R>(&self, result: Result<R, Stop>) -> Result<Option<R>, Stop> {
        match result {
            Err(Stop::Ended(End::Memory)) => {
                self.outer.release_bytes(self.bytes.replace(0));
                Ok(None)
            }
            result => result.map(Some),
        }
    }
}

impl Overseer for Attempt<'_> {
    fn outer(&self) -> Watch<'_> {
        self.outer
    }

    fn reserve(&self, bytes: u64) -> Result<(), End> {
        self.outer.reserve_bytes(bytes)?;
        self.bytes.set(self.bytes.get() + bytes);
        Ok(())
    }

    fn release(&self, bytes: u64) {
        self.bytes.set(self.bytes.get().saturating_sub(bytes));
        self.outer.release_bytes(bytes);
    }
}

/// Counts all work as work of a look.
pub(crate) struct LookWork<'a>(pub(crate) Watch<'a>);

impl LookWork<'_> {
    pub(crate) fn watch(&self) -> Watch<'_> {
        self.0.through(self)
    }
}

impl Overseer for LookWork<'_> {
    fn outer(&self) -> Watch<'_> {
        self.0
    }

    fn spend(&self, units: u64) -> Result<(), End> {
        self.0.spend_looking(units)
    }

    fn is_due(&self, _: u64) -> bool {
        false
    }
}
