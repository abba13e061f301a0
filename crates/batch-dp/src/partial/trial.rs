//! Searches that are tried first.

use sched_model::Meter;

/// What a search takes at most before branches are looked for: most searches end sooner.
pub(super) const TRIAL: u64 = 100_000;

/// A search that may be given up after so much work, with the memory that it took.
pub(super) fn on_trial<'m, R>(
    work: u64,
    meter: &mut Meter<'m>,
    search: impl FnOnce(&mut Meter<'m>) -> R,
) -> R {
    let reserved = meter.memory();
    let result = meter.within(work, search);
    meter.release(meter.memory() - reserved);
    result
}
