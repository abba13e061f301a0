//! The problem: costs in one of four forms, capacities, sense, coverage.

use sched_model::Sense;

use crate::values::{CostValue, Values};
use crate::{AssignError, Assignment};

/// The greatest magnitude of a cost: sums of the costs of all jobs stay far from overflow.
pub const MAX_COST: f64 = 1e60;

/// The greatest number of jobs, and of resources.
pub const MAX_INDEX: usize = (u32::MAX - 2) as usize;

/// The costs of all pairs of job (row) and resource (column), borrowed from the caller and never copied.
///
/// A pair that may not be used costs [`f64::INFINITY`], whether costs are minimised or maximised; in a sparse
/// matrix a pair without an entry is forbidden too.
///
/// ```
/// use auction_assign::Costs;
/// let dense = Costs::dense(2, 3, &[4.0, 1.0, 3.0, 2.0, 0.0, 5.0])?;
/// assert_eq!(dense.get(1, 2), Some(5.0));
/// let sparse = Costs::sparse(2, 3, &[0, 1, 3], &[1, 0, 2], &[1.0, 2.0, 5.0])?;
/// assert_eq!(sparse.get(0, 0), None);
/// let product = Costs::product(&[10.0, 20.0], &[1.0, 4.0])?;
/// assert_eq!(product.get(1, 1), Some(5.0));
/// # Ok::<(), auction_assign::AssignError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Costs<'a> {
    form: Form<'a>,
    rows: usize,
    cols: usize,
}

#[derive(Clone, Copy)]
pub(crate) enum Form<'a> {
    Dense(&'a [f64]),
    /// Full rows that begin `stride` values apart, or of other numbers than doubles.
    Rows {
        values: Values<'a>,
        stride: usize,
    },
    Sparse {
        offsets: &'a [usize],
        columns: &'a [u32],
        values: &'a [f64],
    },
    Product {
        lengths: &'a [f64],
        speeds: &'a [f64],
    },
    Function(&'a (dyn Fn(usize, usize) -> f64 + Sync)),
}

impl std::fmt::Debug for Costs<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let form = match self.form {
            Form::Dense(_) | Form::Rows { .. } => "dense",
            Form::Sparse { .. } => "sparse",
            Form::Product { .. } => "product",
            Form::Function(_) => "function",
        };
        write!(f, "Costs({form}, {} x {})", self.rows, self.cols)
    }
}

impl<'a> Costs<'a> {
    /// A full matrix of `f64`, `f32`, `i64` or `i32` (see [`CostValue`]), row-major: the cost of job `i` on resource
    /// `r` is `values[i * cols + r]`.
    ///
    /// # Errors
    /// [`AssignError::Shape`] unless there are `rows * cols` values, [`AssignError::TooLarge`] beyond
    /// [`MAX_INDEX`] jobs or resources, [`AssignError::Inexact`] for an `i64` that no `f64` holds. The values are
    /// checked when the problem is solved, in the first pass.
    ///
    /// ```
    /// use auction_assign::{AssignmentProblem, Costs, assign};
    /// let narrow = assign(&AssignmentProblem::new(Costs::dense(2, 2, &[1i32, 2, 3, i32::MAX])?))?;
    /// assert_eq!(narrow.best.unwrap().resources, [Some(1), Some(0)]);
    /// # Ok::<(), auction_assign::AssignError>(())
    /// ```
    pub fn dense<T: CostValue>(rows: usize, cols: usize, values: &'a [T]) -> Result<Self, AssignError> {
        if rows.checked_mul(cols) != Some(values.len()) {
            return Err(AssignError::Shape { rows, cols, values: values.len() });
        }
        Self::strided(rows, cols, cols, values)
    }

