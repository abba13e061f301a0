//! The plan by the flags: by the published scheme, or of the whole batch together.

use super::distance::Distance;
use super::goal::{CriterionName, Serve, choice};
use super::planned::Plan;
use super::{BEST, FIT, PAPER, PlanArgs};
use crate::commands::{limits, prelude::*};
use crate::input::scenario::whole_units;
use econsched::batch_dp::BatchError;
use econsched::joint_plan::{CyclePlan, CyclePlanner, EarlierPlan, Effort, JointError, JointPlanner};
use econsched::live_broker::Prefer;
use serde_json::Value;

impl PlanArgs {
    /// The plan by the published scheme, as far beyond it as the effort goes.
    ///
    /// # Errors
    /// [`CliError`] for malformed input that only the search can see, and for flags that make no sense together.
    pub(super) fn cycle<'a>(&self, scenario: &'a Scenario, within: &Limit) -> Result<Plan<'a>, CliError> {
        self.refuse_more(scenario)?;
        let (name, search) = self.searched();
        let limit = self.limit_in_units(scenario)?;
        let goal = match (self.criterion, &self.goal) {
            (CriterionName::MinTime, Some(Prefer::MeanFinish)) => Goal::MinFinish { budget: limit },
            (criterion, _) => criterion.goal().with_limit(limit),
        };
        let (best, fit) = (name == BEST, name == FIT);
        let effort = if best { self.effort.max(Effort::Normal) } else { self.effort };
        let mut problem = problem(scenario, goal);
        let built = scenario.search(search.parse()?, self.rho)?;
        let checker = Checker::new(&scenario.slots, built.rules());
        let mut planner = CyclePlanner::new(built)
            .with_coverage(self.serve.of(scenario, self.criterion)?)
            .with_derived_limit()
            .with_effort(effort);
        // The cycle of a quick plan gives the limit if none is given, and the plan is never worse.
        if search != PAPER && (best || self.search.is_none() && effort > Effort::Quick) {
            planner.reference = Some(scenario.search(PAPER.parse()?, self.rho)?);
        }
        match &self.goal {
            Some(Prefer::Makespan) => problem = problem.with_makespan_first(),
            Some(Prefer::Vector(preference)) => planner = planner.with_preference(preference.clone()),
            _ => {}
        }
        planner.earlier = self.warm.as_deref().map(earlier).transpose()?;
        // Other searches and orders, where the cycle loses jobs that have windows.
        planner.rescues = fit;
        (planner.alternatives, planner.front) = (self.alternatives, self.front);
        let mut meter = within.meter().with_observer(limits::observing("plan"));
        let found = planner.run(&problem, &mut meter).map_err(|error| match error {
            JointError::Batch(BatchError::Stopped(End::Memory)) => {
                CliError::NoPlan(format!("{error}; fewer --alternatives need less memory"))
            }
            JointError::Batch(BatchError::Stopped(_)) => {
                CliError::NoPlan(format!("{error}; {}", limits::MORE))
            }
            error => CliError::usage(error),
        })?;
        drop(meter);
        let near = found.near.as_ref();
        let distance =
            near.and_then(|near| Distance::of(scenario, near, goal, found.beyond.map(|_| near.end)));
        let limited = limits::why(found.search_end);
        let proof = match (found.beyond, found.best_of) {
            // Nothing is proven about windows that were not found.
            (None, _) if limited.is_some() => Proof::LimitReached,
            (None, _) => found.choice.outcome.proof(),
            (_, Some((_, end))) if limits::why(end).is_some() => Proof::LimitReached,
            _ => distance.map_or(Proof::Heuristic, |distance| distance.proof()),
        };
        let how = match (found.beyond, found.best_of) {
            // An exact choice among the alternatives of a cycle proves nothing about a plan that has other windows.
            (None, _) if limited.is_some() => {
                let best = if found.choice.outcome.proof() == Proof::Exact { "the best" } else { "a" };
                format!("{best} choice among the windows found before the limit")
            }
            (None, _) => format!("choice among these alternatives {proof}"),
            (Some(_), Some((cycles, _))) => format!("the best of {}", counted(cycles, "cycle")),
            (Some(_), None) => "planned as a whole, beyond the alternatives of the cycle".to_owned(),
        };
        Ok(Plan {
            scenario,
            search: if fit { search } else { name }.to_owned(),
            choice: choice(self.serve, self.goal.as_ref(), found.choice.goal, limit, scenario),
            how,
            line: distance.map(|distance| distance.line(scenario)),
            limits_money: found.choice.goal.limits_cost(),
            of_mean_finish: self.goal == Some(Prefer::MeanFinish),
            proof,
            effort: found.beyond.unwrap_or(Effort::Quick),
            distance,
            violations: checker.schedule(&found.schedule, &scenario.batch),
            stopped: stopped(&found, scenario),
            limited,
            alternatives: Some(found.alternatives),
            front: found.front,
            schedule: found.schedule,
        })
    }

    /// The default plan: the whole batch together by the least mean finish, within the budget of the batch, if there is
    /// one.
    ///
    /// # Errors
    /// [`CliError`] for malformed input.
    pub(super) fn joint<'a>(&self, scenario: &'a Scenario, limit: &Limit) -> Result<Plan<'a>, CliError> {
        let budget = self.limit_in_units(scenario)?;
        let goal = Goal::MinFinish { budget };
        let mut meter = limit.meter().with_observer(limits::observing("plan"));
        let found = JointPlanner::new().run(&problem(scenario, goal), &mut meter)?;
        drop(meter);
        let distance = Distance::of(scenario, &found, goal, Some(found.end));
        let within = budget.map(|budget| format!(" within a budget of {}", number(scenario.money(budget))));
        let limited = limits::why(found.end);
        Ok(Plan {
            scenario,
            search: "joint".to_owned(),
            choice: format!("least mean finish{}", within.unwrap_or_default()),
            how: "planned as a whole".to_owned(),
            line: distance.map(|distance| distance.line_of_mean_finish(scenario)),
            limits_money: true,
            of_mean_finish: true,
            proof: distance.map_or(Proof::Heuristic, |distance| distance.proof()),
            effort: Effort::Hard,
            distance,
            violations: Checker::new(&scenario.slots, Rules::per_window(1.0))
                .schedule(&found.schedule, &scenario.batch),
            stopped: limited
                .map(|limit| format!("{limit} ended the search: the best so far"))
                .into_iter()
                .collect(),
            limited,
            alternatives: None,
            front: None,
            schedule: found.schedule,
        })
    }

    /// The limit of the batch, in units of money where it limits money.
    ///
    /// # Errors
    /// [`CliError::Usage`] for an amount that is none.
    fn limit_in_units(&self, scenario: &Scenario) -> Result<Option<f64>, CliError> {
        if self.criterion != CriterionName::MinTime {
            return Ok(self.limit);
        }
        let units = self.limit.map(|limit| whole_units(scenario.slots.tariff(), limit)).transpose();
        units.map_err(|why| CliError::usage(format!("--limit {why}")))
    }

    /// Refuses combinations of flags that would ignore the goal, the budgets of users or jobs left out.
    fn refuse_more(&self, scenario: &Scenario) -> Result<(), CliError> {
        let leaves_out = self.serve != Serve::All;
        let why = match &self.goal {
            Some(Prefer::Makespan) if leaves_out && !scenario.budgets.is_empty() => {
                "--serve: with budgets of users the least makespan is that of all jobs whose users can pay for them"
            }
            Some(Prefer::Makespan) if self.serve == Serve::Penalties => {
                "--serve penalties: the least makespan is that of no job; most-jobs or greatest-weight come before it"
            }
            Some(Prefer::Vector(_)) if leaves_out => {
                "--serve: weights and orders of --goal are for jobs that are all served; makespan leaves out"
            }
            Some(Prefer::MeanFinish) if self.criterion != CriterionName::MinTime => {
                "--goal mean-finish keeps to a budget: it goes with --criterion min-time"
            }
            _ if leaves_out && self.front => "--serve: the front is of choices that serve all jobs",
            _ => return Ok(()),
        };
        Err(CliError::usage(why))
    }
}

