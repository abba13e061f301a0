//! Sums of doubles without rounding, apart from the arithmetic of the solvers.
//!
//! J. R. Shewchuk, Adaptive precision floating-point arithmetic and fast robust geometric predicates (1997):
//! an expansion, doubles of which none overlaps another, grows by one double at a time.

use sched_model::two_sum;
use smallvec::SmallVec;

/// A sum, held as doubles that do not overlap, the least first; 0 is held as none.
///
/// A sum that exceeds the greatest double, or has a term that is not finite, is NaN from then on.
#[derive(Default)]
pub(super) struct Sum {
    parts: SmallVec<[f64; 8]>,
    is_lost: bool,
}

impl Sum {
    pub(super) fn of(terms: impl IntoIterator<Item = f64>) -> Self {
        let mut sum = Self::default();
        for term in terms {
            sum.add(term);
        }
        sum
    }

    pub(super) fn add(&mut self, term: f64) {
        let mut carried = term;
        let mut kept = 0;
        for at in 0..self.parts.len() {
            let (sum, rounded) = two_sum(carried, self.parts[at]);
            carried = sum;
            if rounded != 0.0 {
                self.parts[kept] = rounded;
                kept += 1;
            }
        }
        self.parts.truncate(kept);
        self.is_lost |= !carried.is_finite();
        if carried != 0.0 {
            self.parts.push(carried);
        }
    }

    /// Doubles that sum to it exactly, unless it is lost.
    pub(super) fn parts(&self) -> impl Iterator<Item = f64> {
        self.parts.iter().copied()
    }

    /// The sum as a double: of the true sign, and 0 only if the sum is.
    pub(super) fn value(&self) -> f64 {
        if self.is_lost {
            return f64::NAN;
        }
        let Some(&greatest) = self.parts.last() else { return 0.0 };
        let sum: f64 = self.parts.iter().sum();
        if sum == 0.0 || (sum > 0.0) != (greatest > 0.0) { f64::MIN_POSITIVE.copysign(greatest) } else { sum }
    }

    /// A double not below the sum, and the sum itself where that is a double.
    pub(super) fn rounded_up(&self) -> f64 {
        let mut value = self.value();
        // The parts do not overlap, so that the first step mostly suffices.
        while Self::of(self.parts.iter().copied().chain([-value])).value() > 0.0 {
            value = value.next_up();
        }
        value
    }
}

/// A product of two doubles as two doubles that sum to it, the first of them the rounded product; exact
/// unless it underflows.
pub(super) fn two_product(a: f64, b: f64) -> [f64; 2] {
    let product = a * b;
    [product, a.mul_add(b, -product)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost() {
        assert_eq!(Sum::of([1e60, 1.0, -1e60]).value(), 1.0);
        assert_eq!(Sum::of([1e60, f64::from_bits(1), -1e60, 3.0, -3.0]).value(), f64::from_bits(1));
        assert_eq!(Sum::of([0.1, 0.4, -0.2, -0.3]).value(), 2f64.powi(-55));
        assert_eq!(Sum::of([0.5, -0.25, -0.25]).value(), 0.0);
        assert!(Sum::of([1.0, f64::NAN]).value().is_nan());
    }

    #[test]
    fn what_overflows_is_no_number() {
        for terms in [
            vec![f64::MAX; 2],
            vec![f64::MAX; 5],
            vec![f64::INFINITY, -1.0],
            vec![f64::MAX, f64::MAX, -f64::MAX],
        ] {
            let sum = Sum::of(terms);
            assert!(sum.value().is_nan() && sum.rounded_up().is_nan());
        }
        assert_eq!(Sum::of([f64::MAX, -f64::MAX]).value(), 0.0);
    }

    #[test]
    fn a_product_is_two_doubles() {
        // (1 + 2^-30)^2 is 1 + 2^-29 + 2^-60.
        let (a, least) = (1.0 + 2f64.powi(-30), 2f64.powi(-60));
        assert_eq!(two_product(a, a), [1.0 + 2f64.powi(-29), least]);
        assert_eq!(two_product(a, -a), [-1.0 - 2f64.powi(-29), -least]);
    }

    #[test]
    fn the_sign_is_true() {
        // 2 less 53 ones of falling weight, less all but a last bit.
        let parts = [-(2f64.powi(-51) - 2f64.powi(-103)), -(2.0 - 2f64.powi(-51)), 2.0];
        let sum = Sum { parts: SmallVec::from_slice(&parts), is_lost: false };
        assert!(sum.value() > 0.0);
    }
}
