//! The joint planner as a [`Planner`], and the registry of planners.

use crate::makespan::least_makespan;
use crate::plan::{Plan, Planned, Planner};
use crate::reasons::{refuse, with_reasons};
use crate::run::Depth;
use crate::{CyclePlanner, JointError, JointPlanner, PlanProblem, cycle};
use sched_model::{Meter, Outcome};
use slot_window::Amp;

/// The name of [`JointPlanner`].
const NAME: &str = "joint";

/// Plans a batch as a whole: maximises the number of placed jobs first, then optimises the goal. Stops once the plan is
/// proven to be within 0.1% of the optimum, or at the default [`Limit`](sched_model::Limit). This takes hundredths to
/// tenths of a second for a small batch, and one or two seconds with hundreds of nodes.
///
/// The same as [`Planner::plan`] of a [`JointPlanner`], which documents method, guarantee, complexity and ties.
///
/// # Errors
/// [`JointError`] for malformed input; never because a job has no window.
pub fn plan(problem: &PlanProblem<'_>) -> Result<Outcome<Plan>, JointError> {
    JointPlanner::new().plan(problem)
}

impl Planner for JointPlanner {
    fn name(&self) -> &str {
        NAME
    }

    fn solve(&self, problem: &PlanProblem<'_>, meter: &mut Meter) -> Result<Outcome<Plan>, JointError> {
        let before = meter.work();
        let mut found = match self.plan_all(problem, meter) {
            // A job may be too short only on nodes that no plan needs. So jobs are refused as too short only if
            // planning all jobs fails because of one.
            Err(error) if error.is_of_time() => {
                let too_short = problem.too_short();
                if too_short.is_empty() {
                    return Err(error);
                }
                let others = problem.others(&too_short)?;
                let found = self.plan_all(&problem.of_others(&others), meter)?;
                refuse(&too_short, problem.batch, found)?
            }
            found => found?,
        };
        found.plan.schedule = with_reasons(problem, found.plan.schedule, found.end)?;
        Ok(Planned { work: meter.work() - before, ..found }.outcome())
    }
}

impl JointPlanner {
    /// Plans all jobs. Returns an error if a task of some window would end at its start.
    fn plan_all(&self, problem: &PlanProblem<'_>, meter: &mut Meter) -> Result<Planned, JointError> {
        let jobs = problem.jobs();
        let instance = problem.instance(&jobs)?;
        if problem.makespan_first {
            return least_makespan(self, problem, &instance, meter);
        }
        let work = meter.work_left();
        self.attempt(instance, problem.goal, problem.start.as_slice(), Depth::Full, work, meter)
    }
}

sched_model::registry! {
    /// The planners of this crate, by name.
    pub enum PlannerKind: "planner" => dyn Planner {
        /// [`JointPlanner`], the default.
        Joint = NAME => JointPlanner::new(),
        /// [`CyclePlanner`] by [`Amp`].
        Cycle = cycle::NAME => CyclePlanner::new(Box::new(Amp::new())),
    }
}
