//! One window for each job by the goal alone: for all jobs, or for those that a coverage selects.

use super::offers::{Offer, refuse};
use super::pose::Posed;
use super::settings::Planner;
use crate::{BatchError, ChoiceProblem, Chosen, Coverage, ExpandingCore, Plan};
use sched_model::{JobId, Meter, Money, Refusal, Window};
use std::collections::BTreeSet;

impl Planner<'_> {
    /// The choice by the goal.
    pub(super) fn by_goal(&self, offers: &[Offer<'_>], meter: &mut Meter) -> Result<Plan, BatchError> {
        let mut posed = self.pose(offers, meter)?;
        posed.batch = self.counted(posed.batch, &posed.open)?;
        let problem = self.choice_problem(&posed, offers)?;
        // What a chooser of one's own need not support.
        let is_plain = self.budgets.is_empty() && self.coverage == Coverage::EveryJob;
        let chooser = if is_plain { self.chooser } else { &ExpandingCore };
        let outcome = chooser.solve(&problem, meter)?;
        let refusals = self.refusals(&problem, &outcome)?;
        posed.place(outcome, &refusals, meter)
    }

    /// The problem with coverage, accounts and the earlier schedule.
    pub(super) fn choice_problem<'p>(
        &self,
        posed: &'p Posed<'_>,
        offers: &[Offer<'_>],
    ) -> Result<ChoiceProblem<'p>, BatchError> {
        // Some jobs may have been refused.
        let left: BTreeSet<JobId> = posed.open.iter().map(|(job, _)| *job).collect();
        let positions = posed.positions.iter().copied().filter(|&at| left.contains(&offers[at].0));
        let coverage = self.coverage.of_jobs(&positions.collect::<Vec<_>>())?;
        let problem = ChoiceProblem::new(&posed.batch, posed.goal).with_coverage(coverage);
        let problem = self.with_accounts(problem, &posed.open);
        Ok(match self.known_picks(&posed.open) {
            Some(known) => problem.with_start(&known),
            None => problem,
        })
    }

    /// The positions of the windows of an earlier schedule, for each job with windows.
    fn known_picks(&self, open: &[(JobId, &[Window])]) -> Option<Vec<Option<usize>>> {
        let known = self.known.as_ref()?;
        let position = |(job, windows): &(JobId, &[Window])| {
            known.place_of(*job).and_then(|place| windows.iter().position(|window| window == place))
        };
        Some(open.iter().map(position).collect())
    }

    /// What each job that is left out lacks: its cheapest or lightest window does not fit beside the others.
    fn refusals(
        &self,
        problem: &ChoiceProblem<'_>,
        outcome: &Chosen,
    ) -> Result<Vec<Option<Refusal>>, BatchError> {
        let Some(choice) = &outcome.incumbent else { return Ok(Vec::new()) };
        let accounts = problem.checked_accounts()?;
        let lacks = |job| {
            let of_account =
                accounts.as_ref().and_then(|all| all.short_by(problem.alternatives, &choice.picks, job));
            let of_account = of_account.and_then(|short_by| Money::new(short_by).ok());
            let of_batch = || problem.short_by(choice, job).unwrap_or(0.0).max(0.0);
            of_account.map_or_else(
                || Refusal::BatchLimit { short_by: of_batch() },
                |short_by| Refusal::Budget { short_by },
            )
        };
        let picks = choice.picks.iter().enumerate();
        Ok(picks.map(|(job, pick)| pick.is_none().then(|| lacks(job))).collect())
    }
}

impl Posed<'_> {
    /// The plan of an outcome for all jobs that are left, with a refusal for each that is left out.
    pub(super) fn place(
        self,
        outcome: Chosen,
        refusals: &[Option<Refusal>],
        meter: &Meter,
    ) -> Result<Plan, BatchError> {
        let work = self.work(meter);
        let Self { mut schedule, open, goal, .. } = self;
        match (&outcome.incumbent, &outcome.refusal) {
            (Some(choice), _) => {
                for (at, (&(job, windows), pick)) in open.iter().zip(&choice.picks).enumerate() {
                    match (pick, refusals.get(at)) {
                        (Some(pick), _) => schedule.place(job, windows[*pick].clone()),
                        (None, Some(Some(refusal))) => schedule.refuse(job, refusal.clone()),
                        (None, _) => schedule.refuse(job, Refusal::NoCapacity),
                    }
                    .map_err(|_| BatchError::RepeatedJob { job })?;
                }
            }
            (None, Some(refusal)) => {
                let short_by = refusal.short_by().max(0.0);
                refuse(&mut schedule, &open, &Refusal::BatchLimit { short_by })?;
            }
            (None, None) => return Err(BatchError::Stopped { end: outcome.end, work }),
        }
        Ok(Plan { schedule, goal, outcome, work })
    }
}
