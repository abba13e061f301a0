//! Numbers in which the sums of one search are exact.
//!
//! Costs and times are doubles, and every double is a whole multiple of a power of two. So a set of doubles lies
//! on a *grid*: all are multiples of one power of two. The maximum such power is the step of the grid, and sums
//! are whole numbers of steps. Two types hold such sums without rounding:
//!
//! | type | holds sums | for |
//! |---|---|---|
//! | `i128` | below 2^118 steps of the grid | values of similar magnitude, also with decimals |
//! | [`Wide`] | of any doubles up to 10^120 | magnitudes from subnormal to 10^60 in one batch |
//!
//! The value of a sum is the exact sum *rounded once* to a double. So a search compares exact sums with thresholds: the
//! largest sums that round to a given double ([`Number::tie`], [`Number::better`], [`Amount::most`]).

mod ranked;
mod wide;

pub(crate) use ranked::{Ranked, RankedScale};
pub(crate) use wide::Wide;

use std::fmt::Debug;

/// A number whose sums are exact within one search.
pub(crate) trait Number: Copy + Default + PartialOrd + Debug + Send + 'static {
    /// The conversion between the numbers of a search and doubles.
    type Scale: Copy + Debug;
    const ZERO: Self;
    /// A number above every sum.
    const TOP: Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    /// A double near the number, with an error of at most 2^-52 of its [`size`](Self::size) plus
    /// [`absolute_error`](Self::absolute_error). For two ranks, a double near the second rank plus `worth` times the
    /// first.
    fn near(self, scale: &Self::Scale) -> f64;
    /// As [`near`](Self::near), for a threshold of a search: the count of a number that has one is replaced by the
    /// wanted count.
    fn near_threshold(self, scale: &Self::Scale) -> f64 {
        self.near(scale)
    }
    /// The sum, rounded to the nearest double; for two ranks, that of the second rank.
    fn value(self, scale: &Self::Scale) -> f64;
    /// A double of about the magnitude of the number, and not below the magnitude of any of its parts.
    fn size(self, scale: &Self::Scale) -> f64 {
        self.near(scale).abs()
    }
    /// A double near the first of two ranks; 0 if there is one rank.
    #[inline(always)]
    fn loss(self, _: &Self::Scale) -> f64 {
        0.0
    }
    /// The absolute error of [`loss`](Self::loss), like [`absolute_error`](Self::absolute_error).
    fn loss_absolute_error(_: &Self::Scale) -> f64 {
        0.0
    }
    /// The absolute error of [`near`](Self::near) for any number, in addition to the relative one.
    fn absolute_error(scale: &Self::Scale) -> f64;
    /// The largest number that rounds to at most `of` the double of this sum.
    fn threshold(self, of: fn(f64) -> f64, scale: &Self::Scale) -> Self;
    /// The largest number that rounds to the same double as this sum.
    fn tie(self, scale: &Self::Scale) -> Self {
        self.threshold(|value| value, scale)
    }
    /// The largest number that rounds to a lower double than this sum.
    fn better(self, scale: &Self::Scale) -> Self {
        self.threshold(f64::next_down, scale)
    }
}

/// A number that is a double or a sum of doubles.
pub(crate) trait Amount: Number<Scale = Scale> {
    /// Whether the search over the core is used for this type; otherwise the recurrence takes its place.
    const IS_SEARCHED: bool = true;
    /// Converts a double on the grid.
    fn of(value: f64, scale: &Scale) -> Self;
    /// The largest number that rounds to at most `limit`.
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
        // `as` rounds to nearest, ties to even. Multiplying by the power of two then rounds nothing, because a
        // subnormal product has fewer than 53 digits.
        self as f64 * power_of_two(scale.lowest)
    }

    fn absolute_error(scale: &Scale) -> f64 {
        if scale.shift > 0 { scale.unit } else { 0.0 }
    }

    fn threshold(self, of: fn(f64) -> f64, scale: &Scale) -> Self {
        Self::most(of(self.value(scale)), scale)
    }
}

impl Amount for i128 {
    fn of(value: f64, scale: &Scale) -> Self {
        let (digits, exponent) = decode(value);
        shifted(Self::from(digits), exponent - scale.lowest)
    }

    fn most(limit: f64, scale: &Scale) -> Self {
        let middle = Midpoint::above(scale.clamp(limit));
        let by = middle.exponent - scale.lowest;
        let floor = shifted(middle.digits, by);
        let exact = shifted(floor, -by) == middle.digits;
        floor - Self::from(exact && !middle.included)
    }
}

/// The coarsest grid that contains all values seen, and the largest magnitude of a sum of values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grid {
    /// Exponent of the lowest set bit of any value.
    lowest: i32,
    /// Sum of the magnitudes of the values that sums may contain.
    total: f64,
}

/// The type that holds the sums of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    #[default]
    I128,
    Wide,
}

