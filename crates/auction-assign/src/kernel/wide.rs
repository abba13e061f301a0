//! The loops over rows in the widest vector instructions that the processor has: 128 bits everywhere on
//! x86-64, 256 where there is AVX2.
//!
//! What stands side by side is fixed by each loop, and no product is fused with a sum, so that every width
//! gives the same numbers, to the bit.

use std::sync::LazyLock;

use fearless_simd::{Level, dispatch};

use crate::kernel::lanes::{self, CHEAPEST_LANES, Magnitudes};

/// What the processor has.
static LEVEL: LazyLock<Level> = LazyLock::new(Level::new);

/// Runs a loop that was compiled for every width in the one of this processor. It must be a closure that is
/// always inlined, and so must be what it calls.
#[inline(always)]
pub(crate) fn widest<R>(run: impl FnOnce() -> R) -> R {
    dispatch!(*LEVEL, _level => run())
}

/// Loops of [`lanes`] by their names, each in the widest instructions.
macro_rules! widest {
    ($($name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {$(
        #[doc = concat!("As [`lanes::", stringify!($name), "`].")]
        pub(crate) fn $name($($argument: $type),*) $(-> $result)? {
            widest(
                #[inline(always)]
                || lanes::$name($($argument),*),
            )
        }
    )*};
}

widest! {
    least_sum(row: &[f64], prices: &[f64]) -> f64;
    write_sums(row: &[f64], prices: &[f64], sums: &mut [f64]) -> f64;
    least_magnitude(row: &[f64]) -> f64;
    lower_to(distances: &mut [f64], row: &[f64], prices: &[f64], offset: f64) -> f64;
    least(numbers: &[f64]) -> f64;
    add_signed(row: &[f64], sign: f64, signs: &[f64], sums: &mut [f64]) -> f64;
    positions_of(numbers: &[f64], wanted: f64, found: &mut Vec<u32>);
}

/// As [`lanes::least_per_block`].
pub(crate) fn least_per_block(row: &[f64], prices: &[f64], minima: &mut Vec<f64>) {
    lanes::make_room(row, minima);
    widest(
        #[inline(always)]
        || lanes::least_per_block(row, prices, minima),
    );
}

/// Rows of fewer entries are read as they are: a call takes longer.
const SHORT: usize = 16;

/// As [`lanes::magnitudes`].
#[inline]
pub(crate) fn magnitudes(row: &[f64], magic: f64) -> Magnitudes {
    if row.len() < SHORT {
        return lanes::magnitudes(row, magic);
    }
    widest(
        #[inline(always)]
        || lanes::magnitudes(row, magic),
    )
}

/// As [`lanes::magnitudes_and_columns`], the least of the row taken off.
pub(crate) fn magnitudes_and_columns(row: &[f64], columns: &mut [f64], magic: f64) -> Magnitudes {
    widest(
        #[inline(always)]
        || lanes::magnitudes_and_columns(row, lanes::least(row), columns, magic),
    )
}

/// As [`lanes::cheapest`].
pub(crate) fn cheapest<const NEGATE: bool>(
    row: &[f64],
    magnitudes: &mut [f64; CHEAPEST_LANES],
) -> Option<(f64, usize)> {
    widest(
        #[inline(always)]
        || lanes::cheapest::<NEGATE>(row, magnitudes),
    )
}
