//! The published scheme: find the alternatives of each job, one after the other, then choose the best combination;
//! and better plans from there.

use crate::cycles::{Order, alternatives};
use crate::planner::Planner;
use crate::portfolio::{BestOfCycles, Portfolio};
use crate::problem::AloneBound;
use crate::settings::JointPlanner;
use crate::terms::Terms;
use crate::{Effort, Goal, JointError, JointPlan, Plan, PlanProblem};
use batch_dp::{BatchError, Coverage, Point, Preference};
use sched_model::internal::map_of;
use sched_model::{End, Job, JobId, JobWindows, Limit, Meter, NodeId, Outcome, Schedule, Time, Window};
use slot_window::{AlternativesSearch, WindowSearch};
use std::collections::BTreeMap;
use std::fmt;

/// The name of [`CyclePlanner`].
pub(crate) const NAME: &str = "cycle";

/// The windows of an earlier plan: for each job the start, and the node and end of each task.
pub type EarlierPlan = BTreeMap<JobId, (Time, Vec<(NodeId, Time)>)>;

/// Plans by the published scheme: V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, *Resource Selection
/// Algorithms for Economic Scheduling in Distributed Systems*, 2011.
///
/// One search finds the alternatives of the jobs, job by job, each cut out of the free time; then the best
/// combination of them is chosen exactly. The [coverage](Self::with_coverage) says which of the jobs with windows
/// must be placed; by default the most jobs come first. A greater [`Effort`] improves the plan beyond the
/// alternatives: by [`JointPlanner`](crate::JointPlanner) if it supports the settings, otherwise by the best of
/// several searches and orders.
///
/// * **Guarantee**: no other combination of these alternatives is better; about other plans, the result states a
///   bound.
/// * **Complexity**: that of the search, for each job and round, and that of the choice. Each step (alternatives,
///   choice, and what is tried beyond them) has the whole limit of the meter.
/// * **Ties**: those of the search and of [`batch_dp::Planner`].
/// * **Errors**: [`JointError`] for malformed input; [`BatchError::Stopped`] if the limit is reached before there
///   is any plan.
///
/// ```
/// use joint_plan::{CyclePlanner, Goal, PlanProblem, Planner};
/// use sched_model::*;
/// use slot_window::Amp;
/// let nodes = [Node::must(1, 1.0, 1.0), Node::must(2, 2.0, 3.0)];
/// let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(60.0))?;
/// let job = |id| Job::new(JobId(id), ResourceRequest::must(1, 40.0));
/// let batch = Batch::new(vec![job(1), job(2)])?;
/// // AMP finds [0, 40) on node 1 for job 1, then [0, 20) and [20, 40) and [40, 60) on node 2.
/// let problem = PlanProblem::new(&slots, &batch, Goal::MinCost { time_limit: None });
/// let outcome = CyclePlanner::new(Box::new(Amp::new())).plan(&problem)?;
/// assert_eq!(outcome.value, Some(40.0 + 60.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
#[must_use]
pub struct CyclePlanner {
    search: Box<dyn WindowSearch>,
    /// Runs a cycle by another search first. That cycle gives the limit if the limit is derived, and its plan is
    /// taken if it is better.
    pub reference: Option<Box<dyn WindowSearch>>,
    /// The greatest number of alternatives per job; 50 by default.
    pub alternatives: usize,
    coverage: Coverage,
    derived: bool,
    preference: Option<Preference>,
    /// An earlier plan. The choice starts from those of its windows that are found again, which saves work; the
    /// plan is never worse than these windows if they keep the limit.
    pub earlier: Option<EarlierPlan>,
    effort: Effort,
    /// Tries other searches and orders if the cycle places fewer jobs than have windows, and takes their plan if
    /// it places more.
    pub rescues: bool,
    /// Also computes the [front](CyclePlan::front) of all undominated combinations.
    pub front: bool,
}

