//! Plans, and the trait of planners.

use crate::{JointError, PlanProblem};
use sched_model::check::{Checker, Rules, Violation};
use sched_model::{End, JobId, Limit, Meter, Outcome, Schedule, Time};
use std::fmt;

/// The relative gap at which [`Planner::plan`] ends.
pub const GOOD_ENOUGH: f64 = 1e-3;

/// A planner of whole batches.
pub trait Planner: fmt::Debug {
    /// Returns the name of the planner, for reports.
    fn name(&self) -> &str;

    /// Plans a batch within the limit of a meter. The outcome has a plan whenever the limit allows one. The value of
    /// the outcome is that of the goal, and its bound holds for every plan that leaves out as many jobs.
    ///
    /// # Errors
    /// [`JointError`] for malformed input; never because a job has no window.
    fn solve(&self, problem: &PlanProblem<'_>, meter: &mut Meter) -> Result<Outcome<Plan>, JointError>;

    /// Plans a batch within the default limit, and stops once the plan is proven to be within 0.1% of the optimum.
    ///
    /// # Errors
    /// As for [`solve`](Self::solve).
    fn plan(&self, problem: &PlanProblem<'_>) -> Result<Outcome<Plan>, JointError> {
        self.solve(problem, &mut Limit::default().with_relative_gap(GOOD_ENOUGH).meter())
    }
}

/// A plan of a batch: a window for each job that is placed, and a reason for each other job.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Plan {
    /// The windows and reasons.
    pub schedule: Schedule,
    /// The rules that the windows keep: those of the problem, or of the search of a cycle.
    pub rules: Rules,
    /// The number of jobs that have no window even without other jobs, so that no plan places them.
    pub unplaceable: usize,
    /// The number of jobs that would have windows without other jobs, but are left out of the plan. If it is 0, no plan
    /// places more jobs.
    pub left_out: usize,
    /// A lower bound of the end of every plan that leaves out as many jobs, if the minimum makespan comes first. The
    /// bound of the outcome then holds for plans that end no later than this plan.
    pub makespan_bound: Option<Time>,
}

impl Plan {
    /// Returns the violations that the independent [`Checker`] finds: windows that are not free, not simultaneous, too
    /// slow, beyond the limits of their jobs, or overlapping. Empty for every plan made by the planners of this crate.
    #[must_use]
    pub fn violations(&self, problem: &PlanProblem<'_>) -> Vec<(JobId, Violation)> {
        Checker::new(problem.slots, self.rules).schedule(&self.schedule, problem.batch)
    }
}

impl fmt::Display for Plan {
    /// One line per job: its window, or the reason why it has none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.schedule.fmt(f)
    }
}

/// A plan with its value and bound.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    pub(crate) plan: Plan,
    /// The sum of runtimes, finishes or costs that the goal minimises; minus the sum if it maximises.
    pub(crate) value: f64,
    /// A lower bound of the value of every plan that leaves out as many jobs.
    pub(crate) bound: Option<f64>,
    /// [`End::Gap`] if the plan is close enough to its bound, [`End::Done`] if all steps are done, which proves
    /// nothing; otherwise the limit that was reached.
    pub(crate) end: End,
    pub(crate) work: u64,
}

impl Planned {
    /// Converts the plan to the outcome that a planner returns.
    pub(crate) fn outcome(self) -> Outcome<Plan> {
        let Self { plan, value, bound, end, work } = self;
        let end = match (end, bound) {
            (End::Gap, None) => End::Done,
            // That all steps are done proves nothing beyond the bound.
            (End::Done, Some(bound)) if bound < value => End::Gap,
            _ => end,
        };
        Outcome::stopped(Some((plan, value)), bound, work, end)
    }
}
