//! Conversions of times and spans from and to the types of the standard library, `chrono` and `jiff`.

use crate::{ModelError, Span};
use std::time::Duration;

/// Returns seconds and nanoseconds as one number of seconds, rounded to a double.
#[cfg(any(feature = "chrono", feature = "jiff"))]
fn in_seconds(seconds: i64, nanos: f64) -> f64 {
    seconds as f64 + nanos / 1e9
}

/// Splits a number of seconds into whole seconds, rounded down, and nanoseconds, rounded to nearest; `None` if 64
/// bits cannot hold the seconds.
#[cfg(any(feature = "chrono", feature = "jiff"))]
fn seconds_and_nanos(value: f64) -> Option<(i64, u32)> {
    let seconds = value.floor();
    if !(-(2_f64.powi(63))..2_f64.powi(63)).contains(&seconds) {
        return None;
    }
    let nanos = ((value - seconds) * 1e9).round() as u32;
    if nanos < 1_000_000_000 { Some((seconds as i64, nanos)) } else { Some((seconds as i64 + 1, 0)) }
}

/// The error for a `value` that the target type cannot hold.
fn beyond(quantity: &'static str, expected: &'static str, value: f64) -> ModelError {
    ModelError::Quantity { quantity, expected, value }
}

impl From<Duration> for Span {
    /// Converts a duration to a span in seconds, rounded to a double, for callers whose unit of time is the second.
    ///
    /// ```
    /// use sched_model::Span;
    /// use std::time::Duration;
    /// assert_eq!(Span::from(Duration::from_millis(2500)), Span::must(2.5));
    /// ```
    fn from(duration: Duration) -> Self {
        Self::unchecked(duration.as_secs_f64())
    }
}

impl TryFrom<Span> for Duration {
    type Error = ModelError;

    /// Converts a span in seconds, rounded to the nanosecond. A [`Duration`] of at most 2^22 seconds (48 days) that
    /// was converted to a span converts back unchanged.
    ///
    /// # Errors
    /// [`ModelError::Quantity`] for a span of 2^64 seconds or more.
    ///
    /// ```
    /// use sched_model::Span;
    /// use std::time::Duration;
    /// assert_eq!(Duration::try_from(Span::must(2.5)), Ok(Duration::from_millis(2500)));
    /// assert!(Duration::try_from(Span::must(1e20)).is_err());
    /// ```
    fn try_from(span: Span) -> Result<Self, ModelError> {
        let value = span.get();
        Self::try_from_secs_f64(value)
            .map_err(|_| beyond("a Duration from a Span in seconds", "less than 2^64", value))
    }
}

/// Instants and durations of `chrono`, counted in seconds.
#[cfg(feature = "chrono")]
mod chrono {
    use super::{beyond, in_seconds, seconds_and_nanos};
    use crate::{ModelError, Span, Time};
    use ::chrono::{DateTime, TimeDelta, TimeZone, Utc};

    impl<Tz: TimeZone> From<DateTime<Tz>> for Time {
        /// Converts an instant to seconds since 1970-01-01 00:00 UTC, rounded to a double: to a quarter of a
        /// microsecond in this century. For another origin, take the [`Span`] since that origin.
        ///
        /// ```
        /// use chrono::DateTime;
        /// use sched_model::Time;
        /// let start = DateTime::parse_from_rfc3339("1970-01-02T01:00:00.5+01:00")?;
        /// assert_eq!(Time::from(start), Time::must(86_400.5));
        /// # Ok::<(), chrono::ParseError>(())
        /// ```
        fn from(instant: DateTime<Tz>) -> Self {
            Self::unchecked(in_seconds(instant.timestamp(), f64::from(instant.timestamp_subsec_nanos())))
        }
    }

    impl TryFrom<Time> for DateTime<Utc> {
        type Error = ModelError;

        /// Converts a time in seconds since 1970-01-01 00:00 UTC, rounded to the nanosecond.
        ///
        /// # Errors
        /// [`ModelError::Quantity`] for a time beyond the years that `chrono` counts, some 262,000 on either
        /// side.
        ///
        /// ```
        /// use chrono::{DateTime, Utc};
        /// use sched_model::Time;
        /// let start = DateTime::<Utc>::try_from(Time::must(86_400.5))?;
        /// assert_eq!(start.timestamp_millis(), 86_400_500); // 1970-01-02 00:00:00.5 UTC
        /// assert!(DateTime::<Utc>::try_from(Time::must(1e20)).is_err());
        /// # Ok::<(), sched_model::ModelError>(())
        /// ```
        fn try_from(time: Time) -> Result<Self, ModelError> {
            let value = time.get();
            let parts = seconds_and_nanos(value);
            parts.and_then(|(seconds, nanos)| Self::from_timestamp(seconds, nanos)).ok_or(beyond(
                "a DateTime from a Time in seconds",
                "within the years of chrono",
                value,
            ))
        }
    }

    impl TryFrom<TimeDelta> for Span {
        type Error = ModelError;

