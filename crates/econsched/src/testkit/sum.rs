//! Sums of doubles without rounding: whole multiples of 2^-1074, in digits of 32 bits. Written for the oracles;
//! shares no code with the arithmetic that they judge.

use std::cmp::Ordering;

/// 2^2240 units: enough for 10^40 times the greatest double.
const DIGITS: usize = 70;

/// A sum of finite doubles without rounding: a whole multiple of 2^-1074.
///
/// ```
/// use econsched::testkit::Exact;
/// let sum = Exact::of([1e60, 0.1, -1e60]);
/// assert_eq!((sum.rounded(), sum > Exact::of([0.1])), (0.1, false));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Exact {
    /// The last digit may be negative; all others are in 0..2^32, so every number has one form.
    digits: [i64; DIGITS],
}

impl Exact {
    /// The empty sum.
    pub const ZERO: Self = Self { digits: [0; DIGITS] };

    /// The sum of these values.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut sum = Self::ZERO;
        for value in values {
            sum.spread(value);
        }
        sum.carry();
        sum
    }

    /// The sum with one more term.
    pub fn plus(&self, value: f64) -> Self {
        let mut sum = self.clone();
        sum.spread(value);
        sum.carry();
        sum
    }

    /// Adds a finite double to the digits, without carrying.
    fn spread(&mut self, value: f64) {
        let bits = value.to_bits();
        let field = (bits >> 52 & 0x7ff) as usize;
        let fraction = bits & ((1 << 52) - 1);
        let (whole, shift) = if field == 0 { (fraction, 0) } else { (fraction | 1 << 52, field - 1) };
        let wide = u128::from(whole) << (shift % 32);
        for place in 0..3 {
            let digit = (wide >> (32 * place)) as u32;
            let digit = i64::from(digit);
            self.digits[shift / 32 + place] += if bits >> 63 == 1 { -digit } else { digit };
        }
    }

    fn carry(&mut self) {
        for place in 0..DIGITS - 1 {
            let over = self.digits[place] >> 32;
            self.digits[place] -= over << 32;
            self.digits[place + 1] += over;
        }
    }

    fn negated(&self) -> Self {
        let mut out = Self { digits: self.digits.map(|digit| -digit) };
        out.carry();
        out
    }

    /// The difference.
    pub fn minus(&self, other: &Self) -> Self {
        let mut out = self.clone();
        for (digit, theirs) in out.digits.iter_mut().zip(&other.digits) {
            *digit -= theirs;
        }
        out.carry();
        out
    }

    /// Whether the sum is less than zero.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.digits[DIGITS - 1] < 0
    }

    /// The nearest double; a tie goes to the even one.
    #[must_use]
    pub fn rounded(&self) -> f64 {
        if self.is_negative() {
            return -self.negated().rounded();
        }
        let Some(top) = self.digits.iter().rposition(|&digit| digit != 0) else { return 0.0 };
        // Bits from 2^-1074 on; `length` of them count.
        let length = 32 * top + (64 - self.digits[top].leading_zeros() as usize);
        let bit = |at: usize| self.digits[at / 32] >> (at % 32) & 1 == 1;
        if length <= 53 {
            let value = (0..length).filter(|&at| bit(at)).map(|at| 1u64 << at).sum::<u64>();
            return value as f64 * f64::from_bits(1); // whole, below 2^53, times a power of two: exact
        }
        let low = length - 53;
        let mut value = (low..length).filter(|&at| bit(at)).map(|at| 1u64 << (at - low)).sum::<u64>();
        let rest = (0..low - 1).any(bit);
        if bit(low - 1) && (rest || value & 1 == 1) {
            value += 1;
        }
        // value * 2^(low - 1074), by exponent field: value may be 2^53 after rounding.
        let (value, low) = if value == 1 << 53 { (1 << 52, low + 1) } else { (value, low) };
        let field = low as u64 + 1;
        if field >= 2047 {
            return f64::INFINITY;
        }
        f64::from_bits(field << 52 | value & ((1 << 52) - 1))
    }
}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Exact {
    fn cmp(&self, other: &Self) -> Ordering {
        self.digits.iter().rev().cmp(other.digits.iter().rev())
    }
}

/// The sum of these values, rounded once to a double.
///
/// ```
/// use econsched::testkit::rounded_sum;
/// assert_eq!((rounded_sum([0.1; 10]), [0.1; 10].iter().sum::<f64>()), (1.0, 0.9999999999999999));
/// ```
#[must_use]
pub fn rounded_sum(values: impl IntoIterator<Item = f64>) -> f64 {
    Exact::of(values).rounded()
}
