//! Gamma and exponential distributions.

use super::normal::standard;
use super::{Distribution, unit};
use crate::WorkloadError;
use crate::error::require;
use crate::special::gamma_p;
use rand::Rng;
use sched_model::elementary::{exp, ln};

fn positive(name: &'static str, value: f64) -> Result<(), WorkloadError> {
    require(value.is_finite() && value > 0.0, name, value, "finite and positive")
}

/// Exponential with the given mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exponential {
    mean: f64,
}

impl Exponential {
    /// Takes the mean.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] unless it is finite and positive.
    pub fn new(mean: f64) -> Result<Self, WorkloadError> {
        positive("mean of an exponential", mean)?;
        Ok(Exponential { mean })
    }
}

impl Distribution for Exponential {
    #[inline]
    fn sample(&self, rng: &mut dyn Rng) -> f64 {
        -self.mean * ln(1.0 - unit(rng))
    }

    fn cdf(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { 1.0 - exp(-x / self.mean) }
    }

    fn mean(&self) -> f64 {
        self.mean
    }
}

/// Gamma of a shape and a scale: mean shape * scale, variance shape * scale^2.
///
/// Source: G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", 2000. A shape below 1
/// is drawn as Gamma(shape + 1) * U^(1 / shape).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gamma {
    shape: f64,
    scale: f64,
    /// d and c of the paper.
    d: f64,
    c: f64,
}

impl Gamma {
    /// Takes shape and scale.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] unless both are finite and positive.
    pub fn new(shape: f64, scale: f64) -> Result<Self, WorkloadError> {
        positive("shape of a gamma", shape)?;
        positive("scale of a gamma", scale)?;
        let d = if shape < 1.0 { shape + 1.0 } else { shape } - 1.0 / 3.0;
        Ok(Gamma { shape, scale, d, c: 1.0 / (9.0 * d).sqrt() })
    }

    /// A value at scale 1: the caller scales, where one shape serves many scales.
    pub(crate) fn standard_sample(&self, rng: &mut dyn Rng) -> f64 {
        let value = loop {
            let x = standard(rng);
            let t = 1.0 + self.c * x;
            if t <= 0.0 {
                continue;
            }
            let v = t * t * t;
            let u = 1.0 - unit(rng);
            let x2 = x * x;
            // This quick test (the squeeze) avoids most of the logarithms.
            if u < 1.0 - 0.0331 * x2 * x2 || ln(u) < 0.5 * x2 + self.d * (1.0 - v + ln(v)) {
                break self.d * v;
            }
        };
        if self.shape < 1.0 { value * exp(ln(1.0 - unit(rng)) / self.shape) } else { value }
    }
}

impl Distribution for Gamma {
    #[inline]
    fn sample(&self, rng: &mut dyn Rng) -> f64 {
        self.scale * self.standard_sample(rng)
    }

    fn cdf(&self, x: f64) -> f64 {
        gamma_p(self.shape, x / self.scale)
    }

    fn mean(&self) -> f64 {
        self.shape * self.scale
    }
}
