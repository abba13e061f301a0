//! The family of assignment methods: each is judged by the checks of the testkit, and the verifier must refuse changed
//! answers.

use crate::judge::{Verdict, ensure, family, of};
use econsched::auction_assign::{AssignerKind, Assignment, AssignmentProblem, verify};
use econsched::sched_model::Proof;
use econsched::testkit::{self, AssignCase, Draw, Exact, Seen, StoredCosts, oracle};
use serde::{Deserialize, Serialize};

family!(Assigners: Case, Case::draw, judge);

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    pub(crate) assignment: AssignCase,
    /// A seed: how answers are changed before the verifier sees them.
    pub(crate) tamper: u64,
}

impl Case {
    fn draw(draw: &mut Draw) -> Self {
        Self { assignment: AssignCase::draw(draw), tamper: draw.bytes(6) }
    }
}

fn judge(case: &Case) -> Verdict<Seen> {
    let mut seen = Seen::default();
    let stored = StoredCosts::of(&case.assignment);
    let problem = stored.problem(&case.assignment)?;
    for &kind in AssignerKind::ALL {
        let method = kind.build();
        seen += of(&kind, testkit::assigner(&*method).with_duals().judge(&case.assignment))?;
        let Ok(answer) = method.assign(&problem) else { continue };
        let proof = answer.proof();
        let Some(sound) = answer.best else { continue };
        if proof == Proof::Exact {
            ensure!(duals_are_the_nearest(&sound), "{kind}: {:?} are not the nearest", sound.duals);
            of(&kind, tampered(case, &problem, &sound))?;
        } else {
            // If products are ranked by their factors alone, the proof may hold only up to the rounding of quotients.
            let exact = !matches!(kind, AssignerKind::Greedy | AssignerKind::Sorted);
            ensure!(!exact, "{kind}: an answer without a proof");
        }
    }
    Ok(seen)
}

/// Whether every remainder is at most half a unit in the last place of its dual.
fn duals_are_the_nearest(assignment: &Assignment) -> bool {
    let Some(duals) = &assignment.duals else { return false };
    let is_near = |dual: f64, rest: f64| {
        let next = if rest < 0.0 { dual.next_down() } else { dual.next_up() };
        2.0 * rest.abs() <= (next - dual).abs()
    };
    let nearest = |duals: &[f64], rest: &[f64], each: usize| {
        duals.iter().zip(rest.chunks(each)).all(|(&dual, rest)| is_near(dual, rest[0]))
    };
    duals.remainders.as_ref().is_none_or(|rest| {
        nearest(&duals.profits, &rest.profits, rest.each) && nearest(&duals.prices, &rest.prices, rest.each)
    })
}

/// The verifier must judge changed answers correctly: an answer that it calls optimal is optimal, and its bounds
/// hold. The sound answer is the best.
fn tampered(case: &Case, problem: &AssignmentProblem<'_>, sound: &Assignment) -> Verdict {
    let Some(best) = oracle::weigh(&case.assignment, &sound.resources) else { return Ok(()) };
    let mut draw = Draw::new(case.tamper, 0);
    for _ in 0..if case.assignment.is_small() { 6 } else { 1 } {
        let mut changed = sound.clone();
        for _ in 0..draw.between(1, 3) {
            tamper(&mut draw, &mut changed, problem.costs.cols());
        }
        // The total of the changed assignment, so that the total alone does not show the change.
        let weight = oracle::weigh(&case.assignment, &changed.resources);
        let sign = if case.assignment.maximise { -1.0 } else { 1.0 };
        if let Some((_, sum)) = weight.as_ref().filter(|_| draw.chance(80)) {
            changed.total = sign * sum.rounded() + 0.0;
        }
        let Ok(certificate) = verify(problem, &changed) else { continue };
        ensure!(weight.is_some(), "a changed answer breaks a rule: {certificate} of {changed:?}");
        let right = weight.is_some_and(|(out, sum)| {
            let short = sum.minus(&best.1);
            out == best.0
                && (certificate.gap != 0.0 || short == Exact::ZERO)
                && certificate.gap >= short.rounded() * (1.0 - 1e-9)
                && sign * certificate.bound <= best.1.rounded()
        });
        ensure!(right, "a changed answer is farther from the best: {certificate} of {changed:?}");
    }
    Ok(())
}

fn tamper(draw: &mut Draw, answer: &mut Assignment, resources: usize) {
    let jobs = answer.resources.len();
    if jobs == 0 || resources == 0 {
        return;
    }
    let (job, other, resource) = (draw.below(jobs), draw.below(jobs), draw.below(resources));
    let what = draw.below(9);
    match what {
        0 => answer.resources[job] = Some(resource as u32),
        1 => answer.resources[job] = None,
        2 => answer.resources.swap(job, other),
        _ => {}
    }
    let Some(duals) = &mut answer.duals else { return };
    let mut change = |value: f64| match draw.below(9) {
        0 => value.next_up(),
        1 => value.next_down(),
        2 => 0.0,
        3 => -value,
        4 => value + 1.0,
        5 => value - 1.0,
        // Finite, so that no single comparison shows the change.
        6 => f64::MAX.copysign(value),
        7 => value * 1e300,
        _ => draw.of([1e308, -1e308, f64::MAX, f64::MIN_POSITIVE, f64::NAN, f64::INFINITY]),
    };
    match what {
        3 | 4 => duals.prices[resource] = change(duals.prices[resource]),
        5 | 6 => duals.profits[job] = change(duals.profits[job]),
        7 => {
            duals.waiting = duals.waiting.map_or(Some(change(0.0)), |value| (job > 0).then(|| change(value)))
        }
        8 => match &mut duals.remainders {
            Some(rest) if !rest.profits.is_empty() && job > 0 => {
                let at = other * rest.each % rest.profits.len();
                rest.profits[at] = change(rest.profits[at]);
            }
            rest => *rest = None,
        },
        _ => {}
    }
}
