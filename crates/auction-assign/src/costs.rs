//! The costs of pairs of job and resource, in one of five forms.

use crate::AssignError;

/// The largest magnitude of a cost: sums of the costs of all jobs stay far from overflow.
pub const MAX_COST: f64 = 1e60;

/// The maximum number of jobs, and of resources.
pub(crate) const MAX_INDEX: usize = (u32::MAX - 2) as usize;

/// The costs of all pairs of job (row) and resource (column), borrowed from the caller and never copied.
///
/// A forbidden pair costs [`f64::INFINITY`], whether costs are minimised or maximised; in a sparse matrix a pair
/// without an entry is also forbidden.
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

/// The form in which the costs are given.
#[derive(Clone, Copy)]
pub(crate) enum Form<'a> {
    /// Full rows, one after another.
    Dense(&'a [f64]),
    /// Full rows that begin `stride` values apart, or rows of a number type other than `f64`.
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
    /// Borrows a full matrix of `f64`, `f32`, `i64` or `i32` (see [`CostValue`]), row-major: the cost of job `i` on
    /// resource `r` is `values[i * cols + r]`.
    ///
    /// # Errors
    /// [`AssignError::Shape`] unless there are `rows * cols` values, [`AssignError::TooLarge`] for more than
    /// 2^32 - 3 jobs or resources, [`AssignError::Inexact`] for an `i64` that `f64` cannot represent. Other
    /// values are checked in the first pass over them, when the problem is solved.
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

    /// Borrows full rows that begin `stride` values apart, such as a part of a larger matrix: the cost of job `i` on
    /// resource `r` is `values[i * stride + r]`. Values between the rows are not read.
    ///
    /// # Errors
    /// [`AssignError::Stride`] if rows overlap, [`AssignError::Shape`] if the last row is incomplete; otherwise as
    /// for [`dense`](Self::dense).
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

    /// Borrows a sparse matrix in compressed rows: the entries of job `i` are at `offsets[i]..offsets[i + 1]` of
    /// `columns` and `values`, with columns ascending. Pairs without an entry are forbidden.
    ///
    /// # Errors
    /// [`AssignError::Offset`] unless there are `rows + 1` offsets that begin at 0, never descend, and end at the
    /// number of values; [`AssignError::Column`] unless the columns of each row ascend strictly and are below
    /// `cols`; [`AssignError::Shape`] if columns and values differ in number; [`AssignError::TooLarge`] as for
    /// [`dense`](Self::dense).
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
            let mut next = 0;
            let range = offsets[job]..offsets[job + 1];
            for (entry, &resource) in range.clone().zip(&columns[range]) {
                if u64::from(resource) < next || resource as usize >= cols {
                    return Err(AssignError::Column { job, entry, resource, cols });
                }
                next = u64::from(resource) + 1;
            }
        }
        Ok(costs)
    }

    /// Borrows the factors of product costs: job `i` on resource `r` costs `lengths[i] / speeds[r]`. The matrix is not
    /// stored.
    ///
    /// # Errors
    /// [`AssignError::Factor`] for a length that is not a number from 0 to [`MAX_COST`], a speed that is not a positive
    /// number up to [`MAX_COST`], or a length whose quotient by the slowest speed exceeds [`MAX_COST`];
    /// [`AssignError::TooLarge`] as for [`dense`](Self::dense).
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

    /// Borrows a function that computes costs on demand; `cost(i, r)` must return the same value at every call.
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

    /// Returns an error if there are more jobs or resources than can be numbered.
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

    /// The cost of a pair; `None` if the pair is forbidden or outside the matrix.
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

/// The number types of costs: `f64`, `f32`, `i64` and `i32`.
///
/// Costs are computed in `f64`, which represents every `f32` and `i32`; each `i64` must be a number that `f64`
/// represents. The maximum value of an integer type (`i64::MAX`, `i32::MAX`) forbids a pair, as infinity does.
/// Rows of other types than `f64` are converted as they are read, so the matrix is not copied; 32-bit numbers
/// halve the memory traffic.
pub trait CostValue: sealed::Stored {}

