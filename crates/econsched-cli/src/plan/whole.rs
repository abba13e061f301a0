//! Plans of the whole batch: how far a plan is from the best of all plans, and better plans with greater
//! effort.

use super::effort::EffortName;
use super::settings::Settings;
use crate::error::CliError;
use crate::limits;
use crate::scenario::Scenario;
use crate::terminal::{counted, number};
use econsched::joint_plan::{Effort, JointGoal, JointPlan, JointPlanner};
use econsched::sched_model::check::Rules;
use econsched::sched_model::{
    End, Fate, Job, Limit, Money, Proof, Refusal, Schedule, Time, UserId, Window, exact_sum,
};
use econsched::slot_window::{Objective, Optimal, SearchScratch, WindowQuery, WindowSearch as _};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// Shuffled orders of the jobs in the portfolio, beside those by size and as given.
const SHUFFLED: usize = 5;

/// How near a plan is to the best of all plans under the same rules and limit.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Distance {
    /// Jobs that have a window in this plan.
    placed: usize,
    /// The value that the goal minimises: runtimes, finishes after the beginning of the plan, or costs;
    /// negative for an income.
    objective: f64,
    /// No plan that leaves out as many jobs has a lesser objective.
    bound: f64,
    /// (objective - bound) / bound.
    gap: f64,
    /// Jobs that have no window even if they are alone.
    unplaceable: usize,
    /// Jobs that have windows and are left out.
    left_out: usize,
    /// If the makespan comes first: no plan that leaves out as many jobs ends earlier. `bound` is then a
    /// bound on plans that end no later.
    #[serde(skip_serializing_if = "Option::is_none")]
    makespan_bound: Option<f64>,
    /// Whether the plan ends as early as that.
    #[serde(skip)]
    ends_earliest: bool,
    /// The origin of instants.
    #[serde(skip)]
    origin: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<End>,
}

impl Distance {
    /// Jobs that have windows and are left out.
    pub(crate) fn left_out(&self) -> usize {
        self.left_out
    }

    /// In few words, for a chart.
    pub(crate) fn short(&self) -> String {
        let Self { gap, left_out, .. } = self;
        let all = self.all_plans();
        let near = if *gap < 5e-7 {
            format!("the best of all plans{all}")
        } else {
            format!("at most {:.2}% from the best of all plans{all}", 100.0 * gap)
        };
        if *left_out > 0 { format!("{near} that leave out {}", jobs(*left_out)) } else { near }
    }

    /// The plans to which the bound applies.
    fn all_plans(&self) -> &'static str {
        if self.makespan_bound.is_some() { " that end as early" } else { "" }
    }

    /// What is proven of the plan: that no other places more jobs, or as many at a better value.
    pub(crate) fn proof(&self) -> Proof {
        let above = self.objective - self.bound;
        match self.end {
            _ if self.left_out == 0 && above <= 0.0 && self.ends_earliest => Proof::Exact,
            _ if self.left_out == 0 && above.is_finite() && self.ends_earliest => Proof::WithinEpsilon(above),
            Some(End::Work | End::Memory | End::Signal) => Proof::LimitReached,
            _ => Proof::Heuristic,
        }
    }
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bound, gap, unplaceable, left_out, .. } = self;
        let early = if self.makespan_bound.is_some() { " that ends as early" } else { "" };
        write!(f, "bound of any plan{early} {}: ", number(*bound))?;
        if *gap < 5e-7 {
            write!(f, "this one is the best")?;
        } else {
            write!(f, "at most {:.2}% from the best", 100.0 * gap)?;
        }
        if *left_out > 0 {
            write!(f, " of those that leave out {}", jobs(*left_out))?;
        }
        match self.makespan_bound {
            Some(_) if self.ends_earliest => write!(f, "; none ends earlier")?,
            Some(makespan) => write!(f, "; none ends before {}", number(makespan - self.origin))?,
            None => {}
        }
        if *unplaceable > 0 {
            write!(f, "; {} cannot be placed by any plan", jobs(*unplaceable))?;
        }
        match self.end {
            Some(End::Work) => write!(f, "; stopped at the limit of work"),
            Some(End::Memory) => write!(f, "; stopped at the limit of memory"),
            Some(End::Signal) => write!(f, "; stopped at the time limit or by Ctrl-C"),
            _ => Ok(()),
        }
    }
}

fn jobs(count: usize) -> String {
    counted(count, "job")
}