/// A plan by the published scheme, and how it was found.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CyclePlan {
    /// A window for each job that is placed, and a reason for each other job.
    pub schedule: Schedule,
    /// The choice among the alternatives, with its limit, proof and work. Its schedule differs from `schedule` if
    /// a better plan was found beyond the alternatives.
    pub choice: batch_dp::Plan,
    /// The number of windows found for each job.
    pub alternatives: BTreeMap<JobId, usize>,
    /// Why the search for alternatives ended.
    pub search_end: End,
    /// Every undominated (cost, time) of the jobs that have windows; `None` unless
    /// [asked for](CyclePlanner::front).
    pub front: Option<Vec<Point>>,
    /// The effort that decided the schedule beyond the cycle, if any.
    pub beyond: Option<Effort>,
    /// If several searches and orders were tried: the number of cycles, and why the trial ended.
    pub best_of: Option<(usize, End)>,
    /// The plan with its value and its bound on all plans; `None` if no bound is known for the settings.
    pub near: Option<JointPlan>,
    /// Units of work done.
    pub work: u64,
}

impl fmt::Display for CyclePlan {
    /// The number of jobs placed and the outcome of the choice on the first line, then the schedule, one line per
    /// job.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} placed; {}\n{}", self.schedule.placed().count(), self.choice.outcome, self.schedule)
    }
}

impl CyclePlanner {
    /// A planner that finds alternatives by this search, and places the most jobs before it looks at the goal.
    pub fn new(search: Box<dyn WindowSearch>) -> Self {
        Self {
            search,
            reference: None,
            alternatives: 50,
            coverage: Coverage::MostJobs,
            derived: false,
            preference: None,
            earlier: None,
            effort: Effort::Quick,
            rescues: false,
            front: false,
        }
    }

    /// Derives a limit from the alternatives if the goal has none: see [`batch_dp::with_derived_limit`].
    pub fn with_derived_limit(self) -> Self {
        Self { derived: true, ..self }
    }

    /// Puts a preference among <C, D, T, I> in place of the goal's criterion.
    pub fn with_preference(self, preference: Preference) -> Self {
        Self { preference: Some(preference), ..self }
    }

    /// The plan, with everything known about it.
    ///
    /// # Errors
    /// As for [`CyclePlanner`].
    pub fn run(&self, problem: &PlanProblem<'_>, meter: &mut Meter) -> Result<CyclePlan, JointError> {
        let mut choice = self.choice(problem);
        let reference = match &self.reference {
            Some(search) => {
                Some(self.cycle(problem, &**search, &choice, false, &mut meter.limit().meter())?)
            }
            None => None,
        };
        if let Some(reference) = &reference {
            choice = choice.with_goal(reference.choice.goal);
        }
        let mut plan = self.cycle(problem, &*self.search, &choice, self.front, meter)?;
        let jobs: Vec<JobId> = problem.batch.iter().map(|job| job.id).collect();
        if let Some(reference) = reference {
            plan.work += reference.work;
            if choice.prefers(&jobs, &reference.schedule, &plan.schedule) {
                plan.schedule = reference.schedule;
            }
        }
        let problem = PlanProblem { rules: self.search.rules(), ..problem.clone() };
        match self.joint_goal(&problem, plan.choice.goal) {
            None if self.effort == Effort::Quick => {}
            None => self.try_cycles(&problem, choice, &mut plan, meter)?,
            Some(goal) => self.improve(&PlanProblem { goal, ..problem }, &mut plan, meter.limit())?,
        }
        Ok(plan)
    }

    /// One cycle by this search.
    fn cycle(
        &self,
        problem: &PlanProblem<'_>,
        search: &dyn WindowSearch,
        choice: &batch_dp::Planner,
        front: bool,
        meter: &mut Meter,
    ) -> Result<CyclePlan, JointError> {
        let of_all = AlternativesSearch::new(search)
            .with_max_per_job(self.alternatives)
            .with_limit(meter.limit().clone());
        let jobs: Vec<&Job> = problem.batch.iter().collect();
        let found = alternatives(&of_all, Order::Given, (problem.slots, &jobs, problem.from))?;
        let choice = match &self.earlier {
            Some(places) => choice.clone().with_known(found_again(places, &found.jobs)),
            None => choice.clone(),
        };
        let chosen = choice.plan_within(&found.jobs, meter)?;
        let front = match front {
            true => choice.front(&found.jobs, &mut meter.limit().meter())?,
            false => None,
        };
        Ok(CyclePlan {
            schedule: chosen.schedule.clone(),
            work: found.work + chosen.work,
            choice: chosen,
            alternatives: map_of(found.jobs.iter().map(|of| (of.job, of.windows.len()))),
            search_end: found.end,
            front: front.map(|front| front.points().to_vec()),
            beyond: None,
            best_of: None,
            near: None,
        })
    }

