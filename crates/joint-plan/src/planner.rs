//! The trait of planners, and the calls of the joint planner.

use crate::JointError;
use crate::makespan::least_makespan;
use crate::plan::{JointPlan, Plan};
use crate::problem::PlanProblem;
use crate::reasons::{refuse, with_reasons};
use crate::settings::JointPlanner;
use sched_model::{Limit, Meter, Outcome};
use std::fmt;

/// The name of [`JointPlanner`].
pub(crate) const NAME: &str = "joint";

/// The relative gap at which [`plan`] ends: the difference between the objective and its bound, as a fraction of
/// the bound.
pub const GOOD_ENOUGH: f64 = 1e-3;

/// A planner of whole batches.
pub trait Planner: fmt::Debug {
    /// The name of the planner, for users.
    fn name(&self) -> &str;

    /// Plans a batch within the limit of a meter. The outcome has a plan whenever the limit allows one. Its value
    /// is that of the goal, and its bound holds for every plan that leaves out as many jobs.
    ///
    /// # Errors
    /// [`JointError`] for malformed input; never because a job has no window.
    fn solve(&self, problem: &PlanProblem<'_>, meter: &mut Meter) -> Result<Outcome<Plan>, JointError>;

    /// Plans a batch within the default limit, but stops at a plan that is proven to be within 0.1% of the best.
    ///
    /// # Errors
    /// As for [`solve`](Self::solve).
    fn plan(&self, problem: &PlanProblem<'_>) -> Result<Outcome<Plan>, JointError> {
        self.solve(problem, &mut Limit::default().with_relative_gap(GOOD_ENOUGH).meter())
    }
}

/// Plans a batch as a whole: the most jobs come first, then the goal. Stops at a plan that is proven to be within
/// 0.1% of the best, or at the default [`Limit`]. This takes hundredths to tenths of a second for a small batch,
/// and one or two seconds with hundreds of nodes.
///
/// The same as [`Planner::plan`] of a [`JointPlanner`]; see there for method, guarantee, complexity and ties.
///
/// # Errors
/// [`JointError`] for malformed input; never because a job has no window.
pub fn plan(problem: &PlanProblem<'_>) -> Result<Outcome<Plan>, JointError> {
    JointPlanner::new().plan(problem)
}

impl JointPlanner {
    /// The plan within the limit of a meter, with everything known about it. The observer of the meter is told the
    /// objective of the best plan so far and the bound after the cycles, after each choice among all windows, and
    /// after each step of the prices, each branch and each neighbourhood. If the minimum makespan comes first, the
    /// bound is that of the present trial.
    ///
    /// # Errors
    /// [`JointError`] for malformed input.
    ///
    /// ```
    /// use joint_plan::{Goal, JointPlanner, PlanProblem};
    /// use sched_model::*;
    /// use std::sync::mpsc::channel;
    /// // Node 1 is the cheaper one for both jobs.
    /// let nodes = [Node::must(1, 1.0, 1.0), Node::must(2, 2.0, 4.0)];
    /// let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(40.0))?;
    /// let job = |id, work| Job::new(JobId(id), ResourceRequest::must(1, work));
    /// let batch = Batch::new(vec![job(1, 40.0), job(2, 60.0)])?;
    /// let problem = PlanProblem::new(&slots, &batch, Goal::MinCost { time_limit: None });
    /// let (tell, told) = channel();
    /// let mut meter = Limit::default().meter().with_observer(move |told| tell.send(told.best).unwrap_or(()));
    /// let plan = JointPlanner::new().run(&problem, &mut meter)?;
    /// // Plans never get worse, and the last one reported is the result.
    /// let told: Vec<f64> = told.try_iter().flatten().collect();
    /// assert!(told.is_sorted_by(|before, after| after <= before));
    /// assert_eq!(told.last(), Some(&plan.objective));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run(&self, problem: &PlanProblem<'_>, meter: &mut Meter) -> Result<JointPlan, JointError> {
        let before = meter.work();
        let plan = match self.plan_all(problem, meter) {
            // A job may be too short only on a node that no plan needs. So such jobs are refused only if the plan
            // of all jobs fails because of one.
            Err(error) if error.is_of_time() => {
                let too_short = problem.too_short();
                if too_short.is_empty() {
                    return Err(error);
                }
                let others = problem.others(&too_short)?;
                let plan = self.plan_all(&problem.of_others(&others), meter)?;
                refuse(&too_short, problem.batch, plan)?
            }
            planned => planned?,
        };
        let work = meter.work() - before;
        Ok(JointPlan { schedule: with_reasons(problem, plan.schedule, plan.end)?, work, ..plan })
    }

    /// The plan of all jobs; an error if a task of some window would end at its start.
    fn plan_all(&self, problem: &PlanProblem<'_>, meter: &mut Meter) -> Result<JointPlan, JointError> {
        let jobs = problem.jobs();
        let instance = problem.instance(&jobs)?;
        if problem.makespan_first {
            return least_makespan(self, problem, &instance, meter);
        }
        let work = meter.work_left();
        self.attempt(instance, problem.goal, problem.start.as_slice(), work, meter)
    }
}

impl Planner for JointPlanner {
    fn name(&self) -> &str {
        NAME
    }

    fn solve(&self, problem: &PlanProblem<'_>, meter: &mut Meter) -> Result<Outcome<Plan>, JointError> {
        Ok(self.run(problem, meter)?.outcome())
    }
}
