//! The plain auction ends however small its steps are; within which epsilon, the family of stopped searches judges.

use auction_assign::{Assigner, AssignmentProblem, Auction, Costs};

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
            // At such costs a smaller step is not felt.
            assert!(total <= 1e6 + 3.0 * epsilon.max(1e6 * 2f64.powi(-36)), "{epsilon} {factor}");
        }
    }
}
