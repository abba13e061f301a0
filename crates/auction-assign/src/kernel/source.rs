//! The costs as methods read them: row by row, always to be minimised, with forbidden pairs infinite.

use crate::costs::Form;
use crate::costs::{Values, opposite};
use crate::kernel::wide::min_sum;
use crate::{AssignmentProblem, Costs, Sense};

/// The costs of one job.
#[derive(Clone, Copy)]
pub(crate) enum Row<'b> {
    /// The cost on every resource.
    Full(&'b [f64]),
    /// The admissible resources and the costs there.
    Listed(&'b [u32], &'b [f64]),
}

impl<'b> Row<'b> {
    /// The costs, in the order of the entries.
    #[inline]
    pub(crate) fn costs(self) -> &'b [f64] {
        match self {
            Self::Full(costs) | Self::Listed(_, costs) => costs,
        }
    }

    /// Calls `see` with the resource and the cost of every entry.
    #[inline(always)]
    pub(crate) fn each(self, mut see: impl FnMut(usize, f64)) {
        match self {
            Self::Full(row) => row.iter().enumerate().for_each(|(r, &cost)| see(r, cost)),
            Self::Listed(columns, costs) => {
                columns.iter().zip(costs).for_each(|(&r, &cost)| see(r as usize, cost));
            }
        }
    }

    /// Returns the minimum cost + price; infinity if there is no entry.
    #[inline]
    pub(crate) fn min_sum(self, prices: &[f64]) -> f64 {
        match self {
            Self::Full(row) => min_sum(row, prices),
            Self::Listed(columns, costs) => (columns.iter().zip(costs))
                .map(|(&r, &cost)| cost + prices[r as usize])
                .fold(f64::INFINITY, |a, b| if b < a { b } else { a }),
        }
    }
}

/// The rows of the costs, to be minimised. Rows are borrowed from the caller where possible, otherwise written to a
/// buffer.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    costs: Costs<'a>,
    negate: bool,
}

impl<'a> Source<'a> {
    pub(crate) fn new(problem: &AssignmentProblem<'a>) -> Self {
        Self { costs: problem.costs, negate: problem.sense == Sense::Maximise }
    }

    pub(crate) fn rows(&self) -> usize {
        self.costs.rows()
    }

    pub(crate) fn cols(&self) -> usize {
        self.costs.cols()
    }

    /// All costs as one slice, if they are stored so and the problem is to minimise them.
    pub(crate) fn flat(&self) -> Option<&'a [f64]> {
        match self.costs.form() {
            Form::Dense(values) if !self.negate => Some(values),
            _ => None,
        }
    }

    pub(crate) fn is_sparse(&self) -> bool {
        matches!(self.costs.form(), Form::Sparse { .. })
    }

    /// Number of entries of the row of job `i`.
    pub(crate) fn entries(&self, i: usize) -> u64 {
        match self.costs.form() {
            Form::Sparse { offsets, .. } => (offsets[i + 1] - offsets[i]) as u64,
            _ => self.cols() as u64,
        }
    }

    /// Number of entries of all rows.
    pub(crate) fn all_entries(&self) -> u64 {
        match self.costs.form() {
            Form::Sparse { values, .. } => values.len() as u64,
            _ => self.rows() as u64 * self.cols() as u64,
        }
    }

    /// Returns the row of job `i`, written to `buffer` if it cannot be borrowed.
    #[inline]
    pub(crate) fn row<'b>(&'b self, i: usize, buffer: &'b mut Vec<f64>) -> Row<'b> {
        let cols = self.cols();
        match self.costs.form() {
            Form::Dense(values) => {
                let row = &values[i * cols..(i + 1) * cols];
                if self.negate { Row::Full(negated(row, buffer)) } else { Row::Full(row) }
            }
            Form::Rows { values: Values::F64(values), stride } if !self.negate => {
                Row::Full(&values[i * stride..i * stride + cols])
            }
            Form::Rows { values, stride } => {
                values.write(i * stride, i * stride + cols, self.negate, buffer);
                Row::Full(buffer)
            }
            Form::Sparse { offsets, columns, values } => {
                let range = offsets[i]..offsets[i + 1];
                let row = &values[range.clone()];
                Row::Listed(&columns[range], if self.negate { negated(row, buffer) } else { row })
            }
            Form::Product { lengths, speeds } => {
                buffer.clear();
                let length = if self.negate { -lengths[i] } else { lengths[i] };
                buffer.extend(speeds.iter().map(|&speed| length / speed));
                Row::Full(buffer)
            }
            Form::Function(cost) => {
                buffer.clear();
                buffer.extend((0..cols).map(|r| {
                    let value = cost(i, r);
                    if self.negate { opposite(value) } else { value }
                }));
                Row::Full(buffer)
            }
        }
    }

    /// Converts a cost to be minimised to the cost that the caller gave.
    pub(crate) fn as_given(&self, value: f64) -> f64 {
        if self.negate { opposite(value) } else { value }
    }

    /// The cost of a pair; infinite if the pair is forbidden.
    #[inline]
    pub(crate) fn cost(&self, i: usize, r: usize) -> f64 {
        if let Some(values) = self.flat() {
            return values[i * self.cols() + r];
        }
        match self.costs.get(i, r) {
            Some(value) if self.negate => opposite(value),
            Some(value) => value,
            None => f64::INFINITY,
        }
    }
}

fn negated<'b>(row: &[f64], buffer: &'b mut Vec<f64>) -> &'b [f64] {
    buffer.clear();
    buffer.extend(row.iter().map(|&value| opposite(value)));
    buffer
}
