//! The backward-run recurrence on real values: the readable reference.
//!
//! Source: V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov: Resource Selection Algorithms for Economic
//! Scheduling in Distributed Systems, 2011, equation 1: `f_i(Z_i) = extr { g_i(s_i) + f_{i+1}(Z_i - z_i(s_i)) }`, from
//! the last job to the first.
//!
//! Deviations: f_i is not tabulated on a grid of Z but kept as the list of its steps, so nothing is rounded; the
//! boundary values f(0) that the paper names only mark states as infeasible, and infeasible states never arise here.

use crate::{Alternatives, BatchError, Chooser, Decision, Problem, Scratch};
use sched_model::Outcome;

/// Equation 1 with a list of undominated states for each job.
///
/// Prefer [`GrowingCore`](crate::GrowingCore): it gives an equally good answer in a fraction of the time. This one
/// is short enough to be read and serves as its oracle.
///
/// With n jobs of k alternatives and at most s undominated states: O(n k s log(k s)) time, O(n s) space; s may grow as
/// k^n. Exact up to the rounding of sums. Ties: the first state in the order of weight, objective, alternative.
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
        _: &mut Scratch,
    ) -> Result<Decision, BatchError> {
        let view = match problem.view(batch)? {
            Ok(view) => view,
            Err(decision) => return Ok(decision),
        };
        let lightest = view.lightest();
        let least = view.totals(&lightest).1;
        if least > view.limit {
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
        // From the least objective upwards until one fits: the sums above were formed from the last job on, those that
        // count from the first, and the two may differ in the last bit.
        let first = &steps[steps.len() - 1];
        for start in (0..first.len()).rev() {
            let mut picks = Vec::with_capacity(view.jobs());
            let mut at = start;
            for states in steps[1..].iter().rev() {
                picks.push(states[at].pick);
                at = states[at].next;
            }
            if view.totals(&picks).1 <= view.limit {
                return Ok(Decision::Chosen(Outcome::exact(batch.choice(picks))));
            }
        }
        Ok(Decision::Chosen(Outcome::exact(batch.choice(lightest))))
    }
}
