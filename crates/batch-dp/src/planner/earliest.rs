//! The minimum makespan before the goal: a binary search over instants, which tests whether as much can be served
//! by an instant.

use super::{Offer, alternatives, kept_by, refused};
use super::{Plan, Planner};
use crate::{BatchError, Coverage};
use sched_model::internal::{exact_sum, sort};
use sched_model::{End, Fate, JobId, Meter, Refusal, Time, Window};

/// Whether as much can be served by an instant, and what ended the test before that was known, if anything.
type Possible = Result<(bool, Option<End>), BatchError>;

impl Planner<'_> {
    /// The choice of the minimum makespan, and among these the best by the goal.
    pub(super) fn earliest(&self, offers: &[Offer<'_>], meter: &mut Meter) -> Result<Plan, BatchError> {
        let before = meter.work();
        let plan = if self.budgets.is_empty() && self.coverage == Coverage::EveryJob {
            self.by_when(offers, meter)?
        } else {
            self.by_when_as_much(offers, meter)?
        };
        Ok(Plan { work: meter.work() - before, ..plan })
    }

    /// The choice by the goal among the windows that end by `until`. `doubt` is what ended the search for that
    /// instant, if anything.
    fn until(
        &self,
        offers: &[Offer<'_>],
        until: Time,
        doubt: Option<End>,
        meter: &mut Meter,
    ) -> Result<Plan, BatchError> {
        let kept = kept_by(offers, until);
        // How late each job is whose windows all end after `until`.
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
            // If the instant is not proven to be the least, neither is the choice.
            (plan.outcome.end, plan.outcome.bound) = (end, None);
        }
        Ok(plan)
    }

    /// Plans by the least instant by which all jobs that have windows can be done within the limit of the goal,
    /// which depends only on their lightest windows. If there is no such instant, plans by the last of all.
    fn by_when(&self, offers: &[Offer<'_>], meter: &mut Meter) -> Result<Plan, BatchError> {
        let (_, open, _) = refused(offers)?;
        let planner = self.clone().with_goal(self.limited_goal(&alternatives(&open)?, meter)?);
        planner.goal.check()?;
        let (_, limit, _, cost_is_limited) = planner.goal.parts();
        let limited =
            |window: &Window| if cost_is_limited { window.cost().get() } else { window.runtime().get() };
        let finishes = finishes(offers);
        let Some(last) = finishes.len().checked_sub(1) else {
            return planner.until(offers, Time::ZERO, None, meter);
        };
        let possible = |until: Time| -> Possible {
            let least = |windows: &[Window]| {
                let kept = windows.iter().filter(|window| window.finish() <= until).map(limited);
                kept.fold(f64::INFINITY, f64::min)
            };
            let leasts: Vec<f64> = open.iter().map(|(_, windows)| least(windows)).collect();
            Ok((leasts.iter().all(|least| least.is_finite()) && exact_sum(leasts) <= limit, None))
        };
        let (at, _) = first(&finishes, last, possible)?;
        planner.until(offers, finishes[at], None, meter)
    }

    /// Plans by the least instant by which as much can be served as with all windows, within the limit of the goal
    /// and the budgets of users.
    fn by_when_as_much(&self, offers: &[Offer<'_>], meter: &mut Meter) -> Result<Plan, BatchError> {
        let serves_all = self.coverage == Coverage::EveryJob;
        let mut whole = self.by_goal(offers, meter)?;
        let stopped = |plan: &Plan| {
            let end = plan.outcome.end;
            // If all jobs must be served, every choice serves as much.
            (!serves_all && !matches!(end, End::Done | End::Gap)).then_some(end)
        };
        if let Some(end) = stopped(&whole) {
            (whole.outcome.end, whole.outcome.bound) = (end, None);
            return Ok(whole);
        }
        let planner = self.clone().with_goal(whole.goal);
        let jobs: Vec<JobId> = offers.iter().map(|offer| offer.0).collect();
        let most = planner.service(&jobs, &whole.schedule);
        if !serves_all && most <= 0.0 {
            // Serving nobody ends before all windows: at the start of the first one.
            let starts = offers.iter().flat_map(|(_, windows, _)| windows.iter().map(Window::start));
            return planner.until(offers, starts.min().unwrap_or(Time::ZERO), None, meter);
        }
        let Some(makespan) = whole.schedule.makespan() else { return Ok(whole) };
        // A user who cannot pay for all jobs could pay for those that have early windows. Such users are left out.
        let served = offers.iter().map(|&(job, windows, reason)| match whole.schedule.fate(job) {
            Some(Fate::Refused(why)) if serves_all => (job, &[][..], Some(why)),
            _ => (job, windows, reason),
        });
        let offers: &[Offer<'_>] = &served.collect::<Vec<_>>();
        let finishes = finishes(offers);
        let possible = |until: Time| -> Possible {
            let kept = kept_by(offers, until);
            let some =
                offers.iter().zip(&kept).map(|(&(job, _, reason), kept)| (job, kept.as_slice(), reason));
            match planner.by_goal(&some.collect::<Vec<_>>(), meter) {
                Ok(plan) => Ok((planner.service(&jobs, &plan.schedule) >= most, stopped(&plan))),
                Err(BatchError::Stopped(end)) => Ok((false, Some(end))),
                Err(error) => Err(error),
            }
        };
        let (at, end) = first(&finishes, finishes.partition_point(|finish| *finish < makespan), possible)?;
        planner.until(offers, finishes[at], end, meter)
    }
}

/// The instants at which windows end, ascending, each once.
fn finishes(offers: &[Offer<'_>]) -> Vec<Time> {
    let mut finishes: Vec<Time> =
        offers.iter().flat_map(|(_, windows, _)| windows.iter().map(Window::finish)).collect();
    sort(&mut finishes, &|a, b| a.cmp(b));
    finishes.dedup();
    finishes
}

/// The position of the first instant before `high` for which `possible` holds, or `high`; and the reason why the
/// search ended. A later instant allows more windows, so if `possible` holds for an instant, it holds for all later
/// ones.
fn first(
    instants: &[Time],
    mut high: usize,
    mut possible: impl FnMut(Time) -> Possible,
) -> Result<(usize, Option<End>), BatchError> {
    let mut low = 0;
    // Invariant: `possible` fails for all positions below `low`, and holds at `high` unless `high` is as given.
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