/// The distance of the cycle's plan from the bound of each job alone.
///
/// # Errors
/// [`CliError`] for malformed input.
pub(crate) fn distance(
    scenario: &Scenario,
    schedule: &Schedule,
    planner: &JointPlanner,
    goal: JointGoal,
) -> Result<Option<Distance>, CliError> {
    let objective = match goal {
        JointGoal::MinTime { .. } => schedule.total_runtime().get(),
        JointGoal::MinFinish { .. } => {
            let after = |window: &Window| window.runtime().get() + (window.start() - scenario.from).get();
            exact_sum(schedule.placed().map(|(_, window)| after(window)))
        }
        JointGoal::MinCost { .. } => schedule.cost().get(),
        JointGoal::MaxIncome { .. } => -schedule.cost().get(),
        _ => return Ok(None),
    };
    let alone = planner.bound_of_jobs_alone(&scenario.slots, &scenario.batch, scenario.from, goal);
    let alone = alone.map_err(CliError::usage)?;
    let unplaceable = alone.unplaceable();
    let left_out = schedule.refused().count().saturating_sub(unplaceable);
    let bound = alone.leaving_out(left_out).min(objective);
    let gap = if objective > bound { (objective - bound) / bound.abs() } else { 0.0 };
    let shown = |value| in_decimals(scenario, goal, value);
    Ok(Some(Distance {
        placed: schedule.placed().count(),
        objective: shown(objective),
        bound: shown(bound),
        gap,
        unplaceable,
        left_out,
        makespan_bound: None,
        ends_earliest: true,
        origin: scenario.axis.origin,
        end: None,
    }))
}

/// Costs and incomes as decimals; times unchanged.
fn in_decimals(scenario: &Scenario, goal: JointGoal, value: f64) -> f64 {
    let times = matches!(goal, JointGoal::MinTime { .. } | JointGoal::MinFinish { .. });
    if times { value } else { scenario.money(value) }
}

/// A plan that is no worse than the cycle's, and how far it is from the best.
///
/// # Errors
/// [`CliError`] for malformed input.
pub(crate) fn improve(
    scenario: &Scenario,
    known: &Schedule,
    rules: Rules,
    goal: JointGoal,
    settings: &Settings,
) -> Result<(Schedule, Option<Distance>), CliError> {
    let effort = match settings.effort {
        EffortName::Quick => Effort::Quick,
        EffortName::Normal => Effort::Normal,
        EffortName::Hard => Effort::Hard,
    };
    let planner = settings.planner(scenario, rules).with_effort(effort).with_known_plan(known.clone());
    let planner = planner.with_shuffled_orders(SHUFFLED, 1);
    let planner = planner.with_limit(settings.within.clone());
    let better: JointPlan =
        planner.plan(&scenario.slots, &scenario.batch, scenario.from, goal).map_err(CliError::usage)?;
    let distance = better.bound.map(|bound| Distance {
        placed: better.schedule.placed().count(),
        objective: in_decimals(scenario, goal, better.objective),
        bound: in_decimals(scenario, goal, bound),
        gap: better.gap().unwrap_or(f64::INFINITY),
        unplaceable: better.unplaceable,
        left_out: better.left_out,
        makespan_bound: better.makespan_bound.map(Time::get),
        ends_earliest: better.makespan_bound.is_none_or(|bound| better.schedule.makespan() <= Some(bound)),
        origin: scenario.axis.origin,
        end: Some(better.end),
    });
    let schedule = with_reasons(scenario, better.schedule, rules, goal, better.end)?;
    Ok((schedule, distance))
}

/// Gives each job that has windows and is left out a reason: its cheapest window would exceed the budget of
/// its user, or its cheapest or shortest one the limit of the batch, with the excess; or a limit stopped the
/// search; else no free time was left for it.
fn with_reasons(
    scenario: &Scenario,
    schedule: Schedule,
    rules: Rules,
    goal: JointGoal,
    end: End,
) -> Result<Schedule, CliError> {
    let is_left_out = |fate: &Fate| *fate == Fate::Refused(Refusal::NoCapacity);
    if !schedule.refused().any(|(_, reason)| *reason == Refusal::NoCapacity) {
        return Ok(schedule);
    }
    let Some(limit) = BatchLimit::of(goal) else { return Ok(schedule) };
    let used = Used::by(scenario, &schedule, limit);
    let fate = |job: &Job| match schedule.fate(job.id) {
        Some(fate) if !is_left_out(fate) => Ok(fate.clone()),
        _ => used.reason(scenario, job, rules, end).map(Fate::Refused),
    };
    let fates = scenario.batch.iter().map(fate).collect::<Result<Vec<_>, CliError>>()?;
    Schedule::of_batch(&scenario.batch, fates).map_err(CliError::fault)
}

