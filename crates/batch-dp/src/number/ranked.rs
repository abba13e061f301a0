//! Numbers of two ranks: the first decides, the second breaks ties. A count of jobs left out breaks ties of both, and
//! serves bounds.

use super::{Number, Scale};

/// Two exact sums in order of rank, and the number of jobs that they leave out. Adding the same number to both
/// sides keeps the order, so a search treats all three as one number, and needs no large factor for the first
/// rank. Among equal sums the lower count comes first; a bound adds a toll for each job left out.
///
/// Packed, so that a state of a list takes 64 bytes instead of 80: memory is what ends long searches.
#[repr(Rust, packed(8))]
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub(crate) struct Ranked<N> {
    pub(crate) first: N,
    pub(crate) second: N,
    /// Counted if there is a toll; otherwise 0.
    pub(crate) left_out: i32,
}

/// The scales of both ranks, and what a bound needs to combine them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RankedScale {
    pub(crate) first: Scale,
    pub(crate) second: Scale,
    /// The price of a unit of the first rank, in units of the second.
    pub(crate) worth: f64,
    /// The amount that each job left out adds, in units of the second rank.
    pub(crate) toll: f64,
    /// The wanted count, as a difference from the count of the base.
    pub(crate) wanted: i32,
}

/// The count of a threshold: no sum that is equal in both ranks exceeds it.
const MAX_COUNT: i32 = i32::MAX / 2;

impl<N: Number<Scale = Scale>> Number for Ranked<N> {
    type Scale = RankedScale;
    const ZERO: Self = Self { first: N::ZERO, second: N::ZERO, left_out: 0 };
    const TOP: Self = Self { first: N::TOP, second: N::TOP, left_out: i32::MAX };

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self {
            first: self.first.plus(other.first),
            second: self.second.plus(other.second),
            left_out: self.left_out + other.left_out,
        }
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Self {
            first: self.first.minus(other.first),
            second: self.second.minus(other.second),
            left_out: self.left_out - other.left_out,
        }
    }

    #[inline(always)]
    fn near(self, scale: &RankedScale) -> f64 {
        self.second.near(&scale.second)
            + scale.worth * self.first.near(&scale.first)
            + scale.toll * f64::from(self.left_out)
    }

    fn near_threshold(self, scale: &RankedScale) -> f64 {
        Self { left_out: scale.wanted, ..self }.near(scale)
    }

    fn value(self, scale: &RankedScale) -> f64 {
        self.second.value(&scale.second)
    }

    fn size(self, scale: &RankedScale) -> f64 {
        self.second.near(&scale.second).abs()
            + scale.worth.abs() * self.first.near(&scale.first).abs()
            + (scale.toll * f64::from(self.left_out)).abs()
    }

    #[inline(always)]
    fn loss(self, scale: &RankedScale) -> f64 {
        self.first.near(&scale.first)
    }

    fn loss_absolute_error(scale: &RankedScale) -> f64 {
        N::absolute_error(&scale.first)
    }

    fn absolute_error(scale: &RankedScale) -> f64 {
        N::absolute_error(&scale.second) + scale.worth.abs() * N::absolute_error(&scale.first)
    }

    fn threshold(self, of: fn(f64) -> f64, scale: &RankedScale) -> Self {
        Self { first: self.first, second: self.second.threshold(of, &scale.second), left_out: MAX_COUNT }
    }
}
