//! A plan of a scenario and what is known about it: as text, as JSON, job by job, and with its front.

use super::distance::Distance;
use crate::commands::window::Explanation;
use crate::commands::{limits, prelude::*};
use crate::draw::charts;
use crate::draw::gantt::letter;
use crate::draw::page::{Column, Kind, all_digits, short};
use econsched::batch_dp::Point;
use econsched::sched_model::check::{Violation, in_words};
use econsched::sched_model::internal::exact_sum;
use econsched_studies::Chart;
use serde_json::{Value, json};

/// A batch with the fate of each job.
#[derive(Debug, Clone)]
pub(super) struct Plan<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) search: String,
    /// Description of the criterion and its limit.
    pub(super) choice: String,
    /// Description of how the windows were chosen.
    pub(super) how: String,
    /// Description of the distance.
    pub(super) line: Option<String>,
    pub(super) goal: Goal,
    pub(super) proof: Proof,
    /// How far the plan is from the best of all plans.
    pub(super) distance: Option<Distance>,
    pub(super) schedule: Schedule,
    pub(super) violations: Vec<(JobId, Violation)>,
    /// Descriptions of what was stopped by limits, and of what is proven nevertheless.
    pub(super) stopped: Vec<String>,
    /// The limit that ended the search for windows, if one did.
    pub(super) limited: Option<&'static str>,
    /// The number of windows that a cycle found for each job.
    pub(super) alternatives: Option<BTreeMap<JobId, usize>>,
    /// All undominated (cost, time) of the jobs that have windows, cheapest first, if asked for.
    pub(super) front: Option<Vec<Point>>,
}

