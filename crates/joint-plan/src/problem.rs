//! What is to be planned in one value, and its plan: the short call of this crate.

use crate::reasons::with_reasons;
use crate::{Effort, JointError, JointGoal, JointPlan, JointPlanner, JointProgress};
use sched_model::check::{Checker, Rules, Violation};
use sched_model::{Batch, Demands, End, JobId, Limit, Outcome, Schedule, SlotList, Time, UserId};
use std::collections::BTreeMap;
use std::fmt;

/// Shuffled orders of the jobs in the portfolio, beside those by size and as given.
const SHUFFLED: usize = 5;
/// A plan this near to its bound, as a share of it, ends [`plan`].
pub const GOOD_ENOUGH: f64 = 1e-3;

/// What a plan optimises, after the number of jobs. A limit that is not given is none; each job always keeps
/// to its own.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Goal {
    /// The minimum mean finish (the value is the sum of finishes after the beginning), with a sum of costs of
    /// at most `budget`.
    MinFinish {
        /// Greatest sum of costs.
        budget: Option<f64>,
    },
    /// The minimum sum of run times, with a sum of costs of at most `budget`.
    MinTime {
        /// Greatest sum of costs.
        budget: Option<f64>,
    },
    /// The minimum sum of costs, with a sum of run times of at most `time_limit`.
    MinCost {
        /// Greatest sum of run times.
        time_limit: Option<f64>,
    },
    /// The greatest sum of costs (the value is negative), with a sum of run times of at most `time_limit`.
    MaxIncome {
        /// Greatest sum of run times.
        time_limit: Option<f64>,
    },
}

impl Goal {
    /// The same under another limit.
    pub(crate) fn with_limit(self, limit: Option<f64>) -> Self {
        match self {
            Self::MinFinish { .. } => Self::MinFinish { budget: limit },
            Self::MinTime { .. } => Self::MinTime { budget: limit },
            Self::MinCost { .. } => Self::MinCost { time_limit: limit },
            Self::MaxIncome { .. } => Self::MaxIncome { time_limit: limit },
        }
    }

    /// The goal of a choice among alternatives. For the minimum mean finish it is that of which the choice keeps
    /// the budget.
    pub(crate) fn of_choice(self) -> batch_dp::Goal {
        match self {
            Self::MinFinish { budget } | Self::MinTime { budget } => batch_dp::Goal::MinTime { budget },
            Self::MinCost { time_limit } => batch_dp::Goal::MinCost { time_limit },
            Self::MaxIncome { time_limit } => batch_dp::Goal::MaxIncome { time_limit },
        }
    }
}

impl From<Goal> for JointGoal {
    fn from(goal: Goal) -> Self {
        let or_none = |limit: Option<f64>| limit.unwrap_or(f64::INFINITY);
        match goal {
            Goal::MinFinish { budget } => Self::MinFinish { budget: or_none(budget) },
            Goal::MinTime { budget } => Self::MinTime { budget: or_none(budget) },
            Goal::MinCost { time_limit } => Self::MinCost { time_limit: or_none(time_limit) },
            Goal::MaxIncome { time_limit } => Self::MaxIncome { time_limit: or_none(time_limit) },
        }
    }
}

/// A batch to be planned in free slots by a goal. Windows keep the rules of AMP
/// ([`Rules::per_window`]`(1.0)`) and start with the first free slot or later, unless set otherwise.
///
/// ```
/// use joint_plan::{Goal, PlanProblem, plan};
/// use sched_model::*;
/// // Node 2 costs twice as much and is twice as fast.
/// let nodes = [Node::must(1, 1.0, 1.0), Node::must(2, 2.0, 2.0)];
/// let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(100.0))?;
/// let job = |id, work| Job::new(JobId(id), ResourceRequest::must(1, work));
/// let batch = Batch::new(vec![job(1, 40.0), job(2, 60.0)])?;
/// let problem = PlanProblem::new(&slots, &batch, Goal::MinFinish { budget: None });
/// let outcome = plan(&problem)?;
/// // Job 1 on node 1 until 40, job 2 on node 2 until 30.
/// assert_eq!(outcome.value, Some(70.0));
/// assert!(outcome.bound.is_some_and(|bound| bound <= 70.0));
/// assert!(outcome.solution()?.violations(&problem).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct PlanProblem<'a> {
    pub(crate) slots: &'a SlotList,
    pub(crate) batch: &'a Batch,
    pub(crate) goal: Goal,
    pub(crate) from: Time,
    pub(crate) rules: Rules,
    pub(crate) budgets: BTreeMap<UserId, f64>,
    pub(crate) demands: BTreeMap<JobId, Demands>,
    pub(crate) makespan_first: bool,
    pub(crate) start: Option<Schedule>,
}

