//! The plain auction: its answer is within its epsilon, and it ends however small its steps are.

use crate::cases::{Rng, families};
use auction_assign::{Assigner, AssignmentProblem, Auction, Costs, ShortestPaths, verify};
use sched_model::Proof;

/// The total is within (jobs + free places) * epsilon of the optimum, and the stated proof is true.
#[test]
fn the_plain_auction_is_within_its_epsilon() {
    let mut rng = Rng(15);
    for round in 0..200 {
        let n = 1 + rng.below(12) as usize;
        let m = n + rng.below(5) as usize;
        let values = families(&mut rng, round, n, m);
        let problem = AssignmentProblem::new(Costs::dense(n, m, &values).unwrap());
        let best = ShortestPaths.assign(&problem).unwrap().best.unwrap().total;
        let epsilon = [0.25, 4.0, 64.0][round % 3];
        let answer =
            Auction::default().with_last_epsilon(epsilon).without_closing().assign(&problem).unwrap();
        let found = answer.best.as_ref().unwrap();
        let greatest = values.iter().fold(0.0f64, |a, v| a.max(v.abs()));
        // At huge costs epsilon does not fall below the least amount by which a price can be raised.
        let epsilon = epsilon.max(greatest * 2f64.powi(-36));
        assert!(found.total - best <= m as f64 * epsilon, "round {round}: {} against {best}", found.total);
        match answer.proof() {
            Proof::Exact => assert_eq!(found.total, best, "round {round}"),
            Proof::WithinEpsilon(gap) => assert!(found.total - best <= gap && gap <= m as f64 * epsilon),
            other => panic!("{other:?}"),
        }
        // With an epsilon below the step of costs divided by the number of places, the plain auction is exact.
        let exact = Auction::default().without_closing().assign(&problem).unwrap();
        if greatest < 1e9 {
            assert_eq!(exact.best.as_ref().unwrap().total, best, "round {round}");
        }
    }
}

/// Two jobs that both want the same two of three resources raise their prices by an epsilon per bid, until the
/// third, which costs up to a million times 2^36 epsilons more, is as good.
#[test]
fn a_price_war_in_small_steps_ends() {
    let greatest = 1e6;
    let values = [0.0, 0.0, greatest, 0.0, 0.0, greatest, 0.0, 0.0, greatest];
    let problem = AssignmentProblem::new(Costs::dense(3, 3, &values).unwrap());
    for (epsilon, factor) in
        [1.0, 1e-3, 1e-9, 1e-300].into_iter().flat_map(|e| [(e, 2.0), (e, 8.0), (e, 1e9)])
    {
        let plain = Auction::default().with_factor(factor).with_last_epsilon(epsilon).without_closing();
        let total = plain.assign(&problem).unwrap().best.unwrap().total;
        assert!(total <= greatest + 3.0 * epsilon.max(greatest * 2f64.powi(-36)), "{epsilon} {factor}");
    }
}

#[test]
fn small_epsilons_end_on_every_family() {
    let mut rng = Rng(41);
    for round in 0..48 {
        let n = 30 + rng.below(20) as usize;
        let m = n + [0, 1, 20, 60][round % 4];
        let values: Vec<f64> = families(&mut rng, round, n, m);
        let values: Vec<f64> = values.iter().map(|v| if round % 2 == 0 { *v } else { v / 3.0 }).collect();
        let problem = AssignmentProblem::new(Costs::dense(n, m, &values).unwrap());
        let best = ShortestPaths.assign(&problem).unwrap().best.unwrap().total;
        for factor in [2.0, 1e9] {
            let plain = Auction::default().with_factor(factor).with_last_epsilon(1e-300).without_closing();
            let answer = plain.assign(&problem).unwrap();
            let found = answer.best.as_ref().unwrap();
            assert!(found.total >= best - 1e-9 * best.abs());
            assert!(found.total <= best + best.abs() * 1e-6 + 1.0, "{round} {} {best}", found.total);
            assert!(verify(&problem, found).unwrap().gap < 1e6 + 1e-6 * best.abs());
        }
    }
}
