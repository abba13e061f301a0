//! The published two-phase scheme: finds the alternatives of the jobs, one job after the other, then chooses the best
//! combination.

use crate::plan::{Plan, Planned, Planner};
use crate::problem::AloneBound;
use crate::terms::Terms;
use crate::{Goal, JointError, PlanProblem};
use batch_dp::{BatchError, Coverage, Point, Preference};
use sched_model::{Batch, End, JobWindows, Meter, Outcome, Refusal, Schedule, Window};
use slot_window::{AlternativesSearch, BatchAlternatives, WindowSearch};
use std::fmt;

/// The name of [`CyclePlanner`].
pub(crate) const NAME: &str = "cycle";

/// Plans by the published scheme: V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, *Resource Selection
/// Algorithms for Economic Scheduling in Distributed Systems*, 2011.
///
/// One search finds the alternatives of the jobs, job by job, each cut out of the free time; then the best
/// combination of them is chosen exactly. The [coverage](Self::with_coverage) says which of the jobs with windows
/// must be placed; by default the most jobs come first. The rules are those of the search.
///
/// If the problem has a [start](PlanProblem::with_start), the choice starts from those of its windows that are among
/// the alternatives (with the same start, nodes and ends), which saves work; the plan is never worse than these windows
/// if they keep the limit.
///
/// * **Guarantee**: no other combination of these alternatives is better. The bound, which holds for all plans, comes
///   from the best window of each job alone; there is no bound for preferences, weights, penalties, the maximum time,
///   and the makespan.
/// * **Complexity**: that of the search, for each job and round, and that of the choice. Each step (alternatives,
///   choice, front) has the whole limit of the meter.
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
    /// The maximum number of alternatives per job; 50 by default.
    pub alternatives: usize,
    coverage: Coverage,
    derived: bool,
    preference: Option<Preference>,
    /// Whether to compute the [front](CyclePlan::front) of all undominated combinations, too.
    pub front: bool,
}

/// A plan by the published scheme, phase by phase.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CyclePlan {
    /// The alternatives of each job.
    pub found: BatchAlternatives,
    /// The choice among them, with its limit and bound.
    pub choice: batch_dp::Plan,
    /// Every undominated (cost, time) pair of the jobs that have windows; `None` unless
    /// [requested](CyclePlanner::front).
    pub front: Option<Vec<Point>>,
    /// The plan, with its value, and a bound for all plans if there is one.
    pub outcome: Outcome<Plan>,
}

impl fmt::Display for CyclePlan {
    /// The number of jobs placed and the outcome of the choice on the first line, then the schedule, one line per
    /// job.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let batch_dp::Plan { schedule, outcome, .. } = &self.choice;
        write!(f, "{} placed; {outcome}\n{schedule}", schedule.placed().count())
    }
}

impl CyclePlanner {
    /// Creates a planner that finds alternatives by `search`, and maximises the number of placed jobs before it
    /// optimises the goal.
    pub fn new(search: Box<dyn WindowSearch>) -> Self {
        Self {
            search,
            alternatives: 50,
            coverage: Coverage::MostJobs,
            derived: false,
            preference: None,
            front: false,
        }
    }

    /// Lets the goal take a limit derived from the alternatives if it has none: see [`batch_dp::with_derived_limit`].
    pub fn with_derived_limit(self) -> Self {
        Self { derived: true, ..self }
    }

    /// Puts a preference among <C, D, T, I> in place of the goal's criterion.
    pub fn with_preference(self, preference: Preference) -> Self {
        Self { preference: Some(preference), ..self }
    }

