//! The passes over all alternatives before the core is searched: counted in parts, so that limit and signal are
//! asked between them.

use sched_model::{End, Meter};

/// So many alternatives are paid for at once, before they are read.
const PART: u64 = 1 << 14;

/// The work of some passes: so many units in all, whatever is read.
pub(crate) struct Passes<'p, 'm> {
    meter: &'p mut Meter<'m>,
    left: u64,
    paid: u64,
}

impl<'p, 'm> Passes<'p, 'm> {
    /// Passes of so many units of work, of which the first are paid for.
    ///
    /// # Errors
    /// Where the meter ends the search, as for all methods.
    pub(crate) fn begin(meter: &'p mut Meter<'m>, units: u64) -> Result<Self, End> {
        let mut passes = Self { meter, left: units, paid: 0 };
        passes.pay()?;
        Ok(passes)
    }

    fn pay(&mut self) -> Result<(), End> {
        let part = self.left.min(PART);
        self.meter.spend(part)?;
        self.left -= part;
        self.paid += part;
        Ok(())
    }

    /// So many alternatives are about to be read. What exceeds the units of these passes is free.
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
        self.paid = self.paid.saturating_sub(alternatives);
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
    fn passes_count_so_many_units_however_much_is_read() {
        for (units, read) in [(10, 0), (100_000, 100_000), (100_000, 400_000), (PART, PART + 1)] {
            let limit = Limit::without_limit();
            let mut meter = limit.meter();
            let mut passes = Passes::begin(&mut meter, units).unwrap();
            for _ in 0..read / 100 {
                passes.read(100).unwrap();
            }
            passes.end().unwrap();
            assert_eq!(meter.work(), units, "{units} {read}");
            let limit = Limit::without_limit().with_work(units - 1);
            let mut meter = limit.meter();
            let ended = Passes::begin(&mut meter, units).and_then(Passes::end);
            assert_eq!((ended, meter.work() + PART >= units), (Err(End::Work), true));
        }
    }
}
