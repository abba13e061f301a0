//! One attempt of the joint planner within a limit; and the registry of planners.

use crate::Goal;
use crate::ascent::Ascent;
use crate::cycles::searches;
use crate::instance::{Instance, Stopped};
use crate::plan::JointPlan;
use crate::pool::{Incumbent, Pool};
use crate::run::Run;
use crate::settings::JointPlanner;
use crate::{CyclePlanner, JointError, Planner, cycle, planner};
use sched_model::{Limit, Meter, Schedule};
use slot_window::Amp;

impl JointPlanner {
    /// The best plan that is found for an instance with at most this much work, starting from the best of the known
    /// plans.
    pub(crate) fn attempt(
        &self,
        instance: Instance<'_>,
        goal: Goal,
        known: &[Schedule],
        work: u64,
        meter: &mut Meter,
    ) -> Result<JointPlan, JointError> {
        let mut run = self.begin(instance, goal, known, meter)?;
        let end = match meter.within(work, |meter| run.all(meter)) {
            Ok(end) | Err(Stopped::Limit(end)) => end,
            Err(Stopped::Error(error)) => return Err(error),
        };
        run.result(end, work, meter)
    }

    /// Whether this plan keeps the rules and limits.
    pub(crate) fn accepts(
        &self,
        instance: Instance<'_>,
        goal: Goal,
        known: &Schedule,
    ) -> Result<bool, JointError> {
        let run = self.begin(instance, goal, std::slice::from_ref(known), &Limit::default().meter())?;
        Ok(run.incumbent.windows.iter().flatten().count() == known.placed().count())
    }

    fn begin<'a>(
        &'a self,
        instance: Instance<'a>,
        goal: Goal,
        known: &[Schedule],
        meter: &Meter,
    ) -> Result<Run<'a>, JointError> {
        let mut run = Run {
            planner: self,
            relative_gap: meter.limit().relative_gap,
            searches: searches(instance.rules, goal),
            pool: Pool::new(instance.jobs.len()),
            incumbent: Incumbent::empty(instance.jobs.len()),
            ascent: Ascent::default(),
            cycles: 0,
            begun: meter.work(),
            whole: None,
            instance,
        };
        for known in known {
            run.take(known);
        }
        Ok(run)
    }
}

sched_model::registry! {
    /// The planners of this crate, by name.
    pub enum PlannerKind: "planner" => dyn Planner {
        /// [`JointPlanner`], the default.
        Joint = planner::NAME => JointPlanner::new(),
        /// [`CyclePlanner`] by [`Amp`].
        Cycle = cycle::NAME => CyclePlanner::new(Box::new(Amp::new())),
    }
}
