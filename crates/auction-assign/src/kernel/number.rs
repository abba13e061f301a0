//! The numbers in which costs and prices are added: doubles, which round, and fixed-point numbers, which do not.
//!
//! Every double is a whole multiple of a power of two. So sums and differences of doubles are whole multiples of
//! the minimum of their powers (the *unit*), and a sufficiently wide whole number of units represents them exactly.

use std::cmp::Ordering;
use std::ops::{Add, Sub};

use smallvec::SmallVec;

/// Doubles that sum to a number, each less than the last bit of the one before; usually a single one.
pub(crate) type Parts = SmallVec<[f64; 2]>;

/// A number type for sums of costs and prices.
pub(crate) trait Number:
    Copy + Default + PartialOrd + Add<Output = Self> + Sub<Output = Self>
{
    const INFINITY: Self;
    const NEG_INFINITY: Self;

    /// Converts a double that is a multiple of the unit, or infinity, exactly; rounds other doubles up.
    fn of(value: f64, unit: Unit) -> Self;

    /// Returns a lower bound on the exact sum of a double and a number of this type, given `key`: the sum in doubles,
    /// with the number rounded [`down`](Self::down).
    fn at_least(key: f64, unit: Unit) -> Self;

    /// Returns the largest double not above this number.
    fn down(self, unit: Unit) -> f64;

    /// Returns a limit for sums and differences of two doubles: if a rounded sum is not below the limit, neither it nor
    /// the exact sum is below this number.
    fn limit(self, unit: Unit) -> f64;

    /// A total order that sorting can compute without branches.
    fn order(self, other: Self) -> Ordering;

    /// Returns infinity for any sum with infinity, other numbers as they are.
    fn saturated(self) -> Self;

    /// Returns the doubles nearest to these numbers, and the remainders of each number (for `f64` an empty list).
    fn split(numbers: Vec<Self>, unit: Unit) -> (Vec<f64>, Vec<Parts>);

    fn is_finite(self) -> bool {
        self.saturated() < Self::INFINITY
    }
}

#[inline(always)]
pub(crate) fn min_of<N: PartialOrd>(a: N, b: N) -> N {
    if b < a { b } else { a }
}

#[inline(always)]
pub(crate) fn max_of<N: PartialOrd>(a: N, b: N) -> N {
    if a < b { b } else { a }
}

/// The unit of fixed-point numbers: the exponent of a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit(pub(crate) i32);

impl Unit {
    /// The unit given with doubles, which need none.
    pub(crate) const NONE: Self = Self(0);

    /// Returns a unit of which every double that is 0 or of at least this magnitude is a multiple.
    pub(crate) fn below(smallest: f64) -> Self {
        if smallest.is_finite() { Self((exponent(smallest) - 52).max(-1074)) } else { Self(0) }
    }

    /// Returns the number of bits of a number up to this magnitude, in units.
    pub(crate) fn bits(self, max_magnitude: f64) -> u32 {
        (exponent(max_magnitude) + 1 - self.0).max(0) as u32
    }
}

/// Returns the largest power of two not above a positive number, at least the smallest normal number.
pub(crate) fn power_of_two(value: f64) -> f64 {
    if value < f64::MIN_POSITIVE {
        f64::MIN_POSITIVE
    } else {
        f64::from_bits(value.to_bits() & (0x7ff << 52))
    }
}

/// Returns the exponent of the highest set bit of a number; for 0 that of the smallest double.
pub(crate) fn exponent(value: f64) -> i32 {
    let bits = value.to_bits();
    match ((bits >> 52) & 0x7ff) as i32 {
        0 => 63 - (bits & !(1 << 63) | 1).leading_zeros() as i32 - 1074,
        biased => biased - 1023,
    }
}