impl CostValue for f64 {}
impl CostValue for f32 {}
impl CostValue for i64 {}
impl CostValue for i32 {}

/// The values of a matrix, in one of the number types.
#[derive(Clone, Copy)]
pub(crate) enum Values<'a> {
    F64(&'a [f64]),
    F32(&'a [f32]),
    I64(&'a [i64]),
    I32(&'a [i32]),
}

impl Values<'_> {
    pub(crate) fn at(self, index: usize) -> f64 {
        match self {
            Self::F64(values) => values[index],
            Self::F32(values) => f64::from(values[index]),
            Self::I64(values) => wide(values[index]),
            Self::I32(values) => whole(values[index]),
        }
    }

    /// Writes the values `from..to` to `buffer`, as doubles and negated if `negate`; forbidden pairs stay infinite.
    pub(crate) fn write(self, from: usize, to: usize, negate: bool, buffer: &mut Vec<f64>) {
        buffer.clear();
        match (self, negate) {
            (Self::F64(values), false) => buffer.extend_from_slice(&values[from..to]),
            (Self::F64(values), true) => buffer.extend(values[from..to].iter().map(|&v| opposite(v))),
            (Self::F32(values), false) => buffer.extend(values[from..to].iter().map(|&v| f64::from(v))),
            (Self::F32(values), true) => {
                buffer.extend(values[from..to].iter().map(|&v| opposite(f64::from(v))));
            }
            (Self::I64(values), false) => buffer.extend(values[from..to].iter().map(|&v| wide(v))),
            (Self::I64(values), true) => buffer.extend(values[from..to].iter().map(|&v| opposite(wide(v)))),
            (Self::I32(values), false) => buffer.extend(values[from..to].iter().map(|&v| whole(v))),
            (Self::I32(values), true) => buffer.extend(values[from..to].iter().map(|&v| opposite(whole(v)))),
        }
    }
}

#[inline(always)]
fn whole(value: i32) -> f64 {
    if value == i32::MAX { f64::INFINITY } else { f64::from(value) }
}

#[inline(always)]
fn wide(value: i64) -> f64 {
    if value == i64::MAX { f64::INFINITY } else { value as f64 }
}

/// Turns a cost to be maximised into one to be minimised. Infinity, which marks a forbidden pair, and negative
/// infinity, which is an error, stay as they are.
#[inline(always)]
pub(crate) fn opposite(value: f64) -> f64 {
    if value.abs() == f64::INFINITY { value } else { -value }
}

pub(crate) mod sealed {
    use super::Values;

    /// The conversion of a slice of a number type to [`Values`].
    pub trait Stored: Copy + Sized + Send + Sync + 'static {
        /// Wraps the values in the variant of their type.
        #[allow(private_interfaces)] // sealed
        fn stored(values: &[Self]) -> Values<'_>;

        /// The position of the first value that a double cannot represent.
        fn inexact(_: &[Self]) -> Option<usize> {
            None
        }
    }

    impl Stored for f64 {
        #[allow(private_interfaces)]
        fn stored(values: &[Self]) -> Values<'_> {
            Values::F64(values)
        }
    }

    impl Stored for f32 {
        #[allow(private_interfaces)]
        fn stored(values: &[Self]) -> Values<'_> {
            Values::F32(values)
        }
    }

    impl Stored for i64 {
        #[allow(private_interfaces)]
        fn stored(values: &[Self]) -> Values<'_> {
            Values::I64(values)
        }

        fn inexact(values: &[Self]) -> Option<usize> {
            // `i64::MAX` means infinity, though it rounds up to 2^63.
            values.iter().position(|&v| v != Self::MAX && i128::from(v) != (v as f64) as i128)
        }
    }

    impl Stored for i32 {
        #[allow(private_interfaces)]
        fn stored(values: &[Self]) -> Values<'_> {
            Values::I32(values)
        }
    }
}
