//! The backward-run recurrence on real values: the readable reference.
//!
//! Source: V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov: Resource Selection Algorithms for Economic
//! Scheduling in Distributed Systems, 2011, equation 1: `f_i(Z_i) = extr { g_i(s_i) + f_{i+1}(Z_i - z_i(s_i)) }`, from
//! the last job to the first.
//!
//! Deviations: f_i is not tabulated on a grid of Z but kept as the list of its steps, so nothing is rounded; the
//! boundary values f(0) that the paper names only mark states as infeasible, and infeasible states never arise here.

use crate::forward;
use crate::problem::View;
use crate::{Alternatives, BatchError, Choice, Chooser, Decision, Problem, Scratch};
use sched_model::Proven as Outcome;

/// Equation 1 with a list of undominated states for each job.
///
/// Prefer [`GrowingCore`](crate::GrowingCore): it gives an equally good answer in a fraction of the time. This one
/// is short enough to be read and serves as its oracle.
///
/// With n jobs of k alternatives and at most s undominated states: O(n k s log(k s)) time, O(n s) space; s may grow as
/// k^n. Exact up to the rounding of sums; where rounding decides whether a
/// choice keeps the limit, a second run in the order of the sums that count settles it. Ties: of equal objectives the least
/// weight, then the lowest alternative of the first job, of the second, and so on.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct BackwardRun;

/// A step of f_i: with `weight` left for jobs i.., the objective `objective` is within reach.
struct State {
    weight: f64,
    objective: f64,
    /// Which alternative of job i.
    pick: usize,
    /// Which state of job i + 1.
    next: usize,
}

impl Chooser for BackwardRun {
    fn choose(
        &self,
        batch: &Alternatives,
        problem: Problem,
        scratch: &mut Scratch,
    ) -> Result<Decision, BatchError> {
        let view = match problem.view(batch)? {
            Ok(view) => view,
            Err(decision) => return Ok(decision),
        };
        let incumbent = &mut scratch.core.incumbent;
        incumbent.reset();
        if !incumbent.offer(&view, view.lightest()) {
            let least = view.lightest().map(|index| view.weight[index as usize]).sum();
            return Ok(Decision::OutOfReach { least, limit: view.limit });
        }
        // steps[i]: ascending weight, descending objective. The state behind the last job is "nothing left to do".
        let mut steps: Vec<Vec<State>> = vec![vec![State { weight: 0.0, objective: 0.0, pick: 0, next: 0 }]];
        for job in (0..view.jobs()).rev() {
            let later = &steps[steps.len() - 1];
            let mut states: Vec<State> = Vec::with_capacity(later.len());
            for (pick, (objective, weight)) in view.job(job).enumerate() {
                states.extend(later.iter().enumerate().map(|(next, state)| State {
                    weight: weight + state.weight,
                    objective: objective + state.objective,
                    pick,
                    next,
                }));
            }
            states.sort_by(|a, b| a.weight.total_cmp(&b.weight).then(a.objective.total_cmp(&b.objective)));
            let mut best = f64::INFINITY;
            states.retain(|state| {
                let undominated = state.objective < best;
                best = best.min(state.objective);
                undominated
            });
            steps.push(states);
        }
        // The sums above were formed from the last job on, those that count from the first, and the two may differ in the
        // last bits. Where that decides about the limit, a state that does not fit may have displaced one that does.
        let doubt = 4.0 * f64::EPSILON * (view.jobs() as f64 + 4.0) * (magnitude(&view) + view.limit.abs());
        let first = &steps[steps.len() - 1];
        let end = first.partition_point(|state| state.weight <= view.limit + doubt);
        let Some(mut at) = end.checked_sub(1) else {
            return Ok(Decision::Chosen(forward::exact(batch, &view, &mut scratch.core)));
        };
        let mut picks = Vec::with_capacity(view.jobs());
        for states in steps[1..].iter().rev() {
            picks.push(states[at].pick);
            at = states[at].next;
        }
        let choice = batch.choice(picks);
        let fits = choice_weight(problem, &choice) <= view.limit;
        Ok(Decision::Chosen(if fits {
            Outcome::exact(choice)
        } else {
            forward::exact(batch, &view, &mut scratch.core)
        }))
    }
}

/// The criterion that the problem limits.
fn choice_weight(problem: Problem, choice: &Choice) -> f64 {
    match problem {
        Problem::MinTime { .. } => choice.cost,
        Problem::MinCost { .. } | Problem::MaxIncome { .. } => choice.time,
    }
}

/// The largest sum of absolute weights.
fn magnitude(view: &View<'_>) -> f64 {
    let largest = |row: &[usize]| view.weight[row[0]..row[1]].iter().fold(0.0, |most, w| w.abs().max(most));
    view.offsets.windows(2).map(largest).sum()
}