/// Returns `2^exponent`, also if that is subnormal.
fn power(exponent: i32) -> f64 {
    match exponent {
        -1022.. => f64::from_bits(((exponent + 1023) as u64) << 52),
        _ => f64::from_bits(1 << (exponent + 1074).max(0)),
    }
}

impl Number for f64 {
    const INFINITY: Self = f64::INFINITY;
    const NEG_INFINITY: Self = f64::NEG_INFINITY;

    #[inline(always)]
    fn of(value: f64, _: Unit) -> Self {
        value
    }

    #[inline(always)]
    fn at_least(key: f64, _: Unit) -> Self {
        key
    }

    #[inline(always)]
    fn down(self, _: Unit) -> f64 {
        self
    }

    #[inline(always)]
    fn limit(self, _: Unit) -> f64 {
        self
    }

    #[inline(always)]
    fn order(self, other: Self) -> Ordering {
        // -0 is 0.
        (self + 0.0).total_cmp(&(other + 0.0))
    }

    #[inline(always)]
    fn saturated(self) -> Self {
        self
    }

    #[inline(always)]
    fn split(numbers: Vec<Self>, _: Unit) -> (Vec<f64>, Vec<Parts>) {
        (numbers, Vec::new())
    }
}

/// A fixed-point number: a whole number of units in two's complement, the lowest limb first. The magnitudes of finite
/// numbers stay below `2^(64 * LIMBS - 4)`; the caller chooses a sufficient width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fixed<const LIMBS: usize>([u64; LIMBS]);

impl<const LIMBS: usize> Fixed<LIMBS> {
    /// The maximum number of bits of a finite number.
    pub(crate) const BITS: u32 = 64 * LIMBS as u32 - 4;

    /// The number whose highest limb is `top` and whose other limbs are 0.
    const fn with_top(top: u64) -> Self {
        let mut limbs = [0; LIMBS];
        limbs[LIMBS - 1] = top;
        Self(limbs)
    }

    fn negated(self) -> Self {
        Self::default() - self
    }

    /// Converts a double to units; one that is not a multiple of the unit is rounded up or down.
    #[inline]
    fn convert(value: f64, unit: Unit, up: bool) -> Self {
        if value.is_infinite() {
            return if value > 0.0 { Self::INFINITY } else { Self::NEG_INFINITY };
        }
        let bits = value.to_bits();
        let biased = ((bits >> 52) & 0x7ff) as i32;
        let fraction = bits & ((1 << 52) - 1);
        let mantissa = if biased == 0 { fraction } else { fraction | (1 << 52) };
        let shift = biased.max(1) - 1075 - unit.0;
        let negative = value < 0.0;
        let mut limbs = [0; LIMBS];
        if shift >= 0 {
            let (limb, within) = (shift as usize / 64, shift as u32 % 64);
            let wide = u128::from(mantissa) << within;
            if limb < LIMBS {
                limbs[limb] = wide as u64;
            }
            if limb + 1 < LIMBS {
                limbs[limb + 1] = (wide >> 64) as u64;
            }
        } else {
            let by = shift.unsigned_abs().min(63);
            let kept = mantissa >> by;
            let lost = kept << by != mantissa;
            limbs[0] = kept + u64::from(lost && up != negative);
        }
        let magnitude = Self(limbs);
        if negative { magnitude.negated() } else { magnitude }
    }

    /// Returns doubles that sum to this number; the first is the nearest double.
    fn parts(self, unit: Unit) -> Parts {
        let mut parts = Parts::new();
        let mut rest = self;
        while rest != Self::default() || parts.is_empty() {
            let below = rest.down(unit);
            let lost = rest - Self::convert(below, unit, false);
            if lost == Self::default() {
                parts.push(below);
                break;
            }
            // A number that is not a double lies between two multiples of the unit.
            let above = below.next_up();
            let gained = rest - Self::convert(above, unit, false);
            let up = lost > gained.negated();
            parts.push(if up { above } else { below });
            rest = if up { gained } else { lost };
        }
        parts
    }
}

