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
