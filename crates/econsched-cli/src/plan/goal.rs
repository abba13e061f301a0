//! What else a combination can be chosen for: the vector <C, D, T, I> by weights or in order, the makespan before all else,
//! and within the budgets of users.

use econsched::batch_dp::{
    Alternatives, BatchError, Criterion, Decision, ExpandingCore, FRONT_CAP, Front, Goal, Plan, Planner,
    Preference, Problem, Scratch, UserBudgets, Weights, choose_with_user_budgets,
};
use econsched::sched_model::{
    JobId, Meter, Money, Outcome, Refusal, Schedule, Time, UserId, Window, exact_sum,
};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// What decides before the criterion does, or in its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum GoalName {
    /// The least last finish, then the criterion.
    Makespan,
    /// Of all undominated combinations within the limit, the best by this.
    Vector(Preference),
}

impl FromStr for GoalName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "makespan" {
            return Ok(Self::Makespan);
        }
        let criterion = |word: &str| match word.trim() {
            "C" | "cost" => Ok(Criterion::Cost),
            "D" | "budget-left" => Ok(Criterion::BudgetLeft),
            "T" | "time" => Ok(Criterion::Time),
            "I" | "time-left" => Ok(Criterion::TimeLeft),
            other => Err(format!(
                "`{other}`: expected makespan, weights such as C=1,T=2, or an order such as T,C (C cost, D budget left, \
                 T time, I time left)"
            )),
        };
        let mut named = Vec::new();
        for part in text.split(',') {
            let name = criterion(part.split_once('=').map_or(part, |(name, _)| name))?;
            if named.contains(&name) {
                return Err(format!("`{part}`: stands twice"));
            }
            named.push(name);
        }
        if !text.contains('=') {
            return Ok(Self::Vector(Preference::Lexicographic(named)));
        }
        let mut weights = Weights::default();
        for (part, name) in text.split(',').zip(named) {
            let value = part.split_once('=').map_or("", |(_, value)| value);
            let weight = match name {
                Criterion::Cost => &mut weights.cost,
                Criterion::BudgetLeft => &mut weights.budget_left,
                Criterion::Time => &mut weights.time,
                Criterion::TimeLeft => &mut weights.time_left,
            };
            let value = value.trim().parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0);
            *weight = value.ok_or_else(|| format!("`{part}`: expected a weight of at least 0, as in C=1"))?;
        }
        Ok(Self::Vector(Preference::Weighted(weights)))
    }
}

impl fmt::Display for GoalName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = |criterion: &Criterion| match criterion {
            Criterion::Cost => "C",
            Criterion::BudgetLeft => "D",
            Criterion::Time => "T",
            Criterion::TimeLeft => "I",
        };
        match self {
            Self::Makespan => write!(f, "least makespan, then"),
            Self::Vector(Preference::Lexicographic(order)) => {
                let order: Vec<&str> = order.iter().map(letter).collect();
                write!(f, "of <C, D, T, I> first {}, instead of", order.join(", then "))
            }
            Self::Vector(Preference::Weighted(weights)) => {
                let Weights { cost, budget_left, time, time_left } = weights;
                write!(f, "least {cost} C - {budget_left} D + {time} T - {time_left} I, instead of")
            }
        }
    }
}

/// A job with its windows and, where it has none, the reason.
pub(super) type Offer<'a> = (JobId, &'a [Window], Option<&'a Refusal>);

/// What else is asked of the choice.
pub(super) struct Asked<'a> {
    pub(super) goal: Option<&'a GoalName>,
    /// What each user spends at most; the others have no budget.
    pub(super) budgets: &'a BTreeMap<UserId, f64>,
    /// Whose job it is.
    pub(super) user_of: BTreeMap<JobId, UserId>,
}

