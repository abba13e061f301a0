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

#[cfg(test)]
mod tests {
    use super::*;

    /// Every loop gives what it gives where the compiler knows of no wide instructions.
    #[test]
    fn every_width_gives_the_same_bits() {
        for length in (0..70).chain([127, 128, 129, 1000]) {
            let draw = |k: usize| ((k * 7919 + k * k % 1009 * 31) % 2003) as f64 / 7.0 - 100.0;
            let row: Vec<f64> = (0..length).map(draw).collect();
            let prices: Vec<f64> = (0..length).map(|k| draw(3 * k + 5)).collect();
            assert_eq!(least_sum(&row, &prices).to_bits(), lanes::least_sum(&row, &prices).to_bits());
            assert_eq!(least(&row).to_bits(), lanes::least(&row).to_bits());
            assert_eq!(least_magnitude(&row), lanes::least_magnitude(&row));
            let (mut wide, mut plain) = (vec![0.0; length], vec![0.0; length]);
            let of_wide = write_sums(&row, &prices, &mut wide);
            assert_eq!(of_wide, lanes::write_sums(&row, &prices, &mut plain));
            assert_eq!(wide, plain);
            let of_wide = lower_to(&mut wide, &row, &prices, 3.25);
            assert_eq!(of_wide, lanes::lower_to(&mut plain, &row, &prices, 3.25));
            assert_eq!(wide, plain);
            let (mut wide, mut plain) = (Vec::new(), vec![0.0; length.div_ceil(lanes::BLOCK)]);
            least_per_block(&row, &prices, &mut wide);
            lanes::least_per_block(&row, &prices, &mut plain);
            assert_eq!(wide, plain);
            let magic = 1.5 * 2f64.powi(52);
            assert_eq!(magnitudes(&row, magic), lanes::magnitudes(&row, magic));
            let (mut wide, mut plain) = (prices.clone(), prices.clone());
            let of_wide = magnitudes_and_columns(&row, &mut wide, magic);
            let of_plain = lanes::magnitudes_and_columns(&row, lanes::least(&row), &mut plain, magic);
            assert_eq!((of_wide, wide), (of_plain, plain));
            let (mut wide, mut plain) = ([0.0; CHEAPEST_LANES], [0.0; CHEAPEST_LANES]);
            assert_eq!(cheapest::<true>(&row, &mut wide), lanes::cheapest::<true>(&row, &mut plain));
            assert_eq!(wide.map(f64::to_bits), plain.map(f64::to_bits));
            let (mut wide, mut plain) = (Vec::new(), Vec::new());
            let wanted = row.get(length / 2).copied().unwrap_or_default();
            positions_of(&row, wanted, &mut wide);
            lanes::positions_of(&row, wanted, &mut plain);
            assert_eq!(wide, plain);
        }
    }
}
