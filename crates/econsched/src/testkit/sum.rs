//! Sums of doubles without rounding: whole multiples of 2^-1074, in digits of 32 bits. Written for the oracles;
//! shares no code with the arithmetic that they judge.

use std::cmp::Ordering;

/// 2^2240 units: enough for 10^40 times the largest double.
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

    /// The difference.
    pub fn minus(&self, other: &Self) -> Self {
        let mut out = self.clone();
        for (digit, theirs) in out.digits.iter_mut().zip(&other.digits) {
            *digit -= theirs;
        }
        out.carry();
        out
    }

    /// The nearest double; a tie goes to the even one.
    #[must_use]
    pub fn rounded(&self) -> f64 {
        if self.digits[DIGITS - 1] < 0 {
            return -Self::ZERO.minus(self).rounded();
        }
        let top = self.digits.iter().rposition(|&digit| digit != 0).unwrap_or(0);
        let low = top.saturating_sub(2);
        // Three digits are at least 65 bits, so their last bit can stand for all that lies below them: the
        // conversion to 53 bits is the only rounding.
        let wide = self.digits[low..=top]
            .iter()
            .rev()
            .fold(0, |wide, &digit| wide << 32 | u128::from(digit.unsigned_abs()));
        let rest = self.digits[..low].iter().any(|&digit| digit != 0);
        let units = (wide | u128::from(rest)) as f64;
        (0..low).fold(units * f64::from_bits(1), |value, _| value * 2f64.powi(32))
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
