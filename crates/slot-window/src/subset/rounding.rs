//! The margins of bounds: bounds of their rounding errors.

/// The margin of a sum of n numbers of at most this magnitude and a share of the budget.
pub(crate) fn of_sum(greatest: f64, n: usize, share: f64) -> f64 {
    let n = n as f64;
    (greatest * n * (n + 8.0) + 4.0 * share) * f64::EPSILON
}

/// The multiplier's share of the budget. An infinite budget has the multiplier 0.
pub(crate) fn share(lambda: f64, budget: f64) -> f64 {
    if lambda > 0.0 { lambda * budget } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_by_hand() {
        // 3 * 2 * 10, and 4 times the share of 5.
        assert_eq!(of_sum(3.0, 2, 5.0), 80.0 * f64::EPSILON);
        assert_eq!(of_sum(0.0, 2, 0.0), 0.0);
        assert_eq!((share(2.0, 7.0), share(0.0, f64::INFINITY)), (14.0, 0.0));
    }

    /// The margin of a sum is more than what rounding takes from any order of its terms.
    #[test]
    fn no_order_of_a_sum_is_beyond_its_margin() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        for n in [1, 2, 7, 60] {
            for _ in 0..200 {
                let terms: Vec<f64> = (0..n).map(|_| next()).collect();
                let exact = sched_model::exact_sum(terms.iter().copied());
                let greatest = terms.iter().fold(0.0_f64, |greatest, term| greatest.max(term.abs()));
                let forth: f64 = terms.iter().sum();
                let back: f64 = terms.iter().rev().sum();
                for sum in [forth, back] {
                    assert!((sum - exact).abs() <= of_sum(greatest, n, 0.0));
                }
            }
        }
    }
}
