//! Every registered method by the testkit, which tries every assignment, on the zoo of structures, and against two
//! independent libraries.

use crate::cases::{Case, FAMILIES, Rng, families};
use crate::larger::check;
use auction_assign::{AssignError, AssignerKind, AssignmentProblem, Costs, Coverage, Sense, assign, verify};
use econsched::testkit::{
    self,
    zoo::{AssignmentInstance, zoo},
};
use econsched::workload_gen::sample::stream;
use sched_model::Proof;

#[test]
fn every_method_passes_the_testkit() {
    for &kind in AssignerKind::ALL {
        let method = kind.build();
        let check = testkit::assigner(&*method);
        // Greedy proves nothing.
        let check = if kind == AssignerKind::Greedy { check } else { check.with_duals() };
        let seen = check.run(2000).unwrap_or_else(|fault| panic!("{kind}: {fault}"));
        let least = if kind == AssignerKind::Sorted { 50 } else { 1000 };
        assert!(seen.solved > least, "{kind}: {seen:?}");
    }
}

#[cfg(feature = "rayon")]
#[test]
fn stopped_started_and_on_threads_every_answer_is_sound() {
    let seen = testkit::Check::new(crate::stopped::Assignments).run(800).unwrap();
    assert_eq!(seen.solved, 800);
}

fn problem(instance: &AssignmentInstance) -> AssignmentProblem<'_> {
    let AssignmentInstance { jobs, resources, offsets, columns, values, capacities, .. } = instance;
    let costs = if instance.is_sparse() {
        Costs::sparse(*jobs, *resources, offsets, columns, values)
    } else {
        Costs::dense(*jobs, *resources, values)
    };
    AssignmentProblem::new(costs.unwrap()).with_capacities(capacities)
}

#[test]
fn every_method_is_exact_on_every_structure() {
    for (number, generator) in zoo(24).iter().enumerate() {
        let instance = generator.generate(&mut stream(number as u64, 1));
        for coverage in [Coverage::EveryJob, Coverage::MostJobs, Coverage::Penalty(1000.0)] {
            let problem = problem(&instance).with_coverage(coverage);
            check(&problem, &format!("{} {coverage:?}", generator.name()));
        }
    }
}

/// Sizes at which lists are shorter than rows, and methods hand over to others.
#[test]
fn the_automatic_choice_is_exact_on_larger_problems() {
    for (number, generator) in zoo(150).iter().enumerate() {
        let instance = generator.generate(&mut stream(number as u64, 2));
        let problem = problem(&instance).with_coverage(Coverage::MostJobs);
        let answer = assign(&problem).unwrap();
        assert_eq!(answer.proof(), Proof::Exact, "{}", generator.name());
        let certificate = verify(&problem, &answer.best.unwrap()).unwrap();
        assert_eq!(certificate.gap, 0.0, "{}", generator.name());
    }
}

/// The least sum of `rows` jobs on at least as many `cols` by the library `pathfinding` (Kuhn-Munkres).
fn least_by_library(rows: usize, cols: usize, costs: &[i64]) -> i64 {
    let weights = costs.iter().map(|&cost| -cost).collect();
    let weights = pathfinding::matrix::Matrix::from_vec(rows, cols, weights).unwrap();
    -pathfinding::kuhn_munkres::kuhn_munkres(&weights).0
}

#[test]
fn dense_and_sparse_against_a_library() {
    let mut rng = Rng(2);
    let missing = 1i64 << 44;
    for round in 0..1200 {
        let n = 1 + rng.below(30) as usize;
        let m = n + [0, rng.below(6) as usize][round % 2];
        let mut case = Case::dense(n, m, families(&mut rng, round, n, m));
        if round % 3 == 0 {
            // The diagonal stays, so that there is an assignment.
            case.sparse = true;
            let pairs = case.values.iter_mut().enumerate().filter(|(k, _)| k / m != k % m);
            pairs.filter(|_| rng.below(8) > 0).for_each(|(_, value)| *value = f64::INFINITY);
        } else {
            case.sense = [Sense::Minimise, Sense::Maximise][round % 3 - 1];
        }
        let sign = if case.sense == Sense::Minimise { 1 } else { -1 };
        let cost = |&value: &f64| if value == f64::INFINITY { missing } else { sign * value as i64 };
        let costs: Vec<i64> = case.values.iter().map(cost).collect();
        let best = (sign * least_by_library(n, m, &costs)) as f64;
        assert_eq!(check(&case.problem(), &format!("{round}")), Some(best), "{case:?}");
    }
}

#[test]
fn capacities_against_a_library_on_copies() {
    let mut rng = Rng(3);
    for round in 0..400 {
        let (n, m) = (1 + rng.below(40) as usize, 1 + rng.below(6) as usize);
        let mut case = Case::dense(n, m, families(&mut rng, round, n, m));
        let capacities: Vec<u32> = (0..m).map(|_| rng.below(2 + 2 * (n / m) as u64) as u32).collect();
        let copies: Vec<usize> =
            capacities.iter().enumerate().flat_map(|(r, &c)| std::iter::repeat_n(r, c as usize)).collect();
        // Staying out costs 0, with as many places for it as are missing.
        let missing = n.saturating_sub(copies.len());
        let row = |i: usize| copies.iter().map(move |&r| (i, r)).map(|(i, r)| case.values[i * m + r] as i64);
        let costs: Vec<i64> = (0..n).flat_map(|i| row(i).chain(std::iter::repeat_n(0, missing))).collect();
        let best = least_by_library(n, copies.len() + missing, &costs);
        (case.capacities, case.coverage) = (Some(capacities), Coverage::MostJobs);
        assert_eq!(check(&case.problem(), &format!("{round}")), Some(best as f64), "{case:?}");
    }
}