impl<const LIMBS: usize> Default for Fixed<LIMBS> {
    fn default() -> Self {
        Self([0; LIMBS])
    }
}

impl<const LIMBS: usize> PartialOrd for Fixed<LIMBS> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.order(*other))
    }
}

impl<const LIMBS: usize> Add for Fixed<LIMBS> {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        let mut limbs = [0; LIMBS];
        let mut carry = false;
        for ((limb, a), b) in limbs.iter_mut().zip(self.0).zip(other.0) {
            let (sum, over) = a.overflowing_add(b);
            let (sum, over_too) = sum.overflowing_add(u64::from(carry));
            *limb = sum;
            carry = over || over_too;
        }
        Self(limbs)
    }
}

impl<const LIMBS: usize> Sub for Fixed<LIMBS> {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        // In two's complement, complementing a number gives its negative minus one.
        let complement = |number: Self| Self(number.0.map(|limb| !limb));
        complement(complement(self).add(other))
    }
}

impl<const LIMBS: usize> Number for Fixed<LIMBS> {
    // Up to four infinities can be added without overflow.
    const INFINITY: Self = Self::with_top(1 << 61);
    const NEG_INFINITY: Self = Self::with_top((1 << 61) ^ u64::MAX);

    #[inline]
    fn of(value: f64, unit: Unit) -> Self {
        Self::convert(value, unit, true)
    }

    #[inline]
    fn at_least(key: f64, unit: Unit) -> Self {
        // Rounding has changed the sum by at most half a unit in the last place. Twice as much is subtracted, because
        // the subtraction rounds by at most half a unit again.
        Self::convert(key - if key < f64::INFINITY { key.abs() * f64::EPSILON } else { 0.0 }, unit, false)
    }

    fn down(self, unit: Unit) -> f64 {
        if !self.is_finite() {
            return f64::INFINITY;
        }
        let negative = (self.0[LIMBS - 1] as i64) < 0;
        let limbs = if negative { self.negated().0 } else { self.0 };
        let Some(top) = limbs.iter().rposition(|&limb| limb != 0) else { return 0.0 };
        let highest = 64 * top as i32 + 63 - limbs[top].leading_zeros() as i32;
        let drop = (highest - 52).max(0);
        let (limb, within) = (drop as usize / 64, drop as u32 % 64);
        let above = if limb + 1 < LIMBS { limbs[limb + 1] } else { 0 };
        let kept = ((u128::from(above) << 64 | u128::from(limbs[limb])) >> within) as u64;
        let lost = limbs[..limb].iter().any(|&limb| limb != 0) || limbs[limb] & ((1u64 << within) - 1) != 0;
        let kept = kept + u64::from(negative && lost);
        let magnitude = kept as f64 * power(drop + unit.0);
        if negative { -magnitude } else { magnitude }
    }

    #[inline]
    fn limit(self, unit: Unit) -> f64 {
        // Rounding is monotonic, and the nearest double is at most the one after that rounded down.
        if self.is_finite() { self.down(unit).next_up().next_up() } else { f64::INFINITY }
    }

    #[inline]
    fn order(self, other: Self) -> Ordering {
        let top = (self.0[LIMBS - 1] as i64).cmp(&(other.0[LIMBS - 1] as i64));
        let rest = || self.0.iter().rev().skip(1).cmp(other.0.iter().rev().skip(1));
        top.then_with(rest)
    }

    #[inline(always)]
    fn saturated(self) -> Self {
        if self.0[LIMBS - 1] as i64 >= 1 << 60 { Self::INFINITY } else { self }
    }

    fn split(numbers: Vec<Self>, unit: Unit) -> (Vec<f64>, Vec<Parts>) {
        let parts = |number: Self| {
            let mut parts = number.parts(unit);
            (parts.remove(0), parts)
        };
        numbers.into_iter().map(parts).unzip()
    }
}
