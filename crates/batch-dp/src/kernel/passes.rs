//! Passes over what a search has been given, or has formed: counted in parts, so that limit and signal are asked
//! between them.

use sched_model::{End, Meter};
use std::ops::Range;

/// So many alternatives are paid for at once, before they are read.
const PART: u64 = 1 << 14;

/// The work of some passes: so many units, and beside them a unit for everything else that is read, in whole
/// parts. So what reads little beside them, or in all, does not count more for it.
pub(crate) struct Passes<'p, 'm> {
    meter: &'p mut Meter<'m>,
    left: u64,
    paid: u64,
    /// Read, and not paid for yet.
    unpaid: u64,
    /// Whether an end of the search is no end of these passes.
    goes_on: bool,
}

/// A range in parts: each may be read between two questions.
pub(crate) fn parts(range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(PART as usize).map(move |start| start..end.min(start + PART as usize))
}

impl<'p, 'm> Passes<'p, 'm> {
    /// Passes of so many units of work, of which the first are paid for.
    ///
    /// # Errors
    /// Where the meter ends the search, as for all methods.
    pub(crate) fn begin(meter: &'p mut Meter<'m>, units: u64) -> Result<Self, End> {
        let mut passes = Self { meter, left: units, paid: 0, unpaid: 0, goes_on: false };
        passes.pay()?;
        Ok(passes)
    }

    /// Passes without units of their own for what an answer needs: they go on where the search has to end.
    pub(crate) fn for_answer(meter: &'p mut Meter<'m>) -> Self {
        Self { meter, left: 0, paid: 0, unpaid: 0, goes_on: true }
    }

    fn spend(&mut self, units: u64) -> Result<(), End> {
        self.meter.spend(units).or_else(|end| if self.goes_on { Ok(()) } else { Err(end) })
    }

    fn pay(&mut self) -> Result<(), End> {
        let part = self.left.min(PART);
        self.spend(part)?;
        self.left -= part;
        self.paid += part;
        Ok(())
    }

    /// So many alternatives are about to be read.
    #[inline(always)]
    pub(crate) fn read(&mut self, alternatives: usize) -> Result<(), End> {
        let alternatives = alternatives as u64;
        if alternatives > self.paid {
            return self.pay_for(alternatives);
        }
        self.paid -= alternatives;
        Ok(())
    }

    #[cold]
    fn pay_for(&mut self, alternatives: u64) -> Result<(), End> {
        while self.paid < alternatives && self.left > 0 {
            self.pay()?;
        }
        self.unpaid += alternatives.saturating_sub(self.paid);
        self.paid = self.paid.saturating_sub(alternatives);
        while self.unpaid >= PART {
            self.spend(PART)?;
            self.unpaid -= PART;
        }
        Ok(())
    }

    /// Pays what is left.
    pub(crate) fn end(mut self) -> Result<(), End> {
        while self.left > 0 {
            self.pay()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sched_model::Limit;

    #[test]
    fn passes_count_so_many_units_and_whole_parts_of_what_else_is_read() {
        for (units, read, more) in [
            (10, 0, 0),
            (100_000, 100_000, 0),
            (100_000, 100_100 + PART, PART),
            (100_000, 400_000, 18 * PART),
            (PART, PART + 100, 0),
            (0, 2 * PART - 100, PART),
        ] {
            let limit = Limit::without_limit();
            let mut meter = limit.meter();
            let mut passes = Passes::begin(&mut meter, units).unwrap();
            for _ in 0..read / 100 {
                passes.read(100).unwrap();
            }
            passes.end().unwrap();
            // A hundred at a time, so that a part may be complete a little later.
            assert!((units + more..=units + more + PART).contains(&meter.work()), "{units} {read}");
            assert_eq!((meter.work() - units) % PART, 0);
            let Some(less) = units.checked_sub(1) else { continue };
            let limit = Limit::without_limit().with_work(less);
            let mut meter = limit.meter();
            let ended = Passes::begin(&mut meter, units).and_then(Passes::end);
            assert_eq!((ended, meter.work() + PART >= units), (Err(End::Work), true));
        }
    }
}
