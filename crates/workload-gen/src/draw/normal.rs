//! The standard normal distribution, the truncated normal distribution, and the CDF of the gamma distribution.

use super::{Distribution, unit};
use crate::WorkloadError;
use crate::error::require;
use rand::Rng;
use sched_model::internal::{exp, ln, pow};
use std::f64::consts::PI;

/// Draws a standard normal value by the polar method.
#[inline]
pub(super) fn standard(rng: &mut dyn Rng) -> f64 {
    loop {
        let x = 2.0 * unit(rng) - 1.0;
        let y = 2.0 * unit(rng) - 1.0;
        let s = x * x + y * y;
        if s < 1.0 && s > 0.0 {
            return x * (-2.0 * ln(s) / s).sqrt();
        }
    }
}

/// The normal distribution N(mean, deviation^2), conditional on a value in [low, high].
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct TruncatedNormal {
    /// The mean of the normal distribution before truncation.
    pub mean: f64,
    /// The standard deviation before truncation; 0 gives a constant.
    pub deviation: f64,
    /// The minimum value.
    pub low: f64,
    /// The maximum value.
    pub high: f64,
}

impl TruncatedNormal {
    /// Creates the distribution from the mean and standard deviation before truncation and the bounds.
    pub(crate) const fn new(mean: f64, deviation: f64, low: f64, high: f64) -> Self {
        TruncatedNormal { mean, deviation, low, high }
    }

    /// Checks the parameters.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] for the field `name` unless all values are finite, `low <= high`, the deviation is
    /// not negative, and the range is near enough to the mean (if the deviation is 0, contains it).
    pub(crate) fn check(&self, name: &'static str) -> Result<(), WorkloadError> {
        let TruncatedNormal { mean, deviation, low, high } = *self;
        let check = |fits, expected| {
            require(fits, name, format_args!("N({mean}, {deviation}) in [{low}, {high}]"), expected)
        };
        let whole = mean.is_finite() && deviation.is_finite() && deviation >= 0.0;
        check(whole, "of a finite mean and a finite deviation, not negative")?;
        check(low <= high && (high - low).is_finite(), "in a finite range, low <= high")?;
        let around = deviation > 0.0 || (low..=high).contains(&mean);
        check(around, "around the mean where the standard deviation is 0")?;
        let (a, b) = self.bounds();
        check(a <= MAX_DISTANCE && b >= -MAX_DISTANCE, "within 10^9 standard deviations of the mean")
    }

    /// The distances of the bounds from the mean, in standard deviations.
    fn bounds(&self) -> (f64, f64) {
        let of = |bound: f64| if self.deviation == 0.0 { 0.0 } else { (bound - self.mean) / self.deviation };
        (of(self.low), of(self.high))
    }
}

/// The maximum distance from the mean to the nearest value of the range, in standard deviations. Farther out, rounding
/// destroys the differences that the rejection depends on.
const MAX_DISTANCE: f64 = 1e9;

/// Draws a standard normal value in [a, b] by rejection. The probability of acceptance is above a fixed bound for all a
/// and b.
///
/// C. P. Robert, "Simulation of truncated normal variables", 1995.
fn standard_within(rng: &mut dyn Rng, a: f64, b: f64) -> f64 {
    if b <= 0.0 && a < 0.0 {
        return -standard_within(rng, -b, -a);
    }
    if a <= 0.0 {
        // The range contains the mode: the proposal is normal if the range is wide, uniform if it is narrow.
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
    // The range lies in a tail, where the density falls like an exponential of rate about a. The proposal is
    // exponential if the range is wider than the scale of this exponential, otherwise uniform.
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
    fn sample(&self, rng: &mut dyn Rng) -> f64 {
        let (a, b) = self.bounds();
        let x = standard_within(rng, a, b);
        (self.mean + self.deviation * x).clamp(self.low, self.high)
    }
}

/// ln Gamma(a) for a > 0, by Stirling's series after shifting a above 12.
fn ln_gamma(a: f64) -> f64 {
    let mut shifted = a;
    let mut product = 1.0;
    while shifted < 12.0 {
        product *= shifted;
        shifted += 1.0;
    }
    let inverse = 1.0 / shifted;
    let square = inverse * inverse;
    // The Bernoulli terms B_2n / (2n (2n - 1) a^(2n - 1)), n = 1..6.
    let series = inverse
        * (1.0 / 12.0
            - square
                * (1.0 / 360.0
                    - square
                        * (1.0 / 1260.0
                            - square
                                * (1.0 / 1680.0 - square * (1.0 / 1188.0 - square * 691.0 / 360_360.0)))));
    (shifted - 0.5) * ln(shifted) - shifted + 0.5 * ln(2.0 * PI) + series - ln(product)
}

/// Computes the regularised incomplete gamma function P(a, x): the CDF at x of a gamma variable of shape a > 0 and
/// scale 1. Accurate to about 13 digits for a up to 10^4, and to at least seven beyond 10^6.
///
/// Uses the power series for x below a + 1 and the continued fraction (Lentz's method) above, each where it converges
/// fast.
pub(super) fn gamma_p(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if !x.is_finite() {
        return 1.0;
    }
    if a > 1e15 {
        // The distribution is normal to more than seven digits.
        return normal_cdf((x - a) / a.sqrt());
    }
    if a > 1e6 {
        // The sums below would take too long, and their factors would leave the range of f64. For so large a shape the
        // cube root of the variable is normal to seven digits (E. B. Wilson, M. M. Hilferty, "The distribution of
        // chi-square", 1931).
        let ninth = 1.0 / (9.0 * a);
        return normal_cdf((pow(x / a, 1.0 / 3.0) - 1.0 + ninth) / ninth.sqrt());
    }
    let front = exp(a * ln(x) - x - ln_gamma(a));
    if front == 0.0 {
        // So far out in a tail that the result is 0 or 1 to the last digit.
        return if x < a { 0.0 } else { 1.0 };
    }
    // Both converge in O(sqrt(a)) terms near x = a.
    const TERMS: usize = 100_000;
    const SMALL: f64 = 1e-300;
    if x < a + 1.0 {
        let mut term = 1.0 / a;
        let mut sum = term;
        for n in 1..TERMS {
            term *= x / (a + n as f64);
            sum += term;
            // The sum is infinite if 1 / a is; x then exceeds almost all of the distribution.
            if term < sum * 1e-17 || sum == f64::INFINITY {
                break;
            }
        }
        return (front * sum).min(1.0);
    }
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / SMALL;
    let mut d = 1.0 / b;
    let mut fraction = d;
    for n in 1..TERMS {
        let n = n as f64;
        let an = -n * (n - a);
        b += 2.0;
        d = an * d + b;
        d = 1.0 / if d.abs() < SMALL { SMALL } else { d };
        c = b + an / c;
        c = if c.abs() < SMALL { SMALL } else { c };
        let step = c * d;
        fraction *= step;
        if (step - 1.0).abs() < 1e-16 {
            break;
        }
    }
    (1.0 - front * fraction).clamp(0.0, 1.0)
}

/// The CDF of the standard normal distribution.
fn normal_cdf(x: f64) -> f64 {
    let half = 0.5 * gamma_p(0.5, 0.5 * x * x);
    if x < 0.0 { 0.5 - half } else { 0.5 + half }
}
