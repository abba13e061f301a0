//! Loops over a row of costs with several entries side by side, which the compiler turns into vector instructions.

use std::ops::{Add, Sub};

use crate::kernel::number::{max_of, min_of};

/// The number of entries that are processed side by side.
const LANES: usize = 8;

/// The floating-point numbers of a row: `f64` or `f32`.
pub(crate) trait Float:
    Copy + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Into<f64>
{
    const INFINITY: Self;

    /// Returns the nearest number of this type.
    fn of(value: f64) -> Self;
}

impl Float for f64 {
    const INFINITY: Self = f64::INFINITY;

    #[inline(always)]
    fn of(value: f64) -> Self {
        value
    }
}

impl Float for f32 {
    const INFINITY: Self = f32::INFINITY;

    #[inline(always)]
    fn of(value: f64) -> Self {
        value as f32
    }
}

/// The number of entries per block of [`block_minima`].
pub(crate) const BLOCK: usize = 8;

/// Returns the minimum cost + price of a row.
#[inline(always)]
pub(crate) fn min_sum(row: &[f64], prices: &[f64]) -> f64 {
    let (chunks, rest) = row.as_chunks::<LANES>();
    let (price_chunks, rest_prices) = prices[..row.len()].as_chunks::<LANES>();
    let mut minima = [f64::INFINITY; LANES];
    for (costs, prices) in chunks.iter().zip(price_chunks) {
        for l in 0..LANES {
            minima[l] = min_of(minima[l], costs[l] + prices[l]);
        }
    }
    let rest = rest.iter().zip(rest_prices).map(|(&cost, &price)| cost + price);
    minima.into_iter().chain(rest).fold(f64::INFINITY, min_of)
}

/// Writes each cost + price of a row to `sums`, and returns their minimum.
#[inline(always)]
pub(crate) fn write_sums(row: &[f64], prices: &[f64], sums: &mut [f64]) -> f64 {
    let sums = &mut sums[..row.len()];
    for ((sum, &cost), &price) in sums.iter_mut().zip(row).zip(prices) {
        *sum = cost + price;
    }
    // In a separate loop, so that both loops are simple enough for the compiler.
    min(sums)
}

/// Writes the minimum cost + price of each [`BLOCK`] of a row to `minima`; the last block may be shorter.
#[inline(always)]
pub(crate) fn block_minima(row: &[f64], prices: &[f64], minima: &mut Vec<f64>) {
    minima.resize(row.len().div_ceil(BLOCK), f64::INFINITY);
    let prices = &prices[..row.len()];
    let (blocks, last) = row.as_chunks::<BLOCK>();
    let (price_blocks, last_prices) = prices.as_chunks::<BLOCK>();
    for ((costs, prices), minimum) in blocks.iter().zip(price_blocks).zip(minima.iter_mut()) {
        *minimum = block_minimum(&std::array::from_fn(|k| costs[k] + prices[k]));
    }
    if let Some(minimum) = minima.get_mut(blocks.len()) {
        *minimum = min_sum(last, last_prices);
    }
}

/// The result of [`magnitudes`] for a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Magnitudes {
    /// The maximum magnitude; unspecified if some entry is not finite.
    pub(crate) max_magnitude: f64,
    /// 0 only if every entry is a finite number on the grid.
    pub(crate) off: u64,
}

/// The number of entries that [`magnitudes`] processes side by side.
const SURVEY_LANES: usize = 4;

/// Includes a value in the results of [`magnitudes`].
#[inline(always)]
fn include(value: f64, magic: f64, max_magnitude: &mut f64, off: &mut u64) {
    let magnitude = value.abs();
    *max_magnitude = if magnitude > *max_magnitude { magnitude } else { *max_magnitude };
    // The term is +0 if the value is on the grid of this magic number.
    *off |= (((value + magic) - magic) - value).to_bits();
}

/// Returns the maximum magnitude of a row, and whether all entries are on the grid of the `magic` number (see `Grid`
/// in `prepared`).
#[inline(always)]
pub(crate) fn magnitudes(row: &[f64], magic: f64) -> Magnitudes {
    let (chunks, rest) = row.as_chunks::<SURVEY_LANES>();
    let (mut max_magnitude, mut off) = ([0.0f64; SURVEY_LANES], [0u64; SURVEY_LANES]);
    for values in chunks {
        for l in 0..SURVEY_LANES {
            include(values[l], magic, &mut max_magnitude[l], &mut off[l]);
        }
    }
    for &value in rest {
        include(value, magic, &mut max_magnitude[0], &mut off[0]);
    }
    join_lanes(max_magnitude, off)
}

