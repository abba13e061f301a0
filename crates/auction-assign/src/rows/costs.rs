//! The rows that plain loops read: the caller's, or a copy of half the width.

use crate::AssignmentProblem;
use crate::kernel::lanes::least;
use crate::kernel::number::Float;
use crate::kernel::prepared::Prepared;
use crate::kernel::source::{Row, Source};
use crate::kernel::stop::Stop;
use crate::kernel::survey::{Grid, Survey};
use crate::kernel::watch::{Room, Watch};
use crate::kernel::wide::widest;

/// Full rows of costs.
pub(super) trait Rows {
    /// How wide an entry is.
    type Cost: Float;

    fn row<'b>(&'b self, job: usize, buffer: &'b mut Vec<Self::Cost>) -> &'b [Self::Cost];

    fn cost(&self, job: usize, resource: usize) -> Self::Cost;

    /// The work of reading so many entries.
    fn work(&self, entries: usize) -> u64;

    /// Whether sums are off by last bits.
    fn is_rounded(&self) -> bool {
        false
    }

    /// Whether sums stay exact with prices, and differences of sums, up to this magnitude.
    fn is_exact(&self, price: Self::Cost, distance: Self::Cost) -> bool;
}

/// The caller's rows. Whether sums were exact is tested at the end.
pub(super) struct Wide<'p, 'a>(pub(super) &'p Prepared<'a>);

impl Rows for Wide<'_, '_> {
    type Cost = f64;

    #[inline]
    fn row<'b>(&'b self, job: usize, buffer: &'b mut Vec<f64>) -> &'b [f64] {
        let (Row::Full(row) | Row::Listed(_, row)) = self.0.source.row(job, buffer);
        row
    }

    fn cost(&self, job: usize, resource: usize) -> f64 {
        self.0.source.cost(job, resource)
    }

    fn work(&self, entries: usize) -> u64 {
        entries as u64
    }

    fn is_rounded(&self) -> bool {
        self.0.survey.step == 0.0
    }

    fn is_exact(&self, _: f64, _: f64) -> bool {
        true
    }
}

/// A copy of costs that are multiples of a power of two, the *step*, and well below 2^24 steps, the range
/// that 32 bits hold to the step.
pub(crate) struct Narrow<'w> {
    values: Vec<f32>,
    cols: usize,
    /// 2^23 steps less the greatest cost.
    room: f32,
    /// The memory of the values.
    _counted: Room<'w>,
}

/// Of 2^23 steps, costs may be this part: prices need the rest.
const COSTS_PART: f64 = 0.5;

impl<'w> Narrow<'w> {
    /// The greatest cost that leaves room for prices.
    pub(super) fn greatest_cost(step: f64) -> f64 {
        COSTS_PART * 2f64.powi(23) * step
    }

    /// From costs on a grid of this step, none greater than `greatest`.
    pub(super) fn new(
        values: Vec<f32>,
        counted: Room<'w>,
        cols: usize,
        (step, greatest): (f64, f64),
    ) -> Self {
        Self { values, cols, room: (2f64.powi(23) * step - greatest) as f32, _counted: counted }
    }

    /// Prices on the grid of the costs in 32 bits, if these hold them.
    pub(super) fn narrowed(&self, prices: &[f64]) -> Option<Vec<f32>> {
        let narrow: Vec<f32> = prices.iter().map(|&price| price as f32).collect();
        let holds = |(&wide, &narrow): (&f64, &f32)| f64::from(narrow) == wide && narrow.abs() <= self.room;
        prices.iter().zip(&narrow).all(holds).then_some(narrow)
    }
}

impl Rows for Narrow<'_> {
    type Cost = f32;

    #[inline]
    fn row<'b>(&'b self, job: usize, _: &'b mut Vec<f32>) -> &'b [f32] {
        &self.values[job * self.cols..(job + 1) * self.cols]
    }

    fn cost(&self, job: usize, resource: usize) -> f32 {
        self.values[job * self.cols + resource]
    }

    /// An entry of half the width counts half.
    fn work(&self, entries: usize) -> u64 {
        entries.div_ceil(2) as u64
    }

    /// With C the greatest cost and 2^23 steps as the bound on C + price and on distances, a sum is exact, so
    /// is the difference of two and of a sum and a distance; what is taken off a third sum then may be
    /// rounded, which keeps the order, but not where the result is a distance within the bound.
    fn is_exact(&self, price: f32, distance: f32) -> bool {
        price.abs() <= self.room && distance <= self.room
    }
}

/// The work of an entry here, in entries of a plain loop.
const WORK_FIRST: u64 = 2;

/// The most costs that are copied: 256 MiB.
const MOST_COPIED: usize = 1 << 26;

/// A copy of the costs in 32 bits, with their survey; `None` where these are not a full matrix of numbers of
/// few bits, which the caller must then check, or where the limit leaves no memory for the copy.
pub(crate) fn survey_narrow<'w>(
    problem: &AssignmentProblem<'_>,
    watch: Watch<'w>,
) -> Result<Option<(Survey, Narrow<'w>)>, Stop> {
    let source = Source::new(problem);
    let (n, m) = (source.rows(), source.cols());
    let grid = Grid::of(&source, &mut Vec::new());
    let most = Narrow::greatest_cost(grid.step());
    if !grid.is_coarse() || n.saturating_mul(m) > MOST_COPIED {
        return Ok(None);
    }
    let Some(counted) = watch.room::<f32>(n * m, n) else { return Ok(None) };
    let mut values = Vec::with_capacity(n * m);
    let mut copy = vec![0.0f32; m];
    let mut columns = vec![f32::INFINITY; m];
    let mut greatest = 0.0f32;
    let mut buffer = Vec::new();
    for i in 0..n {
        watch.spend(WORK_FIRST * source.entries(i))?;
        let Row::Full(row) = source.row(i, &mut buffer) else { return Ok(None) };
        let copied = copy_and_lower(row, grid.magic, &mut copy, &mut columns);
        greatest = if copied.greatest > greatest { copied.greatest } else { greatest };
        if copied.off != 0 || f64::from(greatest) > most {
            return Ok(None);
        }
        values.extend_from_slice(&copy);
    }
    let greatest = f64::from(greatest);
    let column_least = columns.into_iter().map(f64::from).collect();
    let survey = Survey { column_least, forbidden: false, step: grid.step_up_to(greatest), greatest };
    let narrow = Narrow::new(values, counted, m, (grid.step(), greatest));
    Ok(Some((survey, narrow)))
}

/// Entries side by side.
const LANES: usize = 16;

/// What copying a row tells.
struct Copied {
    /// The greatest magnitude.
    greatest: f32,
    /// 0 only if every cost is a number on the grid, or one of more than 2^51 steps.
    off: u64,
}

/// Copies a row in 32 bits, and lowers the least of each column so far, the least of the row taken off.
fn copy_and_lower(row: &[f64], magic: f64, copy: &mut [f32], columns: &mut [f32]) -> Copied {
    widest(
        #[inline(always)]
        || {
            let off = narrow(row, magic, copy);
            lower_columns(columns, copy, least(copy));
            Copied { greatest: greatest(copy), off }
        },
    )
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
