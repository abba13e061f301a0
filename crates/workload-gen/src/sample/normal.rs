//! The normal distribution, whole and truncated.

use super::{Distribution, unit};
use crate::WorkloadError;
use crate::special::normal_cdf;
use rand::Rng;
use sched_model::elementary::{exp, ln};
use std::f64::consts::PI;

/// A standard normal value by the polar method.
#[inline]
pub(super) fn standard<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    loop {
        let x = 2.0 * unit(rng) - 1.0;
        let y = 2.0 * unit(rng) - 1.0;
        let s = x * x + y * y;
        if s < 1.0 && s > 0.0 {
            return x * (-2.0 * ln(s) / s).sqrt();
        }
    }
}

/// N(mean, deviation^2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Normal {
    mean: f64,
    deviation: f64,
}

impl Normal {
    /// Takes mean and standard deviation; a deviation of 0 gives a constant.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] unless both are finite and the deviation is not negative.
    pub fn new(mean: f64, deviation: f64) -> Result<Self, WorkloadError> {
        if !mean.is_finite() {
            return Err(WorkloadError::parameter("mean of a normal", mean, "finite"));
        }
        if !(deviation.is_finite() && deviation >= 0.0) {
            return Err(WorkloadError::parameter(
                "standard deviation of a normal",
                deviation,
                "finite, not negative",
            ));
        }
        Ok(Normal { mean, deviation })
    }
}

impl Distribution for Normal {
    #[inline]
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        self.mean + self.deviation * standard(rng)
    }

    fn cdf(&self, x: f64) -> f64 {
        if self.deviation == 0.0 {
            return if x < self.mean { 0.0 } else { 1.0 };
        }
        normal_cdf((x - self.mean) / self.deviation)
    }

    fn mean(&self) -> f64 {
        self.mean
    }
}

/// N(mean, deviation^2) under the condition that it lies in [low, high].
///
/// `mean` is that of the whole normal; [`Distribution::mean`] gives that of the truncated one.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "RawTruncatedNormal", into = "RawTruncatedNormal"))]
pub struct TruncatedNormal {
    normal: Normal,
    low: f64,
    high: f64,
    /// The bounds in deviations from the mean.
    a: f64,
    b: f64,
}

impl TruncatedNormal {
    /// Takes mean and standard deviation of the whole normal, and the bounds.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] as [`Normal::new`], and unless `low <= high` and both are finite. With a
    /// deviation of 0 the mean must lie in the bounds.
    pub fn new(mean: f64, deviation: f64, low: f64, high: f64) -> Result<Self, WorkloadError> {
        let normal = Normal::new(mean, deviation)?;
        let bounds = || format!("[{low}, {high}]");
        if !(low <= high && (high - low).is_finite()) {
            return Err(WorkloadError::parameter(
                "range of a truncated normal",
                bounds(),
                "finite, low <= high",
            ));
        }
        if deviation == 0.0 && !(low..=high).contains(&mean) {
            return Err(WorkloadError::parameter(
                "range of a truncated normal",
                bounds(),
                "around the mean where the standard deviation is 0",
            ));
        }
        let (a, b) =
            if deviation == 0.0 { (0.0, 0.0) } else { ((low - mean) / deviation, (high - mean) / deviation) };
        if !(a <= FARTHEST && b >= -FARTHEST) {
            return Err(WorkloadError::parameter(
                "range of a truncated normal",
                bounds(),
                "within 10^9 standard deviations of the mean",
            ));
        }
        Ok(TruncatedNormal { normal, low, high, a, b })
    }

    /// For published parameters, which need no check: positive deviation, the mean in the bounds.
    pub(crate) const fn of(mean: f64, deviation: f64, low: f64, high: f64) -> Self {
        let (a, b) = ((low - mean) / deviation, (high - mean) / deviation);
        TruncatedNormal { normal: Normal { mean, deviation }, low, high, a, b }
    }

    /// The lower bound.
    pub fn low(&self) -> f64 {
        self.low
    }

    /// The upper bound.
    pub fn high(&self) -> f64 {
        self.high
    }
}

/// The written form of a truncated normal.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTruncatedNormal {
    mean: f64,
    deviation: f64,
    low: f64,
    high: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<RawTruncatedNormal> for TruncatedNormal {
    type Error = WorkloadError;
    fn try_from(raw: RawTruncatedNormal) -> Result<Self, WorkloadError> {
        TruncatedNormal::new(raw.mean, raw.deviation, raw.low, raw.high)
    }
}

#[cfg(feature = "serde")]
impl From<TruncatedNormal> for RawTruncatedNormal {
    fn from(it: TruncatedNormal) -> Self {
        RawTruncatedNormal {
            mean: it.normal.mean,
            deviation: it.normal.deviation,
            low: it.low,
            high: it.high,
        }
    }
}

/// How many deviations the near end of a range may lie from the mean. Further out, rounding destroys the
/// differences on which the rejection depends.
const FARTHEST: f64 = 1e9;

/// A standard normal value in [a, b]. Whatever a and b, the chance of acceptance stays above a fixed bound.
///
/// C. P. Robert, "Simulation of truncated normal variables", 1995.
fn standard_within<R: Rng + ?Sized>(rng: &mut R, a: f64, b: f64) -> f64 {
    if b <= 0.0 && a < 0.0 {
        return -standard_within(rng, -b, -a);
    }
    if a <= 0.0 {
        // The range contains the mode. For a wide range plain normal draws are used, for a narrow one uniform
        // draws.
        if b - a > (2.0 * PI).sqrt() {
            loop {
                let x = standard(rng);
                if (a..=b).contains(&x) {
                    return x;
                }
            }
        }
        loop {
            let x = a + (b - a) * unit(rng);
            if unit(rng) <= exp(-0.5 * x * x) {
                return x;
            }
        }
    }
    // A tail. Its density falls like an exponential of rate a. That is the proposal where the range is wider
    // than its scale, else a uniform.
    let rate = 0.5 * (a + (a * a + 4.0).sqrt());
    if (b - a) * rate < 1.0 {
        loop {
            let x = a + (b - a) * unit(rng);
            if unit(rng) <= exp(0.5 * (a - x) * (a + x)) {
                return x;
            }
        }
    }
    loop {
        let x = a - ln(1.0 - unit(rng)) / rate;
        if x <= b && unit(rng) <= exp(-0.5 * (x - rate) * (x - rate)) {
            return x;
        }
    }
}

impl Distribution for TruncatedNormal {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let x = standard_within(rng, self.a, self.b);
        (self.normal.mean + self.normal.deviation * x).clamp(self.low, self.high)
    }

    /// The difference of two values of the normal CDF: it loses digits when the range is a far tail.
    fn cdf(&self, x: f64) -> f64 {
        if x >= self.high {
            return 1.0;
        }
        if x < self.low {
            return 0.0;
        }
        let below = self.normal.cdf(self.low);
        (self.normal.cdf(x) - below) / (self.normal.cdf(self.high) - below)
    }

    /// As [`Distribution::cdf`], loses digits when the range is a far tail.
    fn mean(&self) -> f64 {
        let density = |x: f64| exp(-0.5 * x * x) / (2.0 * PI).sqrt();
        let mass = normal_cdf(self.b) - normal_cdf(self.a);
        if mass <= 0.0 {
            return self.normal.mean.clamp(self.low, self.high);
        }
        self.normal.mean + self.normal.deviation * (density(self.a) - density(self.b)) / mass
    }
}