    /// Plans a batch, and returns the result of each phase.
    ///
    /// # Errors
    /// As for [`CyclePlanner`].
    pub fn run(&self, problem: &PlanProblem<'_>, meter: &mut Meter) -> Result<CyclePlan, JointError> {
        let search = AlternativesSearch::new(&*self.search)
            .with_max_per_job(self.alternatives)
            .with_limit(meter.limit().clone());
        // The search knows no budgets of users; but jobs that one below 0 never pays for take no time from others.
        let budgets = problem.budgets.iter().map(|(&user, &budget)| (user, budget));
        let owed = problem.clone().with_user_budgets(budgets.filter(|(_, budget)| *budget < 0.0));
        let batch = Batch::new(owed.with_rules(self.search.rules()).jobs())?;
        let mut found = search.find(problem.slots, &batch, problem.from)?;
        for of in found.jobs.iter_mut().filter(|of| of.windows.is_empty()) {
            // The search was stopped before this job.
            of.refusal.get_or_insert(Refusal::Stopped);
        }
        let mut choice = self.choice(problem);
        if let Some(start) = &problem.start {
            choice = choice.with_known(found_again(start, &found.jobs));
        }
        let chosen = choice.plan_within(&found.jobs, meter)?;
        let front = match self.front {
            true => choice.front(&found.jobs, &mut meter.limit().meter())?,
            false => None,
        };
        let (outcome, front) =
            (self.outcome(problem, &found, &chosen)?, front.map(|front| front.points().to_vec()));
        Ok(CyclePlan { found, choice: chosen, front, outcome })
    }

    /// Creates the choice for a problem by these settings.
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

    /// Creates the plan of a choice, with its value and, where it holds, the bound from each job alone.
    fn outcome(
        &self,
        problem: &PlanProblem<'_>,
        found: &BatchAlternatives,
        chosen: &batch_dp::Plan,
    ) -> Result<Outcome<Plan>, JointError> {
        let rules = self.search.rules();
        let is_bounded = matches!(self.coverage, Coverage::EveryJob | Coverage::MostJobs)
            && self.preference.is_none()
            && !problem.makespan_first
            && !matches!(problem.goal, Goal::MaxTime { .. });
        let alone = match is_bounded {
            true => Some(AloneBound::of(&problem.clone().with_rules(rules))?),
            false => None,
        };
        let schedule = chosen.schedule.clone();
        let placed: Vec<&Window> = schedule.placed().map(|(_, window)| window).collect();
        let (value, _) = Terms::of(problem.goal).sums(placed.into_iter(), problem.from);
        let unplaceable = alone.as_ref().map_or(0, AloneBound::unplaceable);
        let left_out = schedule.refused().count().saturating_sub(unplaceable);
        let bound = alone.map(|alone| alone.leaving_out(left_out).min(value));
        let ends = [found.end, chosen.outcome.end];
        let end = ends.into_iter().find(|end| !matches!(end, End::Done | End::Gap)).unwrap_or(End::Done);
        Ok(Planned {
            plan: Plan { schedule, rules, unplaceable, left_out, makespan_bound: None },
            value,
            bound: bound.filter(|bound| bound.is_finite()),
            end,
            work: found.work + chosen.work,
        }
        .outcome())
    }
}

sched_model::setters!(CyclePlanner {
    /// Sets which jobs may be left out. The coverage has one number for each job of the batch.
    with_coverage: coverage: Coverage,
});

/// Finds the windows of an earlier schedule again among the alternatives, by start, nodes and ends.
pub fn found_again(earlier: &Schedule, jobs: &[JobWindows]) -> Schedule {
    let mut schedule = Schedule::default();
    let tasks = |window: &Window| -> Vec<_> {
        window.placements().iter().map(|place| (place.node, place.end)).collect()
    };
    for JobWindows { job, windows, .. } in jobs {
        let Some(had) = earlier.place_of(*job) else { continue };
        let same = |window: &&Window| window.start() == had.start() && tasks(window) == tasks(had);
        if let Some(window) = windows.iter().find(same) {
            // An error here means that a job is given twice, which the choice reports.
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
        match self.run(problem, meter) {
            Err(JointError::Batch(BatchError::Stopped(end))) => {
                Ok(Outcome::stopped(None, None, meter.work() - before, end))
            }
            found => Ok(found?.outcome),
        }
    }
}
