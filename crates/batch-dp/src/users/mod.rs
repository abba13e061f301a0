//! Accounts, whose budgets stand beside the limit of the goal.

mod entries;
mod join;

use crate::partial::{Answer, Needs, Scratch, with_finite_penalties};
use crate::{ChoiceProblem, Chosen, Coverage};
use entries::Entries;
use join::Stop;
use sched_model::Meter;

/// The account of each job, and the budget of each account; the first has no limit.
#[derive(Debug)]
pub(crate) struct Accounts {
    /// Position in `budgets`.
    pub(crate) of_job: Vec<usize>,
    pub(crate) budgets: Vec<f64>,
}

/// The best choice from a choice that keeps all limits.
pub(crate) fn choose(
    problem: &ChoiceProblem<'_>,
    start: Option<&[Option<usize>]>,
    accounts: &Accounts,
    scratch: &mut Scratch,
    meter: &mut Meter,
) -> Chosen {
    with_finite_penalties(problem, |problem| match answer(problem, start, accounts, scratch, meter) {
        Ok(Answer { picks, found }) => problem.found(picks, found),
        Err(Stop::Refused(refusal)) => problem.refused(refusal, 0),
        // Stopped before it had another choice than the earlier one.
        Err(Stop::Limit(end)) => problem.stopped(start.map(<[_]>::to_vec), None, (0, end)),
    })
}

fn answer(
    problem: &ChoiceProblem<'_>,
    start: Option<&[Option<usize>]>,
    accounts: &Accounts,
    Scratch { core, rows }: &mut Scratch,
    meter: &mut Meter,
) -> Result<Answer, Stop> {
    let (batch, cost_is_limited) = (problem.alternatives, problem.goal.limits_cost());
    if problem.coverage == Coverage::EveryJob {
        let known = start.and_then(|start| batch.entries(start));
        let (view, costs) = (problem.view().map_err(Stop::Refused)?, &batch.cost);
        let entries = Entries { accounts, view, lost: &[], costs, cost_is_limited, known: known.as_deref() };
        let (picks, found) = entries.choose(true, core, meter)?;
        return Ok(Answer { picks: batch.positions(&picks), found });
    }
    rows.fill(problem, |_| Needs::NOTHING);
    let known = start.and_then(|start| rows.entries(batch, start));
    let (view, lost, costs) = (rows.view(), rows.lost(), &rows.costs(batch));
    let entries = Entries { accounts, view, lost, costs, cost_is_limited, known: known.as_deref() };
    let by_objective = matches!(problem.coverage, Coverage::Penalties(_));
    let (picks, found) = entries.choose(by_objective, core, meter)?;
    Ok(Answer { picks: rows.positions(batch, &picks), found })
}
