//! The choices of a cycle: phase 2, one alternative for each job; phase 0, promises moved before they are late.
//!
//! The window promised is an alternative like the others, at no tax; every other window of a promised job
//! pays the tax. So an exact choice keeps a promise unless another window gains more than the tax. A promise
//! is never left out: where the choice is stopped, or cannot keep to its limit, promises stay as they are.

use super::find::{CycleMeter, Found, Rule, Step, search};
use super::{CycleNote, Query, Rescue};
use batch_dp::{
    Alternatives, BatchError, ChoiceProblem, Chooser, Coverage, ExpandingCore, Goal, with_derived_limit,
};
use sched_model::internal::exact_sum;
use sched_model::{End, JobWindows, Meter, SlotList, Window, affordable};
use slot_window::{Objective, Optimal};
use std::collections::BTreeSet;

/// A choice.
pub(super) struct Chosen {
    /// The position of the alternative of each ask, among those found; `None` for one that stays as it is,
    /// promised or not.
    pub(super) picks: Vec<Option<usize>>,
    /// What stopped it, if anything did.
    pub(super) ended: Option<End>,
}

pub(super) fn choose(query: &Query<'_>, found: &Found, cycle: &mut CycleMeter<'_>) -> Chosen {
    let windows = &found.windows;
    let Some(goal) = query.state.config.goal else {
        let best = windows.iter().enumerate().map(|(at, of)| least_time(query, at, &of.windows));
        return Chosen { picks: best.collect(), ended: None };
    };
    let rows = Rows::of(query, windows, goal);
    if found.end != End::Done {
        return Chosen { picks: rows.first_fit(goal), ended: None };
    }
    cycle.steps += 1;
    let mut meter = cycle.left().meter();
    let picks = preferred(query, windows, goal, &mut meter);
    let picks = picks.or_else(|| rows.select(query, goal, &mut meter).ok().flatten());
    let picks = picks.unwrap_or_else(|| rows.first_fit(goal));
    cycle.spend(meter.work());
    Chosen { picks, ended: meter.ended() }
}

