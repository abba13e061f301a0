//! The least makespan before the goal: a binary search over instants, with the test whether as much can be
//! served by an instant.

use super::offers::{Offer, alternatives, kept_by, refused};
use super::settings::Planner;
use crate::{Alternatives, BatchError, ChoiceProblem, Chooser, Coverage, ExpandingCore, Plan};
use sched_model::{End, Fate, Meter, Refusal, Time, Window, exact_sum};

/// Whether as much can be served by an instant, and what ended the test before that was known, if anything
/// did.
type Possible = Result<(bool, Option<End>), BatchError>;

/// The goal under its limit, the least instant, and what ended the search for it, if anything did.
type Earliest<'a> = (Planner<'a>, Time, Option<End>);

impl<'a> Planner<'a> {
    /// The choice of the least makespan; among these the best by the goal.
    pub(super) fn earliest(&self, offers: &[Offer<'_>], meter: &mut Meter) -> Result<Plan, BatchError> {
        let before = meter.work();
        let plan = if self.budgets.is_empty() {
            let (planner, until, doubt) = match self.coverage {
                Coverage::EveryJob => self.by_when(offers, meter)?,
                _ => self.by_when_of_service(offers, meter)?,
            };
            planner.until(offers, until, doubt, meter)?
        } else {
            self.earliest_within_budgets(offers, meter)?
        };
        Ok(Plan { work: meter.work() - before, ..plan })
    }

    /// The choice by the goal among the windows that end by an instant.
    fn until(
        &self,
        offers: &[Offer<'_>],
        until: Time,
        doubt: Option<End>,
        meter: &mut Meter,
    ) -> Result<Plan, BatchError> {
        let kept = kept_by(offers, until);
        // What is missing for a job whose windows all end too late.
        let late = offers.iter().map(|(_, windows, _)| {
            let first = windows.iter().map(Window::finish).min()?;
            (first > until).then(|| Refusal::Deadline { late_by: first - until })
        });
        let late: Vec<Option<Refusal>> = late.collect();
        let early = offers.iter().zip(kept.iter().zip(&late));
        let early =
            early.map(|(&(job, _, reason), (kept, late))| (job, kept.as_slice(), reason.or(late.as_ref())));
        let mut plan = self.by_goal(&early.collect::<Vec<_>>(), meter)?;
        if let (Some(end), None) = (doubt, &plan.outcome.refusal) {
            // Where the instant is not proven to be the least, neither is the choice.
            (plan.outcome.end, plan.outcome.bound) = (end, None);
        }
        Ok(plan)
    }

    /// The planner with the limit of its goal on all windows.
    fn fixed(&self, batch: &Alternatives, meter: &mut Meter) -> Result<Self, BatchError> {
        Ok(self.clone().with_goal(self.limited_goal(batch, meter)?))
    }

    /// The least instant by which all jobs that have windows can be done within the limit of the goal.
    /// Without such an instant, the last of all.
    fn by_when(&self, offers: &[Offer<'_>], meter: &mut Meter) -> Result<Earliest<'a>, BatchError> {
        let (_, open, _) = refused(offers)?;
        let planner = self.fixed(&alternatives(&open)?, meter)?;
        planner.goal.check()?;
        let (_, limit, _, cost_is_limited) = planner.goal.parts();
        let limited =
            |window: &Window| if cost_is_limited { window.cost().get() } else { window.runtime().get() };
        let finishes = finishes(offers);
        let Some(last) = finishes.len().checked_sub(1) else { return Ok((planner, Time::ZERO, None)) };
        let possible = |until: Time| -> Possible {
            let least = |windows: &[Window]| {
                let kept = windows.iter().filter(|window| window.finish() <= until).map(limited);
                kept.fold(f64::INFINITY, f64::min)
            };
            let leasts: Vec<f64> = open.iter().map(|(_, windows)| least(windows)).collect();
            Ok((leasts.iter().all(|least| least.is_finite()) && exact_sum(leasts) <= limit, None))
        };
        let (at, _) = first(&finishes, last, possible)?;
        Ok((planner, finishes[at], None))
    }

    /// The same within budgets of users: all jobs of a user are served if the user can pay for all of them
    /// with all windows.
    fn earliest_within_budgets(&self, offers: &[Offer<'_>], meter: &mut Meter) -> Result<Plan, BatchError> {
        let whole = self.by_goal(offers, meter)?;
        let Some(makespan) = whole.schedule.makespan() else { return Ok(whole) };
        // A user who cannot pay for all jobs could pay for those that have early windows: such users are left
        // out.
        let served = offers.iter().map(|&(job, windows, reason)| match whole.schedule.fate(job) {
            Some(Fate::Refused(why)) => (job, &[][..], Some(why)),
            _ => (job, windows, reason),
        });
        let offers: &[Offer<'_>] = &served.collect::<Vec<_>>();
        let planner = self.clone().with_goal(whole.goal);
        let (finishes, most) = (finishes(offers), whole.schedule.placed().count());
        let possible = |until: Time| -> Possible {
            let kept = kept_by(offers, until);
            let some =
                offers.iter().zip(&kept).map(|(&(job, _, reason), kept)| (job, kept.as_slice(), reason));
            match planner.by_goal(&some.collect::<Vec<_>>(), meter) {
                Ok(plan) => Ok((plan.schedule.placed().count() >= most, None)),
                Err(BatchError::Stopped { end, .. }) => Ok((false, Some(end))),
                Err(error) => Err(error),
            }
        };
        let (at, end) = first(&finishes, finishes.partition_point(|finish| *finish < makespan), possible)?;
        planner.until(offers, finishes[at], end, meter)
    }

    /// The least instant by which jobs of the greatest service can be done within the limit of the goal.
    fn by_when_of_service(
        &self,
        offers: &[Offer<'_>],
        meter: &mut Meter,
    ) -> Result<Earliest<'a>, BatchError> {
        let (_, open, positions) = refused(offers)?;
        let planner = self.fixed(&alternatives(&open)?, meter)?;
        let of_open = self.coverage.of_jobs(&positions)?;
        let mut service_by = |until: Time| -> Result<(f64, Option<End>), BatchError> {
            let kept: Vec<Vec<Window>> = kept_by(offers, until);
            let with: Vec<usize> =
                (0..positions.len()).filter(|&job| !kept[positions[job]].is_empty()).collect();
            let windows: Vec<&[Window]> = with.iter().map(|&job| kept[positions[job]].as_slice()).collect();
            let batch = Alternatives::from_windows(&windows)?;
            let problem = ChoiceProblem::new(&batch, planner.goal).with_coverage(of_open.of_jobs(&with)?);
            let outcome = ExpandingCore.solve(&problem, meter)?;
            let worth = |job: usize| match &of_open {
                Coverage::MostWeight(weights) => weights[job],
                _ => 1.0,
            };
            let served = outcome.incumbent.map_or(0.0, |selection| {
                let served = with.iter().zip(&selection.picks).filter(|(_, pick)| pick.is_some());
                exact_sum(served.map(|(&job, _)| worth(job)))
            });
            Ok((served, (!matches!(outcome.end, End::Done | End::Gap)).then_some(outcome.end)))
        };
        let finishes = finishes(offers);
        let Some(&last) = finishes.last() else { return Ok((planner, Time::ZERO, None)) };
        let (most, end) = service_by(last)?;
        if end.is_some() {
            return Ok((planner, last, end));
        }
        if most <= 0.0 {
            // Who serves nobody ends before all windows do: where the first of them begins.
            let starts = offers.iter().flat_map(|(_, windows, _)| windows.iter().map(Window::start));
            return Ok((planner, starts.min().unwrap_or(Time::ZERO), None));
        }
        let possible = |until: Time| -> Possible {
            let (served, end) = service_by(until)?;
            Ok((served >= most, end))
        };
        let (at, end) = first(&finishes, finishes.len() - 1, possible)?;
        Ok((planner, finishes[at], end))
    }
}

/// When windows end, each instant once.
fn finishes(offers: &[Offer<'_>]) -> Vec<Time> {
    let mut finishes: Vec<Time> =
        offers.iter().flat_map(|(_, windows, _)| windows.iter().map(Window::finish)).collect();
    finishes.sort_unstable();
    finishes.dedup();
    finishes
}

/// The position of the first instant up to `high` by which it is possible, or `high`; and what ended the
/// search. A later instant allows more windows, so that what is possible by an instant is possible by every
/// later one.
fn first(
    instants: &[Time],
    mut high: usize,
    mut possible: impl FnMut(Time) -> Possible,
) -> Result<(usize, Option<End>), BatchError> {
    let mut low = 0;
    // Not possible before `low`; possible at `high`, or nowhere.
    while low < high {
        let middle = low.midpoint(high);
        let (is_possible, ended) = possible(instants[middle])?;
        if is_possible {
            high = middle;
        } else {
            low = middle + 1;
        }
        if ended.is_some() {
            return Ok((high, ended));
        }
    }
    Ok((high, None))
}
