//! The reading of a list: its work, within the limit of a search.

use crate::error::Stop;
use sched_model::{Meter, Slot, SlotList};

/// The slots of a run that may be read next: all, or fewer near the limit, or none at it.
#[inline]
pub(crate) fn readable<'a>(run: &'a [Slot], meter: &mut Meter) -> &'a [Slot] {
    &run[..meter.allowance(run.len() as u64) as usize]
}

/// Counts slots that were read, as many as were [`readable`].
#[inline]
pub(crate) fn count(slots: u32, meter: &mut Meter) -> Result<(), Stop> {
    // A search that has ended may still take note that nothing more was read.
    if slots > 0 {
        meter.spend(u64::from(slots))?;
    }
    Ok(())
}

/// The work of a run that is skipped: one unit. In lists of less than some thousand slots each slot counts,
/// read or not, so that work there depends on the list alone.
pub(crate) fn passed_over_work(slots: &SlotList, run: &[Slot]) -> u64 {
    if slots.len() < MANY_SLOTS { run.len() as u64 } else { 1 }
}

/// Slots of a list from which on a skipped run counts one unit.
const MANY_SLOTS: usize = 4096;

/// The work of a run of which only one number of each slot is read, which takes about a quarter of a visit where
/// slots come from memory. It counts in large lists only, where it can take long.
pub(crate) fn glance_work(slots: &SlotList, run: &[Slot]) -> u64 {
    if slots.len() < VERY_MANY_SLOTS { 0 } else { run.len().div_ceil(4) as u64 }
}

/// Slots of a list from which on a glance counts: to look at fewer takes less than a tenth of a millisecond.
const VERY_MANY_SLOTS: usize = 1 << 16;