/// The choice by the preference of the configuration. `None` if there is no preference, if the choice was
/// stopped, or if it serves no job.
fn preferred(
    query: &Query<'_>,
    windows: &[JobWindows],
    goal: Goal,
    meter: &mut Meter,
) -> Option<Vec<Option<usize>>> {
    let prefer = query.state.config.preference()?;
    let jobs = windows.len() as f64 + 1.0;
    let mut planner = prefer.planner(goal).ok()?.with_derived_limit();
    if !prefer.serves_all() {
        let ranks = query.asks.iter().map(|ask| if ask.record.lost.is_some() { jobs } else { 1.0 });
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

/// Where more promises are moved than are allowed: the allowed number of jobs that gain most (of equal ones
/// the first) keep their other windows, the rest lose them. Returns whether anything changed.
pub(super) fn keep_best_moves(
    query: &Query<'_>,
    found: &mut Found,
    picks: &[Option<usize>],
    allowed: usize,
) -> bool {
    let moved = query.asks.iter().zip(picks).zip(&found.windows).enumerate().filter_map(|(at, found)| {
        let ((ask, pick), windows) = found;
        Some((query.gain_above(ask.present?, windows.windows.get((*pick)?)?, 0.0), at))
    });
    let mut moved: Vec<(f64, usize)> = moved.collect();
    if moved.len() <= allowed {
        return false;
    }
    // The sort keeps equal ones in order.
    moved.sort_by(|a, b| b.0.total_cmp(&a.0));
    let kept: BTreeSet<usize> = moved.iter().take(allowed).map(|(_, at)| *at).collect();
    for (at, (ask, windows)) in query.asks.iter().zip(&mut found.windows).enumerate() {
        if ask.present.is_some() && !kept.contains(&at) {
            windows.windows.clear();
        }
    }
    true
}

/// The alternative of least time, where that is less than the present one's by more than the tax.
fn least_time(query: &Query<'_>, at: usize, windows: &[Window]) -> Option<usize> {
    let times = windows.iter().map(|window| query.time_of(window)).enumerate();
    let (best, _) = times.min_by(|a, b| a.1.total_cmp(&b.1))?;
    let gains =
        |present: &Window| query.gain_above(present, &windows[best], query.state.config.stability.tax) > 0.0;
    query.asks[at].present.is_none_or(gains).then_some(best)
}

/// The alternatives of all asks that have any, the present window first.
struct Rows {
    /// Position among the asks, and whether a present window stands first.
    asks: Vec<(usize, bool)>,
    /// (objective, weight) of each alternative, without tax.
    values: Vec<Vec<(f64, f64)>>,
    count: usize,
    urgent: Vec<bool>,
    maximise: bool,
    time_is_objective: bool,
    tax: f64,
}

impl Rows {
    fn of(query: &Query<'_>, found: &[JobWindows], goal: Goal) -> Self {
        let time_is_objective = goal.limits_cost();
        let mut rows = Self {
            asks: Vec::new(),
            values: Vec::new(),
            count: found.len(),
            urgent: Vec::new(),
            maximise: query.maximises(),
            time_is_objective,
            tax: query.state.config.stability.tax,
        };
        let value = |window: &Window| {
            let (cost, time) = (window.cost().get(), query.time_of(window));
            if time_is_objective { (time, cost) } else { (cost, time) }
        };
        for (at, (ask, JobWindows { windows, .. })) in query.asks.iter().zip(found).enumerate() {
            if ask.present.is_some() || !windows.is_empty() {
                rows.asks.push((at, ask.present.is_some()));
                rows.urgent.push(ask.record.lost.is_some());
                rows.values.push(ask.present.into_iter().chain(windows).map(value).collect());
            }
        }
        rows
    }

    /// As (cost, time) pairs; with the tax on all but present windows, or without.
    fn alternatives(&self, tax: f64) -> Result<Alternatives, BatchError> {
        let mut batch = Alternatives::default();
        let tax = if self.maximise { -tax } else { tax };
        for (values, (_, promised)) in self.values.iter().zip(&self.asks) {
            batch.push_job(values.iter().enumerate().map(|(at, &(objective, weight))| {
                let objective = if *promised && at > 0 { objective + tax } else { objective };
                if self.time_is_objective { (weight, objective) } else { (objective, weight) }
            }))?;
        }
        Ok(batch)
    }

    /// The sum of the weights of the promises.
    fn promised_weight(&self) -> f64 {
        let promised = self.values.iter().zip(&self.asks).filter(|(_, (_, promised))| *promised);
        exact_sum(promised.map(|(values, _)| values[0].1))
    }

    fn select(
        &self,
        query: &Query<'_>,
        goal: Goal,
        meter: &mut Meter,
    ) -> Result<Option<Vec<Option<usize>>>, BatchError> {
        let goal = with_derived_limit(goal, &self.alternatives(0.0)?, &ExpandingCore, meter)?;
        // What is promised always keeps to the limit.
        let limit = goal.limit().unwrap_or(f64::INFINITY).max(self.promised_weight());
        let jobs = self.asks.len() as f64 + 1.0;
        let ranks =
            self.asks.iter().zip(&self.urgent).map(|((_, promised), urgent)| match (promised, urgent) {
                (true, _) => jobs * jobs,
                (false, true) => jobs,
                (false, false) => 1.0,
            });
        let batch = self.alternatives(query.state.config.stability.tax)?;
        let problem = ChoiceProblem::new(&batch, goal.with_limit(Some(limit)))
            .with_coverage(Coverage::MostWeight(ranks.collect()));
        let Some(choice) = ExpandingCore.solve(&problem, meter)?.best else { return Ok(None) };
        let mut picks = choice.picks;
        if picks.iter().zip(&self.asks).any(|(pick, (_, promised))| *promised && pick.is_none()) {
            return Ok(None);
        }
        self.undo_idle_moves(&mut picks, limit);
        Ok(Some(self.positions(&picks)))
    }

    /// Undoes moves that gain no more than the tax, where the limit allows it: at equal value a promise
    /// stays.
    fn undo_idle_moves(&self, picks: &mut [Option<usize>], limit: f64) {
        for at in 0..picks.len() {
            let (Some(pick), (_, true)) = (picks[at], self.asks[at]) else { continue };
            let (present, other) = (self.values[at][0].0, self.values[at][pick].0);
            let gain = if self.maximise {
                exact_sum([other, -present, -self.tax])
            } else {
                exact_sum([present, -other, -self.tax])
            };
            if pick > 0 && gain <= 0.0 {
                picks[at] = Some(0);
                let chosen =
                    picks.iter().zip(&self.values).filter_map(|(pick, values)| Some(values[(*pick)?].1));
                if !affordable(chosen, limit) {
                    picks[at] = Some(pick);
                }
            }
        }
    }

    /// From positions in the rows to positions among what was found.
    fn positions(&self, picks: &[Option<usize>]) -> Vec<Option<usize>> {
        let mut positions = vec![None; self.count];
        for (pick, &(ask, promised)) in picks.iter().zip(&self.asks) {
            positions[ask] = pick.and_then(|pick| pick.checked_sub(usize::from(promised)));
        }
        positions
    }

    /// The choice in place of one that was stopped: promises stay; each other job in turn gets the first
    /// window found for it, where the limit of the goal, if given, allows it.
    fn first_fit(&self, goal: Goal) -> Vec<Option<usize>> {
        let limit = goal.limit().map_or(f64::INFINITY, |limit| limit.max(self.promised_weight()));
        let mut used: Vec<f64> = Vec::new();
        let promised = self.values.iter().zip(&self.asks).filter(|(_, (_, promised))| *promised);
        used.extend(promised.map(|(values, _)| values[0].1));
        let mut picks = Vec::new();
        for (values, &(_, promised)) in self.values.iter().zip(&self.asks) {
            let weight = values[0].1;
            let fits = promised || affordable(used.iter().copied().chain([weight]), limit);
            if fits && !promised {
                used.push(weight);
            }
            picks.push(fits.then_some(0));
        }
        self.positions(&picks)
    }
}

/// Phase 0: promises that would be late, because a task on one of their nodes takes longer, are moved to windows in
/// time. Each such job gives its time up and gets the window of least start beside all other promises, if that starts
/// within the tolerance. So a job that could start in time elsewhere does not wait until its promise is lost.
///
/// Adds to the note which promises are moved and which cannot be. The new windows are cut out of the list.
///
/// # Errors
/// Why the search was stopped.
pub(super) fn rescue(
    query: &Query<'_>,
    list: &mut SlotList,
    note: &mut CycleNote,
    meter: &mut CycleMeter<'_>,
) -> Result<(), End> {
    let earliest = Optimal::new(Objective::Start).with_rules(query.search.rules());
    let rule = Rule { search: &earliest, least_gain: None };
    for (late, ask) in &query.late {
        meter.check()?;
        meter.steps += 1;
        match search(query, ask, rule, ask.from, list, meter) {
            Step::Window(window, stopped) => {
                note.rescued.push(Rescue { job: ask.record.job.id, window, late: *late });
                meter.check_after(stopped)?;
            }
            Step::Nothing { .. } | Step::Refused(_) => note.late.push(ask.record.job.id),
            Step::Stopped(end) => return Err(end),
        }
    }
    Ok(())
}
