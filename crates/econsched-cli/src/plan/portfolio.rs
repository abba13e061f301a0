//! The best of many cycles: several searches, each in several orders of the jobs. What is chosen for, and within what, is
//! the same in all of them; so goals, budgets of users and jobs left out are looked at as in a single cycle.

use super::choose::fixed;
use super::goal::{GoalName, Serve};
use super::settings::{CriterionName, Settings, chosen};
use crate::error::CliError;
use crate::limits::{self, Observer};
use crate::scenario::Scenario;
use econsched::batch_dp::{Criterion, Goal, Preference, Problem};
use econsched::sched_model::check::{Holding, Rules};
use econsched::sched_model::{
    Batch, End, Job, JobId, Limit, Meter, Money, Progress, Schedule, Time, UserId, Window, exact_sum,
};
use econsched::slot_window::AlternativesSearch;
use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

/// The best plan of all cycles.
pub(super) struct Best {
    pub(super) schedule: Schedule,
    /// Cycles that were run.
    pub(super) cycles: usize,
    /// Why there were no more.
    pub(super) end: End,
}

/// Searches that are tried where a window as a whole has a budget.
const SEARCHES: [&str; 5] = ["min-runtime", "min-cost", "min-finish", "min-start", "first-fit"];

/// Orders in which the jobs are served.
const ORDERS: [fn(&mut Vec<Job>); 5] = [
    |_| {},
    |jobs| jobs.sort_by(|a, b| size(b).total_cmp(&size(a))),
    |jobs| jobs.sort_by(|a, b| size(a).total_cmp(&size(b))),
    |jobs| jobs.sort_by_key(|job| Reverse(job.request.nodes())),
    |jobs| jobs.reverse(),
];

fn size(job: &Job) -> f64 {
    job.request.work().get() * job.request.nodes() as f64
}

/// Runs the cycles and takes the best plan of theirs and the one known.
///
/// # Errors
/// [`CliError`] for malformed input.
pub(super) fn best(
    scenario: &Scenario,
    settings: &Settings,
    rules: Rules,
    (goal, problem): (Goal, Problem),
    known: &Schedule,
) -> Result<Best, CliError> {
    let observer = Observer::new("searches and orders");
    let mut observe = |progress: Progress| observer.see(&progress);
    let mut meter = settings.within.meter().with_observer(&mut observe);
    let mut run = Run {
        scenario,
        settings,
        rules,
        goal: fixed(goal, problem).0,
        best: Best { schedule: known.clone(), cycles: 1, end: End::Done },
    };
    run.best.end = run.cycles(&mut meter)?.unwrap_or(End::Done);
    Ok(run.best)
}

struct Run<'a> {
    scenario: &'a Scenario,
    settings: &'a Settings,
    rules: Rules,
    goal: Goal,
    best: Best,
}

