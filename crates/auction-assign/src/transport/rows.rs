//! The rows of a sample of the jobs.

use crate::kernel::prepared::Prepared;
use crate::kernel::source::{Row, Source};

/// Every `stride`-th job's whole row, the dummy included.
#[derive(Clone, Copy)]
pub(super) struct Rows<'f, 'a> {
    source: &'f Source<'a>,
    dummy: Option<f64>,
    stride: usize,
}

/// Every `stride`-th job, its row as the costs hold it.
#[derive(Clone, Copy)]
pub(super) struct Sample<'f, 'a> {
    rows: Rows<'f, 'a>,
}

impl<'f, 'a> Sample<'f, 'a> {
    pub(super) fn new(prepared: &'f Prepared<'a>, stride: usize) -> Self {
        Self { rows: Rows::new(prepared, stride) }
    }

    /// How many jobs the sample has.
    pub(super) fn count(&self) -> usize {
        self.rows.count()
    }

    /// The cost of staying out.
    pub(super) fn dummy(&self) -> Option<f64> {
        self.rows.dummy
    }

    pub(super) fn entries(&self, index: usize) -> u64 {
        self.rows.source.entries(index * self.rows.stride)
    }

    /// Entries of all its rows, about.
    pub(super) fn all_entries(&self) -> u64 {
        self.rows.source.all_entries() / self.rows.stride as u64
    }

    pub(super) fn cost(&self, index: usize, resource: usize) -> f64 {
        self.rows.cost(index, resource)
    }

    /// A job's row without the dummy.
    pub(super) fn row<'b>(&self, index: usize, buffer: &'b mut Vec<f64>) -> Row<'b>
    where
        'f: 'b,
    {
        let source: &'f Source<'a> = self.rows.source;
        source.row(index * self.rows.stride, buffer)
    }
}

/// Space for one row.
#[derive(Default)]
pub(super) struct Buffer {
    lent: Vec<f64>,
    whole: Vec<f64>,
}

impl<'f, 'a> Rows<'f, 'a> {
    pub(super) fn new(prepared: &'f Prepared<'a>, stride: usize) -> Self {
        Self { source: &prepared.source, dummy: prepared.dummy, stride }
    }

    /// How many jobs the sample has.
    pub(super) fn count(&self) -> usize {
        self.source.rows().div_ceil(self.stride)
    }

    /// The job of this index in the sample.
    pub(super) fn job(&self, index: usize) -> u32 {
        (index * self.stride) as u32
    }

    pub(super) fn cost(&self, index: usize, resource: usize) -> f64 {
        match self.dummy {
            Some(cost) if resource == self.source.cols() => cost,
            _ => self.source.cost(index * self.stride, resource),
        }
    }

    pub(super) fn row<'b>(&self, index: usize, buffer: &'b mut Buffer) -> &'b [f64]
    where
        'f: 'b,
    {
        let source: &'f Source<'a> = self.source;
        let Buffer { lent, whole } = buffer;
        match (source.row(index * self.stride, lent), self.dummy) {
            (Row::Full(row), None) => row,
            (Row::Full(row), Some(cost)) => {
                whole.clear();
                whole.extend_from_slice(row);
                whole.push(cost);
                whole
            }
            (Row::Listed(columns, costs), dummy) => {
                whole.clear();
                whole.resize(source.cols(), f64::INFINITY);
                for (&r, &cost) in columns.iter().zip(costs) {
                    whole[r as usize] = cost;
                }
                whole.extend(dummy);
                whole
            }
        }
    }
}
