//! Conversions of times and spans from and to the types of the standard library, `chrono` and `jiff`.

#[cfg(feature = "chrono")]
mod chrono;
#[cfg(feature = "jiff")]
mod jiff;

use crate::{ModelError, Span};
use std::time::Duration;

/// Seconds and nanoseconds as one number, rounded.
#[cfg(any(feature = "chrono", feature = "jiff"))]
fn in_seconds(seconds: i64, nanos: f64) -> f64 {
    seconds as f64 + nanos / 1e9
}

/// Whole seconds, rounded down, and the nanoseconds after them, rounded to nearest; `None` where 64 bits do
/// not hold the seconds.
#[cfg(any(feature = "chrono", feature = "jiff"))]
fn seconds_and_nanos(value: f64) -> Option<(i64, u32)> {
    let seconds = value.floor();
    if !(-(2_f64.powi(63))..2_f64.powi(63)).contains(&seconds) {
        return None;
    }
    let nanos = ((value - seconds) * 1e9).round() as u32;
    if nanos < 1_000_000_000 { Some((seconds as i64, nanos)) } else { Some((seconds as i64 + 1, 0)) }
}

/// The error of a value that another type does not hold.
fn beyond(quantity: &'static str, expected: &'static str, value: f64) -> ModelError {
    ModelError::Quantity { quantity, expected, value }
}

impl From<Duration> for Span {
    /// The seconds of a duration, for callers whose unit of time is the second; rounded to a double.
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

    /// A span counted in seconds, rounded to the nanosecond. A [`Duration`] of at most 2^22 seconds (48 days)
    /// that was converted to a span is converted back without change.
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
