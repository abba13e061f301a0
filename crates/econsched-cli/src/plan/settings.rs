//! The settings of a plan, in the types of the libraries.

use super::Offer;
use super::effort::EffortName;
use super::goal::{GoalName, Serve};
use super::warm::Warm;
use crate::error::CliError;
use crate::scenario::{Scenario, whole_units};
use econsched::batch_dp::{Goal, Planner};
use econsched::joint_plan::{self, PlanProblem};
use econsched::sched_model::check::Rules;
use econsched::sched_model::{Limit, Refusal, Tariff};
use econsched::slot_window::BatchAlternatives;

/// How to plan.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// The name of the plan.
    pub(crate) name: String,
    /// The search of the cycle.
    pub(crate) search: String,
    /// The search of the quick plan, if that is another one: its cycle gives the limit if none is given, and
    /// the plan is never worse than that of this cycle.
    pub(crate) quick_search: Option<&'static str>,
    pub(crate) rho: f64,
    pub(crate) criterion: CriterionName,
    /// The limit, in the unit of the quantity that the criterion limits; derived from the alternatives if it
    /// is not given.
    pub(crate) limit: Option<f64>,
    /// Alternatives for each job at most.
    pub(crate) alternatives: usize,
    /// Whether the whole front is wanted.
    pub(crate) front: bool,
    /// Whether other searches and orders are tried where the cycle loses jobs that have windows.
    pub(crate) win_back: bool,
    /// The effort beyond the cycle.
    pub(crate) effort: EffortName,
    /// A goal that decides before the criterion, or instead of it.
    pub(crate) goal: Option<GoalName>,
    /// Which jobs may be left out.
    pub(crate) serve: Serve,
    /// The limit of the searches.
    pub(crate) within: Limit,
    /// The earlier plan from which the choice starts.
    pub(crate) warm: Option<Warm>,
}

/// The criterion of a combination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CriterionName {
    /// Least total run time, with the total cost within a budget (derived: the greatest income under the
    /// derived time limit)
    MinTime,
    /// Least total cost, with the total run time within a limit (derived: the sum over the jobs of the mean
    /// run time of their alternatives, rounded down)
    MinCost,
    /// Greatest income of the owners, with the total run time within a limit (derived as for min-cost)
    MaxIncome,
}

/// The reason of a job that the search has not reached.
const NOT_SEARCHED: &Refusal = &Refusal::Stopped;

/// The windows found for each job. A job without windows and without a reason was not reached by the search.
pub(super) fn offers(found: &BatchAlternatives) -> Vec<Offer<'_>> {
    let offers = found.offers().map(|(job, windows, reason)| -> Offer<'_> {
        (job, windows, reason.or(windows.is_empty().then_some(NOT_SEARCHED)))
    });
    offers.collect()
}

impl Settings {
    /// The choice by these settings, under this goal. It starts from the windows of the earlier plan that are
    /// among these offers.
    ///
    /// # Errors
    /// [`CliError::Usage`] for a job without a penalty.
    pub(super) fn choice(
        &self,
        scenario: &Scenario,
        goal: Goal,
        offers: &[Offer<'_>],
    ) -> Result<Planner<'static>, CliError> {
        let penalty = |amount| self.in_units(scenario, amount);
        let user_of = scenario.batch.iter().map(|job| (job.id, job.user));
        let budgets = scenario.budgets.iter().map(|(&user, &budget)| (user, budget));
        let mut planner = Planner::new(goal).with_derived_limit().with_user_budgets(budgets, user_of);
        if let Some(service) = self.serve.of(scenario, scenario.batch.iter().map(|job| job.id), penalty)? {
            planner = planner.with_coverage(service);
        }
        if let Some(warm) = &self.warm {
            planner = planner.with_known(warm.schedule(offers));
        }
        Ok(match &self.goal {
            Some(GoalName::Makespan) => planner.with_makespan_first(),
            Some(GoalName::MeanFinish) => planner.with_mean_finish(),
            Some(GoalName::Vector(preference)) => planner.with_preference(preference.clone()),
            None => planner,
        })
    }

    /// Whether a goal decides before or instead of the criterion and has no bound.
    pub(super) fn has_no_bound(&self) -> bool {
        !matches!(self.goal, None | Some(GoalName::MeanFinish))
    }

    /// The limit of the batch, in units of money where it limits money.
    ///
    /// # Errors
    /// [`CliError::Usage`] for an amount that is none.
    pub(super) fn limit_in_units(&self, tariff: &Tariff) -> Result<Option<f64>, CliError> {
        if self.criterion != CriterionName::MinTime {
            return Ok(self.limit);
        }
        let units = self.limit.map(|limit| whole_units(tariff, limit)).transpose();
        units.map_err(|why| CliError::usage(format!("--limit {why}")))
    }

    /// An amount in the unit of the quantity that the criterion optimises: units of money, or time.
    pub(super) fn in_units(&self, scenario: &Scenario, amount: f64) -> f64 {
        let money = self.criterion != CriterionName::MinTime;
        if money { scenario.slots.tariff().to_units(amount) } else { amount }
    }

    /// The goal of a plan of the whole batch; `None` where such plans do not support these settings.
    pub(super) fn joint_goal(&self, under: Goal) -> Option<joint_plan::Goal> {
        let known = matches!(self.serve, Serve::All | Serve::MostJobs);
        if matches!(self.goal, Some(GoalName::Vector(_))) || !known {
            return None;
        }
        Some(match (under, &self.goal) {
            (Goal::MinTime { budget }, Some(GoalName::MeanFinish)) => joint_plan::Goal::MinFinish { budget },
            (Goal::MinTime { budget }, _) => joint_plan::Goal::MinTime { budget },
            (Goal::MinCost { time_limit }, _) => joint_plan::Goal::MinCost { time_limit },
            (Goal::MaxIncome { time_limit }, _) => joint_plan::Goal::MaxIncome { time_limit },
            _ => return None,
        })
    }

    /// The problem of the whole batch, with the budgets of users and what jobs demand, and the goal before
    /// the criterion.
    pub(super) fn problem<'a>(
        &self,
        scenario: &'a Scenario,
        rules: Rules,
        goal: joint_plan::Goal,
    ) -> PlanProblem<'a> {
        let problem = problem(scenario, goal).with_rules(rules);
        if self.goal == Some(GoalName::Makespan) { problem.with_makespan_first() } else { problem }
    }
}

/// The problem of a scenario.
pub(super) fn problem(scenario: &Scenario, goal: joint_plan::Goal) -> PlanProblem<'_> {
    PlanProblem::new(&scenario.slots, &scenario.batch, goal)
        .with_from(scenario.from)
        .with_user_budgets(scenario.budgets.iter().map(|(&user, &budget)| (user, budget)))
        .with_demands(scenario.demands.clone())
}
