//! The planning calls: by the goal alone, or with the minimum makespan before it.

use crate::JointError;
use crate::makespan::least_makespan;
use crate::plan::JointPlan;
use crate::planner::JointPlanner;
use crate::terms::JointGoal;
use crate::too_short::refuse;
use crate::watch::{JointProgress, Watch};
use sched_model::{Batch, SlotList, Time};

impl JointPlanner {
    /// The best plan found for this batch in these slots, no window starting before `from`. A job so short
    /// that its end may round to its start is refused with
    /// [`Horizon`](sched_model::Refusal::Horizon), as by
    /// [`AlternativesSearch`](slot_window::AlternativesSearch).
    ///
    /// # Errors
    /// [`JointError`] for malformed input.
    pub fn plan(
        &self,
        slots: &SlotList,
        batch: &Batch,
        from: Time,
        goal: JointGoal,
    ) -> Result<JointPlan, JointError> {
        self.watched(slots, batch, from, goal, &mut Watch::default())
    }

    /// The same, with an observer. It is called after the cycles, after each choice among all windows, after
    /// each step of the prices, each branch and each neighbourhood: it gets the stage, the work, the objective
    /// of the best plan so far and the bound. It cannot change the search; to end the search, give the limit a
    /// [`StopSignal`](sched_model::StopSignal) that the observer sets.
    ///
    /// # Errors
    /// As for [`plan`](Self::plan).
    ///
    /// ```
    /// use joint_plan::{JointGoal, JointPlanner, Stage};
    /// use sched_model::*;
    /// // Node 1 is the cheaper one for both jobs.
    /// let node = |id, speed, price| Node::new(NodeId(id), Speed::must(speed), Price::must(price));
    /// let nodes = [node(1, 1.0, 1.0), node(2, 2.0, 4.0)];
    /// let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(40.0))?;
    /// let job =
    ///     |id, work| Ok::<_, ModelError>(Job::new(JobId(id), ResourceRequest::new(1, Work::must(work))?));
    /// let batch = Batch::new(vec![job(1, 40.0)?, job(2, 60.0)?])?;
    /// let goal = JointGoal::MinCost { time_limit: f64::INFINITY };
    /// let mut reports = Vec::new();
    /// let planner = JointPlanner::new(check::Rules::per_window(1.0));
    /// let plan =
    ///     planner.plan_observed(&slots, &batch, Time::ZERO, goal, &mut |progress| reports.push(progress))?;
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
    pub fn plan_observed(
        &self,
        slots: &SlotList,
        batch: &Batch,
        from: Time,
        goal: JointGoal,
        observer: &mut dyn FnMut(JointProgress),
    ) -> Result<JointPlan, JointError> {
        self.watched(slots, batch, from, goal, &mut Watch::by(observer))
    }

    fn watched(
        &self,
        slots: &SlotList,
        batch: &Batch,
        from: Time,
        goal: JointGoal,
        watch: &mut Watch<'_>,
    ) -> Result<JointPlan, JointError> {
        match self.plan_all(slots, batch, from, goal, watch) {
            // A job may be too short on one node only, which no plan needs; so jobs are refused only where
            // the plan of all fails by one.
            Err(error) if error.is_of_time() => {
                let too_short = self.too_short(slots, batch, from);
                if too_short.is_empty() {
                    return Err(error);
                }
                let (planner, others) = self.without(&too_short, batch)?;
                refuse(&too_short, batch, planner.plan_all(slots, &others, from, goal, watch)?)
            }
            planned => planned,
        }
    }

    /// The plan of all jobs; an error if a task of a window ends at its start.
    fn plan_all(
        &self,
        slots: &SlotList,
        batch: &Batch,
        from: Time,
        goal: JointGoal,
        watch: &mut Watch<'_>,
    ) -> Result<JointPlan, JointError> {
        let jobs = self.jobs(batch);
        let instance = self.instance(slots, &jobs, from, goal)?;
        if self.makespan_first {
            return least_makespan(self, &instance, goal, watch);
        }
        self.run(instance, goal, self.known().as_slice(), self.limit(), watch)
    }
}
