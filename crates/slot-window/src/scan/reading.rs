//! The reading of a list: its work, and its limit.

use sched_model::{Slot, SlotList};

/// The slots and nodes that a search has read, and the limit of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    most: u64,
    read: u64,
    stopped: bool,
}

impl Default for Reading {
    /// Nothing read, without a limit.
    fn default() -> Self {
        Self { most: u64::MAX, read: 0, stopped: false }
    }
}

impl Reading {
    /// From now on a search stops where more than `most` slots would have been read.
    pub(crate) fn limit(&mut self, most: u64) {
        (self.most, self.stopped) = (most, false);
    }

    /// Removes the limit. Returns whether a search has stopped at it, so that its result is no answer.
    pub(crate) fn lift_limit(&mut self) -> bool {
        self.most = u64::MAX;
        std::mem::take(&mut self.stopped)
    }

    /// How many slots may still be read.
    pub(crate) fn left(&self) -> u64 {
        self.most.saturating_sub(self.read)
    }

    /// Counts slots that were read within [`left`](Self::left).
    pub(crate) fn count(&mut self, slots: u64) {
        self.read += slots;
    }

    /// Whether so many more slots may be read; they then count as read. Once they may not, no more may be.
    pub(crate) fn may_read(&mut self, slots: usize) -> bool {
        let after = self.read + slots as u64;
        if self.stopped || after > self.most {
            self.stopped = true;
            return false;
        }
        self.read = after;
        true
    }

    /// Notes that a search has stopped at the limit.
    pub(crate) fn stop(&mut self) {
        self.stopped = true;
    }

    /// Whether a search has stopped at the limit.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// The slots read since the last call.
    pub(crate) fn take_read(&mut self) -> u64 {
        std::mem::take(&mut self.read)
    }
}

/// The work of a run that is skipped: one unit. In lists of less than some thousand slots each slot counts,
/// read or not, so that work there depends on the list alone.
pub(crate) fn passed_over_work(slots: &SlotList, run: &[Slot]) -> u64 {
    if slots.len() < MANY_SLOTS { run.len() as u64 } else { 1 }
}

/// Slots of a list from which on a skipped run counts one unit.
const MANY_SLOTS: usize = 4096;

/// The slots of a run that may still be read, and whether some may not. A scan that ends within the first
/// part is not stopped: it would have ended there without a limit.
#[inline]
pub(crate) fn affordable_part<'a>(run: &'a [Slot], left: &mut u64) -> (&'a [Slot], bool) {
    let all = run.len() as u64;
    let part = all.min(*left);
    *left -= part;
    (&run[..part as usize], part < all)
}