    /// Full rows that begin `stride` values apart, as in a part of a larger matrix: the cost of job `i` on
    /// resource `r` is `values[i * stride + r]`. Values between the rows are not read.
    ///
    /// # Errors
    /// [`AssignError::Stride`] if rows overlap, [`AssignError::Shape`] if the values end before the last row
    /// does; else as for [`dense`](Self::dense).
    ///
    /// ```
    /// use auction_assign::Costs;
    /// // The upper left 2 x 2 of a matrix of three columns.
    /// let part = Costs::strided(2, 2, 3, &[1.0, 2.0, 9.0, 3.0, 4.0, 9.0])?;
    /// assert_eq!(part.get(1, 0), Some(3.0));
    /// # Ok::<(), auction_assign::AssignError>(())
    /// ```
    pub fn strided<T: CostValue>(
        rows: usize,
        cols: usize,
        stride: usize,
        values: &'a [T],
    ) -> Result<Self, AssignError> {
        Self::countable(rows, cols)?;
        if stride < cols {
            return Err(AssignError::Stride { stride, cols });
        }
        let last = rows.saturating_sub(1).checked_mul(stride).and_then(|last| last.checked_add(cols));
        if rows > 0 && last.is_none_or(|last| last > values.len()) {
            return Err(AssignError::Shape { rows, cols, values: values.len() });
        }
        for job in 0..rows {
            let from = job * stride;
            if let Some(resource) = T::inexact(&values[from..from + cols]) {
                let value = T::stored(values).at(from + resource);
                return Err(AssignError::Inexact { job, resource, value });
            }
        }
        let form = match T::stored(values) {
            Values::F64(values) if stride == cols => Form::Dense(&values[..rows * cols]),
            values => Form::Rows { values, stride },
        };
        Self::of(form, rows, cols)
    }

    /// A sparse matrix by compressed rows: the entries of job `i` are at `offsets[i]..offsets[i + 1]` of
    /// `columns` and `values`, columns ascending. Pairs without entry are forbidden.
    ///
    /// # Errors
    /// [`AssignError::Offset`] if the offsets are not `rows + 1`, do not begin at 0, fall, or do not end at
    /// the number of values; [`AssignError::Column`] if the columns of a row do not ascend strictly below
    /// `cols`; [`AssignError::Shape`] if columns and values differ in number.
    pub fn sparse(
        rows: usize,
        cols: usize,
        offsets: &'a [usize],
        columns: &'a [u32],
        values: &'a [f64],
    ) -> Result<Self, AssignError> {
        if columns.len() != values.len() {
            return Err(AssignError::Shape { rows, cols, values: values.len() });
        }
        let costs = Self::of(Form::Sparse { offsets, columns, values }, rows, cols)?;
        let bad = |index: usize, expected| {
            let value = offsets.get(index).copied().unwrap_or_default();
            AssignError::Offset { index, value, expected }
        };
        if offsets.len() != rows + 1 {
            return Err(bad(offsets.len(), "as many offsets as jobs, and one more"));
        }
        if offsets[0] != 0 {
            return Err(bad(0, "the first offset is 0"));
        }
        for index in 1..=rows {
            if offsets[index] < offsets[index - 1] {
                return Err(bad(index, "offsets may not fall"));
            }
        }
        if offsets[rows] != values.len() {
            return Err(bad(rows, "the last offset is the number of values"));
        }
        for job in 0..rows {
            let mut least = 0;
            let range = offsets[job]..offsets[job + 1];
            for (entry, &resource) in range.clone().zip(&columns[range]) {
                if u64::from(resource) < least || resource as usize >= cols {
                    return Err(AssignError::Column { job, entry, resource, cols });
                }
                least = u64::from(resource) + 1;
            }
        }
        Ok(costs)
    }

    /// Product costs: job `i` on resource `r` costs `lengths[i] / speeds[r]`. The matrix is not stored.
    ///
    /// # Errors
    /// [`AssignError::Factor`] for a length that is negative or not finite, a speed that is not positive and
    /// finite, or a pair whose quotient could pass [`MAX_COST`]; [`AssignError::TooLarge`] as for
    /// [`dense`](Self::dense).
    pub fn product(lengths: &'a [f64], speeds: &'a [f64]) -> Result<Self, AssignError> {
        let slowest = speeds.iter().copied().fold(f64::INFINITY, f64::min);
        for (index, &value) in speeds.iter().enumerate() {
            if !(value > 0.0 && value <= MAX_COST) {
                let expected = "a positive number within the limit of costs";
                return Err(AssignError::Factor { what: "speed", index, value, expected });
            }
        }
        for (index, &value) in lengths.iter().enumerate() {
            if !((0.0..=MAX_COST).contains(&value) && (speeds.is_empty() || value / slowest <= MAX_COST)) {
                let expected =
                    "a number from 0 whose quotient by the slowest speed is within the limit of costs";
                return Err(AssignError::Factor { what: "length", index, value, expected });
            }
        }
        Self::of(Form::Product { lengths, speeds }, lengths.len(), speeds.len())
    }

