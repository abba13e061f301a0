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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert!((ln_gamma(0.5) - 0.5 * PI.ln()).abs() < 1e-14);
        assert!(ln_gamma(1.0).abs() < 1e-14 && ln_gamma(2.0).abs() < 1e-14);
        assert!((ln_gamma(10.0) - 362_880.0_f64.ln()).abs() < 1e-13);
        // Shape 1 is the exponential distribution.
        for x in [0.01, 0.5, 1.0, 1.99, 2.01, 5.0, 30.0] {
            assert!((gamma_p(1.0, x) - (1.0 - (-x).exp())).abs() < 1e-14, "{x}");
        }
        // Shape 3: 1 - e^-x (1 + x + x^2 / 2).
        for x in [0.1_f64, 2.0, 3.9, 4.1, 12.0] {
            let exact = 1.0 - (-x).exp() * (1.0 + x + 0.5 * x * x);
            assert!((gamma_p(3.0, x) - exact).abs() < 1e-13, "{x}");
        }
        assert!((normal_cdf(1.96) - 0.975_002_104_851_779_5).abs() < 1e-13);
        // Tails, and shapes so small that nearly all of the distribution is at 0.
        for (a, x, exact) in [
            (0.5, 5e307, 1.0),
            (312.0, 1.2e61, 1.0),
            (1e5, 1e-300, 0.0),
            (5e-324, 5e-59, 1.0),
            (5e-324, 1e-307, 1.0),
            (1e-308, 1e-9, 1.0),
        ] {
            assert!((gamma_p(a, x) - exact).abs() < 1e-12, "{a}, {x}: {}", gamma_p(a, x));
        }
        assert!((normal_cdf(-1.0) - 0.158_655_253_931_457_05).abs() < 1e-13);
        assert!((gamma_p(312.0, 312.0) - 0.507_528).abs() < 1e-5);
    }

    /// Where one form hands over to the other, and far beyond, it is a probability and rises.
    #[test]
    fn great_shapes() {
        for deviations in [-3.0, -1.0, 0.0, 0.5, 2.0] {
            let at = |a: f64| gamma_p(a, a + deviations * a.sqrt());
            assert!((at(0.999e6) - at(1.001e6)).abs() < 1e-6, "{deviations}");
            // The argument itself is rounded to 16384.
            assert!((at(1e20) - normal_cdf(deviations)).abs() < 1e-6, "{deviations}");
        }
        for a in [1e9, 1e16, 1e200, 1e308] {
            assert_eq!((gamma_p(a, a * 0.5), gamma_p(a, a * 1.5)), (0.0, 1.0), "{a}");
            assert!((gamma_p(a, a) - 0.5).abs() < 1e-4, "{a}");
            assert_eq!(gamma_p(a, 12.0), 0.0, "{a}");
        }
        assert_eq!((gamma_p(5e-324, 1.0), gamma_p(1e-308, 1e308)), (1.0, 1.0));
    }
}
