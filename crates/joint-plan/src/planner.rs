//! Who plans a batch, and the calls of the planner of all jobs together.

use crate::JointError;
use crate::joint::JointPlanner;
use crate::makespan::least_makespan;
use crate::plan::{JointPlan, Plan};
use crate::problem::PlanProblem;
use crate::reasons::{refuse, with_reasons};
use crate::watch::{JointProgress, Watch};
use sched_model::{Limit, Meter, Outcome};
use std::fmt;

/// The name of [`JointPlanner`].
pub(crate) const NAME: &str = "joint";

/// A plan this near to its bound, as a share of it, ends [`plan`].
pub const GOOD_ENOUGH: f64 = 1e-3;

/// Who plans a batch.
pub trait Planner: fmt::Debug {
    /// The name, for users.
    fn name(&self) -> &str;

    /// A plan, within the limit of a meter. The outcome has a plan wherever the limit allows one; its value is
    /// that of the goal, its bound holds for every plan that leaves out as many jobs.
    ///
    /// # Errors
    /// [`JointError`] for malformed input; never because a job has no window.
    fn solve(&self, problem: &PlanProblem<'_>, meter: &mut Meter) -> Result<Outcome<Plan>, JointError>;

    /// The same within the default limit, but for the gap: a plan within 0.1% of the best is good enough.
    ///
    /// # Errors
    /// As for [`solve`](Self::solve).
    fn plan(&self, problem: &PlanProblem<'_>) -> Result<Outcome<Plan>, JointError> {
        self.solve(problem, &mut Limit::default().with_relative_gap(GOOD_ENOUGH).meter())
    }
}

/// Plans a batch as a whole: the most jobs, then the goal. Stops at a plan that is proven to be within 0.1% of
/// the best, or at the default [`Limit`]: hundredths to tenths of a second for a small batch, a second or two
/// with hundreds of nodes.
///
/// The same as [`Planner::plan`] of a [`JointPlanner`]; see there for the method, guarantee, complexity and ties.
///
/// # Errors
/// [`JointError`] for malformed input; never because a job has no window.
pub fn plan(problem: &PlanProblem<'_>) -> Result<Outcome<Plan>, JointError> {
    JointPlanner::new().plan(problem)
}

impl JointPlanner {
    /// The plan within a limit, with all that is known of it. The observer is called after the cycles, after each
    /// choice among all windows, after each step of the prices, each branch and each neighbourhood: it gets the
    /// stage, the work, the objective of the best plan so far and the bound. It cannot change the search; to end
    /// the search, give the limit a [`StopSignal`](sched_model::StopSignal) that the observer sets.
    ///
    /// # Errors
    /// [`JointError`] for malformed input.
    ///
    /// ```
    /// use joint_plan::{Goal, JointPlanner, PlanProblem, Stage};
    /// use sched_model::*;
    /// // Node 1 is the cheaper one for both jobs.
    /// let node = |id, speed, price| Node::new(NodeId(id), Speed::must(speed), Price::must(price));
    /// let nodes = [node(1, 1.0, 1.0), node(2, 2.0, 4.0)];
    /// let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(40.0))?;
    /// let job =
    ///     |id, work| Ok::<_, ModelError>(Job::new(JobId(id), ResourceRequest::new(1, Work::must(work))?));
    /// let batch = Batch::new(vec![job(1, 40.0)?, job(2, 60.0)?])?;
    /// let problem = PlanProblem::new(&slots, &batch, Goal::MinCost { time_limit: None });
    /// let mut reports = Vec::new();
    /// let limit = Limit::default();
    /// let plan = JointPlanner::new().run(&problem, &limit, &mut |progress| reports.push(progress))?;
    /// assert_eq!(reports[0].stage, Stage::Cycles);
    /// // Plans never get worse, and the last one reported is the result.
    /// assert!(
    ///     reports
    ///         .windows(2)
    ///         .all(|pair| pair[1].objective <= pair[0].objective && pair[1].work >= pair[0].work)
    /// );
    /// assert_eq!(reports.last().map(|last| last.objective), Some(plan.objective));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run(
        &self,
        problem: &PlanProblem<'_>,
        limit: &Limit,
        observer: &mut dyn FnMut(JointProgress),
    ) -> Result<JointPlan, JointError> {
        let mut watch = Watch::by(observer);
        let plan = match self.plan_all(problem, limit, &mut watch) {
            // A job may be too short on one node only, which no plan needs; so jobs are refused only where
            // the plan of all fails by one.
            Err(error) if error.is_of_time() => {
                let too_short = problem.too_short();
                if too_short.is_empty() {
                    return Err(error);
                }
                let others = problem.others(&too_short)?;
                let plan = self.plan_all(&problem.of_others(&others), limit, &mut watch)?;
                refuse(&too_short, problem.batch, plan)?
            }
            planned => planned?,
        };
        Ok(JointPlan { schedule: with_reasons(problem, plan.schedule, plan.end)?, ..plan })
    }

    /// The plan of all jobs; an error if a task of a window ends at its start.
    fn plan_all(
        &self,
        problem: &PlanProblem<'_>,
        limit: &Limit,
        watch: &mut Watch<'_>,
    ) -> Result<JointPlan, JointError> {
        let jobs = problem.jobs();
        let instance = problem.instance(&jobs)?;
        if problem.makespan_first {
            return least_makespan(self, problem, &instance, limit, watch);
        }
        self.attempt(instance, problem.goal, problem.start.as_slice(), limit, watch)
    }
}

impl Planner for JointPlanner {
    fn name(&self) -> &str {
        NAME
    }

    fn solve(&self, problem: &PlanProblem<'_>, meter: &mut Meter) -> Result<Outcome<Plan>, JointError> {
        let limit = meter.limit().clone().with_work(meter.work_left());
        let found = self.run(problem, &limit, &mut |_| ())?;
        // It is within the limit.
        let _ = meter.spend(found.work);
        Ok(found.outcome())
    }
}
