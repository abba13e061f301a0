//! Properties beyond single optima: forms of costs, samples, real costs, the plain auction, the verifier.

use crate::oracle::{Rng, families};
use auction_assign::{
    AssignError, Assigner, AssignerKind, Auction, Automatic, Costs, Coverage, Flaw, Problem, Sense,
    ShortestPaths, Transport, solve, verify,
};
use proptest::prelude::*;
use sched_model::Proof;

fn total(kind: &dyn Assigner, problem: &Problem<'_>) -> f64 {
    kind.assign(problem).unwrap().assignment().unwrap().total
}

/// Enough jobs for the transport method to sample twice, and for the others to fill large resources.
#[test]
fn samples_lead_to_the_same_total() {
    let mut rng = Rng(11);
    for round in 0..48 {
        let m = 2 + rng.below(3) as usize;
        let n = 2200 + rng.below(200) as usize;
        let values = families(&mut rng, round, n, m);
        let share = [0.5, 1.0, 1.6][rng.below(3) as usize];
        let capacities: Vec<u32> =
            (0..m).map(|_| (n as f64 / m as f64 * share * (0.5 + rng.unit())) as u32).collect();
        let problem = Problem::new(Costs::dense(n, m, &values).unwrap())
            .with_capacities(&capacities)
            .unwrap()
            .with_coverage(Coverage::MostJobs);
        let expected = total(&ShortestPaths, &problem);
        assert_eq!(total(&Transport, &problem), expected, "round {round}");
        assert_eq!(total(&Automatic, &problem), expected, "round {round}");
        let answer = Transport.assign(&problem).unwrap();
        assert_eq!(verify(&problem, answer.assignment().unwrap(), 0.0).unwrap().gap, 0.0, "round {round}");
    }
}

/// Sizes at which lists are shorter than rows, blocks are whole and not, and phases are chosen.
#[test]
fn methods_agree_on_larger_instances() {
    let mut rng = Rng(12);
    for round in 0..36 {
        let n = 150 + rng.below(60) as usize;
        let m = n + if round % 3 == 0 { rng.below(40) as usize } else { 0 };
        let values = families(&mut rng, round, n, m);
        let problem = Problem::new(Costs::dense(n, m, &values).unwrap());
        let expected = total(&ShortestPaths, &problem);
        for kind in [AssignerKind::Auction, AssignerKind::Automatic] {
            let answer = kind.build().assign(&problem).unwrap();
            let assignment = answer.assignment().unwrap();
            assert_eq!(assignment.total, expected, "{kind}, round {round}");
            let certificate = verify(&problem, assignment, 0.0).unwrap();
            assert_eq!((certificate.gap, certificate.bound), (0.0, expected), "{kind}, round {round}");
        }
    }
}

#[test]
fn a_function_and_a_matrix_are_the_same_problem() {
    let mut rng = Rng(13);
    for round in 0..60 {
        let (n, m) = (1 + rng.below(12) as usize, 1 + rng.below(12) as usize);
        let values = families(&mut rng, round, n, m);
        let cost = |i: usize, r: usize| values[i * m + r];
        for sense in [Sense::Minimise, Sense::Maximise] {
            let dense = Problem::new(Costs::dense(n, m, &values).unwrap()).with_sense(sense);
            let function = Problem::new(Costs::function(n, m, &cost).unwrap()).with_sense(sense);
            for &kind in AssignerKind::ALL {
                let (a, b) = (kind.build().assign(&dense), kind.build().assign(&function));
                assert_eq!(a, b, "{kind}, round {round}");
            }
        }
    }
}

