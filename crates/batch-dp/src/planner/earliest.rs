//! The minimum makespan before the goal: a binary search for the earliest instant by which as much can be served.

use super::{Plan, Planner, kept_by, refused};
use crate::goal;
use crate::{Alternatives, BatchError, Coverage};
use sched_model::internal::{exact_sum, sort};
use sched_model::{End, JobWindows, Meter, Refusal, Time, Window};

/// Whether as much can be served by an instant, and the end of the meter if it stopped the test.
type Possible = Result<(bool, Option<End>), BatchError>;

impl Planner {
    /// Plans the minimum makespan and, among the plans of that makespan, the best by the goal.
    pub(super) fn earliest(&self, jobs: &[JobWindows], meter: &mut Meter) -> Result<Plan, BatchError> {
        let before = meter.work();
        let plan = if self.budgets.is_empty() && self.coverage == Coverage::EveryJob {
            self.plan_all_earliest(jobs, meter)?
        } else {
            self.plan_most_earliest(jobs, meter)?
        };
        Ok(Plan { work: meter.work() - before, ..plan })
    }

    /// Plans by the goal among the windows that end by `until`. `ended` is the end of the meter if it stopped the
    /// search for that instant.
    fn until(
        &self,
        jobs: &[JobWindows],
        until: Time,
        ended: Option<End>,
        meter: &mut Meter,
    ) -> Result<Plan, BatchError> {
        let mut kept = kept_by(jobs, until);
        for (all, kept) in jobs.iter().zip(&mut kept) {
            // If all windows of the job end after `until`, the refusal says how late the first one is.
            let first = all.windows.iter().map(Window::finish).min().filter(|first| *first > until);
            let late = first.map(|first| Refusal::Deadline { late_by: first - until });
            kept.refusal = kept.refusal.take().or(late);
        }
        let mut plan = self.by_goal(&kept, meter)?;
        if let (Some(end), None) = (ended, &plan.outcome.refusal) {
            // If the instant is not proven to be the earliest, the choice is not proven either.
            (plan.outcome.end, plan.outcome.bound) = (end, None);
        }
        Ok(plan)
    }

    /// Plans for the earliest instant by which all jobs that have windows can end within the limit of the goal, which
    /// depends only on their lightest windows. If there is no such instant, plans for the last end of a window.
    fn plan_all_earliest(&self, jobs: &[JobWindows], meter: &mut Meter) -> Result<Plan, BatchError> {
        let (_, open) = refused(jobs)?;
        let goal = self.limited_goal(&Alternatives::from_windows(&open)?, meter)?;
        let planner = self.clone().with_goal(goal);
        goal::check(planner.goal)?;
        let (limit, cost_is_limited) = (goal::limit(planner.goal), planner.goal.limits_cost());
        let limited =
            |window: &Window| if cost_is_limited { window.cost().get() } else { window.runtime().get() };
        let finishes = finishes(jobs);
        let Some(last) = finishes.len().checked_sub(1) else {
            return planner.until(jobs, Time::ZERO, None, meter);
        };
        let possible = |until: Time| -> Possible {
            let least = |windows: &[Window]| {
                let kept = windows.iter().filter(|window| window.finish() <= until).map(limited);
                kept.fold(f64::INFINITY, f64::min)
            };
            let leasts: Vec<f64> = open.iter().map(|of| least(&of.windows)).collect();
            Ok((leasts.iter().all(|least| least.is_finite()) && exact_sum(leasts) <= limit, None))
        };
        let (at, _) = first(&finishes, last, possible)?;
        planner.until(jobs, finishes[at], None, meter)
    }

    /// Plans for the earliest instant by which as much can be served as with all windows, within the limit of the goal
    /// and the budgets of users.
    fn plan_most_earliest(&self, jobs: &[JobWindows], meter: &mut Meter) -> Result<Plan, BatchError> {
        let serves_all = self.coverage == Coverage::EveryJob;
        let mut whole = self.by_goal(jobs, meter)?;
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
        let most = planner.service(jobs, &whole.schedule);
        if !serves_all && most <= 0.0 {
            // A plan that serves no job ends before all windows: at the start of the first one.
            let starts = jobs.iter().flat_map(|of| of.windows.iter().map(Window::start));
            return planner.until(jobs, starts.min().unwrap_or(Time::ZERO), None, meter);
        }
        let Some(makespan) = whole.schedule.makespan() else { return Ok(whole) };
        // A user who cannot pay for all of the user's jobs might pay for those that have early windows. These jobs stay
        // refused.
        let mut served = jobs.to_vec();
        for of in &mut served {
            if let (true, Some(Err(why))) = (serves_all, whole.schedule.get(&of.job)) {
                (of.windows, of.refusal) = (Vec::new(), Some(why.clone()));
            }
        }
        let jobs = &served;
        let finishes = finishes(jobs);
        let possible = |until: Time| -> Possible {
            match planner.by_goal(&kept_by(jobs, until), meter) {
                Ok(plan) => Ok((planner.service(jobs, &plan.schedule) >= most, stopped(&plan))),
                Err(BatchError::Stopped(end)) => Ok((false, Some(end))),
                Err(error) => Err(error),
            }
        };
        let (at, end) = first(&finishes, finishes.partition_point(|finish| *finish < makespan), possible)?;
        planner.until(jobs, finishes[at], end, meter)
    }
}

/// The instants at which windows end, ascending, each once.
fn finishes(jobs: &[JobWindows]) -> Vec<Time> {
    let mut finishes: Vec<Time> = jobs.iter().flat_map(|of| of.windows.iter().map(Window::finish)).collect();
    sort(&mut finishes, &|a, b| a.cmp(b));
    finishes.dedup();
    finishes
}

/// Returns the position of the first instant before `high` for which `possible` holds, or `high`; and the end of the
/// meter if it stopped the search. A later instant allows more windows, so if `possible` holds for an instant, it holds
/// for all later ones.
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