/// As [`magnitudes`]; also lowers each of `columns`, the minima of the columns so far, to the entry of the row minus
/// the minimum of the row.
#[inline(always)]
pub(crate) fn magnitudes_and_columns(row: &[f64], columns: &mut [f64], magic: f64) -> Magnitudes {
    lower_columns(columns, row, min(row));
    magnitudes(row, magic)
}

/// Lowers each of `columns`, the minima of the columns so far, to the entry of the row minus `base`. No entry is below
/// `base`, so the differences are ordered like their bits, taken as whole numbers (-0 before 0). If floats are
/// compared, the compiler writes only the columns that are lowered, under a mask, which takes far longer.
#[inline(always)]
fn lower_columns(columns: &mut [f64], row: &[f64], base: f64) {
    // A row in which every pair is forbidden lowers nothing.
    let base = if base < f64::INFINITY { base } else { 0.0 };
    for (column, &cost) in columns.iter_mut().zip(row) {
        let value = (cost - base).to_bits() as i64;
        *column = f64::from_bits(value.min(column.to_bits() as i64) as u64);
    }
}

/// Joins the results of the lanes of [`magnitudes`].
fn join_lanes(max_magnitude: [f64; SURVEY_LANES], off: [u64; SURVEY_LANES]) -> Magnitudes {
    Magnitudes {
        max_magnitude: max_magnitude.into_iter().fold(0.0, f64::max),
        off: off.into_iter().fold(0, |a, b| a | b),
    }
}

/// Folds all numbers, side by side in lanes, and joins the lanes. `start` must be neutral for `join`.
#[inline(always)]
fn fold_lanes<F: Float, T: Copy>(
    numbers: &[F],
    start: T,
    fold: impl Fn(T, F) -> T,
    join: impl Fn(T, T) -> T,
) -> T {
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    let mut lanes = [start; LANES];
    for numbers in chunks {
        for l in 0..LANES {
            lanes[l] = fold(lanes[l], numbers[l]);
        }
    }
    // Separate from the lanes, so that these stay in registers.
    let rest = rest.iter().fold(start, |fold_lanes, &number| fold(fold_lanes, number));
    lanes.into_iter().fold(rest, join)
}

/// Returns the minimum number; infinity if there is none.
#[inline(always)]
pub(crate) fn min<F: Float>(numbers: &[F]) -> F {
    fold_lanes(numbers, F::INFINITY, min_of, min_of)
}

/// Returns the minimum magnitude of the numbers other than 0; infinity if there is none.
#[inline(always)]
pub(crate) fn min_magnitude(row: &[f64]) -> f64 {
    let magnitude = |value: f64| if value == 0.0 { f64::INFINITY } else { value.abs() };
    fold_lanes(row, f64::INFINITY, |minimum, value| min_of(minimum, magnitude(value)), min_of)
}

/// Returns the maximum magnitude of the finite numbers; 0 if there is none.
#[inline(always)]
pub(crate) fn max_finite_magnitude(numbers: &[f64]) -> f64 {
    let finite = |number: f64| if number.abs() < f64::INFINITY { number.abs() } else { 0.0 };
    fold_lanes(numbers, 0.0, |maximum, number| max_of(maximum, finite(number)), max_of)
}

/// Returns the sum of all magnitudes, which is finite only if every entry is a finite number.
#[inline(always)]
pub(crate) fn sum_of_magnitudes(row: &[f64]) -> f64 {
    fold_lanes(row, 0.0, |sum, value| sum + value.abs(), |a, b| a + b)
}

/// Returns the number of values that are at most `bound`.
#[inline(always)]
pub(crate) fn count_at_most(numbers: &[f64], bound: f64) -> usize {
    fold_lanes(numbers, 0u64, |count, number| count + u64::from(number <= bound), |a, b| a + b) as usize
}

/// Returns the minimum of a full block.
#[inline(always)]
fn block_minimum(block: &[f64; BLOCK]) -> f64 {
    let of_four: [f64; 4] = std::array::from_fn(|l| min_of(block[l], block[l + 4]));
    let of_two: [f64; 2] = std::array::from_fn(|l| min_of(of_four[l], of_four[l + 2]));
    min_of(of_two[0], of_two[1])
}

/// The number of entries that [`lower_to`] processes side by side. With as many as fit into a register of 256 bits, the
/// compiler would write only the entries that are lowered, under a mask, which takes far longer.
const LOWER_LANES: usize = 16;