#[test]
fn products_are_sorted_to_the_optimum() {
    let mut rng = Rng(14);
    for round in 0..400 {
        let (n, m) = (1 + rng.below(9) as usize, 1 + rng.below(9) as usize);
        // 2520 is divisible by all speeds, so that every cost is whole.
        let lengths: Vec<f64> = (0..n).map(|_| 2520.0 * rng.below(6) as f64).collect();
        let speeds: Vec<f64> = (0..m).map(|_| (1 + rng.below(9)) as f64).collect();
        let capacities: Vec<u32> = (0..m).map(|_| rng.below(4) as u32).collect();
        let values: Vec<f64> = lengths.iter().flat_map(|l| speeds.iter().map(move |s| l / s)).collect();
        for sense in [Sense::Minimise, Sense::Maximise] {
            for coverage in [Coverage::EveryJob, Coverage::MostJobs, Coverage::Optional { unplaced: 700.0 }] {
                let dense = Problem::new(Costs::dense(n, m, &values).unwrap());
                let product = Problem::new(Costs::product(&lengths, &speeds).unwrap());
                let [dense, product] = [dense, product].map(|p| {
                    p.with_capacities(&capacities).unwrap().with_sense(sense).with_coverage(coverage)
                });
                let expected = ShortestPaths.assign(&dense).unwrap();
                let found = solve(&product).unwrap();
                match (expected.assignment(), found.assignment()) {
                    (None, None) => {}
                    (Some(expected), Some(found)) => {
                        assert_eq!(expected.total, found.total, "round {round} {sense:?} {coverage:?}");
                        let certificate = verify(&product, found, 0.0).unwrap();
                        assert_eq!(certificate.gap, 0.0, "round {round} {sense:?} {coverage:?}");
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
    }
}

/// The plain auction keeps its promise: within (jobs + free places) * epsilon, and the stated proof is true.
#[test]
fn the_plain_auction_is_within_its_epsilon() {
    let mut rng = Rng(15);
    for round in 0..200 {
        let n = 1 + rng.below(12) as usize;
        let m = n + rng.below(5) as usize;
        let values = families(&mut rng, round, n, m);
        let problem = Problem::new(Costs::dense(n, m, &values).unwrap());
        let best = total(&ShortestPaths, &problem);
        let epsilon = [0.25, 4.0, 64.0][round % 3];
        let plain = Auction::default().with_last_epsilon(epsilon).without_closing();
        let answer = plain.assign(&problem).unwrap();
        let found = answer.assignment().unwrap();
        let greatest = values.iter().fold(0.0f64, |a, v| a.max(v.abs()));
        // At huge costs epsilon does not go below what prices can be raised by.
        let epsilon = epsilon.max(greatest * 2f64.powi(-36));
        assert!(found.total - best <= m as f64 * epsilon, "round {round}: {} against {best}", found.total);
        match answer.proof().unwrap() {
            Proof::Exact => assert_eq!(found.total, best, "round {round}"),
            Proof::WithinEpsilon(gap) => assert!(found.total - best <= gap && gap <= m as f64 * epsilon),
            other => panic!("{other:?}"),
        }
        // With an epsilon below the step by the number of places it is exact by itself.
        let exact = Auction::default().without_closing().assign(&problem).unwrap();
        if greatest < 1e9 {
            assert_eq!(exact.assignment().unwrap().total, best, "round {round}");
        }
    }
}

#[test]
fn binary_fractions_are_exact_and_other_reals_within_their_rounding() {
    let mut rng = Rng(16);
    for _ in 0..100 {
        let n = 2 + rng.below(20) as usize;
        let reals: Vec<f64> = (0..n * n).map(|_| rng.unit() * 1000.0).collect();
        let fractions: Vec<f64> = reals.iter().map(|v| (v * 65536.0).floor() / 65536.0).collect();
        let whole: Vec<f64> = fractions.iter().map(|v| v * 65536.0).collect();
        let dense = |values| Problem::new(Costs::dense(n, n, values).unwrap());
        let expected = total(&ShortestPaths, &dense(&whole)) / 65536.0;
        for &kind in AssignerKind::ALL.iter().filter(|&&kind| kind != AssignerKind::Greedy) {
            match kind.build().assign(&dense(&fractions)) {
                Ok(answer) => {
                    assert_eq!(answer.proof(), Some(Proof::Exact), "{kind}");
                    assert_eq!(answer.assignment().unwrap().total, expected, "{kind}");
                }
                Err(error) => assert!(matches!(error, AssignError::Unsupported { .. }), "{error}"),
            }
            let Ok(answer) = kind.build().assign(&dense(&reals)) else { continue };
            let assignment = answer.assignment().unwrap();
            assert!((assignment.total - expected).abs() < n as f64 / 32768.0, "{kind}");
            let gap = match answer.proof() {
                Some(Proof::Exact) => 0.0,
                Some(Proof::WithinEpsilon(gap)) => gap,
                other => panic!("{other:?}"),
            };
            assert!(gap < 1e-9, "{kind} {gap}");
            assert!(verify(&dense(&reals), assignment, 1e-9).unwrap().gap < 1e-7, "{kind}");
        }
    }
}

#[test]
fn great_magnitudes_do_not_overflow() {
    let greatest = auction_assign::MAX_COST;
    let values = [greatest, -greatest, 0.0, greatest, greatest, 1.0, -greatest, 3.0, 2.0];
    let problem = Problem::new(Costs::dense(3, 3, &values).unwrap());
    for &kind in AssignerKind::ALL {
        let Ok(answer) = kind.build().assign(&problem) else { continue };
        let assignment = answer.assignment().unwrap();
        assert!(assignment.total.is_finite(), "{kind}");
        if kind != AssignerKind::Greedy {
            // -1e60 - 1e60 + 1 rounds to the double of -1e60.
            assert_eq!(assignment.total, -2.0 * greatest, "{kind}");
        }
    }
}

#[test]
fn the_verifier_refuses_what_is_wrong() {
    let values = [4.0, 1.0, 3.0, 2.0, 0.0, 5.0, 3.0, 2.0, 2.0];
    let problem = Problem::new(Costs::dense(3, 3, &values).unwrap());
    let good = solve(&problem).unwrap().assignment().cloned().unwrap();
    let flaw = |change: &dyn Fn(&mut auction_assign::Assignment)| {
        let mut bad = good.clone();
        change(&mut bad);
        verify(&problem, &bad, 0.0).unwrap_err()
    };
    assert!(matches!(flaw(&|a| a.total += 1.0), Flaw::Total { .. }));
    assert!(matches!(flaw(&|a| a.resources[0] = None), Flaw::Unplaced { job: 0 }));
    assert!(matches!(flaw(&|a| a.resources[0] = a.resources[1]), Flaw::Overfull { .. }));
    assert!(matches!(flaw(&|a| a.resources[0] = Some(9)), Flaw::Forbidden { resource: 9, .. }));
    assert!(matches!(flaw(&|a| a.resources.truncate(2)), Flaw::Shape { .. }));
    assert!(matches!(flaw(&|a| a.duals = None), Flaw::NoDuals));
    assert!(matches!(flaw(&|a| a.duals.as_mut().unwrap().profits[1] -= 1.0), Flaw::Profit { job: 1, .. }));
    assert!(matches!(flaw(&|a| a.duals.as_mut().unwrap().prices[1] = -1.0), Flaw::Price { resource: 1, .. }));
    // A higher price gives a weaker bound: allowed, with a greater gap.
    let mut loose = good.clone();
    loose.duals.as_mut().unwrap().prices[0] += 2.0;
    assert_eq!(verify(&problem, &loose, 0.0).unwrap().gap, 2.0);
}

proptest! {
    /// Adding a constant to a row or a column, or exchanging rows, changes the total by what it must.
    #[test]
    fn the_total_follows_shifts_and_permutations(
        values in proptest::collection::vec(-50i32..50, 36),
        row in 0usize..6, col in 0usize..6, by in -99i32..99, sense in prop_oneof![Just(Sense::Minimise), Just(Sense::Maximise)],
    ) {
        let values: Vec<f64> = values.into_iter().map(f64::from).collect();
        let best = |values: &[f64]| {
            let problem = Problem::new(Costs::dense(6, 6, values).unwrap()).with_sense(sense);
            solve(&problem).unwrap().assignment().unwrap().total
        };
        let base = best(&values);
        let mut shifted = values.clone();
        shifted[row * 6..row * 6 + 6].iter_mut().for_each(|v| *v += f64::from(by));
        prop_assert_eq!(best(&shifted), base + f64::from(by));
        let mut shifted = values.clone();
        shifted.iter_mut().skip(col).step_by(6).for_each(|v| *v += f64::from(by));
        prop_assert_eq!(best(&shifted), base + f64::from(by));
        let mut rotated = values;
        rotated.rotate_left(6 * row);
        prop_assert_eq!(best(&rotated), base);
    }
}
