//! The call that plans a batch: the goal alone, or the least makespan before it.

use crate::JointError;
use crate::makespan::least_makespan;
use crate::plan::JointPlan;
use crate::planner::JointPlanner;
use crate::terms::JointGoal;
use sched_model::{Batch, SlotList, Time};

impl JointPlanner {
    /// The best plan found for this batch in these slots, no window starting before `from`.
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
        let jobs = self.jobs(batch);
        let instance = self.instance(slots, &jobs, from, goal)?;
        if self.makespan_first {
            return least_makespan(self, &instance, goal);
        }
        self.run(instance, goal, self.known(), self.limit())
    }
}
