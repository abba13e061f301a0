//! Auctions that would climb in too small steps come to an end.

use crate::oracle::{Rng, families};
use auction_assign::{Assigner, Auction, Costs, Problem, ShortestPaths, verify};

/// Two jobs that want the same two of three resources raise their prices by an epsilon a bid, until the
/// third, a million times 2^36 epsilons dearer, is as good.
#[test]
fn a_price_war_in_small_steps_ends() {
    let greatest = 1e6;
    let values = [0.0, 0.0, greatest, 0.0, 0.0, greatest, 0.0, 0.0, greatest];
    let problem = Problem::new(Costs::dense(3, 3, &values).unwrap());
    for epsilon in [1.0, 1e-3, 1e-9, 1e-300] {
        for factor in [2.0, 8.0, 1e9] {
            let plain = Auction::default().with_factor(factor).with_last_epsilon(epsilon).without_closing();
            let answer = plain.assign(&problem).unwrap();
            let found = answer.assignment().unwrap();
            assert!(
                found.total <= greatest + 3.0 * epsilon.max(greatest * 2f64.powi(-36)),
                "{epsilon} {factor}"
            );
        }
    }
}

#[test]
fn small_epsilons_end_on_every_family() {
    let mut rng = Rng(41);
    for round in 0..72 {
        let n = 30 + rng.below(20) as usize;
        let m = n + [0, 1, 20, 60][round % 4];
        let values: Vec<f64> = families(&mut rng, round, n, m);
        let values: Vec<f64> = values.iter().map(|v| if round % 2 == 0 { *v } else { v / 3.0 }).collect();
        let problem = Problem::new(Costs::dense(n, m, &values).unwrap());
        let best = ShortestPaths.assign(&problem).unwrap().assignment().unwrap().total;
        for factor in [2.0, 1e9] {
            let plain = Auction::default().with_factor(factor).with_last_epsilon(1e-300).without_closing();
            let answer = plain.assign(&problem).unwrap();
            let found = answer.assignment().unwrap();
            assert!(found.total >= best - 1e-9 * best.abs());
            assert!(found.total <= best + best.abs() * 1e-6 + 1.0, "{round} {} {best}", found.total);
            assert!(verify(&problem, found, f64::INFINITY).unwrap().gap < 1e6 + 1e-6 * best.abs());
        }
    }
}
