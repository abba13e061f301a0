//! The loops over rows in the widest vector instructions that the processor has: 128 bits everywhere on x86-64,
//! 256 with AVX2.
//!
//! Each loop fixes the order of its operations, and no product is fused with a sum, so every width gives the same
//! numbers, to the bit.

use std::sync::LazyLock;

use fearless_simd::{Level, dispatch};

use crate::kernel::NONE;
use crate::kernel::lanes::{self, Float, Magnitudes, first_equal};
use crate::kernel::number::min_of;

/// The level of vector instructions that the processor has.
static LEVEL: LazyLock<Level> = LazyLock::new(Level::new);

/// Runs a loop that is compiled for every width, in the widest version for this processor. `run` must be a closure that
/// is always inlined, as must everything that it calls.
#[inline(always)]
pub(crate) fn widest<R>(run: impl FnOnce() -> R) -> R {
    dispatch!(*LEVEL, _level => run())
}

/// Declares functions that run loops of [`lanes`] by [`widest`].
macro_rules! widest {
    ($($name:ident$(<$number:ident>)?($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {$(
        #[doc = concat!("As [`lanes::", stringify!($name), "`].")]
        pub(crate) fn $name$(<$number: Float>)?($($argument: $type),*) $(-> $result)? {
            widest(
                #[inline(always)]
                || lanes::$name($($argument),*),
            )
        }
    )*};
}

widest! {
    min_sum(row: &[f64], prices: &[f64]) -> f64;
    write_sums(row: &[f64], prices: &[f64], sums: &mut [f64]) -> f64;
    block_minima(row: &[f64], prices: &[f64], minima: &mut Vec<f64>);
    magnitudes_and_columns(row: &[f64], columns: &mut [f64], magic: f64) -> Magnitudes;
    min_magnitude(row: &[f64]) -> f64;
    lower_to<F>(distances: &mut [F], row: &[F], prices: &[F], offset: F) -> F;
    min<F>(numbers: &[F]) -> F;
    add_signed(row: &[f64], sign: f64, signs: &[f64], sums: &mut [f64]) -> f64;
    positions_of<F>(numbers: &[F], wanted: F, found: &mut Vec<u32>);
}

/// Rows with fewer entries are processed directly, because the dispatch would take longer.
const SHORT_ROW: usize = 16;

/// As [`lanes::magnitudes`].
#[inline]
pub(crate) fn magnitudes(row: &[f64], magic: f64) -> Magnitudes {
    if row.len() < SHORT_ROW {
        return lanes::magnitudes(row, magic);
    }
    widest(
        #[inline(always)]
        || lanes::magnitudes(row, magic),
    )
}

/// The number of entries that are processed side by side.
const LANES: usize = 8;

/// The number of stripes into which [`two_smallest`] cuts a row.
const STRIPES: usize = 8;

/// The two smallest sums of cost + price of a row, and the resource of the first: all that a bid needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TwoSmallest {
    /// The minimum cost + price.
    pub(crate) smallest: f64,
    /// Its resource; any of them if several have this sum.
    pub(crate) at: usize,
    /// The minimum of all other sums; infinite if there is none.
    pub(crate) second: f64,
}

/// Returns the two smallest sums of cost + price of a row, which must not be empty; `minima` is a buffer.
///
/// The row is cut into [`STRIPES`] stripes. For each position in a stripe the minimum over all stripes is computed
/// without branches; then only these minima, and the entries at the position of the smallest one, are searched.
pub(crate) fn two_smallest(row: &[f64], prices: &[f64], minima: &mut Vec<f64>) -> TwoSmallest {
    minima.resize(row.len() / STRIPES + 1, f64::INFINITY);
    widest(
        #[inline(always)]
        || two_smallest_by(row, prices, minima),
    )
}

#[inline(always)]
fn two_smallest_by(row: &[f64], prices: &[f64], minima: &mut [f64]) -> TwoSmallest {
    let prices = &prices[..row.len()];
    let width = row.len() / STRIPES;
    stripe_minima(row, prices, &mut minima[..width]);
    let rest = row[STRIPES * width..].iter().zip(&prices[STRIPES * width..]);
    minima[width] = rest.map(|(&cost, &price)| cost + price).fold(f64::INFINITY, min_of);
    let lowest = lanes::min(minima);
    let place = first_equal(minima, lowest);
    minima[place] = f64::INFINITY;
    let mut two = TwoSmallest { smallest: lowest, at: 0, second: lanes::min(minima) };
    let mut is_found = false;
    let mut see = |at: usize| {
        let sum = row[at] + prices[at];
        if sum == lowest && !is_found {
            is_found = true;
            two.at = at;
        } else if sum < two.second {
            two.second = sum;
        }
    };
    if place < width {
        (place..STRIPES * width).step_by(width).for_each(&mut see);
    } else {
        (STRIPES * width..row.len()).for_each(&mut see);
    }
    two
}

/// Writes to `minima`, for each position in a stripe, the minimum cost + price over all stripes.
#[inline(always)]
fn stripe_minima(row: &[f64], prices: &[f64], minima: &mut [f64]) {
    let width = minima.len();
    // Listed one by one, because the loop is fast only if the compiler knows the lengths.
    let of = |k: usize| (&row[k * width..(k + 1) * width], &prices[k * width..(k + 1) * width]);
    let stripes: [_; STRIPES] = [of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7)];
    for (at, minimum) in minima.iter_mut().enumerate() {
        let sum = |k: usize| stripes[k].0[at] + stripes[k].1[at];
        let pair = |k: usize| min_of(sum(k), sum(k + 1));
        *minimum = min_of(min_of(pair(0), pair(2)), min_of(pair(4), pair(6)));
    }
}

/// Returns the first resource whose cost + price is `level` and whose `owner` is [`NONE`], searching from about `from`
/// to the end and then from 0.
pub(crate) fn free_at_level(
    row: &[f64],
    prices: &[f64],
    level: f64,
    owner: &[u32],
    from: usize,
) -> Option<usize> {
    widest(
        #[inline(always)]
        || free_at_level_by(row, prices, level, owner, from),
    )
}

#[inline(always)]
fn free_at_level_by(row: &[f64], prices: &[f64], level: f64, owner: &[u32], from: usize) -> Option<usize> {
    let from = from - from % LANES;
    for range in [from..row.len(), 0..from] {
        let (first, last) = (range.start, range.end);
        let (chunks, rest) = row[range.clone()].as_chunks::<LANES>();
        let (price_chunks, _) = prices[range.clone()].as_chunks::<LANES>();
        let (owner_chunks, _) = owner[range].as_chunks::<LANES>();
        let suits = |&at: &usize| (row[at] + prices[at] == level) & (owner[at] == NONE);
        for (number, ((costs, prices), owner)) in
            chunks.iter().zip(price_chunks).zip(owner_chunks).enumerate()
        {
            let mut any = false;
            for l in 0..LANES {
                // Without a branch between them, which would often be mispredicted where many sums are equal.
                any |= (costs[l] + prices[l] == level) & (owner[l] == NONE);
            }
            let first = first + number * LANES;
            if any {
                return (first..first + LANES).find(suits);
            }
        }
        if let Some(at) = (last - rest.len()..last).find(suits) {
            return Some(at);
        }
    }
    None
}
