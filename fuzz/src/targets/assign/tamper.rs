//! The verifier against answers that were changed.

use super::Case;
use crate::exact::Exact;
use crate::rng::Rng;
use crate::target::{Verdict, ensure};
use econsched::auction_assign::{Assignment, Problem, verify};

/// If the verifier accepts a changed answer, its statement must still be true: an answer that it calls
/// optimal is optimal, and a gap that it bounds is within the bound.
pub(super) fn judge_tampered(
    case: &Case,
    problem: &Problem<'_>,
    sound: &Assignment,
    best: Option<&(usize, Exact)>,
) -> Verdict {
    let Some((best_out, best_sum)) = best else { return Ok(()) };
    let mut rng = Rng::new(case.tamper);
    for _ in 0..6 {
        let mut changed = sound.clone();
        for _ in 0..rng.range(1, 3) {
            tamper(&mut rng, &mut changed, problem.resources());
        }
        // The sum of the changed assignment, so that the sum alone does not show the change.
        let weight = case.weigh(&changed.resources);
        if let Some((_, sum)) = &weight
            && rng.percent(80)
        {
            let sum = sum.rounded();
            changed.total = if case.maximise { 0.0 - sum } else { sum };
        }
        let Ok(certificate) = verify(problem, &changed, 0.0) else { continue };
        let Some((out, sum)) = weight else {
            ensure!(false, "the verifier passes {:?}, which breaks the rules", changed.resources);
            continue;
        };
        ensure!(out == *best_out, "the verifier passes {out} jobs left out where {best_out} need be");
        let short = sum.minus(best_sum);
        ensure!(
            certificate.gap != 0.0 || short == Exact::ZERO,
            "the verifier proves {:?} with {:?} optimal, which lacks {:?}",
            changed.resources,
            changed.duals,
            short.rounded()
        );
        ensure!(
            certificate.gap >= short.rounded() * (1.0 - 1e-9),
            "the verifier bounds the gap by {:?}, which is {:?}",
            certificate.gap,
            short.rounded()
        );
        // The bound: on the other side of the best, which is rounded once as well.
        let bound = case.signed(certificate.bound);
        ensure!(
            bound <= best_sum.rounded(),
            "the verifier bounds the best by {bound:?}, which is {:?}",
            best_sum.rounded()
        );
    }
    Ok(())
}

fn tamper(rng: &mut Rng, answer: &mut Assignment, resources: usize) {
    let jobs = answer.resources.len();
    if jobs == 0 || resources == 0 {
        return;
    }
    let (job, other) = (rng.below(jobs), rng.below(jobs));
    let resource = rng.below(resources);
    match rng.below(9) {
        0 => answer.resources[job] = Some(resource as u32),
        1 => answer.resources[job] = None,
        2 => answer.resources.swap(job, other),
        what => {
            let Some(duals) = &mut answer.duals else { return };
            let change = |rng: &mut Rng, value: f64| match rng.below(9) {
                0 => value.next_up(),
                1 => value.next_down(),
                2 => 0.0,
                3 => -value,
                4 => value + 1.0,
                5 => value - 1.0,
                // Finite, so that no single comparison shows the change.
                6 => f64::MAX.copysign(value),
                7 => value * 1e300,
                _ => *rng.pick(&[1e308, -1e308, f64::MAX, f64::MIN_POSITIVE, f64::NAN, f64::INFINITY]),
            };
            match what {
                3 | 4 => duals.prices[resource] = change(rng, duals.prices[resource]),
                5 | 6 => duals.profits[job] = change(rng, duals.profits[job]),
                7 => {
                    duals.waiting = match duals.waiting {
                        Some(_) if rng.percent(50) => None,
                        Some(value) => Some(change(rng, value)),
                        None => Some(change(rng, 0.0)),
                    }
                }
                _ => duals.remainders = None,
            }
        }
    }
}
