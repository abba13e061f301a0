//! Instants and durations of `jiff`, counted in seconds.

use super::{beyond, in_seconds, seconds_and_nanos};
use crate::{ModelError, Span, Time};
use ::jiff::{SignedDuration, Timestamp};

impl From<Timestamp> for Time {
    /// The seconds since 1970-01-01 00:00 UTC, rounded to a double: to a quarter of a microsecond in this
    /// century. For another origin, take the [`Span`] since that origin.
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

    /// A time counted in seconds since 1970-01-01 00:00 UTC, rounded to the nanosecond.
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

    /// The seconds of a duration, rounded to a double.
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
        Self::new(in_seconds(duration.as_secs(), f64::from(duration.subsec_nanos())))
    }
}

impl TryFrom<Span> for SignedDuration {
    type Error = ModelError;

    /// A span counted in seconds, rounded to the nanosecond.
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
