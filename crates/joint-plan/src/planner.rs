//! The planner and its settings.

use crate::JointError;
use crate::ascent::Ascent;
use crate::incumbent::Incumbent;
use crate::instance::{Accounts, Instance, Stopped};
use crate::plan::JointPlan;
use crate::pool::Pool;
use crate::portfolio::{fit, searches};
use crate::run::{Effort, Run, Settings};
use crate::terms::{JointGoal, Terms};
use crate::watch::Watch;
use sched_model::check::Rules;
use sched_model::{Batch, Demands, Job, JobId, Limit, Money, Schedule, SlotList, Time, UserId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Plans a batch as a whole: it chooses a window for each job, such that no two overlap and the limit of the
/// batch is kept. The most jobs come first, then the goal.
///
/// Sources: the cycle of V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, *Resource Selection
/// Algorithms for Economic Scheduling in Distributed Systems*, 2011, cuts every window that it finds out of
/// the free time, job after job, which restricts the choice. Here the windows of many cycles, and of searches
/// under prices of node-time (the Lagrangian relaxation: L. Wolsey, *Integer Programming*, 1998, chapter 10),
/// are collected in one pool, and the choice takes into account which of them overlap. Large neighbourhoods:
/// P. Shaw, *Using constraint programming and local search methods to solve vehicle routing problems*, 1998.
///
/// * **Guarantee**: the plan keeps rules and limit. [`JointPlan::bound`] holds for all plans that place as
///   many jobs, also with windows that no search has found. That no plan places more jobs is proven only
///   where [`JointPlan::most_jobs`] is true.
/// * **Complexity**: no bound but the limit, which counts work; where it ends the search, the answer is the
///   best plan so far.
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
/// // Node 1 is cheaper for both, but free for 40 only: job 1 fits there, job 2 must take node 2 for 30.
/// let planner = JointPlanner::new(check::Rules::per_window(1.0)).with_effort(Effort::Hard);
/// let plan = planner.plan(&slots, &batch, Time::ZERO, JointGoal::MinCost { time_limit: f64::INFINITY })?;
/// assert_eq!(plan.objective, 40.0 + 30.0 * 4.0);
/// assert!(plan.gap().unwrap() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
#[must_use]
pub struct JointPlanner {
    rules: Rules,
    effort: Effort,
    limit: Limit,
    pub(crate) known: Option<Schedule>,
    /// Number of shuffled orders in the portfolio, and their seed.
    shuffled: (usize, u64),
    seed: u64,
    budgets: BTreeMap<UserId, f64>,
    pub(crate) demands: BTreeMap<JobId, Demands>,
    pub(crate) makespan_first: bool,
    /// Whether a better bound is worth a search.
    pub(crate) branches: bool,
}

/// Bounds of plans from the best window of each job alone: see [`JointPlanner::bound_of_jobs_alone`].
#[derive(Debug)]
pub struct AloneBound {
    ascent: Ascent,
    /// Jobs that have no window because they are too short.
    too_short: usize,
}

impl AloneBound {
    /// The number of jobs that have no window even without other jobs.
    pub fn unplaceable(&self) -> usize {
        self.too_short + self.ascent.without_window().len()
    }

    /// A lower bound of the objective of every plan that leaves out exactly `count` of the other jobs;
    /// -infinity where a node is too fast for a job to be timed on it.
    pub fn leaving_out(&self, count: usize) -> f64 {
        self.ascent.bound(count).unwrap_or(f64::NEG_INFINITY)
    }
}

impl JointPlanner {
    /// A planner whose windows keep these rules, with [`Effort::Hard`] and the default limit, except for the
    /// gap: the search ends with a plan within 0.1% of its bound.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            effort: Effort::default(),
            limit: Limit::default().with_relative_gap(1e-3),
            known: None,
            shuffled: (0, 0),
            seed: 0,
            budgets: BTreeMap::new(),
            demands: BTreeMap::new(),
            makespan_first: false,
            branches: true,
        }
    }

    /// With a plan to start from, for example an earlier one. The result is never worse. A plan that breaks
    /// the rules or the limit is ignored.
    pub fn with_known_plan(self, schedule: Schedule) -> Self {
        Self { known: Some(schedule), ..self }
    }

    /// With this number of shuffled orders of the jobs in the portfolio, in addition to those by size and as
    /// given. The same seed gives the same orders.
    pub fn with_shuffled_orders(self, count: usize, seed: u64) -> Self {
        Self { shuffled: (count, seed), ..self }
    }

    /// With budgets of users: the windows of all jobs of a user cost at most the budget together. Users that
    /// are not named have no budget limit. Jobs for which the budget of their user does not suffice are left
    /// out; a budget below 0 suffices for no job.
    pub fn with_user_budgets(self, budgets: impl IntoIterator<Item = (UserId, f64)>) -> Self {
        Self { budgets: budgets.into_iter().collect(), ..self }
    }

    /// With demands of jobs beside their requests: labels and amounts of nodes, starts, nodes that are packed
    /// or spread, and given spans of tasks. Windows and bounds take all of them into account.
    ///
    /// ```
    /// use joint_plan::{JointGoal, JointPlanner};
    /// use sched_model::*;
    /// let node = |id, price| Node::new(NodeId(id), Speed::ETALON, Price::must(price));
    /// let slots = SlotList::from_nodes(&[node(1, 1.0), node(2, 3.0)], &[], Time::ZERO, Time::must(40.0))?;
    /// let slots = slots.with_features([(NodeId(2), Features::new().with_label("gpu"))])?;
    /// let batch = Batch::new(vec![Job::new(JobId(1), ResourceRequest::new(1, Work::must(40.0))?)])?;
    /// let demands = [(JobId(1), Demands::new().with_label("gpu"))];
    /// let planner = JointPlanner::new(check::Rules::per_window(1.0)).with_demands(demands);
    /// let plan =
    ///     planner.plan(&slots, &batch, Time::ZERO, JointGoal::MinCost { time_limit: f64::INFINITY })?;
    /// assert_eq!(plan.objective, 120.0);
    /// // The bound is the optimum, up to rounding.
    /// assert!(plan.bound.is_some_and(|bound| bound <= 120.0 && bound > 120.0 - 1e-9));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_demands(self, demands: impl IntoIterator<Item = (JobId, Demands)>) -> Self {
        Self { demands: demands.into_iter().collect(), ..self }
    }

    /// With the minimum makespan before the goal: the most jobs first, then the earliest end of the last
    /// window, then the goal among the plans that end no later.
    ///
    /// Earlier deadlines are tried, each half-way between the plan and [`JointPlan::makespan_bound`]; each
    /// trial has its share of the limit. Only that bound proves that no plan ends earlier.
    ///
    /// ```
    /// use joint_plan::{JointGoal, JointPlanner};
    /// use sched_model::*;
    /// let node = |id, speed, price| Node::new(NodeId(id), Speed::must(speed), Price::must(price));
    /// let nodes = [node(1, 1.0, 1.0), node(2, 1.0, 3.0)];
    /// let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(100.0))?;
    /// let job = |id| Ok::<_, ModelError>(Job::new(JobId(id), ResourceRequest::new(1, Work::must(40.0))?));
    /// let batch = Batch::new(vec![job(1)?, job(2)?])?;
    /// let goal = JointGoal::MinCost { time_limit: f64::INFINITY };
    /// let planner = JointPlanner::new(check::Rules::per_window(1.0));
    /// // The cheapest plan runs both on node 1, one after the other; on two nodes they end at 40.
    /// assert_eq!(planner.plan(&slots, &batch, Time::ZERO, goal)?.objective, 80.0);
    /// let plan = planner.with_makespan_first().plan(&slots, &batch, Time::ZERO, goal)?;
    /// assert_eq!((plan.schedule.makespan(), plan.objective), (Some(Time::must(40.0)), 40.0 + 120.0));
    /// assert_eq!(plan.makespan_bound, Some(Time::must(40.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_makespan_first(self) -> Self {
        Self { makespan_first: true, ..self }
    }

    /// Lower bounds of the objective of every plan, by the number of jobs left out: the sum of the best value
    /// of each job alone, without the limit of the batch; of a user's budget, only that no job alone exceeds
    /// it. Complexity: one search for each job.
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
        match self.alone(slots, &self.jobs(batch), from, goal) {
            Err(error) if error.is_of_time() => {
                let too_short = self.too_short(slots, batch, from);
                if too_short.is_empty() {
                    return Err(error);
                }
                let nowhere = too_short.values().filter(|&&everywhere| everywhere).count();
                if nowhere < too_short.len() {
                    // Some node may time a job whose best window cannot be told: no bound.
                    return Ok(AloneBound { ascent: Ascent::default(), too_short: nowhere });
                }
                let timed = self.jobs(batch).into_iter().filter(|job| !too_short.contains_key(&job.id));
                let ascent = self.alone(slots, &timed.collect::<Vec<Job>>(), from, goal)?;
                Ok(AloneBound { ascent, too_short: nowhere })
            }
            ascent => Ok(AloneBound { ascent: ascent?, too_short: 0 }),
        }
    }

    fn alone(
        &self,
        slots: &SlotList,
        jobs: &[Job],
        from: Time,
        goal: JointGoal,
    ) -> Result<Ascent, JointError> {
        let instance = self.instance(slots, jobs, from, goal)?;
        let (mut pool, mut ascent) = (Pool::new(instance.jobs.len()), Ascent::default());
        match ascent.alone(&instance, &mut pool, &mut Limit::without_limit().meter()) {
            Ok(()) | Err(Stopped::Limit(_)) => Ok(ascent),
            Err(Stopped::Error(error)) => Err(error),
        }
    }

    pub(crate) fn known(&self) -> Option<&Schedule> {
        self.known.as_ref()
    }

    pub(crate) fn effort(&self) -> Effort {
        self.effort
    }

    pub(crate) fn rules(&self) -> Rules {
        self.rules
    }

    pub(crate) fn limit(&self) -> &Limit {
        &self.limit
    }

    /// The jobs of a batch, none with a greater budget than its user.
    pub(crate) fn jobs(&self, batch: &Batch) -> Vec<Job> {
        let of = |job: &Job| {
            let account = self.budgets.get(&job.user).and_then(|&budget| Money::new(budget).ok());
            let Some(account) = account else { return *job };
            let budget = self.rules.budget(&job.request).map_or(account, |own| own.min(account));
            Job { request: job.request.with_budget(budget), ..*job }
        };
        batch.iter().map(of).collect()
    }

    pub(crate) fn instance<'a>(
        &self,
        slots: &'a SlotList,
        jobs: &'a [Job],
        from: Time,
        goal: JointGoal,
    ) -> Result<Instance<'a>, JointError> {
        if goal.limit().is_nan() {
            return Err(JointError::Limit);
        }
        if self.budgets.values().any(|budget| budget.is_nan()) {
            return Err(JointError::UserBudget);
        }
        let terms = Terms::of(goal);
        let jobs: Vec<&Job> = jobs.iter().collect();
        let demanded = jobs.iter().filter_map(|job| Some((job.id, self.demands.get(&job.id)?)));
        let demands = Arc::new(demanded.map(|(id, demands)| (id, slots.eligible(demands))).collect());
        Ok(Instance {
            demands,
            before: Arc::default(),
            slots,
            accounts: Accounts::new(&jobs, &self.budgets),
            jobs,
            from,
            rules: self.rules,
            terms,
            limit: terms.limit,
        })
    }

    /// The best plan found of an instance, beginning with the best of the known ones.
    pub(crate) fn run(
        &self,
        instance: Instance<'_>,
        goal: JointGoal,
        known: &[&Schedule],
        limit: &Limit,
        watch: &mut Watch<'_>,
    ) -> Result<JointPlan, JointError> {
        let mut run = self.begin(instance, goal, known, limit)?;
        let mut meter = limit.meter();
        let end = match run.all(&mut meter, watch) {
            Ok(end) | Err(Stopped::Limit(end)) => end,
            Err(Stopped::Error(error)) => return Err(error),
        };
        run.result(end, meter.work(), limit)
    }

    /// Whether this plan keeps rules and limits.
    pub(crate) fn accepts(
        &self,
        instance: Instance<'_>,
        goal: JointGoal,
        known: &Schedule,
    ) -> Result<bool, JointError> {
        let run = self.begin(instance, goal, &[known], &self.limit)?;
        Ok(run.incumbent.windows().iter().flatten().count() == known.placed().count())
    }

    fn begin<'a>(
        &self,
        instance: Instance<'a>,
        goal: JointGoal,
        known: &[&Schedule],
        limit: &Limit,
    ) -> Result<Run<'a>, JointError> {
        let mut run = Run {
            settings: Settings {
                effort: self.effort,
                relative_gap: limit.relative_gap,
                shuffled: self.shuffled,
                seed: self.seed,
                branches: self.branches,
            },
            searches: searches(self.rules, fit(goal))?,
            pool: Pool::new(instance.jobs.len()),
            incumbent: Incumbent::empty(instance.jobs.len()),
            ascent: Ascent::default(),
            cycles: 0,
            whole: None,
            instance,
        };
        for known in known {
            run.take(known);
        }
        Ok(run)
    }
}

sched_model::setters!(JointPlanner {
    /// With this effort. A greater one never places fewer jobs than [`Effort::Quick`] under the same limits,
    /// nor as many at a worse value of the goal: it begins with the same steps.
    with_effort: effort: Effort,
    /// With this limit. Its relative gap is the share of the bound by which the objective may exceed it.
    with_limit: limit: Limit,
    /// With this seed for the neighbourhoods that are chosen at random; 0 by default. The same seed gives the
    /// same plan.
    with_seed: seed: u64,
});
