//! Planning by either method: all jobs together, or by the published scheme.

use super::PlanArgs;
use super::distance::Distance;
use super::goal::{self, CriterionName, Serve};
use super::planned::Plan;
use crate::commands::{limits, prelude::*};
use econsched::batch_dp::BatchError;
use econsched::joint_plan::{
    CyclePlan, CyclePlanner, JointError, JointPlanner, PlanProblem, Planner as _, PlannerKind,
    internal::GOOD_ENOUGH,
};
use econsched::live_broker::Prefer;
use serde_json::Value;

/// The flags that apply only to the cycle.
const CYCLE_FLAGS: &str = "search serve rho alternatives front warm";

impl PlanArgs {
    /// Plans by the method that the flags ask for.
    ///
    /// # Errors
    /// [`CliError`] for malformed input, and for flags that contradict each other.
    pub(super) fn plan<'a>(
        &self,
        scenario: &'a Scenario,
        given: Given<'_>,
        limit: &Limit,
    ) -> Result<Plan<'a>, CliError> {
        self.refuse_ignored_flags()?;
        let weighs = matches!(self.goal, Some(Prefer::Vector(_)));
        let no_cycle_flag = given.refuse(CYCLE_FLAGS, "is of --method cycle");
        match self.method {
            Some(PlannerKind::Joint) if weighs => {
                return Err(CliError::usage("--goal: weights and orders are of --method cycle"));
            }
            Some(PlannerKind::Joint) => no_cycle_flag?,
            None if !weighs && no_cycle_flag.is_ok() => {}
            _ => return self.cycle(scenario, limit),
        }
        self.joint(scenario, &limit.clone().with_relative_gap(self.gap.unwrap_or(GOOD_ENOUGH)))
    }

    /// Plans all jobs together.
    fn joint<'a>(&self, scenario: &'a Scenario, limit: &Limit) -> Result<Plan<'a>, CliError> {
        let goal = self.goal(Goal::MinFinish { budget: None }, scenario);
        let problem = self.problem(scenario, goal);
        let mut meter = limit.meter().with_observer(limits::progress_observer("plan"));
        let outcome = JointPlanner::new().solve(&problem, &mut meter)?;
        let distance = Distance::of(scenario, &outcome, goal, Some(outcome.end));
        let line = |distance: Distance| match (goal, &self.goal) {
            (Goal::MinFinish { .. }, None | Some(Prefer::MeanFinish)) => {
                distance.line_of_mean_finish(scenario)
            }
            _ => distance.line(scenario),
        };
        let limited = limits::limit_name(outcome.end);
        let stopped = limited.map(|limit| format!("{limit} ended the search: the best so far"));
        let plan = outcome.solution().map_err(|error| CliError::NoPlan(error.to_string()))?;
        Ok(Plan {
            scenario,
            search: PlannerKind::Joint.name().to_owned(),
            choice: goal::in_words(self.serve, self.goal.as_ref(), goal, "within a", scenario),
            how: "planned as a whole".to_owned(),
            line: distance.map(line),
            goal,
            proof: distance.map_or(Proof::Heuristic, |distance| distance.proof()),
            distance,
            violations: plan.violations(&problem),
            stopped: Vec::from_iter(stopped),
            limited,
            alternatives: None,
            front: None,
            schedule: plan.schedule,
        })
    }

    /// Plans by the published scheme.
    fn cycle<'a>(&self, scenario: &'a Scenario, within: &Limit) -> Result<Plan<'a>, CliError> {
        let goal = self.goal(Goal::MinTime { budget: None }, scenario);
        let mut problem = self.problem(scenario, goal);
        if let Some(path) = &self.warm {
            problem = problem.with_start(earlier_schedule(path)?);
        }
        let mut planner = CyclePlanner::new(scenario.search(self.search, self.rho)?)
            .with_coverage(self.serve.of(scenario, goal)?)
            .with_derived_limit();
        if let Some(Prefer::Vector(preference)) = &self.goal {
            planner = planner.with_preference(preference.clone());
        }
        (planner.alternatives, planner.front) = (self.alternatives, self.front);
        let mut meter = within.meter().with_observer(limits::progress_observer("plan"));
        let cycle = planner.run(&problem, &mut meter).map_err(|error| match error {
            JointError::Batch(BatchError::Stopped(end)) => {
                let memory = "fewer --alternatives need less memory";
                let hint = if end == End::Memory { memory } else { limits::HINT };
                CliError::NoPlan(format!("{error}; {hint}"))
            }
            error => CliError::usage(error),
        })?;
        let stopped = stopped(&cycle, scenario);
        let CyclePlan { found, choice, front, outcome, .. } = cycle;
        let distance = Distance::of(scenario, &outcome, goal, None);
        let limited = limits::limit_name(found.end);
        let under = if goal.limit().is_some() { "under a given" } else { "under a derived" };
        let proof = choice.outcome.proof();
        let how = match (limited, proof) {
            (None, _) => format!("choice among these alternatives {proof}"),
            (_, Proof::Exact) => "the best choice among the windows found before the limit".to_owned(),
            _ => "a choice among the windows found before the limit".to_owned(),
        };
        Ok(Plan {
            scenario,
            search: self.search.name().to_owned(),
            choice: goal::in_words(self.serve, self.goal.as_ref(), choice.goal, under, scenario),
            how,
            line: distance.map(|distance| distance.line(scenario)),
            goal,
            proof: if limited.is_some() { Proof::LimitReached } else { proof },
            distance,
            violations: outcome.best.map_or_else(Vec::new, |plan| plan.violations(&problem)),
            stopped,
            limited,
            alternatives: Some(found.jobs.into_iter().map(|of| (of.job, of.windows.len())).collect()),
            front,
            schedule: choice.schedule,
        })
    }

    /// Returns the planning problem of a scenario.
    fn problem<'a>(&self, scenario: &'a Scenario, goal: Goal) -> PlanProblem<'a> {
        let problem = PlanProblem::new(&scenario.slots, &scenario.batch, goal)
            .with_from(scenario.from)
            .with_user_budgets(scenario.budgets.iter().map(|(&user, &budget)| (user, budget)));
        if self.goal == Some(Prefer::Makespan) { problem.with_makespan_first() } else { problem }
    }

    /// Returns the goal of the flags, or `usual`, with the limit of the batch, which is in units of money if it
    /// limits money.
    fn goal(&self, usual: Goal, scenario: &Scenario) -> Goal {
        let goal = match (&self.goal, self.criterion) {
            (Some(Prefer::MeanFinish), _) => Goal::MinFinish { budget: None },
            (_, criterion) => criterion.map_or(usual, CriterionName::goal),
        };
        let to_units = |limit| scenario.slots.tariff().to_units(limit);
        goal.with_limit(if goal.limits_cost() { self.limit.map(to_units) } else { self.limit })
    }

    /// Refuses combinations of flags that would be ignored.
    fn refuse_ignored_flags(&self) -> Result<(), CliError> {
        let of_time = matches!(self.criterion, None | Some(CriterionName::MinTime));
        if self.goal == Some(Prefer::MeanFinish) && !of_time {
            let why = "--goal mean-finish keeps to a budget: it goes with --criterion min-time";
            return Err(CliError::usage(why));
        }
        if self.front && self.serve != Serve::All {
            return Err(CliError::usage("--serve: the front is of choices that serve all jobs"));
        }
        Ok(())
    }
}

