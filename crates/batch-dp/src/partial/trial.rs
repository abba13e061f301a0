//! Trials: searches that end after a given amount of work.

use sched_model::Meter;

/// The work of a search after which branches are tried: most searches end sooner.
pub(super) const TRIAL: u64 = 100_000;

/// Runs a search that ends after so much work, and then releases the memory that it reserved.
pub(super) fn on_trial<R>(work: u64, meter: &mut Meter, search: impl FnOnce(&mut Meter) -> R) -> R {
    let reserved = meter.memory();
    let result = meter.within(work, search);
    meter.release(meter.memory() - reserved);
    result
}