    /// Costs computed when they are needed: `cost(i, r)` must give the same value at every call.
    ///
    /// # Errors
    /// [`AssignError::TooLarge`] as for [`dense`](Self::dense). Values are checked when the problem is
    /// solved.
    pub fn function(
        rows: usize,
        cols: usize,
        cost: &'a (dyn Fn(usize, usize) -> f64 + Sync),
    ) -> Result<Self, AssignError> {
        Self::of(Form::Function(cost), rows, cols)
    }

    fn countable(rows: usize, cols: usize) -> Result<(), AssignError> {
        if rows > MAX_INDEX || cols > MAX_INDEX { Err(AssignError::TooLarge { rows, cols }) } else { Ok(()) }
    }

    fn of(form: Form<'a>, rows: usize, cols: usize) -> Result<Self, AssignError> {
        Self::countable(rows, cols)?;
        Ok(Self { form, rows, cols })
    }

    /// Number of jobs.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of resources.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The cost of a pair, `None` where it is forbidden or outside the matrix.
    pub fn get(&self, job: usize, resource: usize) -> Option<f64> {
        if job >= self.rows || resource >= self.cols {
            return None;
        }
        let value = match self.form {
            Form::Dense(values) => values[job * self.cols + resource],
            Form::Rows { values, stride } => values.at(job * stride + resource),
            Form::Sparse { offsets, columns, values } => {
                let range = offsets[job]..offsets[job + 1];
                // Columns fit 32 bits, and so does a resource inside the matrix.
                let at = columns[range.clone()].binary_search(&(resource as u32)).ok()?;
                values[range][at]
            }
            Form::Product { lengths, speeds } => lengths[job] / speeds[resource],
            Form::Function(cost) => cost(job, resource),
        };
        (value != f64::INFINITY).then_some(value)
    }

    pub(crate) fn form(&self) -> Form<'a> {
        self.form
    }
}

/// Which jobs must be placed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Coverage {
    /// Every job; if that is not possible, the answer is a [`Shortage`](crate::Shortage).
    #[default]
    EveryJob,
    /// As many jobs as possible; among all assignments that place so many, the best sum.
    MostJobs,
    /// Each unplaced job adds this number to the sum; a job is placed where that is better.
    Penalty(f64),
}

/// An assignment problem: each job on at most one resource, each resource holding at most its capacity.
///
/// ```
/// use auction_assign::{Costs, Coverage, AssignmentProblem};
/// // Three jobs, two resources; the second holds two jobs.
/// let costs = Costs::dense(3, 2, &[4.0, 1.0, 2.0, 3.0, 5.0, 2.0])?;
/// let problem = AssignmentProblem::new(costs).with_capacities(&[1, 2]);
/// assert_eq!(problem.capacity(1), 2);
/// # Ok::<(), auction_assign::AssignError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct AssignmentProblem<'a> {
    costs: Costs<'a>,
    capacities: Option<&'a [u32]>,
    sense: Sense,
    coverage: Coverage,
    start: Option<&'a Assignment>,
}

impl<'a> AssignmentProblem<'a> {
    /// A problem that minimises the sum of costs, with one place on each resource and every job to be placed.
    pub fn new(costs: Costs<'a>) -> Self {
        Self { costs, capacities: None, sense: Sense::Minimise, coverage: Coverage::EveryJob, start: None }
    }

