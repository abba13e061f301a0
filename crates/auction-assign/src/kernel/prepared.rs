//! The preparation of a problem for the methods, and the conversion of their result to an answer.
//!
//! The first pass over the costs, the *survey*, checks every cost and finds out when sums are exact.

use std::ops::Range;

use sched_model::internal::exact_sum;

use crate::costs::MAX_COST;
use crate::kernel::lanes::{self, Magnitudes, max_finite_magnitude};
use crate::kernel::source::{Row, Source};
use crate::kernel::watch::{Stop, Watch};
use crate::kernel::{NONE, matching, wide};
use crate::parallel::over_ranges;
use crate::solution::{Assignment, Shortage};
use crate::{AssignError, AssignmentProblem, Coverage, Sense};

/// A checked problem in standard form: costs are minimised, and every job is placed. Jobs that are to stay unplaced in
/// the original problem are placed on an additional resource, the *dummy*, whose index follows the last resource.
pub(crate) struct Prepared<'a> {
    pub(crate) problem: AssignmentProblem<'a>,
    pub(crate) source: Source<'a>,
    pub(crate) survey: Survey,
    /// The capacities of the resources, each at most the number of jobs plus one; that of the dummy, if there is
    /// one, is last.
    pub(crate) capacities: Vec<u32>,
    /// The cost of every job on the dummy, if there is one.
    pub(crate) dummy: Option<f64>,
    /// Counts the work and memory of the search and records its results.
    pub(crate) watch: Watch<'a>,
}

/// An assignment with prices, as methods compute it: the resource of each job (or the dummy), its cost there, and the
/// price of each resource. Prices need no common zero, but in the end no resource with room left may have a higher
/// price than another.
#[derive(Clone)]
pub(crate) struct PricedAssignment<N = f64> {
    /// The resource of each job; [`NONE`] for a job that is not placed yet.
    pub(crate) resource_of: Vec<u32>,
    pub(crate) cost_of: Vec<f64>,
    pub(crate) prices: Vec<N>,
    /// A power of two such that all prices are sums of costs and of multiples of it; infinite if all are sums of costs
    /// alone.
    pub(crate) min_raise: f64,
}

impl PricedAssignment {
    /// Returns the assignment in which no job is placed, with these prices.
    pub(crate) fn none(prepared: &Prepared<'_>, prices: Vec<f64>) -> Self {
        let n = prepared.jobs();
        Self { resource_of: vec![NONE; n], cost_of: vec![0.0; n], prices, min_raise: f64::INFINITY }
    }
}

impl<'a> Prepared<'a> {
    /// Prepares a problem: checks all costs, and computes how many jobs must stay unplaced.
    pub(crate) fn new(problem: &AssignmentProblem<'a>, watch: Watch<'a>) -> Result<Self, Stop> {
        Self::surveyed(problem, true, watch)
    }

    /// As [`new`](Self::new), without the minima of the columns, from which [`start`](Self::start) computes initial
    /// prices.
    pub(crate) fn without_columns(problem: &AssignmentProblem<'a>, watch: Watch<'a>) -> Result<Self, Stop> {
        Self::surveyed(problem, false, watch)
    }

    fn surveyed(problem: &AssignmentProblem<'a>, columns: bool, watch: Watch<'a>) -> Result<Self, Stop> {
        let (n, m) = (problem.jobs(), problem.resources());
        let (source, penalty) = (Source::new(problem), Self::penalty(problem)?);
        let survey = survey(&source, penalty, columns, watch)?;
        // Job indices fit 32 bits.
        let jobs = n as u32;
        // A resource with one place more than there are jobs is never full, so further places make no difference.
        let ample = jobs + 1;
        let mut capacities: Vec<u32> = match problem.capacities {
            Some(capacities) => capacities.iter().map(|&capacity| capacity.min(ample)).collect(),
            None => vec![1; m],
        };
        let total = problem.total_capacity();
        let dummy = match problem.coverage {
            Coverage::EveryJob => {
                if total < n as u64 {
                    let shortage = Shortage {
                        jobs: (0..jobs).collect(),
                        resources: (0..m as u32).collect(),
                        capacity: total,
                    };
                    return Err(shortage.into());
                }
                None
            }
            Coverage::MostJobs => {
                let placed = if survey.forbidden {
                    matching::max_size(&source, &capacities, watch)?
                } else {
                    n.min(usize::try_from(total).unwrap_or(n))
                };
                (placed < n).then(|| {
                    capacities.push((n - placed) as u32);
                    0.0
                })
            }
            Coverage::Penalty(_) => {
                capacities.push(ample);
                Some(penalty)
            }
        };
        Ok(Self { problem: *problem, source, survey, capacities, dummy, watch })
    }

