//! The best of all plans of a tiny instance, by enumeration over whole starts and all sets of nodes.

use super::drawn::Instance;
use joint_plan::Goal;
use sched_model::check::{Checker, Holding, Rules};
use sched_model::*;

/// Objective and use of the limit of a window.
pub(crate) fn terms(goal: Goal, window: &Window) -> (f64, f64) {
    let (cost, runtime, finish) = (window.cost().get(), window.runtime().get(), window.finish().get());
    match goal {
        Goal::MinTime { .. } => (runtime, cost),
        Goal::MinFinish { .. } => (finish, cost),
        Goal::MinCost { .. } => (cost, runtime),
        Goal::MaxIncome { .. } => (-cost, runtime),
        _ => unreachable!("goals of this test"),
    }
}

pub(crate) fn limit_of(goal: Goal) -> f64 {
    match goal {
        Goal::MinTime { budget } | Goal::MinFinish { budget } => budget.unwrap_or(f64::INFINITY),
        Goal::MinCost { time_limit } | Goal::MaxIncome { time_limit } => time_limit.unwrap_or(f64::INFINITY),
        _ => unreachable!("goals of this test"),
    }
}

/// What is asked beside the goal.
pub(crate) struct Asked {
    pub(crate) rules: Rules,
    /// Budgets of users 0 and 1.
    pub(crate) budgets: [f64; 2],
    pub(crate) makespan_first: bool,
    pub(crate) demands: Vec<(JobId, Demands)>,
}

impl Asked {
    pub(crate) fn plainly() -> Self {
        let (rules, budgets) = (Rules::per_window(1.0), [f64::INFINITY; 2]);
        Self { rules, budgets, makespan_first: false, demands: Vec::new() }
    }

    pub(crate) fn checker(&self, slots: &SlotList) -> Checker {
        Checker::new(slots, self.rules).with_demands(self.demands.iter().cloned())
    }

    /// The windows of a job that start at whole instants.
    pub(crate) fn windows(&self, slots: &SlotList, job: &Job) -> Vec<Window> {
        let (all, checker) = (slots.iter().collect::<Vec<_>>(), self.checker(slots));
        let demands =
            self.demands.iter().find(|of| of.0 == job.id).map(|of| of.1.clone()).unwrap_or_default();
        let own = |slot: &Slot| {
            demands.spans().on(slot.node()).unwrap_or_else(|| job.request.span_on(slot.speed()))
        };
        let mut windows = Vec::new();
        for start in (0..14).map(|start| Time::must(f64::from(start))) {
            for set in (0_u32..1 << all.len()).filter(|set| set.count_ones() as usize == job.request.nodes())
            {
                let chosen = || all.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1).map(|of| *of.1);
                let longest = chosen().map(own).max().unwrap_or(Span::ZERO);
                let square = self.rules.holding == Holding::SlowestSpan;
                let place = |slot| Placement::on(slot, start, if square { longest } else { own(slot) });
                let window = Window::new(start, chosen().map(place).collect()).ok();
                windows.extend(window.filter(|window| checker.job(window, job).is_empty()));
            }
        }
        windows
    }
}

/// The most jobs, then the least makespan where it is asked for, then the least objective, over all plans.
pub(crate) fn best_as(instance: &Instance, asked: &Asked) -> (usize, f64, f64) {
    let bests = bests_as(instance, asked);
    let most = bests.iter().rposition(Option::is_some);
    most.and_then(|most| bests[most].map(|best| (most, best.0, best.1))).unwrap_or((0, 0.0, 0.0))
}

/// For each number of jobs placed the least makespan where it is asked for, then the least objective, over
/// all plans.
pub(crate) fn bests_as(instance: &Instance, asked: &Asked) -> Vec<Option<(f64, f64)>> {
    let Instance { slots, batch, goal } = instance;
    let windows: Vec<(UserId, Vec<Window>)> =
        batch.iter().map(|job| (job.user, asked.windows(slots, job))).collect();
    fn go<'a>(
        windows: &'a [(UserId, Vec<Window>)],
        (goal, asked): (Goal, &Asked),
        chosen: &mut Vec<(UserId, &'a Window)>,
        bests: &mut [Option<(f64, f64)>],
    ) {
        let Some(((user, first), rest)) = windows.split_first() else {
            let sum =
                |of: &dyn Fn(&Window) -> f64| -> f64 { chosen.iter().map(|(_, window)| of(window)).sum() };
            let spent = |user: u32| -> f64 {
                let own = chosen.iter().filter(|(other, _)| *other == UserId(user));
                own.map(|(_, window)| window.cost().get()).sum()
            };
            let last = chosen.iter().map(|(_, window)| window.finish().get()).fold(0.0, f64::max);
            let makespan = if asked.makespan_first { last } else { 0.0 };
            let objective = sum(&|window| terms(goal, window).0);
            let keeps = sum(&|window| terms(goal, window).1) <= limit_of(goal) + 1e-9
                && (0..2).all(|user| spent(user) <= asked.budgets[user as usize] + 1e-9);
            let best = &mut bests[chosen.len()];
            let better =
                best.is_none_or(|best| makespan < best.0 || makespan == best.0 && objective < best.1 - 1e-9);
            if keeps && better {
                *best = Some((makespan, objective));
            }
            return;
        };
        go(rest, (goal, asked), chosen, bests);
        for window in first {
            if chosen.iter().all(|(_, other)| !other.overlaps(window)) {
                chosen.push((*user, window));
                go(rest, (goal, asked), chosen, bests);
                chosen.pop();
            }
        }
    }
    let mut bests = vec![None; batch.len() + 1];
    go(&windows, (*goal, asked), &mut Vec::new(), &mut bests);
    bests
}

/// The most jobs, then the least objective, over all plans.
pub(crate) fn best(instance: &Instance) -> (usize, f64) {
    let (most, _, least) = best_as(instance, &Asked::plainly());
    (most, least)
}
