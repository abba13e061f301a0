//! Checks of ranges in configurations, and draws from them.

use crate::WorkloadError;
use crate::draw::{Distribution, Uniform, UniformInt};
use crate::error::require;
use rand::Rng;
use sched_model::internal::MAX_QUANTITY;
use std::ops::RangeInclusive;

/// The minimum value a range may hold.
#[derive(Clone, Copy)]
pub enum Least {
    /// Zero and up.
    Zero,
    /// Above zero.
    Positive,
}

impl Least {
    /// Whether a value is a quantity of at least this.
    fn allows(self, value: f64) -> bool {
        let above = match self {
            Least::Zero => value >= 0.0,
            Least::Positive => value > 0.0,
        };
        above && value <= MAX_QUANTITY
    }
}

/// A uniform distribution over a real range of finite values, none of them below `least`.
pub fn real(name: &'static str, range: &RangeInclusive<f64>, least: Least) -> Result<Uniform, WorkloadError> {
    let (low, high) = (*range.start(), *range.end());
    let expected = match least {
        Least::Zero => "low <= high, not negative, at most 1e60",
        Least::Positive => "low <= high, positive, at most 1e60",
    };
    let fits = low <= high && least.allows(low) && least.allows(high);
    require(fits, name, format_args!("{low}..={high}"), expected)?;
    Uniform::new(low, high)
}

/// A uniform distribution over a range of counts.
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

/// Checks a probability.
pub fn probability(name: &'static str, p: f64) -> Result<(), WorkloadError> {
    require((0.0..=1.0).contains(&p), name, p, "in [0, 1]")
}

/// Checks a number of at most the maximum quantity, positive or at least not negative.
pub fn number(name: &'static str, value: f64, least: Least) -> Result<(), WorkloadError> {
    let expected = match least {
        Least::Zero => "not negative, at most 1e60",
        Least::Positive => "positive, at most 1e60",
    };
    require(least.allows(value), name, value, expected)
}

/// Uniform over a range: over its real numbers, or its whole numbers.
#[derive(Clone, Copy)]
pub enum Draw {
    /// Over real numbers.
    Real(Uniform),
    /// Over whole numbers.
    Whole(UniformInt),
}

impl Draw {
    /// Over a range of real or of whole numbers, none of them below `least`.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] for a range that is none.
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
        require(
            low.fract() == 0.0 && high.fract() == 0.0 && high <= f64::from(u32::MAX),
            name,
            format_args!("{low}..={high}"),
            "bounded by whole numbers below 2^32 where whole numbers are drawn",
        )?;
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