#[test]
fn nothing_to_assign() {
    for (rows, cols) in [(0, 0), (0, 3), (3, 0)] {
        for coverage in [Coverage::EveryJob, Coverage::MostJobs, Coverage::Penalty(2.0)] {
            let problem =
                AssignmentProblem::new(Costs::dense::<f64>(rows, cols, &[]).unwrap()).with_coverage(coverage);
            for &kind in AssignerKind::ALL {
                let Ok(answer) = kind.build().assign(&problem) else { continue };
                let Some(assignment) = answer.best.as_ref() else {
                    assert_eq!((rows, coverage), (3, Coverage::EveryJob), "{kind}");
                    answer.refusal.as_ref().unwrap().verify(&problem).unwrap();
                    continue;
                };
                let penalty = if let Coverage::Penalty(unplaced) = coverage { unplaced } else { 0.0 };
                assert_eq!(assignment.total, rows as f64 * penalty, "{kind}");
            }
        }
    }
}

/// In every place of two rows, and in any of greater shapes; on resources with one place, and with room for all.
#[test]
fn a_bad_cost_is_named_by_every_method_wherever_it_stands() {
    for (rows, cols) in [(2, 11), (3, 2), (70, 70), (20, 300), (300, 20), (80, 60)] {
        let mut rng = Rng(rows as u64);
        let costs = families(&mut rng, 0, rows, cols);
        let any = rng.below(costs.len() as u64) as usize;
        let places = if rows == 2 { 0..costs.len() } else { any..any + 1 };
        let coverages = [Coverage::EveryJob, Coverage::MostJobs, Coverage::Penalty(1.0)];
        for (at, bad) in places.flat_map(|at| [f64::NAN, f64::NEG_INFINITY, 1e61, -1e61].map(|bad| (at, bad)))
        {
            let mut values = costs.clone();
            values[at] = bad;
            let cost = |i: usize, r: usize| values[i * cols + r];
            let forms =
                [Costs::dense(rows, cols, &values).unwrap(), Costs::function(rows, cols, &cost).unwrap()];
            for (costs, room) in
                forms.into_iter().flat_map(|costs| [1, 9].map(|room| (costs, vec![room; cols])))
            {
                for coverage in coverages.into_iter().skip(usize::from(rows > cols)) {
                    let problem =
                        AssignmentProblem::new(costs).with_capacities(&room).with_coverage(coverage);
                    for &kind in AssignerKind::ALL {
                        let error = kind.build().assign(&problem).unwrap_err();
                        let AssignError::Cost { job, resource, value } = error else {
                            panic!("{kind}: {error}")
                        };
                        let found = (job, resource, value.to_bits());
                        assert_eq!(found, (at / cols, at % cols, bad.to_bits()), "{kind}");
                    }
                }
            }
        }
    }
}

/// Costs that differ only in the sign of 0 have the same answer, and no answer has a 0 that is less than 0.
#[test]
fn minus_zero_is_zero() {
    let mut rng = Rng(34);
    for round in 0..600 {
        let (n, m) = (1 + rng.below(6) as usize, 1 + rng.below(6) as usize);
        let values =
            families(&mut rng, round % FAMILIES, n, m).iter().map(|value| value.rem_euclid(3.0)).collect();
        let case = Case { sense: [Sense::Minimise, Sense::Maximise][round % 2], ..Case::dense(n, m, values) };
        let mut twin = case.clone();
        twin.values
            .iter_mut()
            .filter(|value| **value == 0.0 && rng.below(2) == 0)
            .for_each(|value| *value = -0.0);
        for &kind in AssignerKind::ALL {
            let (one, other) = (kind.build().assign(&case.problem()), kind.build().assign(&twin.problem()));
            // Debug tells 0 from -0.
            assert_eq!(format!("{one:?}"), format!("{other:?}"), "{kind} {case:?}");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    assert_eq!(Costs::strided(2, 3, 2, &[0.0; 6]).unwrap_err(), AssignError::Stride { stride: 2, cols: 3 });
    let shape = AssignError::Shape { rows: 2, cols: 3, values: 6 };
    assert_eq!(Costs::strided(2, 3, 4, &[0.0; 6]).unwrap_err(), shape);
    assert!(Costs::strided(2, 3, usize::MAX, &[0.0; 6]).is_err());
    assert!(Costs::strided(2, 3, 4, &[0.0; 7]).is_ok());
    assert!(Costs::strided(0, 3, 3, &[0.0; 0]).is_ok());
    let error = Costs::dense(1, 2, &[1i64, (1i64 << 53) + 1]).unwrap_err();
    assert!(matches!(error, AssignError::Inexact { job: 0, resource: 1, .. }), "{error}");
    assert!(Costs::dense(1, 2, &[i64::MIN, 1 << 60]).is_ok());
    let too_large = AssignError::TooLarge { rows: usize::MAX, cols: 0 };
    assert_eq!(Costs::dense::<i64>(usize::MAX, 0, &[]).unwrap_err(), too_large);
    assert_eq!(Costs::strided::<i64>(usize::MAX, 0, 0, &[]).unwrap_err(), too_large);
}
