//! A plan of a scenario, and what is known of it: in a few lines, job by job, and with its front.

use super::goal::{Serve, words};
use super::whole::Distance;
use crate::commands::{limits, prelude::*};
use crate::draw::charts;
use crate::draw::page::{Column, Kind, Value};
use econsched::batch_dp::{Goal, Point};
use econsched::joint_plan::{CyclePlan, Effort};
use econsched::live_broker::Prefer;
use econsched::sched_model::Tariff;
use econsched::sched_model::check::Violation;
use econsched::sched_model::internal::exact_sum;
use econsched_studies::Chart;

/// A batch with the fate of each job.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) search: String,
    /// The criterion of the combination and its limit, in words.
    pub(crate) choice: String,
    /// Whether the limited quantity is money.
    pub(crate) limits_money: bool,
    /// Whether the goal is the least mean finish.
    pub(crate) of_mean_finish: bool,
    pub(crate) proof: Proof,
    /// The effort beyond the cycle, if there was one.
    pub(crate) beyond: Option<Effort>,
    /// How far from the best of all plans.
    pub(crate) distance: Option<Distance>,
    pub(crate) schedule: Schedule,
    pub(crate) violations: Vec<(JobId, Violation)>,
    /// The cycle that it began with, if there was one.
    pub(super) cycle: Option<CyclePlan>,
    /// Why the search for alternatives, or the plan without a cycle, ended.
    pub(super) search_end: End,
}

/// The criterion of a combination of alternatives and its limit, in words.
pub(super) fn choice(
    serve: Serve,
    goal: Option<&Prefer>,
    under: Goal,
    derived: bool,
    tariff: &Tariff,
) -> String {
    let limit = under.limit().unwrap_or(f64::INFINITY);
    let (criterion, limited, limit) = match under {
        Goal::MinTime { .. } | Goal::MinFinish { .. } => {
            ("least run time", "budget", tariff.to_decimal(limit))
        }
        Goal::MinCost { .. } => ("least cost", "time limit", limit),
        Goal::MaxIncome { .. } => ("greatest income", "time limit", limit),
        other => return format!("{other:?}"),
    };
    let goal = goal.map_or(String::new(), |goal| format!("{} ", words(goal)));
    let source = if derived { "derived" } else { "given" };
    let limit = number(limit);
    format!("{}{goal}{criterion} under a {source} {limited} of {limit}", serve.words())
}

impl Plan {
    /// Whether the batch was planned as a whole from the beginning.
    pub(crate) fn is_joint(&self) -> bool {
        self.cycle.is_none()
    }

    /// Every undominated (cost, time) of the jobs that have windows, if it was asked for.
    pub(super) fn front(&self) -> Option<&[Point]> {
        self.cycle.as_ref()?.front.as_deref()
    }

    /// Windows found for a job by the cycle, if there was one.
    pub(crate) fn alternatives_of(&self, job: JobId) -> Option<usize> {
        Some(self.cycle.as_ref()?.alternatives.get(&job).copied().unwrap_or(0))
    }

    /// Total cost and total run time of the chosen windows: exact sums, as in the front.
    pub(crate) fn chosen(&self) -> Point {
        Point { cost: self.schedule.cost().get(), time: self.schedule.total_runtime().get() }
    }

