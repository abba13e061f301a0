//! Uniform reals and integers, and two uniforms joined.

use super::Distribution;
use crate::WorkloadError;
use crate::error::require;
use rand::Rng;

/// A uniform real in [0, 1): a multiple of 2^-53.
#[inline]
pub fn unit(rng: &mut dyn Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// True with probability `p`: always for 1 and more, never for 0 and less. One draw either way.
#[inline]
pub fn chance(rng: &mut dyn Rng, p: f64) -> bool {
    unit(rng) < p
}

/// Uniform reals in [low, high]. The upper end is reached only by rounding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Uniform {
    low: f64,
    high: f64,
}

impl Uniform {
    /// Takes the bounds; equal ones give a constant.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] unless both and their difference are finite and `low <= high`.
    pub fn new(low: f64, high: f64) -> Result<Self, WorkloadError> {
        let fits = low <= high && (high - low).is_finite();
        require(fits, "uniform range", format_args!("[{low}, {high}]"), "finite, low <= high")?;
        Ok(Uniform { low, high })
    }
}

impl Distribution for Uniform {
    #[inline]
    fn sample(&self, rng: &mut dyn Rng) -> f64 {
        (self.low + (self.high - self.low) * unit(rng)).min(self.high)
    }

    fn cdf(&self, x: f64) -> f64 {
        if x >= self.high {
            1.0
        } else if x <= self.low {
            0.0
        } else {
            (x - self.low) / (self.high - self.low)
        }
    }

    fn mean(&self) -> f64 {
        self.low + 0.5 * (self.high - self.low)
    }
}

/// Uniform integers in [low, high], both ends included, without bias.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UniformInt {
    low: u32,
    /// high - low.
    width: u32,
}

impl UniformInt {
    /// Takes the bounds; equal ones give a constant.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] when `low > high`.
    pub fn new(low: u32, high: u32) -> Result<Self, WorkloadError> {
        require(low <= high, "uniform integer range", format_args!("[{low}, {high}]"), "low <= high")?;
        Ok(UniformInt { low, width: high - low })
    }

    /// Draws a value. Takes one `u32` from the generator, rarely more; also when there is only one value.
    #[inline]
    pub fn sample(&self, rng: &mut dyn Rng) -> u32 {
        let choices = u64::from(self.width) + 1;
        // D. Lemire, "Fast random integer generation in an interval", 2019: the high half of the product is
        // the value; low halves below 2^32 mod choices would favour some values.
        let threshold = (1u64 << 32) % choices;
        loop {
            let product = u64::from(rng.next_u32()) * choices;
            if product & 0xffff_ffff >= threshold {
                return self.low + (product >> 32) as u32;
            }
        }
    }
}

/// Uniform in [low, middle] with a probability, else uniform in [middle, high].
///
/// Source: U. Lublin, D. G. Feitelson, "The workload on parallel supercomputers", 2003.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoStageUniform {
    first: Uniform,
    second: Uniform,
    probability: f64,
}

impl TwoStageUniform {
    /// Takes the bounds and the probability of the first stage.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] unless `low <= middle <= high`, all finite, and the probability lies in
    /// [0, 1].
    pub fn new(low: f64, middle: f64, high: f64, probability: f64) -> Result<Self, WorkloadError> {
        let fits = (0.0..=1.0).contains(&probability);
        require(fits, "probability of the first stage", probability, "in [0, 1]")?;
        Ok(TwoStageUniform {
            first: Uniform::new(low, middle)?,
            second: Uniform::new(middle, high)?,
            probability,
        })
    }
}

impl Distribution for TwoStageUniform {
    #[inline]
    fn sample(&self, rng: &mut dyn Rng) -> f64 {
        if chance(rng, self.probability) { self.first.sample(rng) } else { self.second.sample(rng) }
    }

    fn cdf(&self, x: f64) -> f64 {
        self.probability * self.first.cdf(x) + (1.0 - self.probability) * self.second.cdf(x)
    }

    fn mean(&self) -> f64 {
        self.probability * self.first.mean() + (1.0 - self.probability) * self.second.mean()
    }
}
