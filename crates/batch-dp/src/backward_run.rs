//! The backward-run recurrence on real values: a short reference algorithm.
//!
//! Source: V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov: Resource Selection Algorithms for
//! Economic Scheduling in Distributed Systems, 2011, equation 1:
//! `f_i(Z_i) = extr { g_i(s_i) + f_{i+1}(Z_i - z_i(s_i)) }`, from the last job to the first.
//!
//! Deviations: f_i is not tabulated on a grid of Z but kept as the list of its steps, so nothing is rounded. The
//! boundary values f(0) of the paper only mark infeasible states, and no infeasible state is formed here.

use crate::alternatives::View;
use crate::list::{STATE, Step, StepScales, keep_undominated};
use crate::number::{Amount, Grid, Number, with_sums};
use crate::{BatchError, ChoiceProblem, Chooser, Chosen, Coverage};
use sched_model::{End, Meter, Outcome};

/// The name in the registry.
pub(crate) const NAME: &str = "backward-run";

/// See [`ChooserKind::BackwardRun`](crate::ChooserKind::BackwardRun).
#[derive(Debug)]
pub(crate) struct BackwardRun;

/// A step of f_i: if at least `weight` is left for job i and the later jobs, they can reach `objective`.
#[derive(Clone, Copy)]
struct State<P, W> {
    weight: W,
    objective: P,
    /// The alternative of job i.
    pick: u32,
    /// The state of job i + 1.
    next: u32,
}

impl Chooser for BackwardRun {
    fn name(&self) -> &'static str {
        NAME
    }

    fn solve(&self, problem: &ChoiceProblem<'_>, meter: &mut Meter) -> Result<Chosen, BatchError> {
        let accounts = problem.checked()?;
        let start = problem.valid_start(&accounts);
        if !problem.accounts.is_empty() || problem.coverage != Coverage::EveryJob {
            let every_job = problem.coverage == Coverage::EveryJob;
            let second = if every_job { "accounts" } else { "jobs that may be left out" };
            return Err(BatchError::Together { first: NAME, second });
        }
        let keeps_limit = |view: &View<'_>| view.weight_of(view.lightest()) <= view.limit;
        let Some(view) = problem.view().filter(keeps_limit) else {
            return Ok(Outcome::infeasible(0).with_refusal(Some(problem.why_not())));
        };
        let before = meter.work();
        let (p, w) = (Grid::of(view.objective), Grid::of(view.weight));
        let scales = StepScales { p: p.scale(), w: w.scale() };
        let run =
            with_sums!(p.kind().max(w.kind()), N => meter.scratch(|meter| run::<N>(&view, scales, meter)));
        let (picks, end) = match run {
            Ok(picks) => (problem.alternatives.positions(&picks), End::Done),
            Err(end) => {
                let lightest: Vec<u32> = view.lightest().collect();
                let lightest = problem.choice(problem.alternatives.positions(&lightest));
                let start = start
                    .map(|start| problem.choice(start.to_vec()))
                    .filter(|start| view.sign * problem.value(start) < view.sign * problem.value(&lightest));
                (start.unwrap_or(lightest).picks, end)
            }
        };
        let mut outcome = problem.outcome(Some(picks), end, f64::NEG_INFINITY);
        outcome.work = meter.work() - before;
        Ok(outcome)
    }
}

/// Returns the alternatives of the best choice, as indices among those of all jobs. Some choice must keep the limit.
fn run<N: Amount>(view: &View<'_>, scales: StepScales, meter: &mut Meter) -> Result<Vec<u32>, End> {
    let step = |at: usize| {
        let (p, w) = view.at(at);
        Step { p: N::of(p, &scales.p), w: N::of(w, &scales.w), alt: at as u32 }
    };
    let steps_of = |job: usize| (view.offsets[job]..view.offsets[job + 1]).map(step).collect();
    let limit = N::most(view.limit, &scales.w);
    let picks = recurrence(view.jobs(), steps_of, limit, &scales.p, meter)?;
    Ok(picks.unwrap_or_default())
}

/// Runs the recurrence over jobs whose alternatives are given as steps. Returns the step index (`alt`) of each job in a
/// best choice of weight at most `limit`; `None` if there is no such choice. `scale` is that of the objective.
///
/// # Errors
/// The end, if the meter ends the recurrence. The caller releases the memory.
pub(crate) fn recurrence<P: Number, W: Amount>(
    jobs: usize,
    steps_of: impl Fn(usize) -> Vec<Step<P, W>>,
    limit: W,
    scale: &P::Scale,
    meter: &mut Meter,
) -> Result<Option<Vec<u32>>, End> {
    let lesser = |least: W, step: &Step<P, W>| if step.w < least { step.w } else { least };
    // The minimum weight of each job: a state must leave this much room for each job that is still to come.
    let lightest: Vec<W> = (0..jobs).map(|job| steps_of(job).iter().fold(W::TOP, lesser)).collect();
    let mut most = lightest.iter().fold(limit, |most, &least| most.minus(least));
    // lists[i]: ascending weight, descending objective. The list after the last job holds one state, with
    // both sums 0.
    let mut lists = vec![vec![State { weight: W::ZERO, objective: P::ZERO, pick: 0, next: 0 }]];
    for job in (0..jobs).rev() {
        most = most.plus(lightest[job]);
        let (later, steps) = (&lists[lists.len() - 1], steps_of(job));
        let count = later.len().saturating_mul(steps.len());
        meter.spend(STATE * count as u64)?;
        // Sorting needs memory for one more list of this length.
        meter.reserve(2 * (count as u64).saturating_mul(size_of::<State<P, W>>() as u64))?;
        let mut states: Vec<State<P, W>> = Vec::with_capacity(count);
        for step in steps {
            let with = (0..).zip(later).map(|(next, state)| State {
                weight: step.w.plus(state.weight),
                objective: step.p.plus(state.objective),
                pick: step.alt,
                next,
            });
            states.extend(with.filter(|state| state.weight <= most));
        }
        keep_undominated(&mut states, |state| (state.weight, state.objective));
        states.shrink_to_fit();
        lists.push(states);
    }
    // The last state has the minimum objective; the answer is the lightest state whose objective rounds to the same
    // double.
    let first = &lists[lists.len() - 1];
    let Some(best) = first.last() else { return Ok(None) };
    let tie = best.objective.tie(scale);
    let mut at = first.partition_point(|state| state.objective > tie);
    let mut picks = Vec::with_capacity(jobs);
    for states in lists[1..].iter().rev() {
        picks.push(states[at].pick);
        at = states[at].next as usize;
    }
    Ok(Some(picks))
}
