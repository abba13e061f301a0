//! The choice of alternatives if jobs may be left out, and that which serves all ([`serve_all`]).

mod balance;
mod branch;
mod rank;
mod rows;
mod service;
use crate::alternatives::View;
use crate::kernel::{CoreScratch, Proof, solve_from};
use crate::{ChoiceProblem, Coverage};
use rank::by_rank;
pub(crate) use rows::{Restrictions, Rows};
use sched_model::{End, Meter};

/// The work of a search after which branches are tried; most searches end sooner.
const TRIAL: u64 = 100_000;

/// Buffers that are kept between calls. They carry no information from one call to the next.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) core: CoreScratch,
    pub(crate) rows: Rows,
}

/// The alternative of each job, by position, and its proof.
pub(crate) struct Answer {
    pub(crate) picks: Vec<Option<usize>>,
    pub(crate) proof: Proof,
}

/// Chooses one alternative of each job that has any; `None` if no choice keeps the limit. `start` is an earlier choice.
pub(crate) fn serve_all(
    problem: &ChoiceProblem<'_>,
    start: Option<&[Option<usize>]>,
    scratch: &mut CoreScratch,
    meter: &mut Meter,
) -> Result<Option<Answer>, End> {
    let batch = problem.alternatives;
    let jobs: Vec<usize> =
        (0..batch.jobs()).filter(|&job| batch.offsets[job] < batch.offsets[job + 1]).collect();
    let mut offsets: Vec<usize> = jobs.iter().map(|&job| batch.offsets[job]).collect();
    offsets.push(batch.len());
    let view = View { offsets: &offsets, ..problem.numbers() };
    let entry = |&job: &usize| Some((batch.offsets[job] + start?[job]?) as u32);
    let start: Option<Vec<u32>> = jobs.iter().map(entry).collect();
    let Some(proof) = solve_from(&view, start.as_deref(), scratch, meter)? else { return Ok(None) };
    let mut picks = vec![None; batch.jobs()];
    for (&job, &pick) in jobs.iter().zip(&scratch.incumbent.picks) {
        picks[job] = Some(pick as usize - batch.offsets[job]);
    }
    Ok(Some(Answer { picks, proof }))
}

/// Finds the best choice if jobs may be left out; `None` if no choice keeps the limit. `start`, if given, keeps all
/// limits.
pub(crate) fn select(
    problem: &ChoiceProblem<'_>,
    start: Option<&[Option<usize>]>,
    scratch: &mut Scratch,
    meter: &mut Meter,
) -> Result<Option<Answer>, End> {
    if !matches!(problem.coverage, Coverage::Penalties(_)) {
        return by_rank(problem, start, scratch, meter);
    }
    let Scratch { core, rows } = scratch;
    // Leaving a job out is one more alternative of the job.
    rows.fill(problem, |_| Restrictions::NONE);
    if !rows.can_be_chosen() {
        return Ok(None);
    }
    let start = start.and_then(|start| rows.entries(problem.alternatives, start));
    let best = rows.best_by_objective(start.as_deref(), core, meter)?;
    Ok(best.map(|(picks, proof)| Answer { picks: rows.positions(problem.alternatives, &picks), proof }))
}
