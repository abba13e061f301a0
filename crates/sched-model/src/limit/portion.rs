//! Work that counts so many units in all, however it is done.

use super::{End, Meter};

/// A part of a search that counts so many units of work in all, while limit and signal are asked on the way:
/// each visit counts its share. For what is read several times and counts once, and for sorts.
///
/// ```
/// use sched_model::{End, Limit, Portion};
/// let limit = Limit::default().with_work(100);
/// let mut meter = limit.meter();
/// // Some 1000 visits count 10 units together.
/// let mut portion = Portion::new(&mut meter, 10, 1000);
/// portion.visit(250)?;
/// portion.visit(350)?;
/// assert_eq!(portion.counted(), 6);
/// portion.end()?;
/// assert_eq!(meter.work(), 10);
/// # Ok::<(), End>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct Portion<'p> {
    meter: &'p mut Meter,
    units: u64,
    /// The number of visits that is expected, not 0.
    expected: u64,
    visited: u64,
    counted: u64,
}

impl<'p> Portion<'p> {
    /// So many units for about so many visits. Visits beyond them are free.
    pub fn new(meter: &'p mut Meter, units: u64, visits: u64) -> Self {
        Self { meter, units, expected: visits.max(1), visited: 0, counted: 0 }
    }

    /// So many visits are about to be made.
    ///
    /// # Errors
    /// As for [`Meter::spend`].
    #[inline]
    pub fn visit(&mut self, visits: u64) -> Result<(), End> {
        self.visited = self.visited.saturating_add(visits);
        // The quotient is at most the units.
        let due =
            u128::from(self.units) * u128::from(self.visited.min(self.expected)) / u128::from(self.expected);
        let part = due as u64 - self.counted;
        self.meter.spend(part)?;
        self.counted += part;
        Ok(())
    }

    /// Counts work beside the portion.
    ///
    /// # Errors
    /// As for [`Meter::spend`].
    pub fn spend(&mut self, units: u64) -> Result<(), End> {
        self.meter.spend(units)
    }

    /// The units counted so far.
    pub fn counted(&self) -> u64 {
        self.counted
    }

    /// Counts what is left, a [poll](Meter::POLL) at a time.
    ///
    /// # Errors
    /// As for [`Meter::spend`].
    pub fn end(mut self) -> Result<(), End> {
        while self.counted < self.units {
            let part = (self.units - self.counted).min(Meter::POLL);
            self.meter.spend(part)?;
            self.counted += part;
        }
        Ok(())
    }
}
