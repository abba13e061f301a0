//! Checks of the numbers and ranges of configurations, and the uniform distributions over these ranges.

use crate::WorkloadError;
use crate::draw::{Distribution, Uniform, UniformInt};
use crate::error::require;
use rand::Rng;
use sched_model::internal::MAX_QUANTITY;
use std::ops::RangeInclusive;

/// The lower bound of a valid value.
#[derive(Clone, Copy)]
pub enum Least {
    /// Zero or more.
    Zero,
    /// More than zero.
    Positive,
}

/// Returns the uniform distribution over a range of real numbers from `least` to the maximum quantity.
pub fn real(name: &'static str, range: &RangeInclusive<f64>, least: Least) -> Result<Uniform, WorkloadError> {
    let (low, high) = (*range.start(), *range.end());
    number(name, low, least)?;
    number(name, high, least)?;
    require(low <= high, name, format_args!("{low}..={high}"), "low <= high")?;
    Uniform::new(low, high)
}

/// Returns the uniform distribution over a range of counts, none of them below `least` (0 or 1).
pub fn count(
    name: &'static str,
    range: &RangeInclusive<u32>,
    least: u32,
) -> Result<UniformInt, WorkloadError> {
    let (low, high) = (*range.start(), *range.end());
    let expected = if least == 0 { "low <= high" } else { "low <= high, at least 1" };
    require(least <= low && low <= high, name, format_args!("{low}..={high}"), expected)?;
    UniformInt::new(low, high)
}

/// Returns an error unless `p` is a probability.
pub fn probability(name: &'static str, p: f64) -> Result<(), WorkloadError> {
    require((0.0..=1.0).contains(&p), name, p, "in [0, 1]")
}

/// Returns an error unless `value` is a number from `least` to the maximum quantity.
pub fn number(name: &'static str, value: f64, least: Least) -> Result<(), WorkloadError> {
    let (fits, expected) = match least {
        Least::Zero => (value >= 0.0, "not negative, at most 1e60"),
        Least::Positive => (value > 0.0, "positive, at most 1e60"),
    };
    require(fits && value <= MAX_QUANTITY, name, value, expected)
}

/// The uniform distribution over the real numbers or the whole numbers of a range.
#[derive(Clone, Copy)]
pub enum Draw {
    /// Over real numbers.
    Real(Uniform),
    /// Over whole numbers.
    Whole(UniformInt),
}

impl Draw {
    /// Creates the distribution over the whole numbers of a range if `whole`, otherwise over its real numbers.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] if the range is empty or not within `least` and the maximum quantity; if `whole`,
    /// also if its bounds are not whole numbers below 2^32.
    pub fn new(
        name: &'static str,
        range: &RangeInclusive<f64>,
        least: Least,
        whole: bool,
    ) -> Result<Self, WorkloadError> {
        let uniform = real(name, range, least)?;
        if !whole {
            return Ok(Draw::Real(uniform));
        }
        let (low, high) = (*range.start(), *range.end());
        let fits = low.fract() == 0.0 && high.fract() == 0.0 && high <= f64::from(u32::MAX);
        let expected = "bounded by whole numbers below 2^32 where whole numbers are drawn";
        require(fits, name, format_args!("{low}..={high}"), expected)?;
        Ok(Draw::Whole(UniformInt::new(low as u32, high as u32)?))
    }

    /// Draws a value.
    pub fn sample(&self, rng: &mut dyn Rng) -> f64 {
        match self {
            Draw::Real(uniform) => uniform.sample(rng),
            Draw::Whole(uniform) => f64::from(uniform.sample(rng)),
        }
    }
}
