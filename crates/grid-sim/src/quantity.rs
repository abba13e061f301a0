//! Sums and products of quantities, capped at the largest value of a quantity.

use sched_model::internal::{ExactSum, MAX_QUANTITY};
use sched_model::{Money, Span, Time};

/// Returns a sum of charges as money, capped at the largest amount.
pub(crate) fn money(sum: &ExactSum) -> Money {
    Money::try_from(sum.value().min(MAX_QUANTITY)).unwrap_or(Money::ZERO)
}

/// Returns a sum of lengths of time as a span, capped at the longest span.
pub(crate) fn span(sum: f64) -> Span {
    Span::try_from(sum.min(MAX_QUANTITY)).unwrap_or(Span::ZERO)
}

/// Returns a span times `count`, capped at the longest span.
pub(crate) fn times(time: Span, count: f64) -> Span {
    span(time.get() * count)
}

/// Returns the longest span for which `start` plus the span, rounded to `f64`, is at most `end`.
pub(crate) fn span_within(start: Time, end: Time) -> Span {
    let span = end - start;
    if start + span <= end { span } else { Span::try_from(span.get().next_down()).unwrap_or(span) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_is_the_largest() {
        let longest = Span::must(MAX_QUANTITY);
        let beyond = [times(longest, 1.0_f64.next_up()), times(Span::must(1e59), 1e300), span(f64::INFINITY)];
        assert_eq!(beyond, [longest; 3]);
        let below = MAX_QUANTITY.next_down();
        assert_eq!(
            [times(longest, 1.0), span(below), times(Span::must(0.1), 3.0)].map(Span::get),
            [MAX_QUANTITY, below, 0.1 * 3.0]
        );
        let half = MAX_QUANTITY / 2.0;
        let sum = |last| {
            money(&[half, half, last].into_iter().fold(ExactSum::default(), |mut sum, x| {
                sum.add(x);
                sum
            }))
        };
        assert_eq!([sum(half), sum(0.0), sum(-half)].map(Money::get), [MAX_QUANTITY, MAX_QUANTITY, half]);
    }
}