/// What a goal limits for the whole batch.
#[derive(Debug, Clone, Copy)]
struct BatchLimit {
    /// The windows that use the least of it.
    lightest: Objective,
    /// How much of it a window uses.
    weight: fn(&Window) -> f64,
    limit: f64,
}

impl BatchLimit {
    fn of(goal: JointGoal) -> Option<Self> {
        match goal {
            JointGoal::MinTime { budget } | JointGoal::MinFinish { budget } => {
                Some(Self { lightest: Objective::Cost, weight: cost, limit: budget })
            }
            JointGoal::MinCost { time_limit } | JointGoal::MaxIncome { time_limit } => {
                Some(Self { lightest: Objective::Runtime, weight: runtime, limit: time_limit })
            }
            _ => None,
        }
    }
}

/// What the windows of a plan use of the limits on several jobs.
struct Used {
    limit: BatchLimit,
    of_batch: f64,
    of_user: BTreeMap<UserId, f64>,
}

impl Used {
    fn by(scenario: &Scenario, schedule: &Schedule, limit: BatchLimit) -> Self {
        let of_batch = exact_sum(schedule.placed().map(|(_, window)| (limit.weight)(window)));
        Self { limit, of_batch, of_user: spent_by_user(scenario, schedule) }
    }

    /// Why a job that is left out has no window.
    fn reason(&self, scenario: &Scenario, job: &Job, rules: Rules, end: End) -> Result<Refusal, CliError> {
        if let Some(short_by) = self.user_lacks(scenario, job, rules)? {
            return Ok(Refusal::Budget { short_by });
        }
        if let Some(short_by) = self.batch_lacks(scenario, job, rules)? {
            return Ok(Refusal::BatchLimit { short_by });
        }
        Ok(if limits::why(end).is_some() { Refusal::Stopped } else { Refusal::NoCapacity })
    }

    /// By how much the job's cheapest window would break the budget of its user.
    fn user_lacks(&self, scenario: &Scenario, job: &Job, rules: Rules) -> Result<Option<Money>, CliError> {
        let Some(&budget) = scenario.budgets.get(&job.user) else { return Ok(None) };
        let spent = self.of_user.get(&job.user).copied().unwrap_or(0.0);
        let cheapest = best_alone(scenario, job, rules, Objective::Cost)?;
        let short_by = cheapest.and_then(|window| excess(spent, cost(&window), budget));
        Ok(short_by.and_then(|short_by| Money::new(short_by).ok()))
    }

    /// By how much the job's lightest window would break the limit of the batch.
    fn batch_lacks(&self, scenario: &Scenario, job: &Job, rules: Rules) -> Result<Option<f64>, CliError> {
        let BatchLimit { lightest, weight, limit } = self.limit;
        let window = best_alone(scenario, job, rules, lightest)?;
        Ok(window.and_then(|window| excess(self.of_batch, weight(&window), limit)))
    }
}

/// By how much what is used and what comes to it are above a limit.
fn excess(used: f64, more: f64, limit: f64) -> Option<f64> {
    let above = exact_sum([used, more, -limit]);
    (above > 0.0).then_some(above)
}

fn cost(window: &Window) -> f64 {
    window.cost().get()
}

fn runtime(window: &Window) -> f64 {
    window.runtime().get()
}

/// The total cost of the windows of each user.
fn spent_by_user(scenario: &Scenario, schedule: &Schedule) -> BTreeMap<UserId, f64> {
    let mut costs: BTreeMap<UserId, Vec<f64>> = BTreeMap::new();
    for job in &scenario.batch {
        costs.entry(job.user).or_default().extend(schedule.place_of(job.id).map(cost));
    }
    costs.into_iter().map(|(user, costs)| (user, exact_sum(costs))).collect()
}

/// The best window of a job if it were alone.
fn best_alone(
    scenario: &Scenario,
    job: &Job,
    rules: Rules,
    objective: Objective,
) -> Result<Option<Window>, CliError> {
    let search = Optimal::new(objective).with_rules(rules);
    let query = WindowQuery::new(&scenario.slots, &job.request, scenario.from.max(job.submit));
    let eligible = scenario.demands.get(&job.id).map(|demands| scenario.slots.eligible(demands));
    let query = eligible.as_ref().map_or(query, |eligible| query.with_eligible(eligible));
    let found = search.find_within(&query, &mut Limit::default().meter(), &mut SearchScratch::new());
    Ok(found.map_err(CliError::usage)?.incumbent)
}
