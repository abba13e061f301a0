//! A plan, and what is known about it.

use crate::PlanProblem;
use sched_model::check::Violation;
use sched_model::{End, JobId, Outcome, Schedule, Time};
use std::fmt;

/// A plan, with a bound on the distance from the best plan.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct JointPlan {
    /// A window for each job that is placed, and a reason for each other job.
    pub schedule: Schedule,
    /// The sum of runtimes, finishes or costs that the goal minimises; minus the sum of costs if the goal is the
    /// greatest income.
    pub objective: f64,
    /// The total of the limited quantity that the plan uses.
    pub weight: f64,
    /// No plan that leaves out as many jobs has a lesser objective. `None` if the search was stopped before it had
    /// a bound.
    pub bound: Option<f64>,
    /// Set if the minimum makespan comes first: no plan that leaves out as many jobs ends before this instant.
    /// `bound` then holds for plans that end no later than this plan.
    pub makespan_bound: Option<Time>,
    /// The number of jobs that have no window even without other jobs, so that no plan places them.
    pub unplaceable: usize,
    /// The number of jobs that have windows on their own, but are left out of the plan. At 0 it is proven that no
    /// plan places more jobs.
    pub left_out: usize,
    /// The number of windows that the plan was chosen from.
    pub windows: usize,
    /// Why the search ended: [`End::Gap`] if the plan is near enough to its bound, [`End::Done`] if all steps were
    /// done (which proves nothing: see [`gap`](Self::gap)), otherwise the limit that was reached.
    pub end: End,
    /// Units of work done.
    pub work: u64,
}

impl JointPlan {
    /// The plan as the outcome of a search.
    pub(crate) fn outcome(self) -> Outcome<Plan> {
        let Self { schedule, objective, bound, makespan_bound, unplaceable, left_out, end, work, .. } = self;
        let plan = Plan { schedule, unplaceable, left_out, makespan_bound };
        // Doing all steps proves no more than the bound.
        let end = if end == End::Done && bound != Some(objective) { End::Gap } else { end };
        Outcome::stopped(Some((plan, objective)), bound, work, end)
    }

    /// The difference between the objective and its bound, as a fraction of the bound; `None` if there is no
    /// bound, infinite if the bound is 0 and is not met.
    pub fn gap(&self) -> Option<f64> {
        let bound = self.bound?;
        let above = (self.objective - bound).max(0.0);
        Some(if above == 0.0 { 0.0 } else { above / bound.abs() })
    }
}

impl fmt::Display for JointPlan {
    /// The objective, its bound and the reason for the end on the first line, then the schedule, one line per job.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} placed, objective {}", self.schedule.placed().count(), self.objective)?;
        if let Some(bound) = self.bound {
            write!(f, ", bound {bound}")?;
        }
        writeln!(f, ", {} left out, {} without a window; {}", self.left_out, self.unplaceable, self.end)?;
        write!(f, "{}", self.schedule)
    }
}

/// A window for each job that is placed, and a reason for each other job.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Plan {
    /// The windows and reasons.
    pub schedule: Schedule,
    /// The number of jobs that have no window even without other jobs, so that no plan places them.
    pub unplaceable: usize,
    /// The number of jobs that have windows on their own, but are left out of the plan.
    pub left_out: usize,
    /// See [`JointPlan::makespan_bound`].
    pub makespan_bound: Option<Time>,
}

impl Plan {
    /// What the independent [`Checker`](sched_model::check::Checker) objects to: windows that are not free, not
    /// simultaneous, too slow, beyond the limits of their jobs, or overlapping. Empty for every plan that
    /// [`plan`](crate::plan) makes.
    #[must_use]
    pub fn violations(&self, problem: &PlanProblem<'_>) -> Vec<(JobId, Violation)> {
        problem.checker().schedule(&self.schedule, problem.batch)
    }
}

impl fmt::Display for Plan {
    /// One line per job: its window, or the reason why it has none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.schedule.fmt(f)
    }
}
