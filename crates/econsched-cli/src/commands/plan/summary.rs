//! A plan in a few lines: the jobs placed, their cost, and the result of the checker.

use super::planned::Plan;
use crate::input::scenario::Scenario;
use crate::output::terminal::{counted, number};
use econsched::sched_model::exact_sum;
use std::fmt::Write as _;

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
    if plan.choice.counts_finishes() && placed > 0 {
        let finishes = plan.schedule.placed().map(|(_, window)| window.finish().get());
        let _ =
            write!(line, ", mean finish {}", number_of_time(scenario, exact_sum(finishes) / placed as f64));
    }
    // An exact choice among the alternatives of a cycle proves nothing about a plan that has other windows.
    let _ = match (plan.beyond, plan.cycles()) {
        (None, _) if plan.was_cut_short() => {
            let best = if plan.chose_the_best() { "the best" } else { "a" };
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
    let mut text = format!("checker: {}", counted(plan.violations.len(), "violation"));
    for (job, violation) in &plan.violations {
        let _ = write!(text, "\n  job {job}: {violation}");
    }
    text
}

/// An instant as it is shown. Instants are counted from the origin of the chart's axis, so that those of a
/// log stay short.
pub(super) fn number_of_time(scenario: &Scenario, instant: f64) -> String {
    scenario.times.show(instant - scenario.axis.origin)
}
