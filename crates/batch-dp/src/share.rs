//! A share of the work of a meter.

use sched_model::{End, Meter};

/// The part of a meter that one search uses: it may end before the meter does, and it may keep to itself what
/// it finds, where that is no answer to the whole problem.
pub(crate) struct Share<'m> {
    pub(crate) meter: &'m mut Meter,
    /// The work of the meter at which the share ends.
    until: u64,
    is_apart: bool,
}

impl<'m> Share<'m> {
    /// All that is left.
    pub(crate) fn whole(meter: &'m mut Meter) -> Self {
        Self { meter, until: u64::MAX, is_apart: false }
    }

    /// A trial of so much work.
    pub(crate) fn trial(work: u64, meter: &'m mut Meter) -> Self {
        Self { until: meter.work().saturating_add(work), ..Self::whole(meter) }
    }

    /// Without reports of what is found.
    pub(crate) fn apart(self) -> Self {
        Self { is_apart: true, ..self }
    }

    /// Pays for work, before it is done.
    pub(crate) fn spend(&mut self, units: u64) -> Result<(), End> {
        if self.meter.work().saturating_add(units) > self.until && self.meter.ended().is_none() {
            return Err(End::Work);
        }
        self.meter.spend(units)
    }

    pub(crate) fn improve(&mut self, incumbent: f64) {
        if !self.is_apart {
            self.meter.improve(incumbent);
        }
    }

    pub(crate) fn tighten(&mut self, bound: f64) {
        if !self.is_apart {
            self.meter.tighten(bound);
        }
    }

    pub(crate) fn gap_closed(&self) -> bool {
        !self.is_apart && self.meter.gap_closed()
    }
}
