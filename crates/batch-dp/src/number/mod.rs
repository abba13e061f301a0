//! Numbers in which the sums of one search are exact.
//!
//! Costs and times are doubles, and every double is a whole multiple of a power of two. So a set of them lies
//! on a *grid*: all are multiples of one power of two, the greatest such power is its step, and their sums
//! are whole numbers of steps. Two types hold such sums without rounding:
//!
//! | type | holds sums | where |
//! |---|---|---|
//! | `i128` | below 2^118 steps of the grid | values of similar magnitude, of any number of decimals |
//! | [`Wide`] | of any doubles up to 10^120 | magnitudes from subnormal to 10^60 in one batch |
//!
//! Sums count as the exact sum *rounded once* to a double ([`Number::tie`], [`Number::better`],
//! [`Amount::most`]): a search compares exact sums, and computes for each the greatest sum that rounds to the
//! same double.

mod grid;
mod ranked;
mod wide;

pub(crate) use grid::{Grid, Kind, Scale, with_sums};
pub(crate) use ranked::{Ranked, RankedScale};
pub(crate) use wide::Wide;

use std::fmt::Debug;

/// A number whose sums are exact within one search.
pub(crate) trait Number: Copy + Default + PartialOrd + Debug + Send + 'static {
    /// How the numbers of one search relate to doubles.
    type Scale: Copy + Debug;
    const ZERO: Self;
    /// Above every sum.
    const TOP: Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    /// A double near the number, with an error of at most 2^-52 of its [`size`](Self::size), and
    /// [`fuzz`](Self::fuzz).
    fn near(self, scale: &Self::Scale) -> f64;
    /// As [`near`](Self::near), for a threshold of a search: where a count is beside the sum, with the wanted
    /// count.
    fn aimed(self, scale: &Self::Scale) -> f64 {
        self.near(scale)
    }
    /// The sum, rounded to the nearest double; of a number of two ranks, the second.
    fn value(self, scale: &Self::Scale) -> f64;
    /// A double of about the magnitude: at least that of each part of the number.
    fn size(self, scale: &Self::Scale) -> f64 {
        self.near(scale).abs()
    }
    /// One double for the whole number: of two ranks, the second and the first times its worth.
    fn mixed(self, scale: &Self::Scale) -> f64 {
        self.value(scale)
    }
    /// How large the numbers are that [`mixed`](Self::mixed) adds; 0 where it adds none.
    fn mixing_size(self, _: &Self::Scale) -> f64 {
        0.0
    }
    /// A double near the first of two ranks; 0 where there is one rank.
    #[inline(always)]
    fn loss(self, _: &Self::Scale) -> f64 {
        0.0
    }
    /// The error of [`loss`](Self::loss), as [`fuzz`](Self::fuzz).
    fn loss_fuzz(_: &Self::Scale) -> f64 {
        0.0
    }
    /// The absolute error of [`near`](Self::near) for any number, beside the relative rounding of the number.
    fn fuzz(scale: &Self::Scale) -> f64;
    /// The greatest number that rounds to the same double as this sum.
    fn tie(self, scale: &Self::Scale) -> Self;
    /// The greatest number that rounds to a lesser double than this sum.
    fn better(self, scale: &Self::Scale) -> Self;
}

/// A number made of one double, or of a sum of doubles.
pub(crate) trait Amount: Number<Scale = Scale> {
    /// Whether the search over the core is made for such numbers; else the recurrence stands in.
    const IS_SEARCHED: bool = true;
    /// The number of a double on the grid.
    fn of(value: f64, scale: &Scale) -> Self;
    /// The greatest number that rounds to at most `limit`.
    fn most(limit: f64, scale: &Scale) -> Self;
}

impl Number for i128 {
    type Scale = Scale;
    const ZERO: Self = 0;
    const TOP: Self = Self::MAX;

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self - other
    }

    #[inline(always)]
    fn near(self, scale: &Scale) -> f64 {
        // After the shift the number fits into 62 bits: one conversion instead of a call.
        ((self >> scale.shift) as i64 as f64) * scale.unit
    }

    fn value(self, scale: &Scale) -> f64 {
        // `as` rounds to nearest, ties to even; the power of two then rounds nothing: a subnormal product has
        // fewer than 53 digits.
        self as f64 * grid::power_of_two(scale.lowest)
    }

    fn fuzz(scale: &Scale) -> f64 {
        if scale.shift > 0 { scale.unit } else { 0.0 }
    }

    fn tie(self, scale: &Scale) -> Self {
        Self::most(self.value(scale), scale)
    }

    fn better(self, scale: &Scale) -> Self {
        Self::most(self.value(scale).next_down(), scale)
    }
}

impl Amount for i128 {
    fn of(value: f64, scale: &Scale) -> Self {
        let (digits, exponent) = grid::decode(value);
        grid::shifted(Self::from(digits), exponent - scale.lowest)
    }

    fn most(limit: f64, scale: &Scale) -> Self {
        let middle = grid::Middle::above(scale.clamp(limit));
        let by = middle.exponent - scale.lowest;
        let floor = grid::shifted(middle.digits, by);
        let exact = grid::shifted(floor, -by) == middle.digits;
        floor - Self::from(exact && !middle.included)
    }
}