    /// Messages about searches that a limit stopped, with what is still proven.
    pub(crate) fn stopped(&self, scenario: &Scenario) -> Vec<String> {
        let mut lines = Vec::new();
        let Some(CyclePlan { choice, best_of, .. }) = &self.cycle else {
            let limit = limits::why(self.search_end);
            lines.extend(limit.map(|limit| format!("{limit} ended the search: the best so far")));
            return lines;
        };
        let of_the_cycle = if self.beyond.is_some() { " in the cycle that the plan began with" } else { "" };
        if let Some((cycles, end)) = best_of
            && let Some(limit) = limits::why(*end)
        {
            let cycles = counted(*cycles, "cycle");
            lines.push(format!("{limit} ended the trial of searches and orders after {cycles}"));
        }
        if let Some(limit) = limits::why(self.search_end) {
            lines.push(format!("{limit} ended the search for alternatives{of_the_cycle}: there may be more"));
        }
        let outcome = &choice.outcome;
        if outcome.refusal.is_none()
            && let Some(limit) = limits::why(outcome.end)
        {
            // The least time is a time; least cost and greatest income are money.
            let is_time = self.limits_money;
            let show = |value: f64| number(if is_time { value } else { scenario.money(value) });
            let known = match (outcome.bound, outcome.gap()) {
                (Some(bound), Some(gap)) => {
                    format!("no choice is better than {}: at most {} is left", show(bound), show(gap))
                }
                _ => "nothing is proven".to_owned(),
            };
            let work = counted(choice.work as usize, "unit");
            lines.push(format!(
                "{limit} ended the choice{of_the_cycle} after {work} of work: the best so far; {known}"
            ));
        }
        lines
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
            let message = format!("{limit} ended the search before any job had a place; {}", limits::MORE);
            return Err(CliError::NoPlan(message));
        }
        let first = self.schedule.refused().next();
        let reason = first.map_or(String::new(), |(job, why)| {
            format!(": job {job} {}", scenario.in_decimals(why, self.limits_money))
        });
        Err(CliError::NoPlan(format!("no job has a place{reason}")))
    }
}

/// One line: the jobs placed, and their cost.
pub(super) fn totals(scenario: &Scenario, plan: &Plan) -> String {
    let placed = plan.schedule.placed().count();
    let mut line = format!(
        "{placed} of {} placed; runtimes together {}, cost together {}",
        counted(scenario.batch.len(), "job"),
        scenario.times.show(plan.schedule.total_runtime().get()),
        number(scenario.money(plan.schedule.cost().get()))
    );
    if let Some(makespan) = plan.schedule.makespan() {
        let _ = write!(line, ", last finish {}", number_of_time(scenario, makespan.get()));
    }
    if plan.of_mean_finish && placed > 0 {
        let finishes = plan.schedule.placed().map(|(_, window)| window.finish().get());
        let _ =
            write!(line, ", mean finish {}", number_of_time(scenario, exact_sum(finishes) / placed as f64));
    }
    // An exact choice among the alternatives of a cycle proves nothing about a plan that has other windows.
    let cycles = plan.cycle.as_ref().and_then(|cycle| cycle.best_of).map(|(cycles, _)| cycles);
    let _ = match (plan.beyond, cycles) {
        (None, _) if limits::why(plan.search_end).is_some() => {
            let best = plan.cycle.as_ref().is_none_or(|cycle| cycle.choice.proof() == Proof::Exact);
            let best = if best { "the best" } else { "a" };
            write!(line, "; {best} choice among the windows found before the limit")
        }
        (None, _) => write!(line, "; choice among these alternatives {}", plan.proof),
        (Some(_), Some(cycles)) => write!(line, "; the best of {}", counted(cycles, "cycle")),
        (Some(_), None) if plan.is_joint() => write!(line, "; planned as a whole"),
        (Some(_), None) => write!(line, "; planned as a whole, beyond the alternatives of the cycle"),
    };
    line
}

/// The result of the independent checker.
pub(super) fn verdict(plan: &Plan) -> String {
    if plan.violations.is_empty() && plan.schedule.placed().next().is_none() {
        return "checker: no window to check".to_owned();
    }
    if plan.violations.is_empty() {
        return "checker: every window is free, simultaneous, fast enough and within its limits; none overlap".to_owned();
    }
    let violations = plan.violations.iter().map(|(job, violation)| format!("\n  job {job}: {violation}"));
    format!("checker: {}{}", counted(plan.violations.len(), "violation"), violations.collect::<String>())
}

/// An instant as it is shown. Instants are counted from the origin of the chart's axis, so that those of a
/// log stay short.
pub(super) fn number_of_time(scenario: &Scenario, instant: f64) -> String {
    scenario.times.show(instant - scenario.axis.origin)
}

