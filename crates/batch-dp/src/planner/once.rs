//! One window for each job by the goal alone: for all jobs, or for those that a service selects.

use super::offers::Offer;
use super::pose::Posed;
use super::settings::Planner;
use crate::{
    Alternatives, BatchDecision, BatchError, Choice, Plan, Problem, Selection, Service, UserBudgets, select,
    select_from, select_with_user_budgets, select_with_user_budgets_from,
};
use sched_model::{JobId, Meter, Money, Outcome, Refusal, Window, exact_sum};
use std::collections::BTreeSet;

impl Planner<'_> {
    /// The positions of the windows of an earlier schedule, for each job with windows.
    pub(super) fn known_picks(&self, open: &[(JobId, &[Window])]) -> Option<Vec<Option<usize>>> {
        let known = self.known.as_ref()?;
        let position = |(job, windows): &(JobId, &[Window])| {
            known.place_of(*job).and_then(|place| windows.iter().position(|window| window == place))
        };
        Some(open.iter().map(position).collect())
    }

    /// The choice by the goal, within the budgets of users if there are any.
    pub(super) fn by_goal(&self, offers: &[Offer<'_>], meter: &mut Meter<'_>) -> Result<Plan, BatchError> {
        match &self.service {
            Some(service) => self.by_service(offers, service, meter),
            None if !self.budgets.is_empty() => self.within_budgets(offers, meter),
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
        let users = (!self.budgets.is_empty()).then(|| self.users(&posed.open));
        if users.is_some() {
            // Some jobs may have been refused.
            let left: BTreeSet<JobId> = posed.open.iter().map(|(job, _)| *job).collect();
            posed.positions.retain(|&at| left.contains(&offers[at].0));
        }
        let known = self.known_picks(&posed.open);
        let (batch, problem, scratch) = (&posed.batch, posed.problem, &mut posed.scratch);
        let service = service.of_jobs(&posed.positions)?;
        let outcome = match (known, &users) {
            (Some(known), None) => select_from(batch, problem, &service, &known, scratch, meter)?,
            (None, None) => select(batch, problem, &service, scratch, meter)?,
            (Some(known), Some(users)) => {
                select_with_user_budgets_from(batch, problem, &service, users, &known, scratch, meter)?
            }
            (None, Some(users)) => select_with_user_budgets(batch, problem, &service, users, scratch, meter)?,
        };
        let Solved { decision, picks } =
            Solved::of_selection((batch, users.as_ref()), problem, &service, outcome);
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
                Err(refusal) => schedule.refuse(job, refusal),
            }
            .map_err(|_| BatchError::RepeatedJob { job })?;
        }
        Ok(Plan { schedule, problem, decision, work })
    }
}

/// The result for each job with windows: the position of its window, or the amount that its cheapest or
/// lightest window lacks.
struct Solved {
    decision: BatchDecision,
    picks: Vec<Result<usize, Refusal>>,
}

impl Solved {
    fn of_selection(
        (batch, users): (&Alternatives, Option<&UserBudgets>),
        problem: Problem,
        service: &Service,
        outcome: Outcome<Selection>,
    ) -> Self {
        if outcome.is_infeasible() {
            let decision = out_of_reach(batch, users, problem, service);
            let refusal = Refusal::BatchLimit { short_by: decision.short_by().max(0.0) };
            return Self { decision, picks: vec![Err(refusal); batch.jobs()] };
        }
        let picks = outcome.incumbent.iter().flat_map(|selection| {
            let lacks = |job| {
                let of_user = users.and_then(|users| users.short_by(batch, &selection.picks, job));
                let of_user = of_user.and_then(|short_by| Money::new(short_by).ok());
                let of_batch = || selection.short_by(batch, problem, job).unwrap_or(0.0).max(0.0);
                of_user.map_or_else(
                    || Refusal::BatchLimit { short_by: of_batch() },
                    |short_by| Refusal::Budget { short_by },
                )
            };
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

/// Which limit the jobs that must not be left out exceed; without such jobs it is a limit below 0.
fn out_of_reach(
    batch: &Alternatives,
    users: Option<&UserBudgets>,
    problem: Problem,
    service: &Service,
) -> BatchDecision {
    let (_, limit, _, cost_is_limited) = problem.parts();
    let least_of = |cost_is_counted: bool, is_asked: &dyn Fn(usize) -> bool| {
        let must = (0..batch.jobs()).filter(|&job| service.forbids(job) && is_asked(job));
        let number = |(cost, time)| if cost_is_counted { cost } else { time };
        exact_sum(must.filter_map(|job| batch.of_job(job).map(number).min_by(f64::total_cmp)))
    };
    let least = least_of(cost_is_limited, &|_| true);
    let of_user = users.filter(|_| least <= limit).and_then(|users| {
        users.budgets.iter().enumerate().find_map(|(user, &limit)| {
            let least = least_of(true, &|job| users.user_of[job] == user);
            (least > limit).then_some(BatchDecision::UserBudgetTooSmall { user, least, limit })
        })
    });
    of_user.unwrap_or(BatchDecision::OutOfReach { least, limit })
}
