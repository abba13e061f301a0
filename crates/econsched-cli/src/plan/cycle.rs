//! The cycle: alternatives of each job, the best combination of them, the verdict of the checker.

use super::goal::{Asked, GoalName};
use super::whole::{self, Distance, EffortName};
use crate::error::CliError;
use crate::limits::{self, Observer};
use crate::scenario::Scenario;
use econsched::batch_dp::{self, BatchError, Decision, FRONT_CAP, Front, Goal, Point, Problem};
use econsched::joint_plan::JointGoal;
use econsched::sched_model::Window;
use econsched::sched_model::check::{Checker, Violation};
use econsched::sched_model::{End, JobId, Limit, Progress, Proof, Schedule, Tariff};
use econsched::slot_window::{AlternativesSearch, BatchAlternatives};
use std::collections::BTreeMap;
use std::fmt;

/// How to plan.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// What the plan is called.
    pub(crate) name: String,
    /// The search of the cycle.
    pub(crate) search: String,
    pub(crate) rho: f64,
    pub(crate) criterion: CriterionName,
    /// In the unit of what the criterion limits; derived from the alternatives where it is not given.
    pub(crate) limit: Option<f64>,
    /// Alternatives for each job at most.
    pub(crate) alternatives: usize,
    /// Whether the whole front is wanted.
    pub(crate) front: bool,
    /// What is tried beyond the cycle.
    pub(crate) effort: EffortName,
    /// What decides before the criterion, or in its place.
    pub(crate) goal: Option<GoalName>,
    /// How far the searches go.
    pub(crate) within: Limit,
}

/// What a combination is chosen for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CriterionName {
    /// Least sum of run times, the costs together within a budget (derived: the greatest income under the derived
    /// time limit)
    MinTime,
    /// Least sum of costs, the run times together within a limit (derived: the sum of each job's mean, rounded down)
    MinCost,
    /// Greatest income of the owners, the run times together within a limit (derived as for min-cost)
    MaxIncome,
}

/// A batch with the fate of each job.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) search: String,
    pub(crate) choice: Choice,
    pub(crate) proof: Proof,
    /// What was tried beyond the cycle, if anything.
    pub(crate) beyond: Option<EffortName>,
    /// How far from the best of all plans.
    pub(crate) distance: Option<Distance>,
    pub(crate) schedule: Schedule,
    pub(crate) violations: Vec<(JobId, Violation)>,
    alternatives: BTreeMap<JobId, usize>,
    /// Why the search for alternatives ended.
    search_end: End,
    decision: Decision,
    /// Units of work that the choice took.
    work: u64,
    /// Every undominated (cost, time) of the jobs that have windows, if it was asked for.
    pub(crate) front: Option<Vec<Point>>,
}

/// What the combination is best for, under which limit.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    goal: Option<GoalName>,
    problem: Problem,
    derived: bool,
    tariff: Tariff,
}

impl Choice {
    /// Whether what is limited is money.
    pub(crate) fn limits_money(&self) -> bool {
        matches!(self.problem, Problem::MinTime { .. })
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (goal, limited, limit) = match self.problem {
            Problem::MinTime { budget } => ("least run time", "budget", self.tariff.to_decimal(budget)),
            Problem::MinCost { time_limit } => ("least cost", "time limit", time_limit),
            Problem::MaxIncome { time_limit } => ("greatest income", "time limit", time_limit),
            other => return write!(f, "{other:?}"),
        };
        if let Some(goal) = &self.goal {
            write!(f, "{goal} ")?;
        }
        let source = if self.derived { "derived" } else { "given" };
        write!(f, "{goal} under a {source} {limited} of {}", crate::terminal::number(limit))
    }
}

impl Plan {
    /// Windows found for a job.
    pub(crate) fn alternatives_of(&self, job: JobId) -> usize {
        self.alternatives.get(&job).copied().unwrap_or(0)
    }

    /// What the chosen windows cost and take together, added in the order of the batch as the points of the front are.
    pub(crate) fn chosen(&self, scenario: &Scenario) -> Point {
        let places = scenario.batch.iter().filter_map(|job| self.schedule.place_of(job.id));
        places.fold(Point { cost: 0.0, time: 0.0 }, |sum, window| Point {
            cost: sum.cost + window.cost().get(),
            time: sum.time + window.runtime().get(),
        })
    }

    /// What was not searched to its end, and what is known all the same.
    pub(crate) fn stopped(&self, scenario: &Scenario) -> Vec<String> {
        let mut lines = Vec::new();
        let of_the_cycle = if self.beyond.is_some() { " in the cycle that the plan began with" } else { "" };
        if let Some(limit) = limits::why(self.search_end) {
            lines.push(format!("{limit} ended the search for alternatives{of_the_cycle}: there may be more"));
        }
        if let Decision::Chosen(outcome) = &self.decision
            && let Some(limit) = limits::why(outcome.end)
        {
            let show = |value: f64| {
                // The least time is a time; least cost and greatest income are money.
                crate::terminal::number(if self.choice.limits_money() {
                    value
                } else {
                    scenario.money(value)
                })
            };
            let known = match (outcome.bound, outcome.gap()) {
                (Some(bound), Some(gap)) => {
                    format!("no choice is better than {}: at most {} is left", show(bound), show(gap))
                }
                _ => "nothing is proven".to_owned(),
            };
            let work = self.work;
            lines.push(format!(
                "{limit} ended the choice{of_the_cycle} after {work} units of work: the best so far; {known}"
            ));
        }
        lines
    }

    /// Windows found for all jobs.
    pub(crate) fn alternatives_in_all(&self) -> usize {
        self.alternatives.values().sum()
    }

