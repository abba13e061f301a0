//! Phase 2: the choice of one alternative for each job.
//!
//! The promised window of a job is an alternative like the others, without tax; the tax is added to every other window
//! of the job. So an exact choice keeps a promise unless another window gains more than the tax. A promise is never
//! left out: if the choice is stopped, or cannot keep its limit, promises stay as they are.

use super::find::Found;
use super::meter::{CycleMeter, check_continues};
use super::{Query, WindowRequest};
use crate::config::Prefer;
use batch_dp::{
    Alternatives, BatchError, ChoiceProblem, Chooser, Coverage, ExpandingCore, Goal, with_derived_limit,
};
use sched_model::internal::{affordable, exact_sum};
use sched_model::{End, JobWindows, Meter, Window};
use std::collections::BTreeSet;

/// The result of a choice.
pub(super) struct Chosen {
    /// The position of the chosen alternative of each request, among those found; `None` for a job that keeps its
    /// promise or stays without one.
    pub(super) picks: Vec<Option<usize>>,
    /// The end that stopped the choice, if any.
    pub(super) ended: Option<End>,
}

/// Chooses one alternative for each request, within the limit of the cycle.
pub(super) fn choose(query: &Query<'_>, found: &Found, cycle: &mut CycleMeter<'_>) -> Chosen {
    let windows = &found.windows;
    let Some(goal) = query.state.config.goal else {
        let best = windows.iter().enumerate().map(|(at, of)| minimum_time(query, at, &of.windows));
        return Chosen { picks: best.collect(), ended: None };
    };
    let rows = Rows::of(query, windows, goal);
    if let Err(end) = check_continues(Some(found.end)).and_then(|()| cycle.begin()) {
        return Chosen { picks: rows.first_fit(), ended: Some(end) };
    }
    let mut meter = cycle.left();
    let picks = preferred(query, windows, goal, &mut meter).or_else(|| rows.select(&mut meter));
    cycle.spend(meter.work());
    let ended = meter.ended().map(|end| cycle.end(end));
    Chosen { picks: picks.unwrap_or_else(|| rows.first_fit()), ended }
}

/// Chooses by the preference of the configuration. `None` if there is no preference, if the choice fails or is stopped
/// without a result, or if it serves no job.
fn preferred(
    query: &Query<'_>,
    windows: &[JobWindows],
    goal: Goal,
    meter: &mut Meter,
) -> Option<Vec<Option<usize>>> {
    let prefer = query.state.config.preference()?;
    let jobs = windows.len() as f64 + 1.0;
    let mut planner = prefer.planner(goal).ok()?.with_derived_limit();
    // A vector requires that all jobs are served.
    if !matches!(prefer, Prefer::Vector(_)) {
        let ranks =
            query.requests.iter().map(|request| if request.record.lost.is_some() { jobs } else { 1.0 });
        planner = planner.with_coverage(Coverage::MostWeight(ranks.collect()));
    }
    let schedule = planner.plan_within(windows, meter).ok()?.schedule;
    schedule.placed().next()?;
    let position = |JobWindows { job, windows, .. }: &JobWindows| {
        let place = schedule.place_of(*job)?;
        windows.iter().position(|window| window == place)
    };
    Some(windows.iter().map(position).collect())
}

/// If more promises are moved than `allowed`, removes the alternatives of the promised jobs, except of the `allowed`
/// moved ones that gain most (the first of equal ones). Returns whether anything changed.
pub(super) fn keep_best_moves(
    query: &Query<'_>,
    found: &mut Found,
    picks: &[Option<usize>],
    allowed: usize,
) -> bool {
    let moved = query.requests.iter().zip(picks).zip(&found.windows).enumerate().filter_map(|(at, found)| {
        let ((request, pick), windows) = found;
        Some((query.gain_above(request.present?, windows.windows.get((*pick)?)?, 0.0), at))
    });
    let mut moved: Vec<(f64, usize)> = moved.collect();
    if moved.len() <= allowed {
        return false;
    }
    // The sort is stable.
    moved.sort_by(|a, b| b.0.total_cmp(&a.0));
    let kept: BTreeSet<usize> = moved.iter().take(allowed).map(|(_, at)| *at).collect();
    for (at, (request, windows)) in query.requests.iter().zip(&mut found.windows).enumerate() {
        if request.present.is_some() && !kept.contains(&at) {
            windows.windows.clear();
        }
    }
    true
}

/// Chooses the alternative of minimum time; in place of a present window only if it gains more than the tax.
fn minimum_time(query: &Query<'_>, at: usize, windows: &[Window]) -> Option<usize> {
    let times = windows.iter().map(|window| query.time_of(window)).enumerate();
    let (best, _) = times.min_by(|a, b| a.1.total_cmp(&b.1))?;
    let gains =
        |present: &Window| query.gain_above(present, &windows[best], query.state.config.stability.tax) > 0.0;
    query.requests[at].present.is_none_or(gains).then_some(best)
}

/// A request with its alternatives, the present window first.
struct Row<'a> {
    /// Position among the requests.
    at: usize,
    request: &'a WindowRequest<'a>,
    windows: Vec<&'a Window>,
}

