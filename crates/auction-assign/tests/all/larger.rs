//! Problems with too many jobs for brute force: the answer of each method is proven by its duals.

use crate::cases::{all, problem};
use crate::changed::{Assigners, Case};
use auction_assign::assign;
#[cfg(feature = "rayon")]
use auction_assign::{AssignError, AssignerKind, verify};
use econsched::testkit::{AssignCase, Check};

/// Judges every method on a case; the minimum total, or `None` if not every job can be placed.
pub fn check(assignment: AssignCase, name: &str) -> Option<f64> {
    let least = assign(&problem(&assignment)).unwrap().value;
    let judged = Check::new(Assigners).judge(&Case { assignment, tamper: 0 });
    judged.unwrap_or_else(|fault| panic!("{name}: {}", fault.message));
    least
}

#[test]
fn every_method_proves_its_answers_on_every_shape() {
    for jobs in [20, 150] {
        for (number, case) in all(jobs).enumerate() {
            check(case, &format!("{jobs} {number}"));
        }
    }
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
        let mut case = AssignCase { capacities, ..crate::cases::dense(m, &values) };
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
