//! The plan by the flags: by the published scheme, or of the whole batch together.

use super::goal::{CriterionName, Serve};
use super::planned::{Plan, choice};
use super::whole::Distance;
use super::{BEST, EffortName, FIT, PAPER, PlanArgs};
use crate::commands::{limits, prelude::*};
use crate::input::scenario::whole_units;
use econsched::batch_dp::BatchError;
use econsched::joint_plan::{CyclePlanner, EarlierPlan, Effort, Goal, JointError, JointPlan, JointPlanner};
use econsched::live_broker::Prefer;
use econsched::sched_model::Tariff;
use serde_json::Value;

impl PlanArgs {
    /// The plan by the published scheme, as far beyond it as the effort goes.
    ///
    /// # Errors
    /// [`CliError`] for malformed input that only the search can see, and for flags that make no sense together.
    pub(super) fn cycle(&self, scenario: &Scenario, within: &Limit) -> Result<Plan, CliError> {
        self.refuse_more(scenario)?;
        let (name, search) = self.searched();
        let tariff = *scenario.slots.tariff();
        let limit = self.limit_in_units(&tariff)?;
        let goal = match (self.criterion, &self.goal) {
            (CriterionName::MinTime, Some(Prefer::MeanFinish)) => Goal::MinFinish { budget: limit },
            (criterion, _) => criterion.goal().with_limit(limit),
        };
        let (best, fit) = (name == BEST, name == FIT);
        let effort = if best { self.effort.max(EffortName::Normal) } else { self.effort };
        // Of the search of a quick plan: its cycle gives the limit if none is given, and the plan is never worse.
        let open = best || self.search.is_none() && effort > EffortName::Quick;
        let reference = (open && search != PAPER).then_some(PAPER);
        let mut problem = problem(scenario, goal);
        let built = scenario.search(search.parse()?, self.rho)?;
        let checker = Checker::new(&scenario.slots, built.rules());
        let mut planner = CyclePlanner::new(built)
            .with_coverage(self.serve.of(scenario, self.criterion)?)
            .with_derived_limit()
            .with_effort(match effort {
                EffortName::Quick => Effort::Quick,
                EffortName::Normal => Effort::Normal,
                EffortName::Hard => Effort::Hard,
            });
        if let Some(quick) = reference {
            planner.reference = Some(scenario.search(quick.parse()?, self.rho)?);
        }
        match &self.goal {
            Some(Prefer::Makespan) => problem = problem.with_makespan_first(),
            Some(Prefer::Vector(preference)) => planner = planner.with_preference(preference.clone()),
            _ => {}
        }
        if let Some(path) = &self.warm {
            planner.earlier = Some(earlier(path)?);
        }
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
        let end = |near: &JointPlan| found.beyond.map(|_| near.end);
        let distance = found.near.as_ref().and_then(|near| Distance::of(scenario, near, goal, end(near)));
        // Nothing is proven about windows that were not found.
        let limited = limits::why(found.search_end).is_some();
        let proof = match (found.beyond, found.best_of) {
            (None, _) if limited => Proof::LimitReached,
            (None, _) => found.choice.proof(),
            (_, Some((_, end))) if limits::why(end).is_some() => Proof::LimitReached,
            _ => distance.map_or(Proof::Heuristic, |distance| distance.proof()),
        };
        let (goal, under) = (self.goal.as_ref(), found.choice.goal);
        Ok(Plan {
            search: if fit { search } else { name }.to_owned(),
            choice: choice(self.serve, goal, under, limit.is_none(), &tariff),
            limits_money: under.limits_cost(),
            of_mean_finish: goal == Some(&Prefer::MeanFinish),
            proof,
            beyond: found.beyond,
            distance,
            violations: checker.schedule(&found.schedule, &scenario.batch),
            schedule: found.schedule.clone(),
            search_end: found.search_end,
            cycle: Some(found),
        })
    }

