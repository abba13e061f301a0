//! The rows of a sample of the jobs.

use crate::kernel::prepared::Prepared;
use crate::kernel::source::Row;

/// Every `stride`-th job, its row as the costs hold it.
#[derive(Clone, Copy)]
pub(super) struct Sample<'f, 'a> {
    prepared: &'f Prepared<'a>,
    stride: usize,
}

impl<'f, 'a> Sample<'f, 'a> {
    pub(super) fn new(prepared: &'f Prepared<'a>, stride: usize) -> Self {
        Self { prepared, stride }
    }

    /// How many jobs the sample has.
    pub(super) fn count(&self) -> usize {
        self.prepared.jobs().div_ceil(self.stride)
    }

    /// The cost of staying out.
    pub(super) fn dummy(&self) -> Option<f64> {
        self.prepared.dummy
    }

    pub(super) fn entries(&self, index: usize) -> u64 {
        self.prepared.source.entries(index * self.stride)
    }

    /// Entries of all its rows, about.
    pub(super) fn all_entries(&self) -> u64 {
        self.prepared.source.all_entries() / self.stride as u64
    }

    pub(super) fn cost(&self, index: usize, resource: u32) -> f64 {
        self.prepared.cost(index * self.stride, resource)
    }

    /// A job's row without the dummy.
    pub(super) fn row<'b>(&self, index: usize, buffer: &'b mut Vec<f64>) -> Row<'b>
    where
        'f: 'b,
    {
        self.prepared.source.row(index * self.stride, buffer)
    }
}
