//! The readings of a whole matrix before tasks are mapped: counted as one, in parts, so that limit and signal
//! are asked between rows.

use sched_model::{End, Meter};

/// Some readings of a matrix, which count so many units in all.
pub(crate) struct Readings<'r, 'm> {
    meter: &'r mut Meter<'m>,
    /// Units that are not counted yet.
    left: u64,
    /// The number of readings.
    times: u64,
    /// Cells read, and what has been counted for them.
    read: u64,
    counted: u64,
}

impl<'r, 'm> Readings<'r, 'm> {
    pub(crate) fn new(meter: &'r mut Meter<'m>, units: usize, times: u64) -> Self {
        Self { meter, left: units as u64, times, read: 0, counted: 0 }
    }

    /// A row of so many cells is about to be read.
    #[inline]
    pub(crate) fn row(&mut self, cells: usize) -> Result<(), End> {
        self.read += cells as u64;
        let part = (self.read / self.times - self.counted).min(self.left);
        self.meter.spend(part)?;
        self.left -= part;
        self.counted += part;
        Ok(())
    }

    /// Counts what is left.
    pub(crate) fn end(mut self) -> Result<(), End> {
        while self.left > 0 {
            let part = self.left.min(Meter::POLL);
            self.meter.spend(part)?;
            self.left -= part;
        }
        Ok(())
    }
}
