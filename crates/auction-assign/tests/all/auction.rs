//! The plain auction: its answer is within its epsilon, and it ends however small its epsilon is.

use crate::cases::structured;
use auction_assign::{Assigner, AssignerKind, AssignmentProblem, Auction, Costs, verify};
use econsched::testkit::Draw;
use sched_model::Proof;

/// The smallest amount by which a price can be raised: at huge costs epsilon does not fall below it.
fn least_step(costs: &[f64]) -> f64 {
    costs.iter().fold(0.0f64, |most, cost| most.max(cost.abs())) * 2f64.powi(-36)
}

/// The total is within (jobs + free places) * epsilon of the optimum, and the stated proof is true.
#[test]
fn the_plain_auction_is_within_its_epsilon() {
    let draw = &mut Draw::new(15, 0);
    for round in 0..248 {
        let n = if round < 200 { draw.between(1, 12) } else { draw.between(30, 49) };
        let m = n + if round < 200 { draw.below(5) } else { [0, 1, 20, 60][round % 4] };
        let unit = if round % 7 == 0 { 3.0 } else { 1.0 };
        let values: Vec<f64> = structured(round, n, m).iter().map(|value| value / unit).collect();
        let problem = AssignmentProblem::new(Costs::dense(n, m, &values).unwrap());
        let best = AssignerKind::ShortestPaths.assign(&problem).unwrap().best.unwrap().total;
        let (epsilon, factor) = ([0.25, 4.0, 64.0, 1e-300][round % 4], [2.0, 5.0, 1e9][round % 3]);
        let plain = Auction::default().with_factor(factor).with_last_epsilon(epsilon).with_closing(false);
        let answer = plain.assign(&problem).unwrap();
        let found = answer.best.as_ref().unwrap();
        assert!(found.total >= best && verify(&problem, found).unwrap().gap < 1e6 + 1e-6 * best.abs());
        let (tiny, slack) = (epsilon == 1e-300, 1e-9 * best.abs());
        let epsilon = epsilon.max(least_step(&values));
        assert!(found.total - best <= m as f64 * epsilon, "round {round}: {} against {best}", found.total);
        match answer.proof() {
            Proof::Exact => assert_eq!(found.total, best, "round {round}"),
            Proof::WithinEpsilon(gap) => {
                // At a tiny epsilon the prices are rounded.
                assert!(found.total - best <= gap + slack && (tiny || gap <= m as f64 * epsilon + slack))
            }
            other => panic!("{other:?}"),
        }
        // With an epsilon below the step of costs divided by the number of places, the plain auction is exact.
        let exact = Auction::default().with_closing(false).assign(&problem).unwrap();
        if round < 200 && unit == 1.0 && least_step(&values) < 1e-2 {
            assert_eq!(exact.best.as_ref().unwrap().total, best, "round {round}");
        }
    }
}

/// Two jobs that both want the same two of three resources raise their prices by an epsilon per bid, until the
/// third, which costs up to a million times 2^36 epsilons more, is as good.
#[test]
fn a_price_war_in_small_steps_ends() {
    let values = [0.0, 0.0, 1e6].repeat(3);
    let problem = AssignmentProblem::new(Costs::dense(3, 3, &values).unwrap());
    for epsilon in [1.0, 1e-3, 1e-9, 1e-300] {
        for factor in [2.0, 8.0, 1e9] {
            let plain = Auction::default().with_factor(factor).with_last_epsilon(epsilon).with_closing(false);
            let total = plain.assign(&problem).unwrap().best.unwrap().total;
            assert!(total <= 1e6 + 3.0 * epsilon.max(least_step(&values)), "{epsilon} {factor}");
        }
    }
}
