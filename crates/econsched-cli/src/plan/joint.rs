//! The default plan: the whole batch together, by the least mean finish.

use super::cycle::{Choice, Plan};
use super::effort::EffortName;
use super::settings::problem;
use super::whole::Distance;
use crate::error::CliError;
use crate::limits::Observer;
use crate::scenario::Scenario;
use econsched::joint_plan::{Effort, Goal};
use econsched::sched_model::check::Rules;
use econsched::sched_model::{Limit, Proof};

/// The rules of its windows.
pub(super) fn rules() -> Rules {
    Rules::per_window(1.0)
}

/// The plan of a scenario, within a budget of the batch in units of money, if there is one.
///
/// # Errors
/// [`CliError`] for malformed input.
pub(super) fn plan(scenario: &Scenario, budget: Option<f64>, limit: &Limit) -> Result<Plan, CliError> {
    let goal = Goal::MinFinish { budget };
    let observer = Observer::new("plan");
    let mut observe = |report: econsched::joint_plan::JointProgress| {
        observer.tell(report.work, Some(report.objective), report.bound)
    };
    let found = problem(scenario, goal).solve(Effort::Hard, limit, &mut observe).map_err(CliError::usage)?;
    let distance = Distance::of(scenario, &found, goal);
    let violations = scenario.checker(rules()).schedule(&found.schedule, &scenario.batch);
    Ok(Plan {
        search: "joint".to_owned(),
        choice: Choice::of_joint(budget, *scenario.slots.tariff()),
        proof: distance.map_or(Proof::Heuristic, |distance| distance.proof()),
        beyond: Some(EffortName::Hard),
        distance,
        violations,
        ..Plan::without_cycle(found.schedule, found.end, found.work)
    })
}
