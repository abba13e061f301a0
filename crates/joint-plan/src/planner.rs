//! The planner and its settings.

use crate::JointError;
use crate::ascent::Ascent;
use crate::incumbent::Incumbent;
use crate::instance::{Instance, Stopped};
use crate::plan::JointPlan;
use crate::pool::Pool;
use crate::portfolio::searches;
use crate::run::{Effort, Run, Settings};
use crate::terms::{JointGoal, Terms};
use sched_model::check::{Holding, Rules};
use sched_model::{Batch, Limit, Schedule, SlotList, Time};

/// Plans a batch as a whole: which window for which job, so that no two overlap and a limit of the batch is kept; the
/// most jobs first, then the goal.
///
/// Sources: the cycle of V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, *Resource Selection Algorithms for
/// Economic Scheduling in Distributed Systems*, 2011, cuts every window it finds out of the free time, job after job,
/// and so decides what may be chosen. Here the windows of many cycles, and of searches under prices of node-time (the
/// Lagrangian relaxation: L. Wolsey, *Integer Programming*, 1998, chapter 10), are collected in one pool, and the
/// choice takes into account which of them overlap. Large neighbourhoods: P. Shaw, *Using constraint programming and
/// local search methods to solve vehicle routing problems*, 1998.
///
/// * **Guarantee**: the plan keeps to rules and limit. [`JointPlan::bound`] holds for all plans that place as many
///   jobs, also for windows that no search has found. That no plan places more jobs is claimed only where
///   [`JointPlan::most_jobs`] says so.
/// * **Complexity**: counted work; the limit ends it, with the best plan so far.
/// * **Ties**: the plan found first; the order of the search depends on the input alone.
/// * **Errors**: [`JointError`] for malformed input only.
///
/// ```
/// use joint_plan::{Effort, JointGoal, JointPlanner};
/// use sched_model::*;
/// let node = |id, speed, price| Node::new(NodeId(id), Speed::must(speed), Price::must(price));
/// let nodes = [node(1, 1.0, 1.0), node(2, 2.0, 4.0)];
/// let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(40.0))?;
/// let job = |id, work| Ok::<_, ModelError>(Job::new(JobId(id), ResourceRequest::new(1, Work::must(work))?));
/// let batch = Batch::new(vec![job(1, 40.0)?, job(2, 60.0)?])?;
/// // Both want the cheap node 1, which is free for 40 only: job 1 fits there, job 2 must take node 2 for 30.
/// let planner = JointPlanner::new(check::Rules::per_window(1.0)).with_effort(Effort::Hard);
/// let plan = planner.plan(&slots, &batch, Time::ZERO, JointGoal::MinCost { time_limit: f64::INFINITY })?;
/// assert_eq!(plan.objective, 40.0 + 30.0 * 4.0);
/// assert!(plan.gap().unwrap() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct JointPlanner {
    rules: Rules,
    effort: Effort,
    limit: Limit,
    known: Option<Schedule>,
    /// Number of shuffled orders in the portfolio, and their seed.
    shuffled: (usize, u64),
}

/// Bounds of plans from the best window of each job alone: see [`JointPlanner::bound_of_jobs_alone`].
#[derive(Debug)]
pub struct AloneBound {
    ascent: Ascent,
}

impl AloneBound {
    /// Jobs that have no window even if they are alone.
    pub fn unplaceable(&self) -> usize {
        self.ascent.without_window().len()
    }

    /// A lower bound of the objective of every plan that leaves out exactly `count` of the other jobs.
    pub fn leaving_out(&self, count: usize) -> f64 {
        self.ascent.bound(count).unwrap_or(f64::NEG_INFINITY)
    }
}

impl JointPlanner {
    /// Plans whose windows keep to these rules, with [`Effort::Hard`] and the default limit, except for the gap: the
    /// search ends with a plan within 0.1% of its bound.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            effort: Effort::default(),
            limit: Limit::default().with_relative_gap(1e-3),
            known: None,
            shuffled: (0, 0),
        }
    }

    /// With this effort.
    #[must_use]
    pub fn with_effort(self, effort: Effort) -> Self {
        Self { effort, ..self }
    }

    /// With this limit. Its relative gap is the share of the bound by which the objective may exceed it.
    #[must_use]
    pub fn with_limit(self, limit: Limit) -> Self {
        Self { limit, ..self }
    }

    /// With a plan to start from, for example an earlier one. The result is never worse. A plan that breaks the rules
    /// or the limit is ignored.
    #[must_use]
    pub fn with_known_plan(self, schedule: Schedule) -> Self {
        Self { known: Some(schedule), ..self }
    }

    /// With this number of shuffled orders of the jobs in the portfolio, in addition to those by size and as given. The
    /// same seed gives the same orders.
    #[must_use]
    pub fn with_shuffled_orders(self, count: usize, seed: u64) -> Self {
        Self { shuffled: (count, seed), ..self }
    }

    /// Lower bounds of the objective of every plan, by the number of jobs left out: the sum of the best value of each
    /// job alone, without the limit of the batch. It takes one search for each job.
    ///
    /// # Errors
    /// [`JointError`] for malformed input.
    pub fn bound_of_jobs_alone(
        &self,
        slots: &SlotList,
        batch: &Batch,
        from: Time,
        goal: JointGoal,
    ) -> Result<AloneBound, JointError> {
        let instance = self.instance(slots, batch, from, goal)?;
        let (mut pool, mut ascent) = (Pool::new(instance.jobs.len()), Ascent::default());
        let limit = Limit::without_limit();
        match ascent.alone(&instance, &mut pool, &mut limit.meter()) {
            Ok(()) | Err(Stopped::Limit(_)) => Ok(AloneBound { ascent }),
            Err(Stopped::Error(error)) => Err(error),
        }
    }

    fn instance<'a>(
        &self,
        slots: &'a SlotList,
        batch: &'a Batch,
        from: Time,
        goal: JointGoal,
    ) -> Result<Instance<'a>, JointError> {
        if goal.limit().is_nan() {
            return Err(JointError::Limit);
        }
        if matches!(goal, JointGoal::MaxIncome { .. }) && self.rules.holding == Holding::SlowestSpan {
            return Err(JointError::SlowestSpanIncome);
        }
        let terms = Terms::of(goal);
        Ok(Instance {
            slots,
            jobs: batch.iter().collect(),
            from,
            rules: self.rules,
            terms,
            limit: terms.limit,
        })
    }

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
        let instance = self.instance(slots, batch, from, goal)?;
        let mut run = Run {
            settings: Settings {
                effort: self.effort,
                relative_gap: self.limit.relative_gap,
                shuffled: self.shuffled,
            },
            searches: searches(self.rules, goal)?,
            pool: Pool::new(instance.jobs.len()),
            incumbent: Incumbent::empty(instance.jobs.len()),
            ascent: Ascent::default(),
            whole: None,
            instance,
        };
        if let Some(known) = &self.known {
            run.take(known, batch);
        }
        let mut meter = self.limit.meter();
        let end = match run.all(&mut meter) {
            Ok(end) | Err(Stopped::Limit(end)) => end,
            Err(Stopped::Error(error)) => return Err(error),
        };
        run.result(end, meter.work())
    }
}
