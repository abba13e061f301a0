//! Instants and durations of `chrono`, counted in seconds.

use super::{beyond, in_seconds, seconds_and_nanos};
use crate::{ModelError, Span, Time};
use ::chrono::{DateTime, TimeDelta, TimeZone, Utc};

impl<Tz: TimeZone> From<DateTime<Tz>> for Time {
    /// The seconds since 1970-01-01 00:00 UTC, rounded to a double: to a quarter of a microsecond in this
    /// century. For another origin, take the [`Span`] since that origin.
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

    /// A time counted in seconds since 1970-01-01 00:00 UTC, rounded to the nanosecond.
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

    /// The seconds of a duration, rounded to a double.
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
        Self::new(in_seconds(duration.num_seconds(), f64::from(duration.subsec_nanos())))
    }
}

impl TryFrom<Span> for TimeDelta {
    type Error = ModelError;

    /// A span counted in seconds, rounded to the nanosecond.
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