impl<'a> PlanProblem<'a> {
    /// This batch in these slots.
    pub fn new(slots: &'a SlotList, batch: &'a Batch, goal: Goal) -> Self {
        Self {
            slots,
            batch,
            goal,
            from: slots.iter().next().map_or(Time::ZERO, |slot| slot.start()),
            rules: Rules::per_window(1.0),
            budgets: BTreeMap::new(),
            demands: BTreeMap::new(),
            makespan_first: false,
            start: None,
        }
    }

    /// From this instant on. Finishes are counted from it.
    pub fn with_from(self, from: Time) -> Self {
        Self { from, ..self }
    }

    /// With windows that keep these rules.
    pub fn with_rules(self, rules: Rules) -> Self {
        Self { rules, ..self }
    }

    /// See [`JointPlanner::with_user_budgets`].
    pub fn with_user_budgets(self, budgets: impl IntoIterator<Item = (UserId, f64)>) -> Self {
        Self { budgets: budgets.into_iter().collect(), ..self }
    }

    /// See [`JointPlanner::with_demands`].
    pub fn with_demands(self, demands: impl IntoIterator<Item = (JobId, Demands)>) -> Self {
        Self { demands: demands.into_iter().collect(), ..self }
    }

    /// See [`JointPlanner::with_makespan_first`].
    pub fn with_makespan_first(self) -> Self {
        Self { makespan_first: true, ..self }
    }

    /// See [`JointPlanner::with_known_plan`].
    pub fn with_start(self, schedule: Schedule) -> Self {
        Self { start: Some(schedule), ..self }
    }

    /// The planner of this problem, for calls with other settings.
    pub fn planner(&self) -> JointPlanner {
        let planner = JointPlanner::new(self.rules).with_user_budgets(self.budgets.clone());
        let planner = planner.with_demands(self.demands.clone()).with_shuffled_orders(SHUFFLED, 1);
        let planner = if self.makespan_first { planner.with_makespan_first() } else { planner };
        match &self.start {
            Some(schedule) => planner.with_known_plan(schedule.clone()),
            None => planner,
        }
    }

    /// [`plan`] with this effort, within a limit, with an observer as for
    /// [`plan_observed`](JointPlanner::plan_observed), and with all that is known of the plan.
    ///
    /// # Errors
    /// As for [`plan`].
    pub fn solve(
        &self,
        effort: Effort,
        limit: &Limit,
        observer: &mut dyn FnMut(JointProgress),
    ) -> Result<JointPlan, JointError> {
        let planner = self.planner().with_effort(effort).with_limit(limit.clone());
        let goal = JointGoal::from(self.goal);
        let plan = planner.plan_observed(self.slots, self.batch, self.from, goal, observer)?;
        Ok(JointPlan { schedule: with_reasons(self, plan.schedule, goal, plan.end)?, ..plan })
    }
}

/// Plans a batch as a whole: the most jobs, then the goal. Stops at a plan that is proven to be within 0.1% of
/// the best, or at the default [`Limit`]: hundredths to tenths of a second for a small batch, a second or two
/// with hundreds of nodes.
///
/// The outcome always has a plan; its value is that of the goal, its bound holds for every plan that leaves
/// out as many jobs. See [`JointPlanner`] for the method, guarantee, complexity and ties.
///
/// # Errors
/// [`JointError`] for malformed input; never because a job has no window.
pub fn plan(problem: &PlanProblem<'_>) -> Result<Outcome<Plan>, JointError> {
    let limit = Limit::default().with_relative_gap(GOOD_ENOUGH);
    let found = problem.solve(Effort::Hard, &limit, &mut |_| ())?;
    let JointPlan { schedule, objective, bound, makespan_bound, unplaceable, left_out, end, work, .. } =
        found;
    let plan = Plan { schedule, unplaceable, left_out, makespan_bound };
    // That all steps are done proves no more than the bound.
    let end = if end == End::Done && bound != Some(objective) { End::Gap } else { end };
    Ok(Outcome::stopped(Some((plan, objective)), bound, work, end))
}

/// A window for each job that is placed, and a reason for each other job.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Plan {
    /// The windows and reasons.
    pub schedule: Schedule,
    /// The number of jobs that have no window even without other jobs: no plan places them.
    pub unplaceable: usize,
    /// The number of jobs that have windows alone, but are left out of the plan.
    pub left_out: usize,
    /// See [`JointPlan::makespan_bound`].
    pub makespan_bound: Option<Time>,
}

impl Plan {
    /// What the independent [`Checker`] objects to: windows that are not free, not simultaneous, too slow,
    /// beyond the limits of their jobs, or that overlap. Empty for every plan that [`plan`] makes.
    #[must_use]
    pub fn violations(&self, problem: &PlanProblem<'_>) -> Vec<(JobId, Violation)> {
        let checker = Checker::new(problem.slots, problem.rules).with_demands(problem.demands.clone());
        checker.schedule(&self.schedule, problem.batch)
    }
}

impl fmt::Display for Plan {
    /// A line for each job: its window, or why it has none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.schedule.fmt(f)
    }
}
