//! Instants that stay within the range of the model, and when what is overdue is expected to end.

use sched_model::{Span, Time};

/// No instant or span in an input exceeds this in magnitude, so no sum that the broker forms leaves the range
/// of [`Time`].
pub(crate) const MOST: f64 = 1e59;

/// The earliest instant that an input can have.
pub(crate) fn before_all() -> Time {
    Time::try_from(-MOST).unwrap_or(Time::ZERO)
}

/// The latest instant that an input can have.
pub(crate) fn after_all() -> Time {
    Time::try_from(MOST).unwrap_or(Time::ZERO)
}

/// Whether an input can have this instant.
pub(crate) fn is_in_range(time: Time) -> bool {
    time.get().abs() <= MOST
}

/// `span` after `now`, and later than `now` even where the sum rounds to `now`.
pub(crate) fn after(now: Time, span: Span) -> Time {
    let later = now + span;
    if later > now { later } else { Time::try_from(now.get().next_up()).unwrap_or(later) }
}

/// When a task that has passed its planned end is expected to end: after as much time again as it has overrun
/// so far, and after a sixteenth of its planned time at least.
pub(crate) fn overrun_until(start: Time, planned_end: Time, now: Time) -> Time {
    after(now, share(planned_end - start, 1.0 / 16.0).max(now - planned_end))
}

/// A share of a span.
pub(crate) fn share(span: Span, of: f64) -> Span {
    Span::try_from(span.get() * of).unwrap_or(span)
}