impl Run<'_> {
    /// The names of the searches whose windows keep to the rules.
    fn searches(&self) -> Vec<String> {
        if self.rules.slot_price {
            return vec![self.settings.search.clone()];
        }
        let ending = if self.rules.holding == Holding::OwnSpan { "-rough" } else { "" };
        SEARCHES.iter().map(|name| format!("{name}{ending}")).collect()
    }

    /// All searches in all orders; what ended them before that, if anything did.
    fn cycles(&mut self, meter: &mut Meter<'_>) -> Result<Option<End>, CliError> {
        for order in ORDERS {
            let mut jobs: Vec<Job> = self.scenario.batch.iter().copied().collect();
            order(&mut jobs);
            let batch = Batch::new(jobs).map_err(CliError::fault)?;
            for name in self.searches() {
                if let Err(end) = meter.spend(1) {
                    return Ok(Some(end));
                }
                let search = crate::search::build(&name, self.settings.rho, self.scenario)?;
                let found = AlternativesSearch::new(search)
                    .with_max_per_job(self.settings.alternatives)
                    .with_limit(self.left(meter))
                    .with_demands(self.scenario.demands.clone())
                    .find(&self.scenario.slots, &batch, self.scenario.from)
                    .map_err(CliError::usage)?;
                let stopped =
                    meter.spend(found.work()).err().or(limits::why(found.end()).map(|_| found.end()));
                if let Some(end) = stopped {
                    return Ok(Some(end));
                }
                match chosen(self.scenario, self.settings, &found, self.goal, meter) {
                    Ok(plan) => self.offer(plan.schedule)?,
                    // Stopped before there was any choice.
                    Err(CliError::NoPlan(_)) => return Ok(Some(meter.spend(0).err().unwrap_or(End::Work))),
                    Err(error) => return Err(error),
                }
                self.best.cycles += 1;
            }
        }
        Ok(None)
    }

    /// What is left of the limit.
    fn left(&self, meter: &Meter<'_>) -> Limit {
        self.settings.within.clone().with_work(meter.work_left())
    }

    /// Takes a plan that is better than the best so far, and keeps to everything.
    fn offer(&mut self, schedule: Schedule) -> Result<(), CliError> {
        let checker = self.scenario.checker(self.rules);
        let sound = checker.schedule(&schedule, &self.scenario.batch).is_empty()
            && self.keeps_budgets(&schedule)
            && self.rank(&schedule).is_better_than(&self.rank(&self.best.schedule));
        if sound {
            self.best.schedule = schedule;
        }
        Ok(())
    }

    fn keeps_budgets(&self, schedule: &Schedule) -> bool {
        let user_of: BTreeMap<JobId, UserId> =
            self.scenario.batch.iter().map(|job| (job.id, job.user)).collect();
        self.scenario.budgets.iter().all(|(user, budget)| {
            let own = schedule.placed().filter(|(job, _)| user_of.get(job) == Some(user));
            Money::total(own.map(|(_, window)| window.cost())).get() <= *budget
        })
    }

    fn rank(&self, schedule: &Schedule) -> Rank {
        let worth = |job: &JobId| self.scenario.service.get(job);
        let sum = |of: fn(&Window) -> f64| exact_sum(schedule.placed().map(|(_, window)| of(window)));
        let (cost, time) = (sum(|window| window.cost().get()), sum(|window| window.runtime().get()));
        let mut rank = match self.settings.serve {
            Serve::All | Serve::MostJobs => vec![-(schedule.placed().count() as f64)],
            Serve::GreatestWeight => {
                let weight = |job: JobId| worth(&job).and_then(|worth| worth.weight).unwrap_or(1.0);
                vec![-exact_sum(schedule.placed().map(|(job, _)| weight(job)))]
            }
            Serve::Penalties => Vec::new(),
        };
        match &self.settings.goal {
            Some(GoalName::Vector(Preference::Lexicographic(order))) => {
                return Rank(
                    rank.into_iter().chain(order.iter().map(|by| of_criterion(*by, cost, time))).collect(),
                );
            }
            Some(GoalName::Vector(Preference::Weighted(weights))) => {
                // D falls as C grows, I as T does.
                let (of_cost, of_time) =
                    (weights.cost + weights.budget_left, weights.time + weights.time_left);
                let most = of_cost.max(of_time).max(f64::MIN_POSITIVE);
                rank.push(of_cost / most * cost + of_time / most * time);
                return Rank(rank);
            }
            Some(GoalName::Makespan) => rank.push(schedule.makespan().map_or(0.0, Time::get)),
            None => {}
        }
        let score = match self.settings.criterion {
            CriterionName::MinTime => time,
            CriterionName::MinCost => cost,
            CriterionName::MaxIncome => -cost,
        };
        let left_out = schedule.refused().filter_map(|(job, _)| worth(&job)?.penalty);
        let penalties = match self.settings.serve {
            Serve::Penalties => self.settings.in_units(self.scenario, exact_sum(left_out)),
            _ => 0.0,
        };
        rank.push(score + penalties);
        Rank(rank)
    }
}

fn of_criterion(criterion: Criterion, cost: f64, time: f64) -> f64 {
    match criterion {
        Criterion::Cost | Criterion::BudgetLeft => cost,
        Criterion::Time | Criterion::TimeLeft => time,
    }
}

/// Numbers of which the first that differ decide; less is better.
struct Rank(Vec<f64>);

impl Rank {
    fn is_better_than(&self, other: &Self) -> bool {
        let pairs = self.0.iter().zip(&other.0);
        pairs.map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()) == Some(Ordering::Less)
    }
}