    /// Whether it is a plan.
    ///
    /// # Errors
    /// [`CliError::NoPlan`] if no job of a batch has a place, or if the checker objects.
    pub(crate) fn check(&self, scenario: &Scenario) -> Result<(), CliError> {
        if let Some((job, violation)) = self.violations.first() {
            return Err(CliError::fault(format!("the checker objects: job {job}: {violation}")));
        }
        if scenario.batch.is_empty() || self.schedule.placed().next().is_some() {
            return Ok(());
        }
        if let Some(limit) = limits::why(self.search_end) {
            return Err(CliError::NoPlan(format!(
                "{limit} ended the search before any job had a place; --work-limit or --time-limit may allow more"
            )));
        }
        let first = self.schedule.refused().next();
        let reason = first.map_or(String::new(), |(job, why)| {
            format!(": job {job} {}", scenario.in_decimals(why, self.choice.limits_money()))
        });
        Err(CliError::NoPlan(format!("no job has a place{reason}")))
    }
}

/// Plans the batch of a scenario.
///
/// # Errors
/// [`CliError`] for malformed input that only the search can see.
pub(crate) fn plan(scenario: &Scenario, settings: &Settings) -> Result<Plan, CliError> {
    let search = crate::search::build(&settings.search, settings.rho, scenario)?;
    let rules = search.rules();
    let found = AlternativesSearch::new(search)
        .with_max_per_job(settings.alternatives)
        .with_limit(settings.within.clone())
        .find(&scenario.slots, &scenario.batch, scenario.from)
        .map_err(CliError::usage)?;
    let alternatives = found.jobs().map(|(job, windows)| (job, windows.len())).collect();
    let tariff = *scenario.slots.tariff();
    let money = settings.criterion == CriterionName::MinTime;
    let limit = settings.limit.map(|limit| if money { tariff.to_units(limit) } else { limit });
    let goal = match settings.criterion {
        CriterionName::MinTime => Goal::MinTime { budget: limit },
        CriterionName::MinCost => Goal::MinCost { time_limit: limit },
        CriterionName::MaxIncome => Goal::MaxIncome { time_limit: limit },
    };
    refuse_more(scenario, settings)?;
    let asked = Asked {
        goal: settings.goal.as_ref(),
        budgets: &scenario.budgets,
        user_of: scenario.batch.iter().map(|job| (job.id, job.user)).collect(),
    };
    let observer = Observer::new("choice");
    let mut observe = |progress: Progress| observer.see(&progress);
    let mut meter = settings.within.meter().with_observer(&mut observe);
    let chosen = asked.choose(found.offers().collect(), goal, &mut meter).map_err(|error| match error {
        BatchError::Stopped { .. } => {
            CliError::NoPlan(format!("{error}; --work-limit or --time-limit may allow more"))
        }
        error => CliError::usage(error),
    })?;
    drop(observer);
    // What is far from another goal says nothing.
    let other = settings.goal.is_some() || !scenario.budgets.is_empty();
    let goal = if other { None } else { JointGoal::of_problem(chosen.problem) };
    let distance = match goal {
        Some(goal) => whole::distance(scenario, &chosen.schedule, rules, goal)?,
        None => None,
    };
    let mut plan = Plan {
        search: settings.name.clone(),
        choice: Choice {
            goal: settings.goal.clone(),
            problem: chosen.problem,
            derived: limit.is_none(),
            tariff,
        },
        proof: chosen.proof(),
        search_end: found.end(),
        decision: chosen.decision,
        work: chosen.work,
        schedule: chosen.schedule,
        beyond: None,
        distance,
        violations: Vec::new(),
        alternatives,
        front: if settings.front { Some(front(&found, &settings.within)?) } else { None },
    };
    if let Some(goal) = goal {
        let (effort, within) = (settings.effort, &settings.within);
        if let Some((schedule, distance)) =
            whole::improve(scenario, &plan.schedule, rules, goal, effort, within)?
        {
            (plan.schedule, plan.distance) = (schedule, distance);
            plan.beyond = Some(effort);
            plan.proof = distance.map_or(Proof::Heuristic, |distance| distance.proof());
        }
    }
    plan.violations = Checker::new(&scenario.slots, rules).schedule(&plan.schedule, &scenario.batch);
    Ok(plan)
}

/// Refuses what would not look at the goal or at the budgets of users.
fn refuse_more(scenario: &Scenario, settings: &Settings) -> Result<(), CliError> {
    let budgets = !scenario.budgets.is_empty();
    let what = if settings.goal.is_some() { "--goal" } else { "users with budgets" };
    if (settings.goal.is_some() || budgets) && settings.effort != EffortName::Quick {
        let asked = if settings.name == super::BEST { "--search best" } else { "--effort" };
        return Err(CliError::usage(format!("{asked}: greater efforts do not look at {what}")));
    }
    if budgets && settings.front {
        return Err(CliError::usage("--front: the front does not look at users with budgets"));
    }
    if budgets && matches!(settings.goal, Some(GoalName::Vector(_))) {
        return Err(CliError::usage(
            "--goal: weights and orders do not look at users with budgets; makespan does",
        ));
    }
    Ok(())
}

fn front(found: &BatchAlternatives, within: &Limit) -> Result<Vec<Point>, CliError> {
    let windows: Vec<&[Window]> =
        found.jobs().map(|(_, windows)| windows).filter(|windows| !windows.is_empty()).collect();
    let batch = batch_dp::Alternatives::from_windows(&windows).map_err(CliError::usage)?;
    let front = Front::within(&batch, FRONT_CAP, &mut within.meter())
        .map_err(|error| CliError::usage(format!("{error}; --alternatives makes the front smaller")))?;
    Ok(front.map_or(Vec::new(), |front| front.points().to_vec()))
}
