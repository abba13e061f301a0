//! The loops of the first pass over rows.

use crate::kernel::lanes::least;
use crate::kernel::positions::first_equal;
use crate::kernel::wide::widest;

/// Entries side by side.
const LANES: usize = 16;

/// What copying a row tells.
pub(super) struct Copied {
    /// The greatest magnitude.
    pub(super) greatest: f32,
    /// The least of the row.
    pub(super) level: f32,
    /// 0 only if every cost is a number on the grid, or one of more than 2^51 steps.
    pub(super) off: u64,
}

/// Copies a row in 32 bits, and lowers the least of each column so far, the least of the row taken off.
pub(super) fn copy_and_lower(row: &[f64], magic: f64, copy: &mut [f32], columns: &mut [f32]) -> Copied {
    widest(
        #[inline(always)]
        || {
            let copied = copy_of(row, magic, copy);
            lower_columns(columns, copy, copied.level);
            copied
        },
    )
}

/// Copies a row in 32 bits; where its least stands first comes with it.
pub(super) fn copy_and_choose(row: &[f64], magic: f64, copy: &mut [f32]) -> (Copied, usize) {
    widest(
        #[inline(always)]
        || {
            let copied = copy_of(row, magic, copy);
            let at = first_equal(copy, copied.level);
            (copied, at)
        },
    )
}

#[inline(always)]
fn copy_of(row: &[f64], magic: f64, copy: &mut [f32]) -> Copied {
    let off = narrow(row, magic, copy);
    Copied { greatest: greatest(copy), level: least(copy), off }
}

/// Copies a row in 32 bits, each cost rounded to the nearest number of that width; returns 0 only if every
/// cost is a number on the grid of this `magic` number (see `survey`), or one of more than 2^51 steps.
#[inline(always)]
fn narrow(row: &[f64], magic: f64, copy: &mut [f32]) -> u64 {
    let mut off = 0;
    for (&value, copy) in row.iter().zip(copy) {
        *copy = value as f32;
        // Plus 0 where the value is on the grid.
        off |= (((value + magic) - magic) - value).to_bits();
    }
    off
}

/// The greatest magnitude.
#[inline(always)]
fn greatest(row: &[f32]) -> f32 {
    let (chunks, rest) = row.as_chunks::<LANES>();
    let mut greatest = [0.0f32; LANES];
    for values in chunks {
        for l in 0..LANES {
            let magnitude = values[l].abs();
            greatest[l] = if magnitude > greatest[l] { magnitude } else { greatest[l] };
        }
    }
    rest.iter().map(|value| value.abs()).chain(greatest).fold(0.0, |a, b| if b > a { b } else { a })
}

/// Lowers the least of each column so far, the least of the row, `base`, taken off. Nothing is below 0 then, so
/// that bits, taken as whole numbers, are in order (-0 before 0). Where floats are compared, the compiler
/// writes only those columns that are lowered, under a mask, which takes far longer.
#[inline(always)]
fn lower_columns(columns: &mut [f32], row: &[f32], base: f32) {
    for (column, &cost) in columns.iter_mut().zip(row) {
        let value = (cost - base).to_bits() as i32;
        *column = f32::from_bits(value.min(column.to_bits() as i32) as u32);
    }
}
