//! Passes over what a search has been given, or has formed: counted in parts, so that limit and signal are asked
//! between them.

use sched_model::{End, Meter};
use std::ops::Range;

/// So many alternatives are paid for at once, before they are read.
const PART: u64 = 1 << 14;

/// The work of some passes: so many units, and beside them a unit for everything else that is read, in whole
/// parts. So what reads little beside them, or in all, does not count more for it.
pub(crate) struct Passes<'p> {
    meter: &'p mut Meter,
    /// Units that are not paid for yet.
    left: u64,
    /// So many may be read before the next question.
    ahead: u64,
    /// Whether more is read than the units: a part of it counts when it has been read.
    is_beyond: bool,
    /// Whether an end of the search is no end of these passes.
    goes_on: bool,
}

/// Whether a pass over so many alternatives has to ask between its parts. One that has not is paid for as a
/// whole, and the compiler leaves all questions out of its loops; what it counts is the same.
pub(crate) fn is_long(alternatives: usize) -> bool {
    alternatives > PART as usize
}

/// A range in parts, each of which may be read between two questions; in one, if the pass is not long.
#[inline(always)]
pub(crate) fn parts_of<const LONG: bool>(mut range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let part = if LONG { PART as usize } else { usize::MAX };
    std::iter::from_fn(move || {
        let start = range.start;
        range.start = range.end.min(start.saturating_add(part));
        (start < range.end).then_some(start..range.start)
    })
}

/// A range in parts: each may be read between two questions.
pub(crate) fn parts(mut range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    std::iter::from_fn(move || {
        let start = range.start;
        range.start = range.end.min(start + PART as usize);
        (start < range.end).then_some(start..range.start)
    })
}

impl<'p> Passes<'p> {
    /// Passes of so many units of work, of which the first are paid for.
    ///
    /// # Errors
    /// Where the meter ends the search, as for all methods.
    pub(crate) fn begin(meter: &'p mut Meter, units: u64) -> Result<Self, End> {
        meter.spend(0)?;
        let mut passes = Self { meter, left: units, ahead: 0, is_beyond: false, goes_on: false };
        passes.pay()?;
        Ok(passes)
    }

    /// Passes without units of their own for what an answer needs: they go on where the search has to end.
    pub(crate) fn for_answer(meter: &'p mut Meter) -> Self {
        Self { meter, left: 0, ahead: 0, is_beyond: false, goes_on: true }
    }

    fn spend(&mut self, units: u64) -> Result<(), End> {
        self.meter.spend(units).or_else(|end| if self.goes_on { Ok(()) } else { Err(end) })
    }

    /// Pays for the next part; of what is beyond the units, for the one that has been read.
    fn pay(&mut self) -> Result<(), End> {
        let is_own = self.left > 0;
        let part = if is_own { self.left.min(PART) } else { PART };
        if is_own || self.is_beyond {
            self.spend(part)?;
        }
        self.left -= if is_own { part } else { 0 };
        self.is_beyond |= !is_own;
        self.ahead += part;
        Ok(())
    }

    /// So many alternatives are about to be read.
    #[inline(always)]
    pub(crate) fn read(&mut self, alternatives: usize) -> Result<(), End> {
        let alternatives = alternatives as u64;
        if alternatives > self.ahead {
            return self.pay_for(alternatives);
        }
        self.ahead -= alternatives;
        Ok(())
    }

    /// Asks before a part of a range that is read another time, all but the first: what is short counts once.
    #[inline(always)]
    pub(crate) fn read_again(&mut self, range: &Range<usize>, part: &Range<usize>) -> Result<(), End> {
        if part.start > range.start { self.read(part.len()) } else { Ok(()) }
    }

    #[cold]
    fn pay_for(&mut self, alternatives: u64) -> Result<(), End> {
        while self.ahead < alternatives {
            self.pay()?;
        }
        self.ahead -= alternatives;
        Ok(())
    }

    /// So many alternatives are about to be read, by a pass that asks nothing on the way unless it is long.
    #[inline(always)]
    pub(crate) fn read_all<const LONG: bool>(&mut self, alternatives: usize) -> Result<(), End> {
        if LONG { Ok(()) } else { self.read(alternatives) }
    }

    /// So many alternatives of a pass are about to be read: paid for now only if the pass is long.
    #[inline(always)]
    pub(crate) fn read_part<const LONG: bool>(&mut self, alternatives: usize) -> Result<(), End> {
        if LONG { self.read(alternatives) } else { Ok(()) }
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
