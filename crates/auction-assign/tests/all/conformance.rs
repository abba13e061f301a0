//! Every registered method against brute force and two independent libraries, on random instances of hard
//! families.

use crate::enumeration::{Case, best_by_enumeration};
use crate::oracle::{Rng, families};
use auction_assign::{Answer, AssignerKind, Costs, Coverage, Problem, Sense, verify, verify_shortage};

/// Solves a case by every method that takes it and compares with the best sum, if there is one.
fn check(case: &Case, best: Option<f64>) {
    let problem = case.problem();
    for &kind in AssignerKind::ALL {
        let answer = match kind.build().assign(&problem) {
            Ok(answer) => answer,
            Err(auction_assign::AssignError::Unsupported { .. }) => continue,
            Err(error) => panic!("{kind}: {error} on {case:?}"),
        };
        match (&answer, best) {
            (Answer::Infeasible(shortage), None) => {
                verify_shortage(&problem, shortage)
                    .unwrap_or_else(|flaw| panic!("{kind}: {flaw} on {case:?}"));
            }
            (Answer::Assigned(outcome), Some(best)) if kind != AssignerKind::Greedy => {
                let total = outcome.solution.total;
                assert_eq!(total, best, "{kind} on {case:?}");
                assert_eq!(outcome.proof, sched_model::Proof::Exact, "{kind} on {case:?}");
                let certificate = verify(&problem, &outcome.solution, 0.0)
                    .unwrap_or_else(|flaw| panic!("{kind}: {flaw} on {case:?} {outcome:?}"));
                assert_eq!(certificate.gap, 0.0, "{kind} on {case:?} {outcome:?}");
                assert_eq!(certificate.bound, total, "{kind} on {case:?} {outcome:?}");
            }
            (Answer::Assigned(outcome), Some(best)) => {
                let total = outcome.solution.total;
                assert!(if case.sense == Sense::Minimise { total >= best } else { total <= best });
                let flaw = verify(&problem, &outcome.solution, 0.0);
                assert_eq!(flaw, Err(auction_assign::Flaw::NoDuals), "{kind} on {case:?}");
            }
            (answer, best) => panic!("{kind}: {answer:?}, and the best is {best:?} on {case:?}"),
        }
    }
}

#[test]
fn small_instances_against_enumeration() {
    let mut rng = Rng(1);
    for round in 0..6000 {
        let case = Case::random(&mut rng, round, 5);
        check(&case, best_by_enumeration(&case));
    }
}

/// The least sum of `rows` jobs on at least as many `cols` by two libraries, which must agree: `pathfinding`
/// (Kuhn-Munkres) and `lapjv` (Jonker-Volgenant).
fn least_by_libraries(rows: usize, cols: usize, costs: &[i64]) -> i64 {
    let weights = costs.iter().map(|&cost| -cost).collect();
    let weights = pathfinding::matrix::Matrix::from_vec(rows, cols, weights).unwrap();
    let best = -pathfinding::kuhn_munkres::kuhn_munkres(&weights).0;
    // Jobs that cost nothing anywhere make it square.
    let mut square: Vec<f64> = costs.iter().map(|&cost| cost as f64).collect();
    square.resize(cols * cols, 0.0);
    let square = lapjv::Matrix::from_shape_vec((cols, cols), square).unwrap();
    let (chosen, _) = lapjv::lapjv(&square).unwrap();
    let other: i64 = (0..rows).map(|i| costs[i * cols + chosen[i]]).sum();
    assert_eq!(best, other, "the libraries differ on {rows} x {cols}: {costs:?}");
    best
}

#[test]
fn larger_instances_against_two_libraries() {
    let mut rng = Rng(2);
    for round in 0..2400 {
        // Now and then a single row or column.
        let n = if round % 10 == 9 { 1 } else { 1 + rng.below(30) as usize };
        let m = n + if round % 2 == 0 { 0 } else { rng.below(6) as usize };
        let values = families(&mut rng, round, n, m);
        let sense = if rng.below(2) == 0 { Sense::Minimise } else { Sense::Maximise };
        let sign = if sense == Sense::Minimise { 1 } else { -1 };
        let costs: Vec<i64> = values.iter().map(|&v| sign * v as i64).collect();
        let best = sign * least_by_libraries(n, m, &costs);
        let case = Case {
            rows: n,
            cols: m,
            values,
            sparse: false,
            capacities: None,
            sense,
            coverage: Coverage::EveryJob,
        };
        check(&case, Some(best as f64));
    }
}

#[test]
fn sparse_instances_against_two_libraries() {
    let mut rng = Rng(4);
    let missing = 1i64 << 44;
    for round in 0..800 {
        let n = 2 + rng.below(40) as usize;
        let mut values = families(&mut rng, round, n, n);
        // The diagonal stays, so that there is an assignment.
        for (k, value) in values.iter_mut().enumerate() {
            if k % (n + 1) != 0 && rng.below(8) > 0 {
                *value = f64::INFINITY;
            }
        }
        let costs: Vec<i64> =
            values.iter().map(|&v| if v == f64::INFINITY { missing } else { v as i64 }).collect();
        let best = least_by_libraries(n, n, &costs);
        let case = Case {
            rows: n,
            cols: n,
            values,
            sparse: true,
            capacities: None,
            sense: Sense::Minimise,
            coverage: Coverage::EveryJob,
        };
        check(&case, Some(best as f64));
    }
}

#[test]
fn capacities_against_two_libraries_on_copies() {
    let mut rng = Rng(3);
    for round in 0..800 {
        let n = 1 + rng.below(40) as usize;
        let m = 1 + rng.below(6) as usize;
        let values = families(&mut rng, round, n, m);
        let capacities: Vec<u32> = (0..m).map(|_| rng.below(2 + 2 * (n / m) as u64) as u32).collect();
        let copies: Vec<usize> =
            capacities.iter().enumerate().flat_map(|(r, &c)| std::iter::repeat_n(r, c as usize)).collect();
        // Staying out costs 0, with as many places for it as are missing.
        let missing = n.saturating_sub(copies.len());
        let width = copies.len() + missing;
        let mut costs = Vec::new();
        for i in 0..n {
            costs.extend(copies.iter().map(|&r| values[i * m + r] as i64));
            costs.extend(std::iter::repeat_n(0, missing));
        }
        let best = least_by_libraries(n, width, &costs);
        let case = Case {
            rows: n,
            cols: m,
            values,
            sparse: false,
            capacities: Some(capacities),
            sense: Sense::Minimise,
            coverage: Coverage::MostJobs,
        };
        check(&case, Some(best as f64));
    }
}

#[test]
fn nothing_to_assign() {
    for (rows, cols) in [(0, 0), (0, 3), (3, 0)] {
        for coverage in [Coverage::EveryJob, Coverage::MostJobs, Coverage::Optional { unplaced: 2.0 }] {
            let problem = Problem::new(Costs::dense(rows, cols, &[]).unwrap()).with_coverage(coverage);
            for &kind in AssignerKind::ALL {
                let Ok(answer) = kind.build().assign(&problem) else { continue };
                match answer {
                    Answer::Infeasible(shortage) => {
                        assert_eq!((rows, coverage), (3, Coverage::EveryJob), "{kind}");
                        verify_shortage(&problem, &shortage).unwrap();
                    }
                    Answer::Assigned(outcome) => {
                        let penalty =
                            if let Coverage::Optional { unplaced } = coverage { unplaced } else { 0.0 };
                        assert_eq!(outcome.solution.total, rows as f64 * penalty, "{kind}");
                    }
                }
            }
        }
    }
}