    /// Returns the penalty of an unplaced job, as a cost to be minimised; 0 if there is none.
    fn penalty(problem: &AssignmentProblem<'a>) -> Result<f64, AssignError> {
        match problem.coverage {
            Coverage::EveryJob | Coverage::MostJobs => Ok(0.0),
            Coverage::Penalty(unplaced) if !(unplaced.abs() <= crate::MAX_COST) => {
                Err(AssignError::Penalty { value: unplaced })
            }
            Coverage::Penalty(unplaced) if problem.sense == Sense::Maximise => Ok(-unplaced),
            Coverage::Penalty(unplaced) => Ok(unplaced),
        }
    }

    /// Whether every place will be taken. Then prices have no natural zero, and a search may start from any prices.
    pub(crate) fn is_tight(&self) -> bool {
        self.capacities.iter().map(|&c| u64::from(c)).sum::<u64>() == self.source.rows() as u64
    }

    /// The cost of a pair of a job and a resource or the dummy; infinite if the pair is forbidden.
    pub(crate) fn cost(&self, job: usize, resource: u32) -> f64 {
        match self.dummy {
            Some(cost) if resource as usize == self.source.cols() => cost,
            _ => self.source.cost(job, resource as usize),
        }
    }

    /// Number of jobs.
    pub(crate) fn jobs(&self) -> usize {
        self.source.rows()
    }

    /// Whether jobs may stay unplaced at a penalty.
    pub(crate) fn is_optional(&self) -> bool {
        matches!(self.problem.coverage, Coverage::Penalty(_))
    }

    /// Returns initial prices: 0 unless every place will be taken, otherwise the negated minimum of each column after
    /// the minimum of each row is subtracted.
    pub(crate) fn start(&self) -> Vec<f64> {
        if !self.is_tight() {
            return vec![0.0; self.capacities.len()];
        }
        let minima = &self.survey.column_minima;
        let common =
            minima.iter().copied().filter(|minimum| minimum.is_finite()).fold(f64::INFINITY, f64::min);
        let common = if common.is_finite() { common } else { 0.0 };
        let mut prices: Vec<f64> =
            minima.iter().map(|&minimum| -(if minimum.is_finite() { minimum } else { common })).collect();
        prices.extend(self.dummy.map(|_| -common));
        prices
    }

    /// Whether every sum of doubles in the computation of these prices was exact.
    pub(crate) fn sums_are_exact(&self, priced: &PricedAssignment) -> bool {
        // Prices only rose in the search, so none was greater before.
        self.survey.is_exact(max_finite_magnitude(&priced.prices), priced.min_raise)
    }

    /// Converts an assignment in standard form to one of the problem, without duals.
    pub(crate) fn assignment(&self, resource_of: &[u32], cost_of: &[f64]) -> Assignment {
        let m = self.source.cols() as u32;
        let total = exact_sum(cost_of.iter().copied());
        Assignment {
            resources: resource_of.iter().map(|&r| (r != NONE && r < m).then_some(r)).collect(),
            // Never -0.
            total: self.signed(total),
            duals: None,
        }
    }

    /// Converts a sum of costs to be minimised to one of the problem.
    pub(crate) fn signed(&self, total: f64) -> f64 {
        if self.problem.sense == Sense::Maximise { 0.0 - total } else { 0.0 + total }
    }
}

