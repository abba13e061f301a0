//! Sums and products of quantities, kept within what a quantity may be.

use sched_model::internal::{ExactSum, MAX_QUANTITY};
use sched_model::{Money, Span, Time};

/// A sum of charges as money, at most the maximum amount that there is.
pub(crate) fn money(sum: &ExactSum) -> Money {
    Money::try_from(sum.value().min(MAX_QUANTITY)).unwrap_or(Money::ZERO)
}

/// A sum of lengths of time as a span, at most the longest span that there is.
pub(crate) fn span(sum: f64) -> Span {
    Span::try_from(sum.min(MAX_QUANTITY)).unwrap_or(Span::ZERO)
}

/// A span times `count`, at most the longest span that there is.
pub(crate) fn times(time: Span, count: f64) -> Span {
    span(time.get() * count)
}

/// The longest span for which `start` plus the span, rounded to `f64`, is at most `end`.
pub(crate) fn span_within(start: Time, end: Time) -> Span {
    let span = end - start;
    if start + span <= end { span } else { Span::try_from(span.get().next_down()).unwrap_or(span) }
}
