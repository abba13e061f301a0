//! Goals of a plan as flags: the makespan before the criterion, the mean finish, the vector <C, D, T, I> by weights
//! or in lexicographic order; and which jobs may be left out.

use crate::commands::prelude::*;
use crate::output::terminal::exact;
use econsched::batch_dp::{Coverage, Preference, VectorCriterion, Weights};
use econsched::live_broker::Prefer;
use econsched::sched_model::Priority;

/// Parses a goal that decides before the criterion, or instead of it.
///
/// # Errors
/// A message that says what is wrong with it.
pub(crate) fn parse_goal(text: &str) -> Result<Prefer, String> {
    match text {
        "makespan" => return Ok(Prefer::Makespan),
        "mean-finish" => return Ok(Prefer::MeanFinish),
        _ => {}
    }
    let (mut order, mut weights, weighted) = (Vec::new(), Weights::default(), text.contains('='));
    for part in text.split(',') {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let known = CRITERIA.iter().find(|(_, names, _)| names.contains(&name.trim()));
        let Some(&(criterion, _, weight)) = known else {
            return Err(format!(
                "`{name}`: expected makespan, mean-finish, weights such as C=1,T=2, or an order such as T,C \
                 (C cost, D budget left, T time, I time left)"
            ));
        };
        if order.contains(&criterion) {
            return Err(format!("`{part}`: is given twice"));
        }
        order.push(criterion);
        if weighted {
            let value = value.trim().parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0);
            *weight(&mut weights) =
                value.ok_or_else(|| format!("`{part}`: expected a weight of at least 0, as in C=1"))?;
        }
    }
    let preference = if weighted { Preference::Weighted(weights) } else { Preference::Lexicographic(order) };
    Ok(Prefer::Vector(preference))
}

/// A component of the vector <C, D, T, I>, its names and its weight.
type Part = (VectorCriterion, [&'static str; 2], fn(&mut Weights) -> &mut f64);

/// The components of the vector <C, D, T, I>.
const CRITERIA: [Part; 4] = [
    (VectorCriterion::Cost, ["C", "cost"], |weights| &mut weights.cost),
    (VectorCriterion::BudgetLeft, ["D", "budget-left"], |weights| &mut weights.budget_left),
    (VectorCriterion::Time, ["T", "time"], |weights| &mut weights.time),
    (VectorCriterion::TimeLeft, ["I", "time-left"], |weights| &mut weights.time_left),
];

/// Describes what a plan should be: which jobs it may leave out, what decides before the criterion, the criterion,
/// and its limit, which is `within` a budget or a time.
pub(super) fn in_words(
    serve: Serve,
    prefer: Option<&Prefer>,
    goal: Goal,
    within: &str,
    scenario: &Scenario,
) -> String {
    let criterion = match goal {
        Goal::MinCost { .. } => "least cost",
        Goal::MaxIncome { .. } => "greatest income",
        Goal::MinFinish { .. } => "least mean finish",
        _ => "least run time",
    };
    let limit = match goal.limit() {
        Some(budget) if goal.limits_cost() => {
            format!(" {within} budget of {}", number(scenario.money(budget)))
        }
        Some(time) => format!(" {within} time limit of {}", number(time)),
        None => String::new(),
    };
    format!("{}{}{criterion}{limit}", serve.words(), prefer.map_or(String::new(), words))
}

/// Describes a goal, in the words that stand before the criterion.
fn words(goal: &Prefer) -> String {
    let letter = |one: &VectorCriterion| {
        CRITERIA.iter().find(|(other, ..)| other == one).map_or("", |(_, names, _)| names[0])
    };
    match goal {
        Prefer::Makespan => "least makespan, then ".to_owned(),
        Prefer::MeanFinish => String::new(),
        Prefer::Vector(Preference::Lexicographic(order)) => {
            let order: Vec<&str> = order.iter().map(letter).collect();
            format!("of <C, D, T, I> first {}, instead of ", order.join(", then "))
        }
        Prefer::Vector(Preference::Weighted(weights)) => {
            let Weights { cost, budget_left, time, time_left } = weights;
            let [c, d, t, i] = [cost, budget_left, time, time_left].map(|weight| exact(*weight));
            format!("least {c} C - {d} D + {t} T - {i} I, instead of ")
        }
        _ => "by another preference than ".to_owned(),
    }
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

impl CriterionName {
    /// Returns the goal of a cycle, within derived limits.
    pub(crate) fn goal(self) -> Goal {
        match self {
            Self::MinTime => Goal::MinTime { budget: None },
            Self::MinCost => Goal::MinCost { time_limit: None },
            Self::MaxIncome => Goal::MaxIncome { time_limit: None },
        }
    }
}

/// Which jobs may be left out, and by which rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Serve {
    /// None: all jobs that have windows are placed, or no job at all if the limit is too small for them
    #[default]
    All,
    /// As many jobs as possible are placed; among such choices, the goal decides
    MostJobs,
    /// The greatest total weight of placed jobs; among such choices, the goal decides. The weights are in
    /// `service` of a scenario, and 1 for other jobs
    GreatestWeight,
    /// The criterion plus a penalty for each job left out. The penalties are in `service` of a scenario
    Penalties,
}

impl Serve {
    /// Returns the coverage of the jobs of a scenario, in their order.
    ///
    /// # Errors
    /// [`CliError::Wrong`] for a job without a penalty.
    pub(super) fn of(self, scenario: &Scenario, goal: Goal) -> Result<Coverage, CliError> {
        let worth = |job: &Job| scenario.service.get(&job.id);
        Ok(match self {
            Self::All => Coverage::EveryJob,
            Self::MostJobs => Coverage::MostJobs,
            Self::GreatestWeight => {
                let weight = |job| worth(job).and_then(|worth| worth.weight).map_or(1.0, Priority::get);
                Coverage::MostWeight(scenario.batch.iter().map(weight).collect())
            }
            Self::Penalties => {
                let penalty = |job: &Job| {
                    let penalty = worth(job).and_then(|worth| worth.penalty).ok_or_else(|| {
                        let id = job.id;
                        CliError::usage(format!("--serve penalties: `service` has no penalty for job {id}"))
                    })?;
                    // A penalty is in the unit of what the criterion optimises: money or time.
                    let is_time = goal.limits_cost();
                    Ok(if is_time { penalty } else { scenario.slots.tariff().to_units(penalty) })
                };
                let penalties: Result<_, CliError> = scenario.batch.iter().map(penalty).collect();
                Coverage::Penalties(penalties?)
            }
        })
    }

    /// Returns the words that it adds to the description of a goal.
    fn words(self) -> &'static str {
        match self {
            Self::All => "",
            Self::MostJobs => "most jobs, then ",
            Self::GreatestWeight => "greatest weight of jobs, then ",
            Self::Penalties => "with penalties for jobs left out, ",
        }
    }
}