/// What the first pass over the costs finds.
#[derive(Debug, Clone)]
pub(crate) struct Survey {
    /// The minimum of each column after the minimum of each row is subtracted; infinite if every pair of the column is
    /// forbidden, or if full rows were read without these minima.
    pub(crate) column_minima: Vec<f64>,
    /// Whether some pair is forbidden.
    pub(crate) forbidden: bool,
    /// A power of two of which all costs are multiples; 0 if none was found, or if some cost exceeds 2^51 times
    /// it. Sums and differences below 2^53 steps are exact.
    pub(crate) step: f64,
    /// The maximum magnitude of a cost.
    pub(crate) max_magnitude: f64,
}

impl Survey {
    /// Whether sums and differences of costs and prices are exact, where prices have magnitudes up to `max_price`
    /// and are sums of costs and of multiples of `min_raise`, a power of two.
    pub(crate) fn is_exact(&self, max_price: f64, min_raise: f64) -> bool {
        4.0 * (self.max_magnitude + max_price) <= self.step.min(min_raise) * 2f64.powi(53)
    }
}

/// Checks every cost and returns the [`Survey`]. `penalty` is a further cost that enters sums. The minima of the
/// columns are computed only if `columns` is set.
fn survey(source: &Source<'_>, penalty: f64, columns: bool, watch: Watch<'_>) -> Result<Survey, Stop> {
    let rows = source.rows();
    let grid = Grid::of(source, &mut Vec::new());
    let flat = if columns || watch.is_limited() { None } else { source.flat() };
    if let Some(values) = flat {
        // All rows at once, because the overhead of a short row is more than the work on its entries.
        let seen = scan(values, grid);
        if seen.finite && seen.max_magnitude <= MAX_COST {
            watch.spend(source.all_entries())?;
            let column_minima = vec![f64::INFINITY; source.cols()];
            let max_magnitude = penalty.abs().max(seen.max_magnitude);
            let step = if grid.holds(penalty) && seen.on_grid { grid.step_up_to(max_magnitude) } else { 0.0 };
            return Ok(Survey { column_minima, forbidden: false, step, max_magnitude });
        }
    }
    let parts = if cfg!(feature = "rayon") && !watch.is_limited() {
        watch.spend(source.all_entries())?;
        over_ranges(rows, source.all_entries(), |range| survey_rows(source, range, columns, grid, None))
    } else {
        vec![survey_rows(source, 0..rows, columns, grid, Some(watch))]
    };
    let step = if grid.holds(penalty) { grid.step() } else { 0.0 };
    let column_minima = vec![f64::INFINITY; source.cols()];
    let mut whole = Survey { column_minima, forbidden: false, step, max_magnitude: penalty.abs() };
    for part in parts {
        let part = part?;
        whole.forbidden |= part.forbidden;
        whole.step = whole.step.min(part.step);
        whole.max_magnitude = whole.max_magnitude.max(part.max_magnitude);
        for (minimum, of_part) in whole.column_minima.iter_mut().zip(part.column_minima) {
            *minimum = if of_part < *minimum { of_part } else { *minimum };
        }
    }
    whole.step = whole.step.min(grid.step_up_to(whole.max_magnitude));
    Ok(whole)
}

/// Returns the survey of some rows.
fn survey_rows(
    source: &Source<'_>,
    rows: Range<usize>,
    columns: bool,
    grid: Grid,
    watch: Option<Watch<'_>>,
) -> Result<Survey, Stop> {
    let cols = source.cols();
    let mut buffer = Vec::new();
    let mut column_minima = vec![f64::INFINITY; cols];
    let mut forbidden = false;
    let mut max_magnitude = 0.0f64;
    let mut on_grid = true;
    for i in rows {
        if let Some(watch) = watch {
            watch.spend(source.entries(i))?;
        }
        let row = source.row(i, &mut buffer);
        let seen = match row {
            // Also lowers the minima of the columns.
            Row::Full(row) if columns => {
                to_scan(row, wide::magnitudes_and_columns(row, &mut column_minima, grid.magic))
            }
            Row::Full(row) => scan(row, grid),
            Row::Listed(listed, row) => {
                forbidden |= listed.len() < cols;
                let base = lanes::min(row);
                for (&r, &value) in listed.iter().zip(row) {
                    let minimum = &mut column_minima[r as usize];
                    *minimum = if value - base < *minimum { value - base } else { *minimum };
                }
                scan(row, grid)
            }
        };
        if seen.finite && seen.max_magnitude <= MAX_COST {
            max_magnitude = max_magnitude.max(seen.max_magnitude);
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
                max_magnitude = max_magnitude.max(value.abs());
                on_grid &= grid.holds(value);
            }
        });
        checked?;
    }
    Ok(Survey { column_minima, forbidden, step: if on_grid { grid.step() } else { 0.0 }, max_magnitude })
}

