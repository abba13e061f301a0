//! Solving under a limit: the best found so far, and what is proven of it.

use std::cell::RefCell;

use sched_model::{End, Meter, Outcome, Proof};

use crate::kernel::stop::Stop;
use crate::kernel::watch::{Overseer, Standing, Watch};
use crate::{Answer, AssignError, Assignment, AssignmentProblem, Duals, Sense, Shortage, verify};

/// Runs a search under a meter, and returns the best assignment and bound known when it ends.
pub(crate) fn watched(
    problem: &AssignmentProblem<'_>,
    meter: &mut Meter,
    search: impl FnOnce(Watch<'_>) -> Result<Answer, Stop>,
) -> Result<Outcome<Assignment, Shortage>, AssignError> {
    problem.check()?;
    let begun = meter.work();
    let record = Record {
        problem,
        maximise: problem.sense() == Sense::Maximise,
        meter,
        incumbent: None,
        proven: None,
        last_look: begun,
    };
    let is_limited = !record.meter.is_idle();
    let record = RefCell::new(record);
    let result = search(Watch::by(&record, is_limited));
    let Record { meter, incumbent, proven, .. } = record.into_inner();
    let work = meter.work() - begun;
    let (outcome, shortage) = match result {
        Ok(found) => {
            let (proof, mut found) = (found.proof, found.solution);
            let outcome = if proof == Proof::Heuristic {
                let total = found.total;
                Outcome::heuristic(found, total, work)
            } else if let Proof::WithinEpsilon(gap) = proof {
                let maximise = problem.sense() == Sense::Maximise;
                let mut bound =
                    if maximise { (found.total + gap).next_up() } else { (found.total - gap).next_down() };
                // What was found or proven on the way may be better.
                if let Some(earlier) = incumbent.filter(|old| is_better(maximise, old.total, found.total)) {
                    found = Assignment { duals: found.duals, ..earlier };
                }
                if let Some((earlier, duals)) = proven.filter(|&(old, _)| is_better(maximise, bound, old)) {
                    bound = earlier;
                    found.duals = Some(duals);
                }
                let total = found.total;
                Outcome::stopped(Some((found, total)), Some(bound), work, End::Gap)
            } else {
                let total = found.total;
                Outcome::solved(found, total, work)
            };
            outcome.bound.into_iter().for_each(|bound| meter.tighten(bound));
            outcome.value.into_iter().for_each(|value| meter.improve(value));
            (outcome, None)
        }
        Err(Stop::Infeasible(shortage)) => (Outcome::infeasible(work), Some(shortage)),
        Err(Stop::Malformed(error)) => return Err(error),
        Err(Stop::Ended(end)) => {
            let (bound, duals) = proven.unzip();
            let incumbent = incumbent.map(|found| (found.total, found));
            let incumbent = incumbent.map(|(total, found)| (Assignment { duals, ..found }, total));
            // If the duals prove the incumbent, the search counts as done.
            (Outcome::stopped(incumbent, bound, work, end), None)
        }
    };
    Ok(outcome.with_refusal(shortage))
}

/// Whether a sum is better than another.
fn is_better(maximise: bool, sum: f64, than: f64) -> bool {
    if maximise { sum > than } else { sum < than }
}

/// The work between two checks of the incumbent and the bound is at least this many times the work of a
/// check.
const BETWEEN_LOOKS: u64 = 4;

/// The meter, and the best assignment and bound so far.
struct Record<'m> {
    problem: &'m AssignmentProblem<'m>,
    meter: &'m mut Meter,
    maximise: bool,
    incumbent: Option<Assignment>,
    /// The best bound, and the duals that prove it.
    proven: Option<(f64, Duals)>,
    /// Work at the end of the last check.
    last_look: u64,
}

impl Overseer for RefCell<Record<'_>> {
    /// There is no outer overseer: this one answers every call itself.
    fn outer(&self) -> Watch<'_> {
        Watch::NONE
    }

    fn spend(&self, units: u64) -> Result<(), End> {
        self.borrow_mut().meter.spend(units)
    }

    fn spend_looking(&self, units: u64) -> Result<(), End> {
        self.spend(units)
    }

    fn reserve(&self, bytes: u64) -> Result<(), End> {
        self.borrow_mut().meter.reserve(bytes)
    }

    fn release(&self, bytes: u64) {
        self.borrow_mut().meter.release(bytes);
    }

    fn is_due(&self, price: u64) -> bool {
        let record = self.borrow();
        record.meter.work() - record.last_look >= price.saturating_mul(BETWEEN_LOOKS)
    }

    fn wants_any(&self) -> bool {
        self.borrow().incumbent.is_none()
    }

    fn record(&self, standing: Standing) -> Result<(), End> {
        self.borrow_mut().keep(standing)
    }
}

impl Record<'_> {
    fn keep(&mut self, standing: Standing) -> Result<(), End> {
        self.last_look = self.meter.work();
        let maximise = self.maximise;
        if self.proven.as_ref().is_none_or(|&(old, _)| is_better(maximise, old, standing.bound)) {
            self.proven = Some((standing.bound, standing.duals));
            self.meter.tighten(standing.bound);
        }
        if let Some(found) = standing.assignment
            && self.incumbent.as_ref().is_none_or(|old| is_better(maximise, found.total, old.total))
        {
            self.meter.improve(found.total);
            self.incumbent = Some(found);
        }
        if !self.meter.gap_closed() {
            return Ok(());
        }
        let limit = self.meter.limit();
        if self.is_proven() {
            Err(End::Done)
        } else if limit.absolute_gap > 0.0 || limit.relative_gap > 0.0 {
            Err(End::Gap)
        } else {
            // Equal as doubles, but not proven to be equal.
            Ok(())
        }
    }

    /// Whether the best duals prove the incumbent to the bit.
    fn is_proven(&self) -> bool {
        let (Some(found), Some((bound, duals))) = (&self.incumbent, &self.proven) else { return false };
        if found.total != *bound {
            return false;
        }
        let found = Assignment { duals: Some(duals.clone()), ..found.clone() };
        verify(self.problem, &found).is_ok_and(|certificate| certificate.gap == 0.0)
    }
}
