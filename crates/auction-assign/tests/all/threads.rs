//! The same bytes for any number of threads.

#![cfg(feature = "rayon")]

use crate::oracle::{Rng, families};
use auction_assign::{AssignError, AssignerKind, Costs, Problem, verify_answer};

#[test]
fn answers_and_flaws_do_not_depend_on_the_number_of_threads() {
    let pools: Vec<_> =
        [1, 2, 5].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()).into();
    let mut rng = Rng(81);
    for round in 0..4 {
        let (n, m) = [(400, 400), (500, 300), (3500, 40), (300, 500)][round % 4];
        let mut values = families(&mut rng, [0, 10, 0, 4][round], n, m);
        if round % 3 == 0 {
            values.iter_mut().for_each(|value| *value /= 3.0);
        }
        let capacities = vec![(n as u32).div_ceil(m as u32) + 1; m];
        let problem =
            Problem::new(Costs::dense(n, m, &values).unwrap()).with_capacities(&capacities).unwrap();
        for kind in [AssignerKind::Automatic, AssignerKind::ShortestPaths] {
            let answers: Vec<_> =
                pools.iter().map(|pool| pool.install(|| kind.build().assign(&problem).unwrap())).collect();
            assert!(answers.iter().all(|answer| *answer == answers[0]), "{kind}, round {round}");
            let checked: Vec<_> =
                pools.iter().map(|pool| pool.install(|| verify_answer(&problem, &answers[0], 0.0))).collect();
            assert!(checked[0].is_ok() && checked.iter().all(|found| *found == checked[0]));
        }
        // The first of two bad costs is named, whichever thread finds the other first.
        values[n * m - 1] = f64::NAN;
        values[n * m / 3] = f64::NAN;
        let problem =
            Problem::new(Costs::dense(n, m, &values).unwrap()).with_capacities(&capacities).unwrap();
        for pool in &pools {
            let error = pool.install(|| AssignerKind::ShortestPaths.build().assign(&problem).unwrap_err());
            let AssignError::Cost { job, resource, .. } = error else { panic!("{error}") };
            assert_eq!((job, resource), (n * m / 3 / m, n * m / 3 % m));
        }
    }
}
