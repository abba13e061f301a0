//! The regularised incomplete gamma function, and the normal CDF by it.

use sched_model::elementary::{exp, ln, pow};
use std::f64::consts::PI;

/// ln Gamma(a), a > 0, by Stirling's series after shifting a above 12.
pub(crate) fn ln_gamma(a: f64) -> f64 {
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

/// P(a, x): the CDF at x of a gamma variable of shape a > 0 and scale 1. About 13 digits for a up to 10^4,
/// seven at least beyond 10^6.
///
/// The power series below a + 1, the continued fraction (Lentz's way) above: where each converges fast.
pub(crate) fn gamma_p(a: f64, x: f64) -> f64 {
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
        // The sums below would take too long, and their factors would leave the range of f64. The cube root
        // of such a variable is normal to seven digits (E. B. Wilson, M. M. Hilferty, "The distribution of
        // chi-square", 1931).
        let ninth = 1.0 / (9.0 * a);
        return normal_cdf((pow(x / a, 1.0 / 3.0) - 1.0 + ninth) / ninth.sqrt());
    }
    let front = exp(a * ln(x) - x - ln_gamma(a));
    if front == 0.0 {
        // So far in a tail that the result is 0 or 1 to the last digit.
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
            // Infinite where 1 / a is; then x is beyond almost all of the distribution.
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
pub(crate) fn normal_cdf(x: f64) -> f64 {
    let half = 0.5 * gamma_p(0.5, 0.5 * x * x);
    if x < 0.0 { 0.5 - half } else { 0.5 + half }
}