    /// Resource `r` holds up to `capacities[r]` jobs. Unless there are as many as resources,
    /// [`AssignError::Capacities`] comes when the problem is solved.
    pub fn with_capacities(self, capacities: &'a [u32]) -> Self {
        Self { capacities: Some(capacities), ..self }
    }

    /// Minimise or maximise.
    pub fn with_sense(self, sense: Sense) -> Self {
        Self { sense, ..self }
    }

    /// Which jobs must be placed.
    pub fn with_coverage(self, coverage: Coverage) -> Self {
        Self { coverage, ..self }
    }

    /// An earlier answer, from whose prices and placements [`assign`](crate::assign) starts; other methods do not
    /// read it.
    ///
    /// The answer is as exact as without a start, whatever has changed since: one pass over the costs corrects
    /// the start, and only jobs for which it no longer fits are placed anew. Where more than a quarter of the
    /// jobs (and eight) would be, or it has no duals, the search starts from nothing. Of a search that is
    /// stopped the best assignment so far is no worse than the start, if that still keeps all limits. A start
    /// for another number of jobs or resources is [`AssignError::Start`] when the problem is solved.
    ///
    /// ```
    /// use auction_assign::{AssignmentProblem, Costs, assign, verify};
    /// let mut hours = [4.0, 1.0, 3.0, 2.0, 0.0, 5.0, 3.0, 2.0, 2.0];
    /// let first = assign(&AssignmentProblem::new(Costs::dense(3, 3, &hours)?))?.best.unwrap();
    /// assert_eq!(first.total, 5.0);
    /// // Job 1 now wants resource 2.
    /// hours[5] = 0.0;
    /// let problem = AssignmentProblem::new(Costs::dense(3, 3, &hours)?).with_start(&first);
    /// let second = assign(&problem)?.best.unwrap();
    /// assert_eq!((second.total, verify(&problem, &second).unwrap().gap), (4.0, 0.0));
    /// assert_eq!(second.resources, [Some(1), Some(2), Some(0)]);
    /// # Ok::<(), auction_assign::AssignError>(())
    /// ```
    pub fn with_start(self, start: &'a Assignment) -> Self {
        Self { start: Some(start), ..self }
    }

    /// The costs.
    pub fn costs(&self) -> &Costs<'a> {
        &self.costs
    }

    /// Number of jobs.
    pub fn jobs(&self) -> usize {
        self.costs.rows()
    }

    /// Number of resources.
    pub fn resources(&self) -> usize {
        self.costs.cols()
    }

    /// How many jobs a resource holds; 0 for one outside the matrix.
    pub fn capacity(&self, resource: usize) -> u32 {
        match self.capacities {
            _ if resource >= self.resources() => 0,
            Some(capacities) => capacities.get(resource).copied().unwrap_or_default(),
            None => 1,
        }
    }

    /// The capacities, where they were given.
    pub(crate) fn capacities(&self) -> Option<&'a [u32]> {
        self.capacities
    }

    /// The capacities of all resources together.
    pub fn total_capacity(&self) -> u64 {
        match self.capacities {
            Some(capacities) => capacities.iter().map(|&c| u64::from(c)).sum(),
            None => self.resources() as u64,
        }
    }

    /// Whether every resource holds exactly one job.
    pub fn is_one_to_one(&self) -> bool {
        self.capacities.is_none_or(|capacities| capacities.iter().all(|&c| c == 1))
    }

    /// Minimise or maximise.
    pub fn sense(&self) -> Sense {
        self.sense
    }

    /// Which jobs must be placed.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// Checks that there are as many capacities as resources.
    pub(crate) fn check(&self) -> Result<(), AssignError> {
        match self.capacities.map(<[u32]>::len) {
            Some(capacities) if capacities != self.resources() => {
                Err(AssignError::Capacities { capacities, resources: self.resources() })
            }
            _ => Ok(()),
        }
    }

    /// The earlier answer to start from.
    pub(crate) fn start(&self) -> Option<&'a Assignment> {
        self.start
    }
}

// Problems can be solved on any thread.
const fn is_shared<T: Send + Sync>() {}
const _: () = is_shared::<AssignmentProblem<'static>>();
