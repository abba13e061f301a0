//! The numbers that a matrix of costs may hold.

/// A number type of costs: `f64`, `f32`, `i64`, `i32`.
///
/// Costs are computed in `f64`, which holds all of `f32` and `i32`; an `i64` must be one that it holds too.
/// Forbidden pairs cost infinity, `i64::MAX` or `i32::MAX`. Rows of 32-bit numbers are converted one by one
/// as they are read: that halves the memory traffic, and needs no copy of the matrix.
pub trait CostValue: sealed::Stored {}

impl CostValue for f64 {}
impl CostValue for f32 {}
impl CostValue for i64 {}
impl CostValue for i32 {}

/// A matrix of one of the number types.
#[derive(Clone, Copy)]
pub(crate) enum Values<'a> {
    F64(&'a [f64]),
    F32(&'a [f32]),
    I64(&'a [i64]),
    I32(&'a [i32]),
}

impl Values<'_> {
    pub(crate) fn at(self, index: usize) -> f64 {
        match self {
            Self::F64(values) => values[index],
            Self::F32(values) => f64::from(values[index]),
            Self::I64(values) => wide(values[index]),
            Self::I32(values) => whole(values[index]),
        }
    }

    /// Writes the values from `from` to `to`, negated if `negate`; a forbidden pair stays infinite.
    pub(crate) fn write(self, from: usize, to: usize, negate: bool, buffer: &mut Vec<f64>) {
        buffer.clear();
        match (self, negate) {
            (Self::F64(values), false) => buffer.extend_from_slice(&values[from..to]),
            (Self::F64(values), true) => buffer.extend(values[from..to].iter().map(|&v| opposite(v))),
            (Self::F32(values), false) => buffer.extend(values[from..to].iter().map(|&v| f64::from(v))),
            (Self::F32(values), true) => {
                buffer.extend(values[from..to].iter().map(|&v| opposite(f64::from(v))));
            }
            (Self::I64(values), false) => buffer.extend(values[from..to].iter().map(|&v| wide(v))),
            (Self::I64(values), true) => buffer.extend(values[from..to].iter().map(|&v| opposite(wide(v)))),
            (Self::I32(values), false) => buffer.extend(values[from..to].iter().map(|&v| whole(v))),
            (Self::I32(values), true) => buffer.extend(values[from..to].iter().map(|&v| opposite(whole(v)))),
        }
    }
}

#[inline(always)]
fn whole(value: i32) -> f64 {
    if value == i32::MAX { f64::INFINITY } else { f64::from(value) }
}

#[inline(always)]
fn wide(value: i64) -> f64 {
    if value == i64::MAX { f64::INFINITY } else { value as f64 }
}

/// A cost to be minimised for one to be maximised. Infinity marks a forbidden pair, and negative infinity is
/// an error: both stay.
#[inline(always)]
pub(crate) fn opposite(value: f64) -> f64 {
    if value.abs() == f64::INFINITY { value } else { -value }
}

pub(crate) mod sealed {
    use super::Values;

    /// How the numbers are stored.
    pub trait Stored: Copy + Sized + Send + Sync + 'static {
        /// The matrix among those of all types.
        #[allow(private_interfaces)] // sealed
        fn stored(values: &[Self]) -> Values<'_>;

        /// The first value that a double does not hold.
        fn inexact(_: &[Self]) -> Option<usize> {
            None
        }
    }

    impl Stored for f64 {
        #[allow(private_interfaces)]
        fn stored(values: &[Self]) -> Values<'_> {
            Values::F64(values)
        }
    }

    impl Stored for f32 {
        #[allow(private_interfaces)]
        fn stored(values: &[Self]) -> Values<'_> {
            Values::F32(values)
        }
    }

    impl Stored for i64 {
        #[allow(private_interfaces)]
        fn stored(values: &[Self]) -> Values<'_> {
            Values::I64(values)
        }

        fn inexact(values: &[Self]) -> Option<usize> {
            // The greatest rounds up to 2^63, and stands for infinity.
            values.iter().position(|&v| v != Self::MAX && i128::from(v) != (v as f64) as i128)
        }
    }

    impl Stored for i32 {
        #[allow(private_interfaces)]
        fn stored(values: &[Self]) -> Values<'_> {
            Values::I32(values)
        }
    }
}
