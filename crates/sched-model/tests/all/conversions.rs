//! Times and spans from and to the types of the standard library, `chrono` and `jiff`.

use sched_model::Span;
use std::time::Duration;

#[test]
fn durations_come_back_up_to_48_days() {
    let mut state = 1u64;
    for _ in 0..20_000 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let duration = Duration::new((state >> 20) & ((1 << 22) - 1), ((state >> 33) % 1_000_000_000) as u32);
        assert_eq!(Duration::try_from(Span::from(duration)), Ok(duration));
    }
    let longest = Duration::new((1 << 22) - 1, 999_999_999);
    assert_eq!(Duration::try_from(Span::from(longest)), Ok(longest));
}

#[test]
fn every_duration_is_a_span_that_the_constructor_takes() {
    assert_eq!(Span::from(Duration::ZERO), Span::ZERO);
    let most = Span::from(Duration::MAX);
    assert_eq!(Span::new(most.get()), Ok(most));
    // Rounded to a double, it is 2^64 seconds.
    let error = Duration::try_from(most).map_err(|error| error.to_string());
    assert_eq!(
        error,
        Err("a Duration from a Span in seconds must be less than 2^64, got 18446744073709552000".to_owned())
    );
}

#[cfg(feature = "chrono")]
mod chrono {
    use chrono::{DateTime, TimeDelta, Utc};
    use sched_model::{Span, Time};

    #[test]
    fn instants_before_the_origin_and_the_ends_of_the_range_come_back() {
        for seconds in [-0.25, -86_400.5, -1e11, 0.0, 1.75e9, 8e12] {
            let instant = DateTime::<Utc>::try_from(Time::must(seconds)).unwrap();
            assert_eq!(Time::from(instant), Time::must(seconds), "{instant}");
        }
        for instant in [DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC] {
            let time = Time::from(instant);
            assert_eq!(Time::new(time.get()), Ok(time));
        }
        // The last nanosecond is rounded up to an instant that chrono does not have.
        assert!(DateTime::<Utc>::try_from(Time::from(DateTime::<Utc>::MAX_UTC)).is_err());
        for beyond in [-1e60, 1e60, -9.3e12, 9.3e12] {
            assert!(DateTime::<Utc>::try_from(Time::must(beyond)).is_err(), "{beyond}");
        }
    }

    #[test]
    fn spans_are_never_negative() {
        assert!(Span::try_from(TimeDelta::nanoseconds(-1)).is_err());
        assert_eq!(Span::try_from(TimeDelta::zero()), Ok(Span::ZERO));
        assert_eq!(Span::try_from(TimeDelta::MAX).map(|span| span.get() > 9.2e15), Ok(true));
    }
}

#[cfg(feature = "jiff")]
mod jiff {
    use jiff::{SignedDuration, Timestamp};
    use sched_model::{Span, Time};

    #[test]
    fn instants_before_the_origin_and_the_ends_of_the_range_come_back() {
        for seconds in [-0.25, -86_400.5, -1e11, 0.0, 1.75e9, 2e11] {
            let instant = Timestamp::try_from(Time::must(seconds)).unwrap();
            assert_eq!(Time::from(instant), Time::must(seconds), "{instant}");
        }
        for instant in [Timestamp::MIN, Timestamp::MAX] {
            let time = Time::from(instant);
            assert_eq!(Time::new(time.get()), Ok(time));
        }
        for beyond in [-1e60, 1e60, -4e11, 4e11] {
            assert!(Timestamp::try_from(Time::must(beyond)).is_err(), "{beyond}");
        }
    }

    #[test]
    fn spans_are_never_negative() {
        assert!(Span::try_from(SignedDuration::from_nanos(-1)).is_err());
        assert_eq!(Span::try_from(SignedDuration::ZERO), Ok(Span::ZERO));
        assert_eq!(Span::try_from(SignedDuration::MAX), Ok(Span::must(9_223_372_036_854_775_808.0)));
    }
}