/// What is told of jobs, without the columns of these names.
pub(super) fn job_columns(scenario: &Scenario, plan: &Plan, without: &[&str]) -> Vec<Column> {
    let column = |name, kind, value: &dyn Fn(&Job) -> Value| {
        let values = scenario.batch.iter().map(value).collect();
        Column { name, kind, values }
    };
    let place = |of: fn(&Window) -> f64| move |job: &Job| Value::from(plan.schedule.place_of(job.id).map(of));
    let alternatives =
        |job: &Job| plan.alternatives_of(job.id).map_or(Value::Nothing, |count| Value::Count(count as u64));
    let cost = |job: &Job| Some(scenario.money(plan.schedule.place_of(job.id)?.cost().get()));
    let state = |job: &Job| match plan.schedule.get(&job.id) {
        Some(Err(_)) => Value::Text("refused".to_owned()),
        Some(Ok(_)) => Value::Text("placed".to_owned()),
        None => Value::Nothing,
    };
    let reason = |job: &Job| match plan.schedule.get(&job.id) {
        Some(Err(why)) => scenario.in_decimals(why, plan.limits_money).to_string(),
        _ => String::new(),
    };
    let mut columns = vec![
        column("job", Kind::Number, &|job| Value::Count(job.id.0)),
        column("user", Kind::Number, &|job| Value::Count(job.user.0.into())),
        column("nodes", Kind::Number, &|job| Value::Count(job.request.nodes() as u64)),
        column("work", Kind::Span, &|job| Some(job.request.work()).into()),
        column("limit", Kind::Text, &|job| Value::Text(limits_of(scenario, job))),
        column("alternatives", Kind::Number, &alternatives),
        column("start", Kind::Time, &place(|window| window.start().get())),
        column("finish", Kind::Time, &place(|window| window.finish().get())),
        column("runtime", Kind::Span, &place(|window| window.runtime().get())),
        column("cost", Kind::Number, &|job| cost(job).into()),
        column("state", Kind::Text, &state),
        column("refused because", Kind::Text, &|job| Value::Text(reason(job))),
    ];
    columns.retain(|column| !without.contains(&column.name));
    columns
}

fn limits_of(scenario: &Scenario, job: &Job) -> String {
    let money = |units: f64| number(scenario.money(units));
    let price = job.request.price_limit.map(|price| format!("price {}", money(price.get())));
    let budget = job.request.budget.map(|budget| format!("budget {}", money(budget.get())));
    let deadline = job.request.deadline.map(|deadline| format!("by {}", number(deadline.get())));
    let set: Vec<String> = [price, budget, deadline].into_iter().flatten().collect();
    set.join(", ")
}

/// The greatest number of rows of the table, not counting the last point and the chosen one.
const ROWS: usize = 20;

/// The front in a table: evenly spread points, the last point, and the choice, which need not be on the front
/// where the greatest income is chosen.
pub(super) fn front_text(scenario: &Scenario, points: &[Point], chosen: Point) -> String {
    let step = points.len().div_ceil(ROWS).max(1);
    let mut rows = Vec::new();
    let mut row = |point: &Point| {
        let mark = if *point == chosen { "chosen" } else { "" };
        rows.push([number(scenario.money(point.cost)), number(point.time), mark.to_owned()]);
    };
    let after = points.partition_point(|point| point.cost < chosen.cost);
    for (at, point) in points.iter().enumerate() {
        if at == after && *point != chosen {
            row(&chosen);
        }
        if at % step == 0 || at + 1 == points.len() || *point == chosen {
            row(point);
        }
    }
    if after == points.len() {
        row(&chosen);
    }
    let table = Columns::with(&["sum of costs", "sum of runtimes", ""], rows).render();
    format!("front: {}\n{table}", counted(points.len(), "undominated combination"))
}

pub(super) fn front_csv(scenario: &Scenario, points: &[Point], chosen: Point) -> Result<String, CliError> {
    files::table(
        points,
        &[
            ("cost", &|point| scenario.money(point.cost).to_string()),
            ("runtime", &|point| point.time.to_string()),
            ("chosen", &|point| u8::from(**point == chosen).to_string()),
        ],
    )
}

/// Every point with its figures, and the choice.
pub(super) fn front_svg(scenario: &Scenario, plan: &Plan, points: &[Point]) -> Result<String, CliError> {
    let place = |point: &Point| (scenario.money(point.cost), point.time);
    let title = format!("{} · {}", plan.search, plan.choice);
    let chart = Chart::new(title, "sum of costs", "sum of runtimes")
        .with_joined(false)
        .with_series("undominated", points.iter().map(place))
        .with_series("chosen", [place(&plan.chosen())]);
    charts::svg(&chart)
}
