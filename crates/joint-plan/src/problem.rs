//! The input of a planner, and bounds from each job alone.

use crate::JointError;
use crate::accounts::Accounts;
use crate::ascent::Ascent;
use crate::instance::{Instance, Stopped, by_job, of_job};
use crate::pool::Pool;
use crate::terms::Terms;
use sched_model::check::Rules;
use sched_model::internal::{MAX_QUANTITY, map_of};
use sched_model::{Batch, Goal, Job, Limit, Money, Schedule, SlotList, Time, UserId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The problem of planning a batch in free slots by a goal. By default, windows keep the rules of AMP
/// ([`Rules::per_window`]`(1.0)`) and start no earlier than the first free slot.
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
    pub(crate) makespan_first: bool,
    pub(crate) start: Option<Schedule>,
}

impl<'a> PlanProblem<'a> {
    /// Creates the problem of planning `batch` in `slots`. The number of placed jobs is maximised first, then `goal` is
    /// optimised. Finishes are measured from the beginning of the plan; the value of a goal that maximises is minus the
    /// sum.
    pub fn new(slots: &'a SlotList, batch: &'a Batch, goal: Goal) -> Self {
        Self {
            slots,
            batch,
            goal,
            from: slots.iter().next().map_or(Time::ZERO, |slot| slot.start),
            rules: Rules::per_window(1.0),
            budgets: BTreeMap::new(),
            makespan_first: false,
            start: None,
        }
    }

    /// Sets budgets of users: the windows of all jobs of a user cost at most the user's budget together. Users that are
    /// not named have no such limit. Jobs that the budget of their user cannot pay for are left out; a budget below 0
    /// pays for no job.
    pub fn with_user_budgets(self, budgets: impl IntoIterator<Item = (UserId, f64)>) -> Self {
        Self { budgets: map_of(budgets), ..self }
    }

    /// Puts the minimum makespan before the goal: the number of placed jobs is maximised first, then the end of the
    /// last window is minimised, then the goal is optimised among the plans that end no later.
    ///
    /// The planner tries earlier and earlier deadlines between [`Plan::makespan_bound`](crate::Plan) and the end of the
    /// best plan so far; each trial has its share of the limit. Only that bound proves that no plan ends earlier.
    ///
    /// ```
    /// use joint_plan::{Goal, PlanProblem, plan};
    /// use sched_model::*;
    /// let node = |id, speed, price| Node::must(id, speed, price);
    /// let nodes = [node(1, 1.0, 1.0), node(2, 1.0, 3.0)];
    /// let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(100.0))?;
    /// let job = |id| Ok::<_, ModelError>(Job::new(JobId(id), ResourceRequest::new(1, Work::must(40.0))?));
    /// let batch = Batch::new(vec![job(1)?, job(2)?])?;
    /// let problem = PlanProblem::new(&slots, &batch, Goal::MinCost { time_limit: None });
    /// // The cheapest plan runs both on node 1, one after the other; on two nodes they end at 40.
    /// assert_eq!(plan(&problem)?.value, Some(80.0));
    /// let outcome = plan(&problem.with_makespan_first())?;
    /// assert_eq!(outcome.value, Some(40.0 + 120.0));
    /// let plan = outcome.solution()?;
    /// assert_eq!(plan.schedule.makespan(), Some(Time::must(40.0)));
    /// assert_eq!(plan.makespan_bound, Some(Time::must(40.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_makespan_first(self) -> Self {
        Self { makespan_first: true, ..self }
    }

    /// Sets a plan to start from, for example an earlier one. The result is never worse than that plan. A plan that
    /// breaks the rules or the limit is ignored. [`CyclePlanner`](crate::CyclePlanner) uses only those of its windows
    /// that it finds again.
    pub fn with_start(self, schedule: Schedule) -> Self {
        Self { start: Some(schedule), ..self }
    }

    /// Computes the bound from each of `jobs` alone.
    fn alone(&self, jobs: &[Job]) -> Result<Ascent, JointError> {
        let instance = self.instance(jobs)?;
        let (mut pool, mut ascent) = (Pool::new(instance.jobs.len()), Ascent::default());
        match ascent.alone(&instance, &mut pool, &mut Limit::none().meter()) {
            Ok(()) | Err(Stopped::Limit(_)) => Ok(ascent),
            Err(Stopped::Error(error)) => Err(error),
        }
    }

    /// The jobs, the budget of each lowered to that of its user.
    pub(crate) fn jobs(&self) -> Vec<Job> {
        let of = |job: &Job| {
            let account = self.budgets.get(&job.user).map(|budget| budget.max(-MAX_QUANTITY));
            let Some(account) = account.and_then(|budget| Money::try_from(budget).ok()) else {
                return job.clone();
            };
            let budget = self.rules.budget(&job.request).map_or(account, |own| own.min(account));
            Job { request: job.request.clone().with_budget(budget), ..*job }
        };
        self.batch.iter().map(of).collect()
    }

    /// Creates the instance of some jobs of the batch in the slots of the problem.
    pub(crate) fn instance<'i>(&'i self, jobs: &'i [Job]) -> Result<Instance<'i>, JointError> {
        if self.goal.limit().is_some_and(f64::is_nan) {
            return Err(JointError::Limit);
        }
        if matches!(self.goal, Goal::MaxTime { .. }) {
            return Err(JointError::MaxTime);
        }
        if self.budgets.values().any(|budget| budget.is_nan()) {
            return Err(JointError::UserBudget);
        }
        let jobs: Vec<&Job> = jobs.iter().collect();
        let demanding = jobs.iter().filter(|job| !job.request.demands().is_empty());
        let eligible = by_job(demanding.map(|job| (job.id, self.slots.eligible(job.request.demands()))));
        Ok(Instance {
            eligible: Arc::new(eligible),
            before: Arc::default(),
            slots: self.slots,
            accounts: Accounts::new(&jobs, &self.budgets),
            jobs,
            from: self.from,
            rules: self.rules,
            terms: Terms::of(self.goal),
            limit: self.goal.limit().unwrap_or(f64::INFINITY),
        })
    }
}

