//! The first pass over the costs: every cost is checked, and the facts that decide whether sums are exact are
//! gathered.

use std::ops::Range;

use crate::AssignError;
use crate::kernel::lanes::{self, Magnitudes};
use crate::kernel::source::{Row, Source};
use crate::kernel::watch::{Stop, Watch};
use crate::kernel::wide;
use crate::parallel::over_ranges;
use crate::problem::MAX_COST;

/// The result of one pass over the costs.
#[derive(Debug, Clone)]
pub(crate) struct Survey {
    /// Of each resource the least cost less the least of the job's row, infinite where every pair is
    /// forbidden.
    pub(crate) column_least: Vec<f64>,
    /// Whether a pair is forbidden.
    pub(crate) forbidden: bool,
    /// A power of two of which all costs are multiples, 0 where none was found or some cost exceeds 2^51 of
    /// it. Sums and differences below 2^53 steps are exact.
    pub(crate) step: f64,
    /// The greatest magnitude of a cost.
    pub(crate) greatest: f64,
}

impl Survey {
    /// Whether sums and differences of costs and of prices up to this magnitude are exact, where prices are
    /// sums of costs and of multiples of a power of two, `least_raise`.
    pub(crate) fn is_exact(&self, greatest_price: f64, least_raise: f64) -> bool {
        4.0 * (self.greatest + greatest_price) <= self.step.min(least_raise) * 2f64.powi(53)
    }
}

/// Checks every cost and gathers the [`Survey`]; `penalty` is a further cost that enters the sums. The least
/// costs of the resources are gathered only if `columns` are wanted.
pub(crate) fn survey(
    source: &Source<'_>,
    penalty: f64,
    columns: bool,
    watch: Watch<'_>,
) -> Result<Survey, Stop> {
    let rows = source.rows();
    let grid = Grid::of(source, &mut Vec::new());
    let flat = if columns || watch.is_limited() { None } else { source.flat() };
    if let Some(values) = flat {
        // The overhead of a short row exceeds the work on its entries.
        let seen = scan(values, grid);
        if seen.finite && seen.greatest <= MAX_COST {
            watch.spend(source.all_entries())?;
            let column_least = vec![f64::INFINITY; source.cols()];
            let greatest = penalty.abs().max(seen.greatest);
            let step = if grid.holds(penalty) && seen.on_grid { grid.step_up_to(greatest) } else { 0.0 };
            return Ok(Survey { column_least, forbidden: false, step, greatest });
        }
    }
    let parts = if cfg!(feature = "rayon") && !watch.is_limited() {
        watch.spend(source.all_entries())?;
        over_ranges(rows, source.all_entries(), |range| survey_rows(source, range, columns, grid, None))
    } else {
        vec![survey_rows(source, 0..rows, columns, grid, Some(watch))]
    };
    let step = if grid.holds(penalty) { grid.step() } else { 0.0 };
    let column_least = vec![f64::INFINITY; source.cols()];
    let mut whole = Survey { column_least, forbidden: false, step, greatest: penalty.abs() };
    for part in parts {
        let part = part?;
        whole.forbidden |= part.forbidden;
        whole.step = whole.step.min(part.step);
        whole.greatest = whole.greatest.max(part.greatest);
        for (least, of_part) in whole.column_least.iter_mut().zip(part.column_least) {
            *least = if of_part < *least { of_part } else { *least };
        }
    }
    whole.step = whole.step.min(grid.step_up_to(whole.greatest));
    Ok(whole)
}

/// The survey of some rows.
fn survey_rows(
    source: &Source<'_>,
    rows: Range<usize>,
    columns: bool,
    grid: Grid,
    watch: Option<Watch<'_>>,
) -> Result<Survey, Stop> {
    let cols = source.cols();
    let mut buffer = Vec::new();
    let mut column_least = vec![f64::INFINITY; cols];
    let mut forbidden = false;
    let mut greatest = 0.0f64;
    let mut on_grid = true;
    for i in rows {
        if let Some(watch) = watch {
            watch.spend(source.entries(i))?;
        }
        let row = source.row(i, &mut buffer);
        let seen = match row {
            Row::Full(row) if columns => scan_columns(row, &mut column_least, grid),
            Row::Full(row) => scan(row, grid),
            Row::Listed(columns, row) => {
                forbidden |= columns.len() < cols;
                let base = lanes::least(row);
                for (&r, &value) in columns.iter().zip(row) {
                    let least = &mut column_least[r as usize];
                    *least = if value - base < *least { value - base } else { *least };
                }
                scan(row, grid)
            }
        };
        if seen.finite && seen.greatest <= MAX_COST {
            greatest = greatest.max(seen.greatest);
            on_grid &= seen.on_grid;
            continue;
        }
        let mut checked = Ok(());
        row.each(|r, value| {
            if checked.is_ok() {
                checked = check(source, i, r, value);
            }
            if value == f64::INFINITY {
                forbidden = true;
            } else {
                greatest = greatest.max(value.abs());
                on_grid &= grid.holds(value);
            }
        });
        checked?;
    }
    Ok(Survey { column_least, forbidden, step: if on_grid { grid.step() } else { 0.0 }, greatest })
}

