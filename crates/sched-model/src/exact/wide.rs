//! An accumulator for doubles of any size: a fixed-point number as wide as their whole range.

/// Bits of a digit.
const BITS: usize = 32;

/// Digits: 2098 bits hold every finite double, and 64 more the sum of 2^64 of them; the last digit holds the
/// sign.
const DIGITS: usize = 69;

/// Terms that may be added before carries must be passed on: each adds less than 2^32 to a digit of 64 bits.
const TERMS: u32 = 1 << 30;

/// The sum of `digit[i] * 2^(32 i - 1074)`, without rounding. Digits may be negative and exceed 32 bits.
#[derive(Debug, Clone)]
pub(super) struct Wide {
    digits: [i64; DIGITS],
    /// Terms added since carries were passed on.
    terms: u32,
    /// Whether a term was not finite.
    broken: bool,
}

impl Default for Wide {
    fn default() -> Self {
        Self { digits: [0; DIGITS], terms: 0, broken: false }
    }
}

impl Wide {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn add(&mut self, term: f64) {
        if !term.is_finite() {
            self.broken = true;
            return;
        }
        let bits = term.to_bits();
        let exponent = (bits >> 52) as usize & 0x7ff;
        let fraction = bits & ((1 << 52) - 1);
        // term = significand * 2^(place - 1074)
        let (significand, place) =
            if exponent == 0 { (fraction, 0) } else { (fraction | (1 << 52), exponent - 1) };
        let shifted = u128::from(significand) << (place % BITS); // at most 84 bits
        for (at, digit) in self.digits[place / BITS..][..3].iter_mut().enumerate() {
            let piece = i64::from((shifted >> (at * BITS)) as u32);
            *digit += if term < 0.0 { -piece } else { piece };
        }
        self.terms += 1;
        if self.terms == TERMS {
            carry(&mut self.digits);
            self.terms = 0;
        }
    }

    /// The sum, rounded once to nearest, ties to even.
    pub(super) fn value(&self) -> f64 {
        if self.broken {
            return f64::NAN;
        }
        let mut digits = self.digits;
        carry(&mut digits);
        let negative = digits[DIGITS - 1] < 0;
        if negative {
            for digit in &mut digits {
                *digit = -*digit;
            }
            carry(&mut digits);
        }
        let magnitude = round(&digits);
        if negative { -magnitude } else { magnitude }
    }
}

/// Passes carries on until every digit but the last lies in `0..2^32`. The last then has the sign of the
/// whole.
fn carry(digits: &mut [i64; DIGITS]) {
    let mut carried = 0;
    for digit in &mut digits[..DIGITS - 1] {
        let sum = *digit + carried;
        carried = sum >> BITS;
        *digit = sum - (carried << BITS);
    }
    digits[DIGITS - 1] += carried;
}

/// The double nearest to a number that is not negative and whose carries have been passed on.
fn round(digits: &[i64; DIGITS]) -> f64 {
    let Some(top) = digits.iter().rposition(|&digit| digit != 0) else {
        return 0.0;
    };
    // 64 bits from a place on; a bound on the number keeps the last digit within 32 bits.
    let bits_from = |place: usize| {
        let at = |index: usize| digits.get(index).map_or(0, |&digit| digit as u128);
        let digit = place / BITS;
        let three = at(digit) | at(digit + 1) << BITS | at(digit + 2) << (2 * BITS);
        (three >> (place % BITS)) as u64
    };
    let length = top * BITS + (64 - digits[top].leading_zeros() as usize);
    // `place` is the position of the last bit of the significand: that of the last bit of subnormals, or 53
    // bits below the top.
    let place = length.saturating_sub(53);
    let significand = bits_from(place) & ((1 << 53) - 1);
    let up = place > 0 && {
        let half = bits_from(place - 1) & 1 == 1;
        let lowest = (place - 1) / BITS;
        let rest = digits[..lowest].iter().any(|&digit| digit != 0)
            || digits[lowest] & ((1 << ((place - 1) % BITS)) - 1) != 0;
        half && (rest || significand & 1 == 1)
    };
    // The implicit bit of the significand raises the exponent by one; so does the carry of rounding up.
    let bits = ((place as u64) << 52) + significand + u64::from(up);
    f64::from_bits(bits.min(f64::INFINITY.to_bits()))
}
