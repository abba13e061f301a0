//! The problem of a batch, as every choice of one window for each job begins with it.

use super::offers::{Offer, Open, alternatives, place, refused};
use super::settings::Planner;
use crate::{Alternatives, BatchDecision, BatchError, Plan, Problem, Scratch};
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
    pub(super) problem: Problem,
    pub(super) scratch: Scratch,
    /// The work of the meter before.
    before: u64,
}

impl Planner<'_> {
    /// Refuses jobs without windows, derives the problem from the others together, and then refuses the jobs
    /// of users who cannot pay for the cheapest windows.
    pub(super) fn pose<'o>(
        &self,
        offers: &[Offer<'o>],
        meter: &mut Meter<'_>,
    ) -> Result<Posed<'o>, BatchError> {
        let before = meter.work();
        let (mut schedule, mut open, positions) = refused(offers)?;
        let mut batch = alternatives(&open)?;
        let mut scratch = Scratch::default();
        let problem = self.goal.problem(&batch, self.chooser, &mut scratch, meter)?;
        self.refuse_the_poor(&mut schedule, &mut open)?;
        if open.len() < batch.jobs() {
            batch = alternatives(&open)?;
        }
        Ok(Posed { schedule, open, batch, positions, problem, scratch, before })
    }
}

impl Posed<'_> {
    /// The work since the beginning.
    pub(super) fn work(&self, meter: &Meter<'_>) -> u64 {
        meter.work() - self.before
    }

    /// The plan of a decision on all jobs that are left.
    pub(super) fn place(self, decision: BatchDecision, meter: &Meter<'_>) -> Result<Plan, BatchError> {
        let work = self.work(meter);
        place(self.schedule, &self.open, self.problem, decision, work)
    }
}
