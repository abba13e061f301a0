//! How a batch is planned, as the libraries take it.

use super::Offer;
use super::effort::EffortName;
use super::goal::{GoalName, Serve};
use super::warm::Warm;
use crate::error::CliError;
use crate::scenario::{Scenario, whole_units};
use econsched::batch_dp::{Goal, Planner, Problem};
use econsched::joint_plan::{JointGoal, JointPlanner};
use econsched::sched_model::check::Rules;
use econsched::sched_model::{Limit, Refusal, Tariff};
use econsched::slot_window::BatchAlternatives;

/// How to plan.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// What the plan is called.
    pub(crate) name: String,
    /// The search of the cycle.
    pub(crate) search: String,
    /// The search of the quick plan, where that is another: its cycle says the limit that is not given, and
    /// no plan is worse than its own.
    pub(crate) quick_search: Option<&'static str>,
    pub(crate) rho: f64,
    pub(crate) criterion: CriterionName,
    /// In the unit of what the criterion limits; derived from the alternatives where it is not given.
    pub(crate) limit: Option<f64>,
    /// Alternatives for each job at most.
    pub(crate) alternatives: usize,
    /// Whether the whole front is wanted.
    pub(crate) front: bool,
    /// Whether other searches and orders are tried where the cycle loses jobs that have windows.
    pub(crate) win_back: bool,
    /// What is tried beyond the cycle.
    pub(crate) effort: EffortName,
    /// What decides before the criterion, or instead of it.
    pub(crate) goal: Option<GoalName>,
    /// Which jobs may be left out.
    pub(crate) serve: Serve,
    /// How far the searches go.
    pub(crate) within: Limit,
    /// Where the choice starts.
    pub(crate) warm: Option<Warm>,
}

/// What a combination is chosen for.
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

/// Why a job has no window that the search has not come to.
const NOT_SEARCHED: &Refusal = &Refusal::Stopped;

/// What was found for each job. A job without windows and without a reason is one that the search has not
/// come to.
pub(super) fn offers(found: &BatchAlternatives) -> Vec<Offer<'_>> {
    let offers = found.offers().map(|(job, windows, reason)| -> Offer<'_> {
        (job, windows, reason.or(windows.is_empty().then_some(NOT_SEARCHED)))
    });
    offers.collect()
}

impl Settings {
    /// The choice that is asked for, under this goal; among these offers it starts from the earlier plan, if
    /// there is one.
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
        let mut planner = Planner::new(goal).with_user_budgets(budgets, user_of);
        if let Some(service) = self.serve.of(scenario, scenario.batch.iter().map(|job| job.id), penalty)? {
            planner = planner.with_service(service);
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

    /// Whether a goal is asked for that decides in place of the criterion or before it, and of which a bound
    /// says nothing.
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

    /// An amount in the unit of what the criterion optimises: units of money, or time.
    pub(super) fn in_units(&self, scenario: &Scenario, amount: f64) -> f64 {
        let money = self.criterion != CriterionName::MinTime;
        if money { scenario.slots.tariff().to_units(amount) } else { amount }
    }

    /// The goal of a plan as a whole; `None` where plans of the whole do not know what is asked.
    pub(super) fn joint_goal(&self, problem: Problem) -> Option<JointGoal> {
        let known = matches!(self.serve, Serve::All | Serve::MostJobs);
        if matches!(self.goal, Some(GoalName::Vector(_))) || !known {
            return None;
        }
        match (problem, &self.goal) {
            (Problem::MinTime { budget }, Some(GoalName::MeanFinish)) => {
                Some(JointGoal::MinFinish { budget })
            }
            _ => JointGoal::of_problem(problem),
        }
    }

    /// A planner of the whole batch that keeps to the budgets of users and to what jobs demand, and to the
    /// goal before the criterion.
    pub(super) fn planner(&self, scenario: &Scenario, rules: Rules) -> JointPlanner {
        let budgets = scenario.budgets.iter().map(|(&user, &budget)| (user, budget));
        let planner = JointPlanner::new(rules).with_user_budgets(budgets);
        let planner = planner.with_demands(scenario.demands.clone());
        if self.goal == Some(GoalName::Makespan) { planner.with_makespan_first() } else { planner }
    }
}