impl Asked<'_> {
    /// Chooses one window for each job that has any.
    ///
    /// # Errors
    /// Those of the choice.
    pub(super) fn choose(
        &self,
        offers: Vec<Offer<'_>>,
        goal: Goal,
        meter: &mut Meter<'_>,
    ) -> Result<Plan, BatchError> {
        if let Some(GoalName::Vector(preference)) = self.goal {
            return by_preference(&offers, goal, preference, meter);
        }
        if self.goal.is_none() {
            return self.within_budgets(&offers, goal, meter);
        }
        let before = meter.work();
        let (goal, until) = least_makespan(&offers, goal, meter)?;
        let kept: Vec<Vec<Window>> = offers
            .iter()
            .map(|(_, windows, _)| {
                windows.iter().filter(|window| window.finish() <= until).cloned().collect()
            })
            .collect();
        let offers = offers.iter().zip(&kept).map(|(&(job, _, reason), kept)| (job, kept.as_slice(), reason));
        let plan = self.within_budgets(&offers.collect::<Vec<_>>(), goal, meter)?;
        Ok(Plan { work: meter.work() - before, ..plan })
    }

    /// The choice within the budgets of users, if there are any.
    fn within_budgets(
        &self,
        offers: &[Offer<'_>],
        goal: Goal,
        meter: &mut Meter<'_>,
    ) -> Result<Plan, BatchError> {
        if self.budgets.is_empty() {
            return Planner::new(goal).plan_within(offers.iter().copied(), meter);
        }
        let before = meter.work();
        let (mut schedule, mut open) = refused(offers)?;
        let mut scratch = Scratch::default();
        let problem = goal.problem(&alternatives(&open)?, &ExpandingCore, &mut scratch, meter)?;
        // Position 0 is of those without a budget.
        let users: Vec<UserId> = self.budgets.keys().copied().collect();
        let budgets: Vec<f64> = [f64::INFINITY].into_iter().chain(self.budgets.values().copied()).collect();
        let position = |job: &JobId| {
            let user = self.user_of.get(job).and_then(|user| users.binary_search(user).ok());
            user.map_or(0, |at| at + 1)
        };
        let decision = loop {
            let batch = alternatives(&open)?;
            let purses =
                UserBudgets::new(open.iter().map(|(job, _)| position(job)).collect(), budgets.clone());
            let decision = choose_with_user_budgets(&batch, problem, &purses, &mut scratch, meter)?;
            let Decision::UserBudgetTooSmall { user, least, limit } = decision else { break decision };
            // The jobs of this user are refused, and do not hinder the others.
            let short_by = Money::new(least - limit).unwrap_or(Money::ZERO);
            let (without, rest) = open.into_iter().partition(|(job, _)| position(job) == user);
            open = rest;
            refuse(&mut schedule, &without, &Refusal::Budget { short_by })?;
        };
        place(schedule, &open, problem, decision, meter.work() - before)
    }
}

/// Jobs that have windows.
type Open<'a> = Vec<(JobId, &'a [Window])>;

/// Refuses the jobs without windows; gives the others.
fn refused<'a>(offers: &[Offer<'a>]) -> Result<(Schedule, Open<'a>), BatchError> {
    let mut schedule = Schedule::default();
    let mut open = Vec::new();
    for &(job, windows, reason) in offers {
        if windows.is_empty() {
            refuse(&mut schedule, &[(job, windows)], reason.unwrap_or(&Refusal::NoCapacity))?;
        } else {
            open.push((job, windows));
        }
    }
    Ok((schedule, open))
}

fn refuse(schedule: &mut Schedule, jobs: &[(JobId, &[Window])], reason: &Refusal) -> Result<(), BatchError> {
    for &(job, _) in jobs {
        schedule.refuse(job, reason.clone()).map_err(|_| BatchError::RepeatedJob { job })?;
    }
    Ok(())
}

fn alternatives(open: &[(JobId, &[Window])]) -> Result<Alternatives, BatchError> {
    Alternatives::from_windows(&open.iter().map(|(_, windows)| *windows).collect::<Vec<_>>())
}

/// The schedule of a decision.
fn place(
    mut schedule: Schedule,
    open: &[(JobId, &[Window])],
    problem: Problem,
    decision: Decision,
    work: u64,
) -> Result<Plan, BatchError> {
    match (decision.choice(), &decision) {
        (Some(choice), _) => {
            for (&(job, windows), &pick) in open.iter().zip(&choice.picks) {
                schedule.place(job, windows[pick].clone()).map_err(|_| BatchError::RepeatedJob { job })?;
            }
        }
        (None, Decision::Chosen(outcome)) => return Err(BatchError::Stopped { end: outcome.end, work }),
        (None, _) => refuse(&mut schedule, open, &Refusal::BatchLimit { short_by: decision.short_by() })?,
    }
    Ok(Plan { schedule, problem, decision, work })
}