    /// The choice of this problem, by these settings.
    fn choice(&self, problem: &PlanProblem<'_>) -> batch_dp::Planner {
        let user_of = problem.batch.iter().map(|job| (job.id, job.user));
        let mut choice = batch_dp::Planner::new(problem.goal)
            .with_coverage(self.coverage.clone())
            .with_user_budgets(problem.budgets.clone(), user_of);
        if self.derived {
            choice = choice.with_derived_limit();
        }
        if problem.makespan_first {
            choice = choice.with_makespan_first();
        }
        match &self.preference {
            Some(preference) => choice.with_preference(preference.clone()),
            None => choice,
        }
    }

    /// The goal for a planner of the whole batch, with the limit of the choice; `None` if such planners do not
    /// support the settings.
    fn joint_goal(&self, problem: &PlanProblem<'_>, chosen: Goal) -> Option<Goal> {
        let known = matches!(self.coverage, Coverage::EveryJob | Coverage::MostJobs)
            && !matches!(problem.goal, Goal::MaxTime { .. });
        (known && self.preference.is_none()).then(|| problem.goal.with_limit(chosen.limit()))
    }

    /// The best of several searches and orders, for settings that planners of the whole batch do not support.
    fn try_cycles(
        &self,
        problem: &PlanProblem<'_>,
        choice: batch_dp::Planner,
        plan: &mut CyclePlan,
        meter: &mut Meter,
    ) -> Result<(), JointError> {
        meter.restart();
        let choice = choice.with_goal(plan.choice.goal);
        let mut portfolio = Portfolio::new(problem.rules, choice);
        portfolio.alternatives = self.alternatives;
        let problem = problem.clone().with_start(plan.schedule.clone());
        let BestOfCycles { schedule, cycles, end, work } = portfolio.run(&problem, meter)?;
        plan.work += work;
        // The cycle that gave the first plan is one of them.
        (plan.schedule, plan.best_of, plan.beyond) = (schedule, Some((cycles + 1, end)), Some(self.effort));
        Ok(())
    }

    /// Bounds the plan, and replaces it by a better one as far as the effort allows.
    fn improve(
        &self,
        problem: &PlanProblem<'_>,
        plan: &mut CyclePlan,
        limit: &Limit,
    ) -> Result<(), JointError> {
        let better = |plan: &mut CyclePlan| -> Result<JointPlan, JointError> {
            let problem = problem.clone().with_start(plan.schedule.clone());
            let found = JointPlanner::new().with_effort(self.effort).run(&problem, &mut limit.meter())?;
            plan.work += found.work;
            Ok(found)
        };
        if self.effort > Effort::Quick {
            let found = better(plan)?;
            (plan.schedule, plan.beyond) = (found.schedule.clone(), Some(self.effort));
            plan.near = Some(found).filter(|found| found.bound.is_some());
            return Ok(());
        }
        if problem.makespan_first {
            // The bound of each job alone says nothing about plans that end as early.
            return Ok(());
        }
        plan.near = problem.bounded(&plan.schedule)?;
        let lost = plan.near.as_ref().map_or(0, |near| near.left_out);
        let stopped = !matches!(plan.search_end, End::Done | End::Gap);
        if !self.rescues || lost == 0 || self.coverage != Coverage::EveryJob || stopped {
            return Ok(());
        }
        // The choice serves all jobs that can be served, or none.
        let most_lost = if plan.schedule.placed().next().is_some() { lost - 1 } else { 0 };
        let found = better(plan)?;
        if found.bound.is_some() && found.left_out <= most_lost {
            (plan.schedule, plan.beyond) = (found.schedule.clone(), Some(self.effort));
            plan.near = Some(found);
        }
        Ok(())
    }
}