/// Lowers each distance to cost + price - `offset` where that is less; returns the minimum distance.
#[inline(always)]
pub(crate) fn lower_to<F: Float>(distances: &mut [F], row: &[F], prices: &[F], offset: F) -> F {
    let mut minima = [F::INFINITY; LOWER_LANES];
    let (chunks, rest) = row.as_chunks::<LOWER_LANES>();
    let (price_chunks, rest_prices) = prices[..row.len()].as_chunks::<LOWER_LANES>();
    let (distance_chunks, rest_distances) = distances[..row.len()].as_chunks_mut::<LOWER_LANES>();
    for ((costs, prices), distances) in chunks.iter().zip(price_chunks).zip(distance_chunks) {
        let mut lowered = *distances;
        for l in 0..LOWER_LANES {
            let value = costs[l] + prices[l] - offset;
            lowered[l] = if value < lowered[l] { value } else { lowered[l] };
        }
        *distances = lowered;
        // In a separate loop, so that the compiler vectorises it.
        for l in 0..LOWER_LANES {
            minima[l] = if lowered[l] < minima[l] { lowered[l] } else { minima[l] };
        }
    }
    let rest = rest.iter().zip(rest_prices).zip(rest_distances).zip(&mut minima);
    for (((&cost, &price), distance), minimum) in rest {
        let value = cost + price - offset;
        *distance = if value < *distance { value } else { *distance };
        *minimum = if *distance < *minimum { *distance } else { *minimum };
    }
    minima.into_iter().fold(F::INFINITY, min_of)
}

/// Adds each entry of a row times `sign` to the sum of its column; returns the sum of all entries, each times the sign
/// of its column.
#[inline(always)]
pub(crate) fn add_signed(row: &[f64], sign: f64, signs: &[f64], sums: &mut [f64]) -> f64 {
    let mut total = [0.0; LANES];
    let (signs, sums) = (&signs[..row.len()], &mut sums[..row.len()]);
    let (chunks, rest) = row.as_chunks::<LANES>();
    let (sign_chunks, rest_signs) = signs.as_chunks::<LANES>();
    let (sum_chunks, rest_sums) = sums.as_chunks_mut::<LANES>();
    for ((costs, signs), sums) in chunks.iter().zip(sign_chunks).zip(sum_chunks) {
        for l in 0..LANES {
            sums[l] += sign * costs[l];
            total[l] += signs[l] * costs[l];
        }
    }
    for (((&cost, &of_column), sum), total) in rest.iter().zip(rest_signs).zip(rest_sums).zip(&mut total) {
        *sum += sign * cost;
        *total += of_column * cost;
    }
    total.into_iter().sum()
}

/// Whether `wanted` is among these numbers. All are compared, without branches.
#[inline(always)]
fn contains<F: Float>(numbers: &[F; LANES], wanted: F) -> bool {
    let mut any = false;
    for number in numbers {
        any |= *number == wanted;
    }
    any
}

/// Returns the first position of `wanted`; 0 if it is absent.
#[inline(always)]
pub(crate) fn first_equal(numbers: &[f64], wanted: f64) -> usize {
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    for (chunk, numbers) in chunks.iter().enumerate() {
        if contains(numbers, wanted) {
            return chunk * LANES + numbers.iter().position(|&number| number == wanted).unwrap_or(0);
        }
    }
    let at = rest.iter().position(|&number| number == wanted);
    at.map_or(0, |at| numbers.len() - rest.len() + at)
}

/// Appends all positions of `wanted` to `found`, in order.
#[inline(always)]
pub(crate) fn positions_of<F: Float>(numbers: &[F], wanted: F, found: &mut Vec<u32>) {
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    for (chunk, numbers) in chunks.iter().enumerate() {
        if contains(numbers, wanted) {
            let at = numbers.iter().enumerate().filter(|&(_, &number)| number == wanted);
            found.extend(at.map(|(l, _)| (chunk * LANES + l) as u32));
        }
    }
    let last = numbers.len() - rest.len();
    found.extend(rest.iter().zip(last..).filter(|&(&number, _)| number == wanted).map(|(_, at)| at as u32));
}

#[cfg(test)]
mod tests {
    use super::{max_finite_magnitude, min_magnitude};

    /// Prices of resources without places are infinite; they must not count as magnitudes.
    #[test]
    fn magnitudes_leave_out_what_says_nothing_about_the_grid() {
        assert_eq!(max_finite_magnitude(&[1.0, f64::INFINITY, -3.0, f64::NEG_INFINITY]), 3.0);
        assert_eq!(min_magnitude(&[0.0, -2.0, 5.0]), 2.0);
    }
}