/// Describes what was stopped by limits, and what is proven nevertheless.
fn stopped(cycle: &CyclePlan, scenario: &Scenario) -> Vec<String> {
    let search = limits::limit_name(cycle.found.end);
    let search = search.map(|limit| format!("{limit} ended the search for alternatives: there may be more"));
    let (goal, choice) = (cycle.choice.goal, &cycle.choice.outcome);
    let ended = limits::stop_note("the choice", choice.end, cycle.choice.work);
    let choice = ended.filter(|_| choice.refusal.is_none()).map(|ended| {
        let show = |value: f64| number(scenario.value(goal, value));
        let known = choice.bound.zip(choice.gap()).map_or("nothing is proven".to_owned(), |(bound, gap)| {
            format!("no choice is better than {}: at most {} is left", show(bound), show(gap))
        });
        format!("{ended}: the best so far; {known}")
    });
    search.into_iter().chain(choice).collect()
}

/// Reads the windows of a `plan.json`. A cycle finds them again whatever the unit of money.
///
/// # Errors
/// [`CliError`] for a file that cannot be read or is no plan.
fn earlier_schedule(path: &Path) -> Result<Schedule, CliError> {
    let plan: Value = files::parse_json(&files::read(path)?, path)?;
    let jobs =
        plan["jobs"].as_array().ok_or_else(|| CliError::input(path, "no plan.json: it has no `jobs`"))?;
    let mut schedule = Schedule::default();
    for (at, job) in jobs.iter().enumerate() {
        let Some(window) = job["fate"].get("placed") else { continue };
        let read = job["job"]["id"].as_u64().zip(Window::deserialize(window).ok());
        let decided = read.and_then(|(id, window)| schedule.decide(JobId(id), Ok(window)).ok());
        decided.ok_or_else(|| {
            CliError::field(path, format!("jobs[{at}].fate.placed"), "no window of a plan.json")
        })?;
    }
    Ok(schedule)
}
