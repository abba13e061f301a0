//! All methods agree on problems with too many jobs for trying all assignments: exact, verified, with one total.

use crate::cases::{all, dense, problem};
use auction_assign::{AssignError, AssignerKind, Assignment, AssignmentProblem, verify};
use sched_model::Proof;

/// Solves the problem by every method that takes it; each answer must be proven exact, verified to the bit, and
/// have the same total. Returns this total, or `None` if not every job can be placed.
pub fn check(problem: &AssignmentProblem<'_>, name: &str) -> Option<f64> {
    let mut first: Option<(AssignerKind, Option<f64>)> = None;
    for &kind in AssignerKind::ALL.iter().filter(|&&kind| kind != AssignerKind::Greedy) {
        let answer = match kind.build().assign(problem) {
            Err(AssignError::Unsupported { .. }) => continue,
            answer => answer.unwrap_or_else(|error| panic!("{kind}: {error} on {name}")),
        };
        let proof = answer.proof();
        let total = match (&answer.best, &answer.refusal) {
            // If products are ranked by their factors alone, the proof may hold only up to the rounding of each
            // quotient.
            (Some(_), _) if kind == AssignerKind::Sorted && proof != Proof::Exact => continue,
            (Some(assignment), _) => {
                assert_eq!(proof, Proof::Exact, "{kind} on {name}");
                let certificate = verify(problem, assignment);
                let certificate = certificate.unwrap_or_else(|flaw| panic!("{kind}: {flaw} on {name}"));
                let total = assignment.total;
                assert_eq!((certificate.gap, certificate.bound), (0.0, total), "{kind} on {name}");
                assert!(duals_are_the_nearest(assignment), "{kind} on {name}");
                Some(total)
            }
            (None, Some(shortage)) => {
                shortage.verify(problem).unwrap_or_else(|flaw| panic!("{kind}: {flaw} on {name}"));
                None
            }
            (None, None) => panic!("{kind}: {answer} on {name}"),
        };
        let (other, expected) = *first.get_or_insert((kind, total));
        assert_eq!(total, expected, "{kind} and {other} on {name}");
    }
    first.unwrap().1
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

#[test]
fn every_method_agrees_on_every_shape() {
    for jobs in [20, 90, 150] {
        for (number, case) in all(jobs).enumerate() {
            check(&problem(&case), &format!("{jobs} {number}"));
        }
    }
}

#[test]
fn great_magnitudes_do_not_overflow() {
    let greatest = auction_assign::MAX_COST;
    let values = [greatest, -greatest, 0.0, greatest, greatest, 1.0, -greatest, 3.0, 2.0];
    // -1e60 - 1e60 + 1 rounds to the double of -1e60.
    assert_eq!(check(&problem(&dense(3, &values)), "greatest"), Some(-2.0 * greatest));
}

/// With any number of threads, the first of two bad costs is named, and every answer is the same.
#[test]
#[cfg(feature = "rayon")]
fn answers_and_flaws_do_not_depend_on_the_number_of_threads() {
    let pools =
        [1, 2, 5].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    for (round, (n, m)) in [(400, 400), (500, 300), (3500, 40), (300, 500)].into_iter().enumerate() {
        let mut values = crate::cases::structured([0, 4, 0, 18][round], n, m);
        if round % 3 == 0 {
            values.iter_mut().for_each(|value| *value /= 3.0);
        }
        let capacities = Some(vec![(n as u32).div_ceil(m as u32) + 1; m]);
        let mut case = econsched::testkit::AssignCase { capacities, ..dense(m, &values) };
        let good = problem(&case);
        for kind in [AssignerKind::Automatic, AssignerKind::ShortestPaths] {
            let [one, other, last] =
                pools.each_ref().map(|pool| pool.install(|| kind.build().assign(&good).unwrap()));
            assert!(one == other && one == last, "{kind}, round {round}");
            let checked =
                pools.each_ref().map(|pool| pool.install(|| verify(&good, one.best.as_ref().unwrap())));
            assert!(checked[0].is_ok() && checked.iter().all(|found| *found == checked[0]));
        }
        for at in [n * m - 1, n * m / 3] {
            case.rows[at / m][at % m] = Some(f64::NAN);
        }
        let problem = problem(&case);
        for pool in &pools {
            let error = pool.install(|| AssignerKind::ShortestPaths.build().assign(&problem).unwrap_err());
            let AssignError::Cost { job, resource, .. } = error else { panic!("{error}") };
            assert_eq!((job, resource), (n * m / 3 / m, n * m / 3 % m));
        }
    }
}
