//! The choice if jobs may be left out.

mod balance;
mod branch;
mod rank;
mod rows;
mod service;
use crate::alternatives::View;
use crate::kernel::{CoreScratch, Found};
use crate::{ChoiceProblem, Chosen, Coverage};
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

/// The best choice if jobs may be left out, starting from a choice that keeps all limits; `None` if there is none. No
/// penalty is infinite.
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
    let start = start.and_then(|start| rows.entries(problem.alternatives, start));
    let best = rows.best_by_objective(start.as_deref(), core, meter)?;
    Ok(best.map(|(picks, found)| Answer { picks: rows.positions(problem.alternatives, &picks), found }))
}

/// The outcome of a search with a finite penalty in place of infinity, so great that no choice is better than one
/// that leaves out fewer of the jobs that must be served. A choice that leaves one of them out does not count.
pub(crate) fn with_finite_penalties(
    problem: &ChoiceProblem<'_>,
    search: impl FnOnce(&ChoiceProblem<'_>) -> Chosen,
) -> Chosen {
    let penalties = match &problem.coverage {
        Coverage::Penalties(penalties) if penalties.contains(&f64::INFINITY) => penalties,
        _ => return search(problem),
    };
    let greatest = beyond_all(problem, penalties);
    let finite = penalties.iter().map(|penalty| penalty.min(greatest)).collect();
    let finite =
        ChoiceProblem::new(problem.alternatives, problem.goal).with_coverage(Coverage::Penalties(finite));
    let mut outcome = search(&finite);
    // It would count the jobs that must be served as jobs that may be left out.
    outcome.refusal = None;
    if outcome.best.as_ref().is_some_and(|found| !problem.coverage.allows(&found.picks)) {
        (outcome.best, outcome.value) = (None, None);
        if outcome.end == End::Done {
            outcome.bound = None;
        }
    }
    outcome
}

/// A power of two above every difference between two choices by the criterion and the finite penalties.
fn beyond_all(problem: &ChoiceProblem<'_>, penalties: &[f64]) -> f64 {
    let View { offsets, objective, .. } = problem.numbers();
    let most = penalties.iter().zip(offsets.windows(2)).map(|(penalty, row)| {
        let own = objective[row[0]..row[1]].iter().chain(Some(penalty).filter(|penalty| penalty.is_finite()));
        own.fold(0.0, |most: f64, number| most.max(number.abs()))
    });
    // Each job changes the sum by at most twice its greatest number.
    let least = (4.0 * most.sum::<f64>()).max(1.0);
    // Only the bits of sign and exponent.
    let power = f64::from_bits(least.to_bits() >> 52 << 52);
    if power < least { 2.0 * power } else { power }
}
