//! A fixed-point number that holds any sum of doubles up to 10^120.

use super::{Amount, Middle, Number, Scale, decode, power_of_two};
use std::cmp::Ordering;

/// Limbs of 64 bits: 1,664 bits in all, from 2^-1088, below the smallest double, to 2^576, above 2^32 times
/// 10^120.
const LIMBS: usize = 26;
/// The exponent of the lowest bit.
const LOWEST: i32 = -1088;

/// A whole multiple of 2^-1088 in two's complement, the lowest limb first.
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

    fn is_negative(&self) -> bool {
        self.0[LIMBS - 1] >> 63 == 1
    }

    /// The sign, the highest 64 bits of the magnitude, their exponent, and whether any bit below them is set.
    fn top(self) -> (bool, u64, i32, bool) {
        let negative = self.is_negative();
        let magnitude = if negative { Self::ZERO.minus(self) } else { self };
        let Some(limb) = magnitude.0.iter().rposition(|&limb| limb != 0) else { return (false, 0, 0, false) };
        let space = magnitude.0[limb].leading_zeros();
        let below = if limb > 0 { magnitude.0[limb - 1] } else { 0 };
        let (top, rest) = if space == 0 {
            (magnitude.0[limb], below)
        } else {
            (magnitude.0[limb] << space | below >> (64 - space), below << space)
        };
        let sticky = rest != 0 || magnitude.0[..limb.saturating_sub(1)].iter().any(|&limb| limb != 0);
        (negative, top, LOWEST + 64 * limb as i32 - space as i32, sticky)
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

    fn near(self, _: &Scale) -> f64 {
        let (negative, top, exponent, _) = self.top();
        // Two factors, because the power of two alone may be below the smallest double.
        let magnitude = top as f64 * power_of_two(-64) * power_of_two((exponent + 64).max(-1074));
        if negative { -magnitude } else { magnitude }
    }

    fn value(self, _: &Scale) -> f64 {
        let (negative, top, exponent, sticky) = self.top();
        // Doubles of this magnitude are multiples of 2^ulp. A sum of doubles has no bit below the lowest bit of
        // the smallest double.
        let ulp = (exponent + 11).max(-1074);
        let drop = (ulp - exponent).clamp(0, 64) as u32;
        let kept = u128::from(top) >> drop;
        let rest = u128::from(top) - (kept << drop);
        let half = if drop == 0 { 0 } else { 1_u128 << (drop - 1) };
        let up = drop > 0 && (rest > half || rest == half && (sticky || kept & 1 == 1));
        let magnitude = (kept + u128::from(up)) as f64 * power_of_two(ulp);
        if negative { -magnitude } else { magnitude }
    }

    fn fuzz(_: &Scale) -> f64 {
        0.0
    }

    fn tie(self, scale: &Scale) -> Self {
        Self::most(self.value(scale), scale)
    }

    fn better(self, scale: &Scale) -> Self {
        Self::most(self.value(scale).next_down(), scale)
    }
}

impl Amount for Wide {
    const IS_SEARCHED: bool = false;

    fn of(value: f64, _: &Scale) -> Self {
        let (digits, exponent) = decode(value);
        Self::from_digits(i128::from(digits), exponent)
    }

    fn most(limit: f64, scale: &Scale) -> Self {
        let middle = Middle::above(scale.clamp(limit));
        let most = Self::from_digits(middle.digits, middle.exponent);
        if middle.included { most } else { most.minus(Self::from_digits(1, LOWEST)) }
    }
}