/// The requests that have alternatives.
struct Rows<'a> {
    query: &'a Query<'a>,
    goal: Goal,
    rows: Vec<Row<'a>>,
}

impl<'a> Rows<'a> {
    /// Creates the rows of the requests that have alternatives.
    fn of(query: &'a Query<'a>, found: &'a [JobWindows], goal: Goal) -> Self {
        let rows = query.requests.iter().zip(found).enumerate().map(|(at, (request, found))| {
            let windows = request.present.into_iter().chain(&found.windows).collect();
            Row { at, request, windows }
        });
        Self { query, goal, rows: rows.filter(|row| !row.windows.is_empty()).collect() }
    }

    /// The amount of the limited quantity that a window uses.
    fn weight(&self, window: &Window) -> f64 {
        if self.goal.limits_cost() { window.cost().get() } else { self.query.time_of(window) }
    }

    /// The windows as (cost, time) pairs, with `tax` on the windows of promised jobs other than the present ones.
    fn alternatives(&self, tax: f64) -> Result<Alternatives, BatchError> {
        let tax = if self.query.maximises() { -tax } else { tax };
        let of_row = |row: &Row<'_>| -> Vec<(f64, f64)> {
            let of_window = |(at, window): (usize, &&Window)| {
                let (cost, time) = (window.cost().get(), self.query.time_of(window));
                let tax = if row.request.present.is_some() && at > 0 { tax } else { 0.0 };
                if self.goal.limits_cost() { (cost, time + tax) } else { (cost + tax, time) }
            };
            row.windows.iter().enumerate().map(of_window).collect()
        };
        Alternatives::new(&self.rows.iter().map(of_row).collect::<Vec<_>>())
    }

    /// The weights of the promises.
    fn promised(&self) -> impl Iterator<Item = f64> {
        self.rows.iter().filter_map(|row| row.request.present).map(|window| self.weight(window))
    }

    /// The limit of a goal, raised if the promises alone exceed it.
    fn limit(&self, goal: Goal) -> f64 {
        goal.limit().map_or(f64::INFINITY, |limit| limit.max(exact_sum(self.promised())))
    }

    /// Finds the best choice by the goal; `None` if there is none before the meter stops, or if it would leave a
    /// promise out.
    fn select(&self, meter: &mut Meter) -> Option<Vec<Option<usize>>> {
        let untaxed = self.alternatives(0.0).ok()?;
        let goal = with_derived_limit(self.goal, &untaxed, meter).ok()?;
        let limit = self.limit(goal);
        let jobs = self.rows.len() as f64 + 1.0;
        let ranks = self.rows.iter().map(|Row { request, .. }| match request.present {
            Some(_) => jobs * jobs,
            None if request.record.lost.is_some() => jobs,
            None => 1.0,
        });
        let batch = self.alternatives(self.query.state.config.stability.tax).ok()?;
        let problem = ChoiceProblem::new(&batch, goal.with_limit(Some(limit)))
            .with_coverage(Coverage::MostWeight(ranks.collect()));
        let mut picks = ExpandingCore.solve(&problem, meter).ok()?.best?.picks;
        if self.rows.iter().zip(&picks).any(|(row, pick)| row.request.present.is_some() && pick.is_none()) {
            return None;
        }
        self.undo_idle_moves(&mut picks, limit);
        Some(self.positions(&picks))
    }

    /// Undoes moves that gain no more than the tax, if the limit permits it: at equal value a promise stays.
    fn undo_idle_moves(&self, picks: &mut [Option<usize>], limit: f64) {
        let tax = self.query.state.config.stability.tax;
        for (at, row) in self.rows.iter().enumerate() {
            let (Some(pick), Some(present)) = (picks[at], row.request.present) else { continue };
            if pick > 0 && self.query.gain_above(present, row.windows[pick], tax) <= 0.0 {
                picks[at] = Some(0);
                let chosen = self.rows.iter().zip(&*picks);
                if !affordable(
                    chosen.filter_map(|(row, pick)| Some(self.weight(row.windows[(*pick)?]))),
                    limit,
                ) {
                    picks[at] = Some(pick);
                }
            }
        }
    }

    /// Converts positions in the rows to positions among the alternatives found.
    fn positions(&self, picks: &[Option<usize>]) -> Vec<Option<usize>> {
        let mut positions = vec![None; self.query.requests.len()];
        for (pick, row) in picks.iter().zip(&self.rows) {
            positions[row.at] =
                pick.and_then(|pick| pick.checked_sub(usize::from(row.request.present.is_some())));
        }
        positions
    }

    /// The choice that replaces a stopped one: promises stay, and each other job in turn gets the first window found
    /// for it, if the limit of the goal permits it.
    fn first_fit(&self) -> Vec<Option<usize>> {
        let limit = self.limit(self.goal);
        let mut used: Vec<f64> = self.promised().collect();
        let picks = self.rows.iter().map(|row| {
            if row.request.present.is_none() {
                used.push(self.weight(row.windows[0]));
                if !affordable(used.iter().copied(), limit) {
                    used.pop();
                    return None;
                }
            }
            Some(0)
        });
        let picks: Vec<_> = picks.collect();
        self.positions(&picks)
    }
}
