//! The registry of planners.

use crate::{CyclePlanner, JointPlanner, Planner, cycle, planner};
use slot_window::Amp;

sched_model::registry! {
    /// The planners of this crate, by name.
    pub enum PlannerKind: "planner" => dyn Planner {
        /// [`JointPlanner`], the default.
        Joint = planner::NAME => JointPlanner::new(),
        /// [`CyclePlanner`] by [`Amp`].
        Cycle = cycle::NAME => CyclePlanner::new(Box::new(Amp::new())),
    }
}