        /// Converts a duration to a span in seconds, rounded to a double.
        ///
        /// # Errors
        /// [`ModelError::Quantity`] for a negative duration.
        ///
        /// ```
        /// use chrono::TimeDelta;
        /// use sched_model::Span;
        /// assert_eq!(Span::try_from(TimeDelta::milliseconds(2500)), Ok(Span::must(2.5)));
        /// assert!(Span::try_from(TimeDelta::milliseconds(-1)).is_err());
        /// ```
        fn try_from(duration: TimeDelta) -> Result<Self, ModelError> {
            Self::try_from(in_seconds(duration.num_seconds(), f64::from(duration.subsec_nanos())))
        }
    }

    impl TryFrom<Span> for TimeDelta {
        type Error = ModelError;

        /// Converts a span in seconds, rounded to the nanosecond.
        ///
        /// # Errors
        /// [`ModelError::Quantity`] for a span of 2^63 milliseconds or more.
        ///
        /// ```
        /// use chrono::TimeDelta;
        /// use sched_model::Span;
        /// assert_eq!(TimeDelta::try_from(Span::must(2.5)), Ok(TimeDelta::milliseconds(2500)));
        /// assert!(TimeDelta::try_from(Span::must(1e16)).is_err());
        /// ```
        fn try_from(span: Span) -> Result<Self, ModelError> {
            let value = span.get();
            seconds_and_nanos(value).and_then(|(seconds, nanos)| Self::new(seconds, nanos)).ok_or(beyond(
                "a TimeDelta from a Span in seconds",
                "less than 2^63 milliseconds",
                value,
            ))
        }
    }
}

/// Instants and durations of `jiff`, counted in seconds.
#[cfg(feature = "jiff")]
mod jiff {
    use super::{beyond, in_seconds, seconds_and_nanos};
    use crate::{ModelError, Span, Time};
    use ::jiff::{SignedDuration, Timestamp};

    impl From<Timestamp> for Time {
        /// Converts an instant to seconds since 1970-01-01 00:00 UTC, rounded to a double: to a quarter of a
        /// microsecond in this century. For another origin, take the [`Span`] since that origin.
        ///
        /// ```
        /// use jiff::Timestamp;
        /// use sched_model::Time;
        /// let start: Timestamp = "1970-01-02T01:00:00.5+01:00".parse()?;
        /// assert_eq!(Time::from(start), Time::must(86_400.5));
        /// # Ok::<(), jiff::Error>(())
        /// ```
        fn from(instant: Timestamp) -> Self {
            Self::unchecked(in_seconds(instant.as_second(), f64::from(instant.subsec_nanosecond())))
        }
    }

    impl TryFrom<Time> for Timestamp {
        type Error = ModelError;

        /// Converts a time in seconds since 1970-01-01 00:00 UTC, rounded to the nanosecond.
        ///
        /// # Errors
        /// [`ModelError::Quantity`] for a time outside of the years -9999 to 9999.
        ///
        /// ```
        /// use jiff::Timestamp;
        /// use sched_model::Time;
        /// let start = Timestamp::try_from(Time::must(86_400.5))?;
        /// assert_eq!(start.to_string(), "1970-01-02T00:00:00.5Z");
        /// assert!(Timestamp::try_from(Time::must(1e20)).is_err());
        /// # Ok::<(), sched_model::ModelError>(())
        /// ```
        fn try_from(time: Time) -> Result<Self, ModelError> {
            let value = time.get();
            seconds_and_nanos(value)
                .and_then(|(seconds, nanos)| Self::new(seconds, nanos.cast_signed()).ok())
                .ok_or(beyond("a Timestamp from a Time in seconds", "within the years -9999 to 9999", value))
        }
    }

    impl TryFrom<SignedDuration> for Span {
        type Error = ModelError;

        /// Converts a duration to a span in seconds, rounded to a double.
        ///
        /// # Errors
        /// [`ModelError::Quantity`] for a negative duration.
        ///
        /// ```
        /// use jiff::SignedDuration;
        /// use sched_model::Span;
        /// assert_eq!(Span::try_from(SignedDuration::from_millis(2500)), Ok(Span::must(2.5)));
        /// assert!(Span::try_from(SignedDuration::from_millis(-1)).is_err());
        /// ```
        fn try_from(duration: SignedDuration) -> Result<Self, ModelError> {
            Self::try_from(in_seconds(duration.as_secs(), f64::from(duration.subsec_nanos())))
        }
    }

    impl TryFrom<Span> for SignedDuration {
        type Error = ModelError;

        /// Converts a span in seconds, rounded to the nanosecond.
        ///
        /// # Errors
        /// [`ModelError::Quantity`] for a span of 2^63 seconds or more.
        ///
        /// ```
        /// use jiff::SignedDuration;
        /// use sched_model::Span;
        /// assert_eq!(SignedDuration::try_from(Span::must(2.5)), Ok(SignedDuration::from_millis(2500)));
        /// assert!(SignedDuration::try_from(Span::must(1e19)).is_err());
        /// ```
        fn try_from(span: Span) -> Result<Self, ModelError> {
            let value = span.get();
            seconds_and_nanos(value)
                .map(|(seconds, nanos)| Self::new(seconds, nanos.cast_signed()))
                .ok_or(beyond("a SignedDuration from a Span in seconds", "less than 2^63", value))
        }
    }
}