sched_model::setters!(impl<'a> PlanProblem<'a> {
    /// Sets the instant before which no window starts, and from which finishes are counted.
    with_from: from: Time,
    /// Sets the rules that windows keep.
    with_rules: rules: Rules,
});

/// Lower bounds for plans, from the best window of each job alone.
#[derive(Debug)]
pub struct AloneBound {
    ascent: Ascent,
    /// Number of jobs that are too short to have a window on any node.
    too_short: usize,
}

impl AloneBound {
    /// Computes lower bounds of the objective of every plan, by the number of jobs left out: sums of the best values of
    /// each job alone. The limit of the batch is ignored; the budget of a user bounds each single job only. Complexity:
    /// one search per job.
    ///
    /// # Errors
    /// [`JointError`] for malformed input.
    pub fn of(problem: &PlanProblem<'_>) -> Result<Self, JointError> {
        match problem.alone(&problem.jobs()) {
            Err(error) if error.is_of_time() => {
                let too_short = problem.too_short();
                if too_short.is_empty() {
                    return Err(error);
                }
                let nowhere = too_short.iter().filter(|(_, everywhere)| *everywhere).count();
                if nowhere < too_short.len() {
                    // Some jobs may have windows on slower nodes, and their best windows are unknown: there is no
                    // bound.
                    return Ok(Self { ascent: Ascent::default(), too_short: nowhere });
                }
                let timed = problem.jobs().into_iter().filter(|job| of_job(&too_short, job.id).is_none());
                Ok(Self { ascent: problem.alone(&timed.collect::<Vec<Job>>())?, too_short: nowhere })
            }
            ascent => Ok(Self { ascent: ascent?, too_short: 0 }),
        }
    }

    /// The number of jobs that have no window even without other jobs.
    pub fn unplaceable(&self) -> usize {
        self.too_short + self.ascent.without_window().len()
    }

    /// A lower bound of the objective of every plan that leaves out exactly `count` of the other jobs; -infinity
    /// if there is no bound because a node is too fast for a job to be timed on it.
    pub fn leaving_out(&self, count: usize) -> f64 {
        self.ascent.bound(count).unwrap_or(f64::NEG_INFINITY)
    }
}