sched_model::setters!(CyclePlanner {
    /// Sets which jobs may be left out. The coverage has one number for each job of the batch.
    with_coverage: coverage: Coverage,
    /// Sets the effort beyond the cycle; by default only a bound is computed.
    with_effort: effort: Effort,
});

/// The windows that have these starts, nodes and ends.
fn found_again(places: &EarlierPlan, jobs: &[JobWindows]) -> Schedule {
    let mut schedule = Schedule::default();
    for JobWindows { job, windows, .. } in jobs {
        let same = |window: &&Window| {
            let tasks = || window.placements().iter().map(|place| (place.node, place.end));
            places
                .get(job)
                .is_some_and(|(start, had)| *start == window.start() && tasks().eq(had.iter().copied()))
        };
        if let Some(window) = windows.iter().find(same) {
            // The choice reports a job that is given twice.
            let _ = schedule.decide(*job, Ok(window.clone()));
        }
    }
    schedule
}

impl Planner for CyclePlanner {
    fn name(&self) -> &str {
        NAME
    }

    fn solve(&self, problem: &PlanProblem<'_>, meter: &mut Meter) -> Result<Outcome<Plan>, JointError> {
        let before = meter.work();
        let found = match self.run(problem, meter) {
            Err(JointError::Batch(BatchError::Stopped(end))) => {
                return Ok(Outcome::stopped(None, None, meter.work() - before, end));
            }
            found => found?,
        };
        let limited = |end: &End| !matches!(end, End::Done | End::Gap);
        let ends = [Some(found.search_end), Some(found.choice.outcome.end), found.best_of.map(|best| best.1)];
        let end = ends.into_iter().flatten().find(limited);
        let near = found.near.unwrap_or_else(|| problem.measured(found.schedule, None));
        Ok(JointPlan { end: end.unwrap_or(near.end), work: found.work, ..near }.outcome())
    }
}

impl PlanProblem<'_> {
    /// A plan with the bound of each job alone; `None` if there is no bound.
    fn bounded(&self, schedule: &Schedule) -> Result<Option<JointPlan>, JointError> {
        let alone = AloneBound::of(self)?;
        Ok(Some(self.measured(schedule.clone(), Some(&alone))).filter(|plan| plan.bound.is_some()))
    }

    /// A plan with its value and these bounds.
    fn measured(&self, schedule: Schedule, alone: Option<&AloneBound>) -> JointPlan {
        let placed: Vec<&Window> = schedule.placed().map(|(_, window)| window).collect();
        let (objective, weight) = Terms::of(self.goal).sums(placed.into_iter(), self.from);
        let unplaceable = alone.map_or(0, AloneBound::unplaceable);
        let left_out = schedule.refused().count().saturating_sub(unplaceable);
        let bound = alone.map(|alone| alone.leaving_out(left_out).min(objective));
        let bound = bound.filter(|&bound| bound > f64::NEG_INFINITY);
        let (makespan_bound, windows, end, work) = (None, 0, End::Done, 0);
        JointPlan {
            schedule,
            objective,
            weight,
            bound,
            makespan_bound,
            unplaceable,
            left_out,
            windows,
            end,
            work,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sched_model::{Node, Placement, Slot, Span};

    #[test]
    fn a_window_is_found_again_by_its_start_nodes_and_ends() {
        let window = |node, start, span| {
            let slot = Slot::new(Node::must(node, 1.0, 1.0), Time::ZERO, Time::must(99.0)).unwrap();
            let start = Time::must(start);
            Window::new(start, vec![Placement::on(&slot, start, Span::must(span))]).unwrap()
        };
        let windows = [window(1, 0.0, 10.0), window(2, 0.0, 10.0), window(2, 0.0, 9.0), window(2, 5.0, 5.0)];
        let jobs = [JobWindows::new(JobId(7), windows.to_vec())];
        let again = |window: &Window| {
            let tasks = window.placements().iter().map(|place| (place.node, place.end));
            let places = [(JobId(7), (window.start(), tasks.collect()))].into();
            found_again(&places, &jobs).place_of(JobId(7)).cloned()
        };
        for window in windows {
            assert_eq!(again(&window), Some(window));
        }
        assert_eq!(again(&window(1, 0.0, 9.0)), None);
    }
}
