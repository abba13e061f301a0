//! Exact sums of doubles, separate from the arithmetic of the methods.
//!
//! J. R. Shewchuk, Adaptive precision floating-point arithmetic and fast robust geometric predicates (1997):
//! an expansion is a sum of doubles that do not overlap; one double at a time is added to it.

use sched_model::internal::two_sum;
use smallvec::SmallVec;

/// An exact sum, as doubles that do not overlap, the smallest first; none for 0.
///
/// Once the sum exceeds the largest double, or a term is not finite, the value stays NaN.
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

    /// The doubles that sum to the exact value, unless the value is NaN.
    pub(super) fn parts(&self) -> impl Iterator<Item = f64> {
        self.parts.iter().copied()
    }

    /// Returns the sum as a double, which has the sign of the exact sum, and is 0 only if this is 0. (By theorem 10 of
    /// the paper no two parts are adjacent, so all others together are less than the lowest bit of the largest.)
    pub(super) fn value(&self) -> f64 {
        if self.is_lost {
            return f64::NAN;
        }
        self.parts.iter().fold(0.0, |sum, part| sum + part)
    }

    /// Returns a double not below the sum; the sum itself if it is a double.
    pub(super) fn rounded_up(&self) -> f64 {
        let mut value = self.value();
        // The parts do not overlap, so usually at most one step is taken.
        while Self::of(self.parts.iter().copied().chain([-value])).value() > 0.0 {
            value = value.next_up();
        }
        value
    }
}

/// Returns the product of two doubles as two doubles that sum to it, the first of which is the rounded product. Exact
/// unless it underflows or overflows.
pub(super) fn two_product(a: f64, b: f64) -> [f64; 2] {
    let product = a * b;
    [product, a.mul_add(b, -product)]
}
