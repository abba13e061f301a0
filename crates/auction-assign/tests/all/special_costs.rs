//! Costs of minus infinity are refused, and those of minus zero have the answer of zero, by every method.

use crate::enumeration::Case;
use crate::oracle::Rng;
use auction_assign::{AssignError, AssignerKind, Costs, Coverage, Problem, Sense};

/// Minus infinity is no cost, neither when costs are maximised nor when they are minimised.
#[test]
fn minus_infinity_is_refused_by_every_method() {
    for at in 0..6 {
        let mut values = [4.0, 1.0, 3.0, 2.0, 0.0, 5.0];
        values[at] = f64::NEG_INFINITY;
        for sense in [Sense::Minimise, Sense::Maximise] {
            for coverage in [Coverage::EveryJob, Coverage::MostJobs, Coverage::Optional { unplaced: 1.0 }] {
                let dense = Costs::dense(3, 2, &values).unwrap();
                let cost = |i: usize, r: usize| values[2 * i + r];
                let function = Costs::function(3, 2, &cost).unwrap();
                let (offsets, columns) = ([0, 2, 4, 6], [0, 1, 0, 1, 0, 1]);
                let sparse = Costs::sparse(3, 2, &offsets, &columns, &values).unwrap();
                for costs in [dense, function, sparse] {
                    let problem = Problem::new(costs).with_sense(sense).with_coverage(coverage);
                    let problem = problem.with_capacities(&[3, 3]).unwrap();
                    for &kind in AssignerKind::ALL {
                        let error = kind.build().assign(&problem).unwrap_err();
                        let AssignError::Cost { job, resource, value } = error else {
                            panic!("{kind}: {error}")
                        };
                        assert_eq!((job, resource, value), (at / 2, at % 2, f64::NEG_INFINITY), "{kind}");
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
    for round in 0..2000 {
        let mut case = Case::random(&mut rng, round, 6);
        for value in case.values.iter_mut().filter(|value| value.is_finite()) {
            *value = (*value).rem_euclid(3.0);
        }
        let mut twin = case.clone();
        for value in twin.values.iter_mut().filter(|value| **value == 0.0 && rng.below(2) == 0) {
            *value = -0.0;
        }
        let (lengths, speeds): (Vec<f64>, Vec<f64>) =
            ((0..case.rows).map(|_| rng.below(2) as f64).collect(), vec![1.0, 2.0, 0.5]);
        let negative: Vec<f64> =
            lengths.iter().map(|&l| if l == 0.0 && rng.below(2) == 0 { -0.0 } else { l }).collect();
        let product = |lengths| {
            let costs = Costs::product(lengths, &speeds).unwrap();
            Problem::new(costs).with_sense(case.sense).with_coverage(Coverage::MostJobs)
        };
        for (problem, twin) in [(case.problem(), twin.problem()), (product(&lengths), product(&negative))] {
            for &kind in AssignerKind::ALL {
                let (one, other) = (kind.build().assign(&problem), kind.build().assign(&twin));
                // Debug tells 0 from -0.
                assert_eq!(format!("{one:?}"), format!("{other:?}"), "{kind} {case:?}");
                let shown = format!("{other:?}");
                let negative = ["-0.0,", "-0.0]", "-0.0)", "-0.0 }"].iter().any(|zero| shown.contains(zero));
                assert!(!negative, "{kind} {shown} {case:?}");
            }
        }
    }
}