    /// The default plan: the whole batch together by the least mean finish, within the budget of the batch, if there is
    /// one.
    ///
    /// # Errors
    /// [`CliError`] for malformed input.
    pub(super) fn joint(&self, scenario: &Scenario, limit: &Limit) -> Result<Plan, CliError> {
        let budget = self.limit_in_units(scenario.slots.tariff())?;
        let goal = Goal::MinFinish { budget };
        let mut meter = limit.meter().with_observer(limits::observing("plan"));
        let found = JointPlanner::new().run(&problem(scenario, goal), &mut meter)?;
        drop(meter);
        let distance = Distance::of(scenario, &found, goal, Some(found.end));
        let within = budget.map(|budget| format!(" within a budget of {}", number(scenario.money(budget))));
        Ok(Plan {
            search: "joint".to_owned(),
            choice: format!("least mean finish{}", within.unwrap_or_default()),
            limits_money: true,
            of_mean_finish: true,
            proof: distance.map_or(Proof::Heuristic, |distance| distance.proof()),
            beyond: Some(Effort::Hard),
            distance,
            violations: Checker::new(&scenario.slots, Rules::per_window(1.0))
                .schedule(&found.schedule, &scenario.batch),
            schedule: found.schedule,
            search_end: found.end,
            cycle: None,
        })
    }

    /// The limit of the batch, in units of money where it limits money.
    ///
    /// # Errors
    /// [`CliError::Usage`] for an amount that is none.
    fn limit_in_units(&self, tariff: &Tariff) -> Result<Option<f64>, CliError> {
        if self.criterion != CriterionName::MinTime {
            return Ok(self.limit);
        }
        let units = self.limit.map(|limit| whole_units(tariff, limit)).transpose();
        units.map_err(|why| CliError::usage(format!("--limit {why}")))
    }

    /// Refuses combinations of flags that would ignore the goal, the budgets of users or jobs left out.
    fn refuse_more(&self, scenario: &Scenario) -> Result<(), CliError> {
        let leaves_out = self.serve != Serve::All;
        let makespan = self.goal == Some(Prefer::Makespan);
        let mean_finish = self.goal == Some(Prefer::MeanFinish);
        let rules = [
            (
                !scenario.budgets.is_empty() && leaves_out && makespan,
                "--serve: with budgets of users the least makespan is that of all jobs whose users can pay for them",
            ),
            (
                leaves_out && matches!(self.goal, Some(Prefer::Vector(_))),
                "--serve: weights and orders of --goal are for jobs that are all served; makespan leaves out",
            ),
            (leaves_out && self.front, "--serve: the front is of choices that serve all jobs"),
            (
                mean_finish && self.criterion != CriterionName::MinTime,
                "--goal mean-finish keeps to a budget: it goes with --criterion min-time",
            ),
            (
                makespan && self.serve == Serve::Penalties,
                "--serve penalties: the least makespan is that of no job; most-jobs or greatest-weight come before it",
            ),
        ];
        rules.iter().find(|(wrong, _)| *wrong).map_or(Ok(()), |(_, why)| Err(CliError::usage(why)))
    }
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
    let time = |value: &Value| Time::new(value.as_f64()?).ok();
    let task = |task: &Value| Some((NodeId(task["node"].as_u64()?.try_into().ok()?), time(&task["end"])?));
    let place = |job: &Value, window: &Value| {
        let tasks = window["placements"].as_array()?.iter().map(task).collect::<Option<_>>()?;
        Some((JobId(job["job"]["id"].as_u64()?), (time(&window["start"])?, tasks)))
    };
    let jobs =
        plan["jobs"].as_array().ok_or_else(|| CliError::input(path, "no plan.json: it has no `jobs`"))?;
    let placed = jobs.iter().enumerate().filter_map(|(at, job)| Some((at, job, job["fate"].get("placed")?)));
    let place = |(at, job, window)| {
        place(job, window).ok_or_else(|| {
            CliError::field(path, format!("jobs[{at}].fate.placed"), "no window of a plan.json")
        })
    };
    placed.map(place).collect()
}