impl Plan<'_> {
    /// Returns the total cost and run time of the chosen windows: exact sums, as in the front.
    fn chosen(&self) -> Point {
        Point { cost: self.schedule.cost().get(), time: self.runtimes().get() }
    }

    /// Returns the sum of the run times of all windows.
    fn runtimes(&self) -> Span {
        self.schedule.placed().map(|(_, window)| window.runtime()).sum()
    }

    /// Returns cost and time of a point as they are shown: the cost in decimals.
    fn shown(&self, point: &Point) -> (f64, f64) {
        (self.scenario.money(point.cost), point.time)
    }

    /// Formats an instant. Instants are counted from the origin of the chart's axis, so that those of a log are
    /// short.
    fn time(&self, instant: f64) -> String {
        self.scenario.time(instant - self.scenario.axis.origin)
    }

    /// Checks the plan.
    ///
    /// # Errors
    /// [`CliError::NoPlan`] if the batch has jobs and none of them has a place, [`CliError::Fault`] if the checker
    /// objects.
    pub(super) fn check(&self) -> Result<(), CliError> {
        if let Some((job, violation)) = self.violations.first() {
            return Err(CliError::fault(format!("the checker objects: job {job}: {violation}")));
        }
        if self.scenario.batch.is_empty() || self.schedule.placed().next().is_some() {
            return Ok(());
        }
        if let Some(limit) = self.limited {
            let message = format!("{limit} ended the search before any job had a place; {}", limits::HINT);
            return Err(CliError::NoPlan(message));
        }
        let reason = self.schedule.refused().next().map_or(String::new(), |(job, why)| {
            format!(": job {job}: {}", self.scenario.refusal(why, self.goal.limits_cost()))
        });
        Err(CliError::NoPlan(format!("no job has a place{reason}")))
    }

    /// Renders the jobs and what became of them as text.
    pub(super) fn text(&self) -> String {
        let scenario = self.scenario;
        let search =
            self.alternatives.as_ref().map_or(String::new(), |_| format!("search {}, ", self.search));
        let mut text = format!(
            "{}: {}, {}, {}; {search}{}\n\n{}\n{}\n",
            scenario.title,
            counted(scenario.nodes.len(), "node"),
            counted(scenario.slots.len(), "free slot"),
            counted(scenario.batch.len(), "job"),
            self.choice,
            self.job_table().render(),
            self.totals()
        );
        text.extend(self.line.iter().chain(&self.stopped).map(|line| format!("{line}\n")));
        text + &self.verdict()
    }

    fn job_table(&self) -> Columns {
        let without: &[&str] = match self.alternatives {
            Some(_) => &["user", "state"],
            None => &["user", "state", "alternatives"],
        };
        let columns = self.job_columns(without);
        let headings: Vec<&str> = [""].into_iter().chain(columns.iter().map(|column| column.name)).collect();
        let cell = |at: usize, column: &Column| match (column.kind, column.values[at].as_f64()) {
            (Kind::Time, Some(instant)) => self.time(instant),
            (Kind::Span, Some(span)) => self.scenario.time(span),
            _ => short(&column.values[at]),
        };
        let row = |at| {
            let cells = columns.iter().map(move |column| cell(at, column));
            [letter(at).to_string()].into_iter().chain(cells)
        };
        Columns::with(&headings, (0..self.scenario.batch.len()).map(row))
    }

    /// Returns one line: the number of jobs placed, and their run times and cost.
    pub(super) fn totals(&self) -> String {
        let placed = self.schedule.placed().count();
        let mut line = format!(
            "{placed} of {} placed; runtimes together {}, cost together {}",
            counted(self.scenario.batch.len(), "job"),
            self.scenario.time(self.runtimes().get()),
            number(self.scenario.money(self.schedule.cost().get()))
        );
        if let Some(makespan) = self.schedule.makespan() {
            line += &format!(", last finish {}", self.time(makespan.get()));
            if matches!(self.goal, Goal::MinFinish { .. }) {
                let finishes = self.schedule.placed().map(|(_, window)| window.finish().get());
                line += &format!(", mean finish {}", self.time(exact_sum(finishes) / placed as f64));
            }
        }
        format!("{line}; {}", self.how)
    }

    /// Describes the result of the independent checker.
    fn verdict(&self) -> String {
        let told = match self.schedule.placed().next() {
            _ if !self.violations.is_empty() => &in_words(&self.violations),
            None => "no window to check",
            _ => "every window is free, simultaneous, fast enough and within its limits; none overlap",
        };
        format!("checker: {told}\n")
    }

    /// Returns the figures with their names.
    pub(super) fn figures(&self) -> [(&'static str, f64); 7] {
        let placed = self.schedule.placed().count();
        let mean = |of: fn(&Window) -> Time| {
            let origin = self.scenario.axis.origin;
            let sum: f64 = self.schedule.placed().map(|(_, window)| of(window).get() - origin).sum();
            if placed == 0 { f64::NAN } else { sum / placed as f64 }
        };
        let (cost, time) = self.shown(&self.chosen());
        [
            ("jobs", self.scenario.batch.len() as f64),
            ("placed", placed as f64),
            ("alternatives", self.alternatives.iter().flat_map(BTreeMap::values).sum::<usize>() as f64),
            ("sum of runtimes", time),
            ("sum of costs", cost),
            ("mean start", mean(Window::start)),
            ("mean finish", mean(Window::finish)),
        ]
    }

    /// Returns the plan as it is written to `plan.json`.
    pub(super) fn json(&self, explanations: Option<Vec<Explanation>>) -> impl Serialize {
        let Self { scenario, schedule, .. } = self;
        let jobs = scenario.batch.iter().map(|job| {
            object! {
                job: job,
                alternatives Option<>: self.alternatives_of(job),
                fate: schedule.get(&job.id).map(|fate| object! {
                    placed Option<>: fate.as_ref().ok(),
                    refused Option<>: fate.as_ref().err(),
                }),
            }
        });
        let violations = self.violations.iter().map(|(job, violation)| format!("job {job}: {violation}"));
        let front = self.front.as_ref().map(|points| {
            let points = points.iter().map(|point| object! { cost: point.cost, runtime: point.time });
            points.collect::<Vec<_>>()
        });
        object! {
            title: &scenario.title,
            search: &self.search,
            choice: &self.choice,
            // Of a cycle: the proof of the choice among its alternatives.
            proof: self.proof,
            distance Option<>: self.distance,
            from: scenario.from,
            horizon: scenario.horizon,
            nodes: &scenario.nodes,
            notes: &scenario.notes,
            jobs: jobs.collect::<Vec<_>>(),
            total_runtime: self.runtimes(),
            total_cost: schedule.cost(),
            violations: violations.collect::<Vec<_>>(),
            stopped Option<>: (!self.stopped.is_empty()).then_some(&self.stopped),
            front Option<>: front,
            explanations Option<>: explanations,
        }
    }

    /// Returns the number of windows that a cycle found for a job; `None` if there was no cycle.
    fn alternatives_of(&self, job: &Job) -> Option<usize> {
        Some(self.alternatives.as_ref()?.get(&job.id).copied().unwrap_or(0))
    }

    /// Returns the columns of the table of jobs, except those named in `without`.
    pub(super) fn job_columns(&self, without: &[&str]) -> Vec<Column> {
        let scenario = self.scenario;
        let column = |name, kind, value: &dyn Fn(&Job) -> Value| {
            let values = scenario.batch.iter().map(value).collect();
            Column { name, kind, values }
        };
        let window = |job: &Job| self.schedule.place_of(job.id);
        let fate = |job: &Job| self.schedule.get(&job.id).map(Result::as_ref);
        let state = |placed: Result<_, _>| if placed.is_ok() { "placed" } else { "refused" }.to_owned();
        let cost = |window: &Window| scenario.money(window.cost().get());
        let reason = |why: &Refusal| scenario.refusal(why, self.goal.limits_cost()).to_string();
        let why = |job: &Job| fate(job).and_then(Result::err).map_or(String::new(), reason);
        let mut columns = vec![
            column("job", Kind::Number, &|job| job.id.0.into()),
            column("user", Kind::Number, &|job| job.user.0.into()),
            column("nodes", Kind::Number, &|job| job.request.nodes().into()),
            column("work", Kind::Span, &|job| job.request.work().get().into()),
            column("limit", Kind::Text, &|job| limits_of(scenario, job).into()),
            column("alternatives", Kind::Number, &|job| self.alternatives_of(job).into()),
            column("start", Kind::Time, &|job| window(job).map(|window| window.start().get()).into()),
            column("finish", Kind::Time, &|job| window(job).map(|window| window.finish().get()).into()),
            column("runtime", Kind::Span, &|job| window(job).map(|window| window.runtime().get()).into()),
            column("cost", Kind::Number, &|job| window(job).map(cost).into()),
            column("state", Kind::Text, &|job| fate(job).map(state).into()),
            column("refused because", Kind::Text, &|job| why(job).into()),
        ];
        columns.retain(|column| !without.contains(&column.name));
        columns
    }

    /// Formats one row for each job.
    pub(super) fn jobs_csv(&self) -> Result<String, CliError> {
        let columns = self.job_columns(&["user", "limit", "state"]);
        let headings: Vec<String> = columns.iter().map(|column| column.name.replace(' ', "_")).collect();
        let row = |at: usize| columns.iter().map(move |column| all_digits(&column.values[at]));
        files::csv(&headings, (0..self.scenario.batch.len()).map(row))
    }

    /// Formats one row for each node of each placed job.
    pub(super) fn placements_csv(&self) -> Result<String, CliError> {
        let money = |amount| self.scenario.money(amount).to_string();
        let rows = self.schedule.placed().flat_map(|(job, window)| {
            window.placements().iter().map(move |placement| {
                [
                    job.to_string(),
                    placement.node.to_string(),
                    placement.speed.to_string(),
                    money(placement.price.get()),
                    window.start().to_string(),
                    placement.end.to_string(),
                    money(placement.cost.get()),
                ]
            })
        });
        files::csv(&["job", "node", "speed", "price", "start", "end", "cost"], rows)
    }

    /// Renders the front as a table: every n-th point, the last point, and the choice, which may not be on the front
    /// if the maximum income is chosen.
    pub(super) fn front_text(&self, points: &[Point]) -> String {
        let chosen = self.chosen();
        let mut shown = points.to_vec();
        if !points.contains(&chosen) {
            shown.insert(points.partition_point(|point| point.cost < chosen.cost), chosen);
        }
        let step = points.len().div_ceil(ROWS).max(1);
        let rows = shown.iter().enumerate().filter_map(|(at, point)| {
            let mark = if *point == chosen { "chosen" } else { "" };
            let (cost, time) = self.shown(point);
            (at % step == 0 || at + 1 == shown.len() || *point == chosen)
                .then(|| [number(cost), number(time), mark.to_owned()])
        });
        let table = Columns::with(&["sum of costs", "sum of runtimes", ""], rows).render();
        format!("\nfront: {}\n{table}", counted(points.len(), "undominated combination"))
    }

    /// Formats the front with the choice as a table and as a chart.
    pub(super) fn front_files(&self, points: &[Point]) -> Result<[String; 2], CliError> {
        let rows = points.iter().map(|point| {
            let (cost, time) = self.shown(point);
            [cost.to_string(), time.to_string(), u8::from(*point == self.chosen()).to_string()]
        });
        let csv = files::csv(&["cost", "runtime", "chosen"], rows)?;
        let chart =
            Chart::new(format!("{} · {}", self.search, self.choice), "sum of costs", "sum of runtimes")
                .with_joined(false)
                .with_series("undominated", points.iter().map(|point| self.shown(point)))
                .with_series("chosen", [self.shown(&self.chosen())]);
        Ok([csv, charts::svg(&chart)?])
    }

    /// Returns the front for a page.
    pub(super) fn front_json(&self) -> Option<Value> {
        let points: Vec<(f64, f64)> = self.front.as_ref()?.iter().map(|point| self.shown(point)).collect();
        Some(json!({"points": points, "chosen": self.shown(&self.chosen())}))
    }
}

/// Maximum number of rows of the table, without the last point and the choice.
const ROWS: usize = 20;

fn limits_of(scenario: &Scenario, job: &Job) -> String {
    let money = |units: f64| number(scenario.money(units));
    let price = job.request.price_limit.map(|price| format!("price {}", money(price.get())));
    let budget = job.request.budget.map(|budget| format!("budget {}", money(budget.get())));
    let deadline = job.request.deadline.map(|deadline| format!("by {}", number(deadline.get())));
    let set: Vec<String> = [price, budget, deadline].into_iter().flatten().collect();
    set.join(", ")
}