/// What limits have stopped, with what is still proven.
fn stopped(found: &CyclePlan, scenario: &Scenario) -> Vec<String> {
    let mut lines = Vec::new();
    let of_the_cycle = if found.beyond.is_some() { " in the cycle that the plan began with" } else { "" };
    if let Some((cycles, end)) = found.best_of
        && let Some(limit) = limits::why(end)
    {
        let cycles = counted(cycles, "cycle");
        lines.push(format!("{limit} ended the trial of searches and orders after {cycles}"));
    }
    if let Some(limit) = limits::why(found.search_end) {
        lines.push(format!("{limit} ended the search for alternatives{of_the_cycle}: there may be more"));
    }
    let outcome = &found.choice.outcome;
    if outcome.refusal.is_none()
        && let Some(limit) = limits::why(outcome.end)
    {
        let show = |value: f64| number(scenario.value(found.choice.goal, value));
        let known = match (outcome.bound, outcome.gap()) {
            (Some(bound), Some(gap)) => {
                format!("no choice is better than {}: at most {} is left", show(bound), show(gap))
            }
            _ => "nothing is proven".to_owned(),
        };
        let work = counted(found.choice.work, "unit");
        lines.push(format!(
            "{limit} ended the choice{of_the_cycle} after {work} of work: the best so far; {known}"
        ));
    }
    lines
}

/// The problem of a scenario.
fn problem(scenario: &Scenario, goal: Goal) -> PlanProblem<'_> {
    PlanProblem::new(&scenario.slots, &scenario.batch, goal)
        .with_from(scenario.from)
        .with_user_budgets(scenario.budgets.iter().map(|(&user, &budget)| (user, budget)))
}

/// Reads a `plan.json`: of its windows, what does not depend on the unit of money.
///
/// # Errors
/// [`CliError`] for a file that cannot be read or is no plan.
fn earlier(path: &Path) -> Result<EarlierPlan, CliError> {
    let plan: Value = files::parse_json(&files::read(path)?, path)?;
    let jobs =
        plan["jobs"].as_array().ok_or_else(|| CliError::input(path, "no plan.json: it has no `jobs`"))?;
    let placed = jobs.iter().enumerate().filter_map(|(at, job)| Some((at, job, job["fate"].get("placed")?)));
    let place = |(at, job, window): (usize, &Value, &Value)| {
        let read = job["job"]["id"].as_u64().zip(Window::deserialize(window).ok());
        let (id, window) = read.ok_or_else(|| {
            CliError::field(path, format!("jobs[{at}].fate.placed"), "no window of a plan.json")
        })?;
        let tasks = window.placements().iter().map(|task| (task.node, task.end)).collect();
        Ok((JobId(id), (window.start(), tasks)))
    };
    placed.map(place).collect()
}