/// Returns an error for an invalid cost.
fn check(source: &Source<'_>, job: usize, resource: usize, value: f64) -> Result<(), AssignError> {
    if value == f64::INFINITY || (-MAX_COST..=MAX_COST).contains(&value) {
        return Ok(());
    }
    Err(AssignError::Cost { job, resource, value: source.as_given(value) })
}

/// Returns the minimum magnitude of the costs other than 0; infinity if there is none.
pub(crate) fn min_magnitude(source: &Source<'_>) -> f64 {
    let mut buffer = Vec::new();
    let mut minimum = f64::INFINITY;
    for i in 0..source.rows() {
        let row = source.row(i, &mut buffer).costs();
        let of_row = wide::min_magnitude(row);
        minimum = if of_row < minimum { of_row } else { minimum };
    }
    minimum
}

/// The multiples of a power of two, the step. Adding and subtracting 1.5 * 2^52 steps, the `magic` number, rounds a
/// number to the grid; so two additions test whether it is on the grid.
#[derive(Clone, Copy)]
struct Grid {
    magic: f64,
}

impl Grid {
    /// Returns the grid on which the first finite costs are.
    fn of(source: &Source<'_>, buffer: &mut Vec<f64>) -> Self {
        let mut exponent = 0i32;
        if source.rows() > 0 {
            let row = source.row(0, buffer).costs();
            for &value in row.iter().take(64) {
                if value.is_finite() && value != 0.0 {
                    exponent = exponent.min(lowest_bit(value));
                }
            }
        }
        Self { magic: 1.5 * 2f64.powi(exponent.max(-400) + 52) }
    }

    fn step(self) -> f64 {
        self.magic / (1.5 * 2f64.powi(52))
    }

    /// Returns the step; 0 if numbers up to `max_magnitude` may be too large for [`holds`](Self::holds) to be valid.
    fn step_up_to(self, max_magnitude: f64) -> f64 {
        if max_magnitude <= self.step() * 2f64.powi(51) { self.step() } else { 0.0 }
    }

    /// Whether a number is on the grid; valid for magnitudes up to 2^51 steps.
    #[inline(always)]
    fn holds(self, value: f64) -> bool {
        (value + self.magic) - self.magic == value
    }
}

/// Returns the exponent of the lowest set bit of a finite number other than 0.
pub(crate) fn lowest_bit(value: f64) -> i32 {
    let bits = value.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let mantissa = (bits & ((1 << 52) - 1)) | if exponent > 0 { 1 << 52 } else { 0 };
    exponent.max(1) - 1075 + mantissa.trailing_zeros() as i32
}

/// The result of [`scan`].
struct RowScan {
    /// The maximum magnitude; unspecified if some entry is not finite.
    max_magnitude: f64,
    finite: bool,
    on_grid: bool,
}

/// Returns the maximum magnitude, whether all entries are finite, and whether all are on the grid.
fn scan(values: &[f64], grid: Grid) -> RowScan {
    to_scan(values, wide::magnitudes(values, grid.magic))
}

fn to_scan(row: &[f64], of: Magnitudes) -> RowScan {
    // Valid costs do not sum to infinity.
    let finite = of.off == 0 || lanes::sum_of_magnitudes(row).is_finite();
    RowScan { max_magnitude: of.max_magnitude, finite, on_grid: of.off == 0 }
}