fn check(source: &Source<'_>, job: usize, resource: usize, value: f64) -> Result<(), AssignError> {
    if value == f64::INFINITY || (-MAX_COST..=MAX_COST).contains(&value) {
        return Ok(());
    }
    Err(AssignError::Cost { job, resource, value: source.as_given(value) })
}

/// The least magnitude of a cost other than 0, infinite if there is none.
pub(crate) fn least_magnitude(source: &Source<'_>) -> f64 {
    let mut buffer = Vec::new();
    let mut least = f64::INFINITY;
    for i in 0..source.rows() {
        let (Row::Full(row) | Row::Listed(_, row)) = source.row(i, &mut buffer);
        let of_row = wide::least_magnitude(row);
        least = if of_row < least { of_row } else { least };
    }
    least
}

/// Multiples of a power of two, as a test by two additions: adding and taking away 1.5 * 2^52 steps rounds to
/// the grid.
#[derive(Clone, Copy)]
pub(crate) struct Grid {
    pub(crate) magic: f64,
}

impl Grid {
    /// The grid that the first finite costs suggest.
    pub(crate) fn of(source: &Source<'_>, buffer: &mut Vec<f64>) -> Self {
        let mut exponent = 0i32;
        if source.rows() > 0 {
            let (Row::Full(row) | Row::Listed(_, row)) = source.row(0, buffer);
            for &value in row.iter().take(64) {
                if value.is_finite() && value != 0.0 {
                    exponent = exponent.min(lowest_bit(value));
                }
            }
        }
        Self { magic: 1.5 * 2f64.powi(exponent.max(-400) + 52) }
    }

    pub(crate) fn step(self) -> f64 {
        self.magic / (1.5 * 2f64.powi(52))
    }

    /// The step, 0 where a cost may be so great that [`holds`](Self::holds) says nothing of it.
    pub(crate) fn step_up_to(self, greatest: f64) -> f64 {
        if greatest <= self.step() * 2f64.powi(51) { self.step() } else { 0.0 }
    }

    /// Whether a number is a multiple of the step, for magnitudes up to 2^51 steps.
    #[inline(always)]
    fn holds(self, value: f64) -> bool {
        (value + self.magic) - self.magic == value
    }
}

/// The exponent of the lowest set bit of a finite number other than 0.
pub(crate) fn lowest_bit(value: f64) -> i32 {
    let bits = value.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let mantissa = (bits & ((1 << 52) - 1)) | if exponent > 0 { 1 << 52 } else { 0 };
    exponent.max(1) - 1075 + mantissa.trailing_zeros() as i32
}

struct Seen {
    /// The greatest magnitude; unspecified where some entry is not finite.
    greatest: f64,
    finite: bool,
    on_grid: bool,
}

/// The greatest magnitude, whether all entries are finite, and whether all are on the grid.
fn scan(values: &[f64], grid: Grid) -> Seen {
    seen(values, wide::magnitudes(values, grid.magic))
}

/// As [`scan`], for a full row, and the least of each column so far, the least of each row taken off.
fn scan_columns(row: &[f64], column_least: &mut [f64], grid: Grid) -> Seen {
    seen(row, wide::magnitudes_and_columns(row, column_least, grid.magic))
}

fn seen(row: &[f64], of: Magnitudes) -> Seen {
    // Costs up to 10^60 do not sum to infinity.
    let finite = of.off == 0 || lanes::sum_of_magnitudes(row).is_finite();
    Seen { greatest: of.greatest, finite, on_grid: of.off == 0 }
}
