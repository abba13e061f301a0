//! Penalties of infinity: jobs that must not be left out.

use crate::{ChoiceProblem, Chosen, Coverage};
use sched_model::End;

/// The outcome of a search with a finite penalty in place of infinity, so great that no choice is better
/// than one that leaves fewer of the forbidden jobs out. A choice that leaves one out is none.
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
    if outcome.incumbent.as_ref().is_some_and(|found| !problem.coverage.allows(&found.picks)) {
        (outcome.incumbent, outcome.value) = (None, None);
        if outcome.end == End::Done {
            outcome.bound = None;
        }
    }
    outcome
}

/// A power of two above every difference between two choices by the criterion and the finite penalties.
fn beyond_all(problem: &ChoiceProblem<'_>, penalties: &[f64]) -> f64 {
    let batch = problem.alternatives;
    let numbers = if problem.goal.limits_cost() { &batch.time } else { &batch.cost };
    let most = penalties.iter().zip(batch.offsets.windows(2)).map(|(penalty, row)| {
        let own = numbers[row[0]..row[1]].iter().chain(Some(penalty).filter(|penalty| penalty.is_finite()));
        own.fold(0.0, |most: f64, number| most.max(number.abs()))
    });
    // Each job changes the sum by no more than twice its greatest number.
    let least = (4.0 * most.sum::<f64>()).max(1.0);
    // Its bits of sign and exponent alone.
    let power = f64::from_bits(least.to_bits() >> 52 << 52);
    if power < least { 2.0 * power } else { power }
}
