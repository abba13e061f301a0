//! The floats in which plain loops add costs and prices.

use std::ops::{Add, Sub};

/// `f64`, or `f32` where costs are narrow: half the memory traffic, and twice the entries per instruction.
pub(crate) trait Float: Copy + PartialOrd + Add<Output = Self> + Sub<Output = Self> {
    const ZERO: Self;
    const INFINITY: Self;

    /// The same number in 64 bits.
    fn wide(self) -> f64;
}

impl Float for f64 {
    const ZERO: Self = 0.0;
    const INFINITY: Self = f64::INFINITY;

    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }
}

impl Float for f32 {
    const ZERO: Self = 0.0;
    const INFINITY: Self = f32::INFINITY;

    #[inline(always)]
    fn wide(self) -> f64 {
        f64::from(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_widened_is_the_same_number() {
        assert_eq!((2.5_f64.wide(), 2.5_f32.wide(), f64::from(0.1_f32)), (2.5, 2.5, 0.1_f32.wide()));
    }
}
