//! Times and spans from and to the types of the standard library, `chrono` and `jiff`.

use econsched::testkit::drawn;
use sched_model::Span;
#[cfg(any(feature = "chrono", feature = "jiff"))]
use sched_model::Time;
#[cfg(any(feature = "chrono", feature = "jiff"))]
use std::fmt::Debug;
use std::time::Duration;

#[test]
fn durations_come_back_up_to_48_days() {
    drawn(20_000, |draw| {
        let duration = Duration::new(draw.below(1 << 22) as u64, draw.below(1_000_000_000) as u32);
        assert_eq!(Duration::try_from(Span::from(duration)), Ok(duration));
    });
    let longest = Duration::new((1 << 22) - 1, 999_999_999);
    assert_eq!(Duration::try_from(Span::from(longest)), Ok(longest));
}

#[test]
fn every_duration_is_a_span_that_the_constructor_takes() {
    assert_eq!(Span::from(Duration::ZERO), Span::ZERO);
    let most = Span::from(Duration::MAX);
    assert_eq!(Span::try_from(most.get()), Ok(most));
    // Rounded to a double, it is 2^64 seconds.
    let error = Duration::try_from(most).unwrap_err().to_string();
    assert_eq!(error, "a Duration from a Span in seconds must be less than 2^64, got 18446744073709552000");
}

/// Instants before the origin survive conversion and back, and so do both ends of the range; instants beyond the
/// ends are refused.
#[cfg(any(feature = "chrono", feature = "jiff"))]
fn instants<I: TryFrom<Time, Error: Debug> + Copy>(within: [f64; 6], ends: [I; 2], beyond: [f64; 4])
where
    Time: From<I>,
{
    for seconds in within {
        assert_eq!(Time::from(I::try_from(Time::must(seconds)).unwrap()), Time::must(seconds));
    }
    // The nearest nanosecond may be in the next second.
    assert_eq!(Time::from(I::try_from(Time::must(1.0_f64.next_down())).unwrap()), Time::must(1.0));
    for time in ends.map(Time::from) {
        assert_eq!(Time::try_from(time.get()), Ok(time));
    }
    for seconds in beyond {
        assert!(I::try_from(Time::must(seconds)).is_err(), "{seconds}");
    }
}

#[cfg(feature = "chrono")]
#[test]
fn instants_and_spans_of_chrono() {
    use chrono::{DateTime, TimeDelta, Utc};
    let ends = [DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC];
    instants([-0.25, -86_400.5, -1e11, 0.0, 1.75e9, 8e12], ends, [-1e60, 1e60, -9.3e12, 9.3e12]);
    // The last nanosecond is rounded up to an instant that chrono does not have.
    assert!(DateTime::<Utc>::try_from(Time::from(ends[1])).is_err());
    assert!(Span::try_from(TimeDelta::nanoseconds(-1)).is_err());
    assert_eq!(Span::try_from(TimeDelta::MAX).map(|span| span.get() > 9.2e15), Ok(true));
}

#[cfg(feature = "jiff")]
#[test]
fn instants_and_spans_of_jiff() {
    use jiff::{SignedDuration, Timestamp};
    let ends = [Timestamp::MIN, Timestamp::MAX];
    instants([-0.25, -86_400.5, -1e11, 0.0, 1.75e9, 2e11], ends, [-1e60, 1e60, -4e11, 4e11]);
    assert!(Span::try_from(SignedDuration::from_nanos(-1)).is_err());
    assert_eq!(Span::try_from(SignedDuration::MAX), Ok(Span::must(9_223_372_036_854_775_808.0)));
}
