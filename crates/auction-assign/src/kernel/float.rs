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
