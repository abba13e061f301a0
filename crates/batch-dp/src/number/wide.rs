//! A fixed-point number that holds any sum of up to 2^32 doubles of magnitude up to 10^120.

use super::{Amount, Midpoint, Number, Scale, decode, power_of_two};
use sched_model::internal::exact_sum;
use std::cmp::Ordering;

/// The number of 64-bit limbs: 1,664 bits in all, from 2^-1106, below the smallest double, to 2^558, above 2^32 times
/// 10^120.
const LIMBS: usize = 26;
/// The exponent of the lowest bit.
const LOWEST: i32 = -1074 - 32;

/// A whole multiple of 2^-1106 in two's complement, the lowest limb first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Wide([u64; LIMBS]);

impl Wide {
    /// `digits * 2^exponent`; the bits must fit.
    fn from_digits(digits: i128, exponent: i32) -> Self {
        let by = (exponent - LOWEST).max(0) as usize;
        let (limb, bit) = ((by / 64).min(LIMBS - 3), by % 64);
        let mut limbs = [0; LIMBS];
        let magnitude = digits.unsigned_abs();
        let (low, high) = (magnitude << bit, if bit == 0 { 0 } else { magnitude >> (128 - bit) });
        limbs[limb] = low as u64;
        limbs[limb + 1] = (low >> 64) as u64;
        limbs[limb + 2] = high as u64;
        let wide = Self(limbs);
        if digits < 0 { Self::ZERO.minus(wide) } else { wide }
    }
}

impl PartialOrd for Wide {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let sign = (self.0[LIMBS - 1] as i64).cmp(&(other.0[LIMBS - 1] as i64));
        Some(sign.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev())))
    }
}

impl Number for Wide {
    type Scale = Scale;
    const ZERO: Self = Self([0; LIMBS]);
    const TOP: Self = {
        let mut limbs = [u64::MAX; LIMBS];
        limbs[LIMBS - 1] = u64::MAX >> 1;
        Self(limbs)
    };

    fn plus(self, other: Self) -> Self {
        let mut sum = [0; LIMBS];
        let mut carry = false;
        for (at, limb) in sum.iter_mut().enumerate() {
            let (first, over) = self.0[at].overflowing_add(other.0[at]);
            let (second, again) = first.overflowing_add(u64::from(carry));
            (*limb, carry) = (second, over | again);
        }
        Self(sum)
    }

    fn minus(self, other: Self) -> Self {
        // In two's complement, complementing a number gives its negative minus one.
        let complement = |wide: Self| Self(wide.0.map(|limb| !limb));
        complement(complement(self).plus(other))
    }

    fn near(self, scale: &Scale) -> f64 {
        self.value(scale)
    }

    fn value(self, _: &Scale) -> f64 {
        let is_negative = self.0[LIMBS - 1] >> 63 == 1;
        let Self(limbs) = if is_negative { Self::ZERO.minus(self) } else { self };
        // Each half of a limb is a double, apart from the first, which is 0 in a sum of doubles.
        let halves = limbs.into_iter().flat_map(|limb| [limb as u32, (limb >> 32) as u32]).skip(1);
        let terms = halves.zip((LOWEST + 32..).step_by(32));
        let magnitude = exact_sum(terms.map(|(half, exponent)| f64::from(half) * power_of_two(exponent)));
        if is_negative { -magnitude } else { magnitude }
    }

    fn absolute_error(_: &Scale) -> f64 {
        0.0
    }

    fn threshold(self, of: fn(f64) -> f64, scale: &Scale) -> Self {
        Self::most(of(self.value(scale)), scale)
    }
}

impl Amount for Wide {
    const IS_SEARCHED: bool = false;

    fn of(value: f64, _: &Scale) -> Self {
        let (digits, exponent) = decode(value);
        Self::from_digits(i128::from(digits), exponent)
    }

    fn most(limit: f64, scale: &Scale) -> Self {
        let middle = Midpoint::above(scale.clamp(limit));
        let most = Self::from_digits(middle.digits, middle.exponent);
        if middle.included { most } else { most.minus(Self::from_digits(1, LOWEST)) }
    }
}
