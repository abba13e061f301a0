//! Whether a task fits into a slot, in computed numbers.

/// Whether a task of this span that starts at `start` ends by `end`, in computed numbers, as placements and
/// the checker compute it. The start must be before `end`, even for a span of 0. Once false, it is false for
/// all later starts.
#[inline(always)]
pub(crate) fn fits(start: f64, span: f64, end: f64) -> bool {
    (start + span <= end) & (start < end)
}

/// The greatest start at which a task of this span [`fits`].
pub(crate) fn latest_start(end: f64, span: f64) -> f64 {
    let latest = last_that_ends_by(end, span);
    if latest < end { latest } else { end.next_down() }
}

/// The greatest instant t for which the computed t + span is at most `end`.
pub(crate) fn last_that_ends_by(end: f64, span: f64) -> f64 {
    // The true difference is `difference + error`, and what is above `end` by less than half the way to the
    // next double is rounded down to it.
    let difference = end - span;
    let back = difference - end;
    let error = (end - (difference - back)) - (span + back);
    let half = f64::from_bits(end.to_bits() & f64::INFINITY.to_bits()) * (f64::EPSILON / 2.0);
    let mut last = difference + (error + half);
    // That is off by a rounding or two.
    while last + span > end {
        last = last.next_down();
    }
    while last.next_up() + span <= end {
        last = last.next_up();
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn the_latest_start_is_the_last_that_fits(
            end in prop_oneof![-1e3..1e3f64, -1e60..1e60f64, (-40..40i32).prop_map(f64::from), -1e-300..1e-300f64],
            span in prop_oneof![1e-3..1e3f64, 1e-9..1e60f64, (1..40u32).prop_map(f64::from), 1e-310..1e-300f64],
        ) {
            let latest = latest_start(end, span);
            prop_assert!(fits(latest, span, end));
            prop_assert!(!fits(latest.next_up(), span, end));
            let last = last_that_ends_by(end, span);
            prop_assert!(last + span <= end && last.next_up() + span > end);
        }
    }

    #[test]
    fn the_latest_start_where_rounding_is_coarse() {
        // Doubles are 2 apart there: an end half way between two is rounded to the one whose last bit is 0.
        let end = 9_007_199_254_740_994.0;
        assert_eq!(latest_start(end, end), 0.9999999999999999);
        assert_eq!(latest_start(end + 2.0, end + 2.0), 1.0);
        // No longer than any instant: the last one before the end.
        assert_eq!(latest_start(8.0, 1e-30), 8.0_f64.next_down());
        assert_eq!(latest_start(-8.0, 1e-30), (-8.0_f64).next_down());
        assert_eq!(latest_start(0.0, 3.0), -3.0);
    }
}
