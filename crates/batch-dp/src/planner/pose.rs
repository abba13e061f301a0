//! The problem of a batch, as every choice of one window for each job begins with it.

use super::offers::{Offer, Open, alternatives, refused};
use super::settings::Planner;
use crate::{Alternatives, BatchError, Goal};
use sched_model::{Meter, Schedule};

/// The problem of a batch, and the jobs that are left to it.
pub(super) struct Posed<'o> {
    /// The jobs that are refused.
    pub(super) schedule: Schedule,
    /// The others.
    pub(super) open: Open<'o>,
    /// Their alternatives.
    pub(super) batch: Alternatives,
    /// The positions of all jobs with windows among the offers.
    pub(super) positions: Vec<usize>,
    pub(super) goal: Goal,
    /// The work of the meter before.
    before: u64,
}

impl Planner<'_> {
    /// Refuses jobs without windows, derives the limit from the others together, and then refuses the jobs
    /// of users who cannot pay for the cheapest windows.
    pub(super) fn pose<'o>(&self, offers: &[Offer<'o>], meter: &mut Meter) -> Result<Posed<'o>, BatchError> {
        let before = meter.work();
        let (mut schedule, mut open, positions) = refused(offers)?;
        let mut batch = alternatives(&open)?;
        let goal = self.limited_goal(&batch, meter)?;
        self.refuse_the_poor(&mut schedule, &mut open)?;
        if open.len() < batch.jobs() {
            batch = alternatives(&open)?;
        }
        Ok(Posed { schedule, open, batch, positions, goal, before })
    }
}

impl Planner<'_> {
    /// The goal with its limit, given or derived.
    ///
    /// # Errors
    /// [`BatchError::Limit`] if a limit is NaN.
    pub(super) fn limited_goal(&self, batch: &Alternatives, meter: &mut Meter) -> Result<Goal, BatchError> {
        if self.derived { self.goal.or_derived(batch, self.chooser, meter) } else { Ok(self.goal) }
    }
}

impl Posed<'_> {
    /// The work since the beginning.
    pub(super) fn work(&self, meter: &Meter) -> u64 {
        meter.work() - self.before
    }
}
