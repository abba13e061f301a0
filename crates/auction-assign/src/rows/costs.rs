//! The rows that plain loops read: the caller's, or a copy of half the width.

use crate::kernel::number::Float;
use crate::kernel::prepared::Prepared;
use crate::kernel::source::Row;
use crate::kernel::watch::Room;

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
