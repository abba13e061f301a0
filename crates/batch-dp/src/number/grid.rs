//! The grid on which the values of a search lie, and how its numbers become doubles.

/// The coarsest grid of a power of two that contains all values seen, and the greatest size of their sums.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grid {
    /// Exponent of the lowest set bit of any value.
    lowest: i32,
    /// Sum of the magnitudes held.
    total: f64,
}

/// Which type holds the sums of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    #[default]
    Long,
    Wide,
}

/// Runs an expression in which `$N` is the type of the sums of a [`Kind`].
macro_rules! with_sums {
    ($kind:expr, $N:ident => $run:expr) => {
        match $kind {
            $crate::number::Kind::Long => {
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

/// How numbers on a grid relate to doubles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    /// The distance of two numbers on the grid is 2^lowest.
    pub(crate) lowest: i32,
    /// The low bits of an integer that its near double omits, and the value of a unit above them.
    pub(crate) shift: u32,
    pub(crate) unit: f64,
    /// Four times the greatest magnitude of a sum, or more.
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

    /// The grid contains this value, which is not part of sums.
    #[inline]
    pub(crate) fn see(&mut self, value: f64) {
        if value != 0.0 {
            let (digits, exponent) = decode(value);
            self.lowest = self.lowest.min(exponent + digits.trailing_zeros() as i32);
        }
    }

    /// Sums contain this value, or another one of at most its magnitude.
    pub(crate) fn reach(&mut self, value: f64) {
        self.total += value.abs();
    }

    /// A value that is part of sums.
    pub(crate) fn hold(&mut self, value: f64) {
        self.see(value);
        self.reach(value);
    }

    /// Bits of the largest sum.
    fn bits(&self) -> i32 {
        exponent_of(self.total) + 2 - self.lowest()
    }

    /// All-zero values count as whole numbers.
    fn lowest(&self) -> i32 {
        if self.lowest == i32::MAX { 0 } else { self.lowest }
    }

    /// The type for sums of these values.
    pub(crate) fn kind(&self) -> Kind {
        if self.bits() <= 118 { Kind::Long } else { Kind::Wide }
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
    /// The limit, or a lesser one that is above all sums.
    pub(crate) fn clamp(&self, limit: f64) -> f64 {
        limit.clamp(-self.beyond, self.beyond)
    }
}

/// The exponent of the highest bit; that of the smallest double for zero.
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

/// The middle between a double and the next one above: what is less rounds to at most the double.
pub(crate) struct Middle {
    /// `digits * 2^exponent`.
    pub(crate) digits: i128,
    pub(crate) exponent: i32,
    /// Whether the middle itself rounds down: ties go to the even double.
    pub(crate) included: bool,
}

impl Middle {
    pub(crate) fn above(value: f64) -> Self {
        let value = value + 0.0;
        let ((low, low_exponent), (high, high_exponent)) = (decode(value), decode(value.next_up()));
        let exponent = low_exponent.min(high_exponent);
        let digits =
            (i128::from(low) << (low_exponent - exponent)) + (i128::from(high) << (high_exponent - exponent));
        Self { digits, exponent: exponent - 1, included: value.to_bits() & 1 == 0 }
    }
}