/// Evaluates an expression in which `$N` is the type of the sums of a [`Kind`].
macro_rules! with_sums {
    ($kind:expr, $N:ident => $run:expr) => {
        match $kind {
            $crate::number::Kind::I128 => {
                type $N = i128;
                $run
            }
            $crate::number::Kind::Wide => {
                type $N = $crate::number::Wide;
                $run
            }
        }
    };
}
pub(crate) use with_sums;

/// The conversion between numbers on a grid and doubles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    /// The step of the grid is 2^lowest.
    pub(crate) lowest: i32,
    /// The number of low bits that [`near`](Number::near) omits, and the value of the lowest bit that it keeps.
    pub(crate) shift: u32,
    pub(crate) unit: f64,
    /// At least four times the largest magnitude of a sum.
    beyond: f64,
}

impl Default for Grid {
    fn default() -> Self {
        Self { lowest: i32::MAX, total: 0.0 }
    }
}

impl Grid {
    /// The grid of sums of these values.
    pub(crate) fn of(values: &[f64]) -> Self {
        let mut grid = Self::default();
        values.iter().for_each(|&value| grid.hold(value));
        grid
    }

    /// Includes a value in the grid that is not part of sums.
    #[inline]
    pub(crate) fn see(&mut self, value: f64) {
        if value != 0.0 {
            let (digits, exponent) = decode(value);
            self.lowest = self.lowest.min(exponent + digits.trailing_zeros() as i32);
        }
    }

    /// Lets sums contain one value of at most this magnitude, without including `value` in the grid.
    pub(crate) fn reach(&mut self, value: f64) {
        self.total += value.abs();
    }

    /// Includes a value that is part of sums.
    pub(crate) fn hold(&mut self, value: f64) {
        self.see(value);
        self.reach(value);
    }

    /// Number of bits of the largest sum.
    fn bits(&self) -> i32 {
        exponent_of(self.total) + 2 - self.lowest()
    }

    /// The exponent of the step of the grid; 0 if all values are 0.
    fn lowest(&self) -> i32 {
        if self.lowest == i32::MAX { 0 } else { self.lowest }
    }

    /// The type for sums of these values.
    pub(crate) fn kind(&self) -> Kind {
        if self.bits() <= 118 { Kind::I128 } else { Kind::Wide }
    }

    /// Whether every sum is a double, so that none is rounded.
    pub(crate) fn rounds_nothing(&self) -> bool {
        self.bits() <= 52
    }

    pub(crate) fn scale(&self) -> Scale {
        let lowest = self.lowest();
        let shift = (self.bits() - 61).max(0);
        Scale {
            lowest,
            shift: shift as u32,
            unit: power_of_two(lowest.saturating_add(shift)),
            beyond: power_of_two(exponent_of(self.total) + 3),
        }
    }
}

impl Scale {
    /// The limit, or a limit closer to 0 that is still beyond all sums.
    pub(crate) fn clamp(&self, limit: f64) -> f64 {
        limit.clamp(-self.beyond, self.beyond)
    }
}

/// The exponent of the highest bit of a double; -1074, that of the smallest double, for 0.
fn exponent_of(value: f64) -> i32 {
    let (digits, exponent) = decode(value);
    if digits == 0 { -1074 } else { exponent + 63 - digits.unsigned_abs().leading_zeros() as i32 }
}

/// A double as `digits * 2^exponent`.
#[inline]
pub(crate) fn decode(value: f64) -> (i64, i32) {
    let bits = value.to_bits();
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let (digits, exponent) =
        if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    (if value < 0.0 { -digits } else { digits }, exponent)
}

/// `2^exponent`; 0 below the smallest double.
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    if exponent >= -1022 {
        f64::from_bits(((exponent.min(1023) + 1023) as u64) << 52)
    } else if exponent >= -1074 {
        f64::from_bits(1 << (exponent + 1074))
    } else {
        0.0
    }
}

/// `digits * 2^by`, rounded down.
pub(crate) fn shifted(digits: i128, by: i32) -> i128 {
    if by >= 0 { digits << by.min(127) } else { digits >> (-by).min(127) }
}

/// The midpoint between a double and the next one above: every lower number rounds to at most the double.
pub(crate) struct Midpoint {
    /// `digits * 2^exponent`.
    pub(crate) digits: i128,
    pub(crate) exponent: i32,
    /// Whether the midpoint itself rounds down: ties go to the even double.
    pub(crate) included: bool,
}

impl Midpoint {
    /// The midpoint above a double.
    pub(crate) fn above(value: f64) -> Self {
        let value = value + 0.0;
        let ((low, low_exponent), (high, high_exponent)) = (decode(value), decode(value.next_up()));
        let exponent = low_exponent.min(high_exponent);
        let digits =
            (i128::from(low) << (low_exponent - exponent)) + (i128::from(high) << (high_exponent - exponent));
        Self { digits, exponent: exponent - 1, included: value.to_bits() & 1 == 0 }
    }
}
