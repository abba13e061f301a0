//! Logarithm, exponential, power and arc tangent by plain arithmetic.
//!
//! The standard library calls the functions of the platform, whose last bit differs between systems, and even
//! between processors of one system. The functions here use only `+ - * /` on `f64`, whose results IEEE 754
//! defines, so they give the same numbers on every machine and in every build. All computations of published or
//! tested numbers use them.
//!
//! ```
//! use sched_model::internal::{exp, ln, pow};
//! assert_eq!((exp(0.0), ln(1.0), pow(2.0, 0.0)), (1.0, 0.0, 1.0));
//! assert!((exp(ln(42.0)) - 42.0).abs() < 1e-13);
//! ```

use std::f64::consts::{FRAC_PI_2, LOG2_E, SQRT_2};

/// ln 2 as the sum of two numbers. The high one has so many trailing zero bits that its product with an exponent
/// is exact.
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// Natural logarithm, within about one unit in the last place. Negative infinity for 0, NaN for negative numbers.
pub fn ln(x: f64) -> f64 {
    if x <= 0.0 || !x.is_finite() {
        return if x == 0.0 {
            f64::NEG_INFINITY
        } else if x > 0.0 {
            x
        } else {
            f64::NAN
        };
    }
    // Subnormals are scaled by 2^54 first, so that the exponent field holds the exponent.
    let (scaled, mut exponent) =
        if x < f64::MIN_POSITIVE { (x * 18_014_398_509_481_984.0, -54) } else { (x, 0) };
    let bits = scaled.to_bits();
    exponent += ((bits >> 52) & 0x7ff) as i32 - 1023;
    let mut mantissa = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52));
    if mantissa > SQRT_2 {
        mantissa /= 2.0;
        exponent += 1;
    }
    // ln m = 2 artanh s with s = (m - 1) / (m + 1), |s| <= 0.172; the last term is in s^21.
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let z = s * s;
    let mut series = 0.0;
    for k in (1..=10).rev() {
        series = series * z + 1.0 / f64::from(2 * k + 1);
    }
    let e = f64::from(exponent);
    e * LN_2_HIGH + (2.0 * s + (2.0 * s * z * series + e * LN_2_LOW))
}

/// e^x, within about one unit in the last place.
pub fn exp(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x > 709.8 {
        return f64::INFINITY;
    }
    if x < -745.2 {
        return 0.0;
    }
    let k = (x * LOG2_E).round();
    let r = (x - k * LN_2_HIGH) - k * LN_2_LOW;
    // |r| <= ln(2) / 2, so the Taylor terms beyond r^13 are below 2^-57.
    let mut series = 1.0;
    for n in (1..=13).rev() {
        series = series * r / f64::from(n) + 1.0;
    }
    // In two factors, because 2^k alone may be out of range although the result is not.
    let half = k as i32 / 2;
    series * power_of_two(half) * power_of_two(k as i32 - half)
}

/// x^y for x >= 0; the relative error grows with |y ln x|. Any number to the power of 0 is 1; NaN for negative x.
pub fn pow(x: f64, y: f64) -> f64 {
    if y == 0.0 { 1.0 } else { exp(y * ln(x)) }
}

/// Arc tangent, within a few units in the last place.
pub fn atan(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    let positive = x.abs();
    let (mut reduced, inverted) = if positive > 1.0 { (1.0 / positive, true) } else { (positive, false) };
    // Halves the angle three times. Then the argument is at most tan(pi / 32) < 0.1, and the last term is in its 17th
    // power.
    for _ in 0..3 {
        reduced /= 1.0 + (1.0 + reduced * reduced).sqrt();
    }
    let square = reduced * reduced;
    let mut series = 0.0;
    for k in (0..=8).rev() {
        series = 1.0 / f64::from(2 * k + 1) - square * series;
    }
    let angle = 8.0 * reduced * series;
    (if inverted { FRAC_PI_2 - angle } else { angle }).copysign(x)
}

/// 2^k for |k| <= 1000.
pub(crate) fn power_of_two(k: i32) -> f64 {
    f64::from_bits(((1023 + i64::from(k)) as u64) << 52)
}