/// The best of the front within the limit of the goal.
fn by_preference(
    offers: &[Offer<'_>],
    goal: Goal,
    preference: &Preference,
    meter: &mut Meter<'_>,
) -> Result<Plan, BatchError> {
    let before = meter.work();
    let (schedule, open) = refused(offers)?;
    let batch = alternatives(&open)?;
    let mut scratch = Scratch::default();
    let problem = goal.problem(&batch, &ExpandingCore, &mut scratch, meter)?;
    let (budget, time_limit) = match problem {
        Problem::MinCost { time_limit } | Problem::MaxIncome { time_limit } => (f64::INFINITY, time_limit),
        Problem::MinTime { budget } | Problem::MaxTime { budget } => (budget, f64::INFINITY),
        _ => (f64::INFINITY, f64::INFINITY),
    };
    let front = Front::within(&batch, FRONT_CAP, meter)?;
    let best = front.map(|front| front.best(budget, time_limit, preference)).transpose()?.flatten();
    let work = meter.work() - before;
    let decision = match best {
        Some(choice) => {
            let value = choice.cost;
            Decision::Chosen(Outcome::solved(choice, value, work))
        }
        // Nothing keeps the limit: how much it falls short is told as for the criterion.
        None => econsched::batch_dp::choose(&batch, problem)?,
    };
    place(schedule, &open, problem, decision, work)
}

/// The least instant by which all jobs that have windows can be done within the limit of the goal; that limit. Without such
/// an instant, the last of all.
fn least_makespan(
    offers: &[Offer<'_>],
    goal: Goal,
    meter: &mut Meter<'_>,
) -> Result<(Goal, Time), BatchError> {
    let (_, open) = refused(offers)?;
    let problem = goal.problem(&alternatives(&open)?, &ExpandingCore, &mut Scratch::default(), meter)?;
    let (goal, limit) = match problem {
        Problem::MinTime { budget } => (Goal::MinTime { budget: Some(budget) }, budget),
        Problem::MaxTime { budget } => (Goal::MaxTime { budget: Some(budget) }, budget),
        Problem::MinCost { time_limit } => (Goal::MinCost { time_limit: Some(time_limit) }, time_limit),
        Problem::MaxIncome { time_limit } => (Goal::MaxIncome { time_limit: Some(time_limit) }, time_limit),
        _ => (goal, f64::INFINITY),
    };
    let limited = |window: &Window| match problem {
        Problem::MinTime { .. } | Problem::MaxTime { .. } => window.cost().get(),
        _ => window.runtime().get(),
    };
    let mut finishes: Vec<Time> =
        open.iter().flat_map(|(_, windows)| windows.iter().map(Window::finish)).collect();
    finishes.sort_unstable();
    finishes.dedup();
    // The more time, the more windows: what can be done by an instant can be done by every later one.
    let possible = |until: &Time| {
        let least = |windows: &[Window]| {
            let kept = windows.iter().filter(|window| window.finish() <= *until).map(limited);
            kept.fold(f64::INFINITY, f64::min)
        };
        let leasts: Vec<f64> = open.iter().map(|(_, windows)| least(windows)).collect();
        leasts.iter().all(|least| least.is_finite()) && exact_sum(leasts) <= limit
    };
    let at = finishes.partition_point(|until| !possible(until));
    let until = finishes.get(at).or(finishes.last()).copied().unwrap_or(Time::ZERO);
    Ok((goal, until))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_are_read() {
        let read = |text: &str| text.parse::<GoalName>();
        assert_eq!(read("makespan"), Ok(GoalName::Makespan));
        let order = Preference::Lexicographic(vec![Criterion::Time, Criterion::Cost]);
        assert_eq!(read("T,C"), Ok(GoalName::Vector(order)));
        let weights = Weights { cost: 1.0, time: 2.5, ..Weights::default() };
        assert_eq!(read("cost=1,T=2.5"), Ok(GoalName::Vector(Preference::Weighted(weights))));
        for wrong in ["", "X", "C=", "C=-1", "C=1,T", "T=inf", "C=1,cost=2", "T,C,T", "C=1,"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
