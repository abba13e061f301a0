//! Which sums of doubles are exact.

/// The significand of a finite double, odd or 0, and the exponent of its last bit.
pub(super) fn parts(number: f64) -> (i64, i32) {
    let bits = number.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (significand, exponent) =
        if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    let zeros = if significand == 0 { 0 } else { significand.trailing_zeros() };
    let significand = significand >> zeros;
    (if number < 0.0 { -significand } else { significand }, exponent + zeros as i32)
}

/// The range of the bits of some numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bits {
    /// All are multiples of 2^this.
    pub(super) last: i32,
    /// The sum of any of them is below 2^this in magnitude.
    above: i32,
}

impl Bits {
    pub(super) fn of(numbers: impl Iterator<Item = f64>) -> Self {
        let (mut last, mut above, mut count) = (i32::MAX, i32::MIN, 0_usize);
        for (significand, exponent) in numbers.map(parts) {
            count += 1;
            if significand != 0 {
                last = last.min(exponent);
                above = above.max(exponent + 64 - significand.unsigned_abs().leading_zeros() as i32);
            }
        }
        if last == i32::MAX {
            return Self { last: 0, above: 0 };
        }
        Self { last, above: above + (usize::BITS - count.leading_zeros()) as i32 }
    }

    /// Whether every sum of some of them is a double.
    pub(super) fn sums_are_exact(self) -> bool {
        self.width() <= 53
    }

    /// Bits that a sum takes.
    pub(super) fn width(self) -> i32 {
        self.above - self.last
    }

    /// 2 to the power of the last bit.
    pub(super) fn unit(self) -> f64 {
        // Two factors, so that neither is too small for a double.
        2_f64.powi(self.last / 2) * 2_f64.powi(self.last - self.last / 2)
    }
}
