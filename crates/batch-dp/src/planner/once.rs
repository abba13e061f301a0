//! One window for each job by the goal alone: all jobs, or by a service.

use super::offers::Offer;
use super::pose::Posed;
use super::settings::Planner;
use crate::{
    Alternatives, BatchDecision, BatchError, Choice, Plan, Problem, Selection, Service, select, select_from,
};
use sched_model::{JobId, Meter, Outcome, Refusal, Window};

impl Planner<'_> {
    /// Where each job with windows stood before.
    fn known_picks(&self, open: &[(JobId, &[Window])]) -> Option<Vec<Option<usize>>> {
        let known = self.known.as_ref()?;
        let position = |(job, windows): &(JobId, &[Window])| {
            known.place_of(*job).and_then(|place| windows.iter().position(|window| window == place))
        };
        Some(open.iter().map(position).collect())
    }

    /// The choice by the goal, within the budgets of users if there are any.
    pub(super) fn by_goal(&self, offers: &[Offer<'_>], meter: &mut Meter<'_>) -> Result<Plan, BatchError> {
        match &self.service {
            _ if !self.budgets.is_empty() => self.within_budgets(offers, meter),
            Some(service) => self.by_service(offers, service, meter),
            None => {
                let mut posed = self.pose(offers, meter)?;
                posed.batch = self.counted(posed.batch, &posed.open)?;
                let known = self.known_picks(&posed.open).and_then(|picks| picks.into_iter().collect());
                let known: Option<Vec<usize>> = known;
                let (batch, problem, scratch) = (&posed.batch, posed.problem, &mut posed.scratch);
                let decision = match known {
                    Some(known) => self.chooser.choose_from(batch, problem, &known, scratch, meter)?,
                    None => self.chooser.choose(batch, problem, scratch, meter)?,
                };
                posed.place(decision, meter)
            }
        }
    }

    /// The choice where jobs may be left out.
    fn by_service(
        &self,
        offers: &[Offer<'_>],
        service: &Service,
        meter: &mut Meter<'_>,
    ) -> Result<Plan, BatchError> {
        let mut posed = self.pose(offers, meter)?;
        posed.batch = self.counted(posed.batch, &posed.open)?;
        let (batch, problem, scratch) = (&posed.batch, posed.problem, &mut posed.scratch);
        let service = service.of_jobs(&posed.positions)?;
        let outcome = match self.known_picks(&posed.open) {
            Some(known) => select_from(batch, problem, &service, &known, scratch, meter)?,
            None => select(batch, problem, &service, scratch, meter)?,
        };
        let Solved { decision, picks } = Solved::of_selection(batch, problem, outcome);
        let work = posed.work(meter);
        let Posed { mut schedule, open, .. } = posed;
        if let BatchDecision::Chosen(outcome) = &decision
            && outcome.incumbent.is_none()
        {
            return Err(BatchError::Stopped { end: outcome.end, work });
        }
        for ((job, windows), pick) in open.into_iter().zip(picks) {
            match pick {
                Ok(pick) => schedule.place(job, windows[pick].clone()),
                Err(short_by) => schedule.refuse(job, Refusal::BatchLimit { short_by }),
            }
            .map_err(|_| BatchError::RepeatedJob { job })?;
        }
        Ok(Plan { schedule, problem, decision, work })
    }
}

/// The result for each job with windows: the position of its window, or what its lightest one lacks.
struct Solved {
    decision: BatchDecision,
    picks: Vec<Result<usize, f64>>,
}

impl Solved {
    fn of_selection(batch: &Alternatives, problem: Problem, outcome: Outcome<Selection>) -> Self {
        if outcome.is_infeasible() {
            // Even serving nobody passes a limit below 0.
            let decision = BatchDecision::OutOfReach { least: 0.0, limit: problem.parts().1 };
            let picks = vec![Err(decision.short_by()); batch.jobs()];
            return Self { decision, picks };
        }
        let picks = outcome.incumbent.iter().flat_map(|selection| {
            let lacks = |job| selection.short_by(batch, problem, job).unwrap_or(0.0).max(0.0);
            selection.picks.iter().enumerate().map(move |(job, pick)| pick.ok_or_else(|| lacks(job)))
        });
        let picks = picks.collect();
        let decision = BatchDecision::Chosen(outcome.map(|Selection { picks, cost, time, .. }| Choice {
            picks: picks.into_iter().flatten().collect(),
            cost,
            time,
        }));
        Self { decision, picks }
    }
}
