//! What reading a list counts, and how far it may go.

use sched_model::{Slot, SlotList};

/// What a run counts that is passed over: one unit of work. In lists of less than some thousand slots each
/// slot counts, read or not, so that work there depends on the list alone.
pub(crate) fn passed_over_work(slots: &SlotList, run: &[Slot]) -> u64 {
    if slots.len() < MANY_SLOTS { run.len() as u64 } else { 1 }
}

const MANY_SLOTS: usize = 4096;

/// As many slots of a run as may still be read, and whether that is not all. A scan that ends within them is
/// not stopped: it would have ended there without a limit.
#[inline]
pub(crate) fn affordable_part<'a>(run: &'a [Slot], left: &mut u64) -> (&'a [Slot], bool) {
    let all = run.len() as u64;
    let part = all.min(*left);
    *left -= part;
    (&run[..part as usize], part < all)
}
