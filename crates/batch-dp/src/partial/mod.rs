//! The choice if jobs may be left out.

mod balance;
mod branch;
mod rank;
mod rows;
mod service;
use crate::kernel::{CoreScratch, Found};
use crate::{ChoiceProblem, Coverage};
use rank::by_rank;
pub(crate) use rows::{Needs, Rows};
use sched_model::{End, Meter};

/// Branches are tried after a search has done this much work; most searches end sooner.
const TRIAL: u64 = 100_000;

/// Buffers that are kept between calls. They carry no information from one call to the next.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) core: CoreScratch,
    pub(crate) rows: Rows,
}

/// The alternative of each job, by position, and the proof.
pub(crate) struct Answer {
    pub(crate) picks: Vec<Option<usize>>,
    pub(crate) found: Found,
}

/// The best choice if jobs may be left out, starting from a choice that keeps all limits; `None` if there is none.
pub(crate) fn select(
    problem: &ChoiceProblem<'_>,
    start: Option<&[Option<usize>]>,
    Scratch { core, rows }: &mut Scratch,
    meter: &mut Meter,
) -> Result<Option<Answer>, End> {
    if !matches!(problem.coverage, Coverage::Penalties(_)) {
        return by_rank(problem, start, (core, rows), meter);
    }
    // Leaving out is one more alternative of each job.
    rows.fill(problem, |_| Needs::NOTHING);
    if !rows.can_be_chosen() {
        return Ok(None);
    }
    let start = start.and_then(|start| rows.entries(problem.alternatives, start));
    let best = rows.best_by_objective(start.as_deref(), core, meter)?;
    Ok(best.map(|(picks, found)| Answer { picks: rows.positions(problem.alternatives, &picks), found }))
}
