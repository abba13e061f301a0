//! The meter of the caller while a plan is made.

use sched_model::Meter;

/// The meter of the caller, and the work of it before the present part of the search, which has a meter of its own.
pub(crate) struct Watch<'m> {
    meter: &'m mut Meter,
    /// The work of earlier parts.
    pub(crate) spent: u64,
}

impl<'m> Watch<'m> {
    pub(crate) fn new(meter: &'m mut Meter) -> Self {
        Self { spent: meter.work(), meter }
    }

    /// Reports the work of the present part so far, the objective of the best plan so far and the bound.
    pub(crate) fn tell(&mut self, work: u64, objective: f64, bound: Option<f64>) {
        self.count(work);
        self.meter.report(Some(objective), bound);
    }

    /// Counts the work of the present part.
    pub(crate) fn count(&mut self, work: u64) {
        let more = (self.spent + work).saturating_sub(self.meter.work());
        // The meter of the part has the same limit and signal.
        let _ = self.meter.spend(more);
    }
}
