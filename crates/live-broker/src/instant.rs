//! Arithmetic of instants that stays within the range of the model, and the expected end of overdue tasks.

use sched_model::{Span, Time};

/// The maximum magnitude of an instant or span in an input, so that no sum that the broker forms leaves the range of
/// [`Time`].
pub(crate) const MAX_MAGNITUDE: f64 = 1e59;

/// The earliest instant that an input can have.
pub(crate) fn earliest_instant() -> Time {
    Time::try_from(-MAX_MAGNITUDE).unwrap_or(Time::ZERO)
}

/// The latest instant that an input can have.
pub(crate) fn latest_instant() -> Time {
    Time::try_from(MAX_MAGNITUDE).unwrap_or(Time::ZERO)
}

/// Whether an input can have this instant.
pub(crate) fn is_in_range(time: Time) -> bool {
    time.get().abs() <= MAX_MAGNITUDE
}

/// The instant `span` after `now`; the next representable instant if the sum rounds to `now`.
pub(crate) fn after(now: Time, span: Span) -> Time {
    let later = now + span;
    if later > now { later } else { Time::try_from(now.get().next_up()).unwrap_or(later) }
}

/// The expected end of a task that has passed its planned end: after as much time again as it has overrun so far, but
/// at least a sixteenth of its planned time.
pub(crate) fn overrun_until(start: Time, planned_end: Time, now: Time) -> Time {
    after(now, share(planned_end - start, 1.0 / 16.0).max(now - planned_end))
}

/// The fraction `of` of a span.
pub(crate) fn share(span: Span, of: f64) -> Span {
    Span::try_from(span.get() * of).unwrap_or(span)
}
