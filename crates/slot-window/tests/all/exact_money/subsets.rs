//! Subsets of random items against every subset.

use super::*;

#[derive(Debug)]
struct Choice {
    values: Vec<f64>,
    costs: Vec<f64>,
    n: usize,
    budget: f64,
}

impl Choice {
    fn random(random: &mut Random) -> Self {
        let k = 1 + random.below(9);
        let n = random.below(k.min(5) + 1);
        let style = STYLES[random.below(STYLES.len())];
        let worth = STYLES[random.below(STYLES.len())];
        let costs: Vec<f64> = (0..k).map(|_| style.amount(random)).collect();
        let following = random.chance(25);
        let values = costs
            .iter()
            .map(|&cost| if following { cost } else { worth.amount(random) - random.below(2) as f64 })
            .collect();
        let budget = budget(&costs, n, random);
        Self { values, costs, n, budget }
    }

    /// The best by definition: the greatest exact value, the least exact cost, the first in lexicographic
    /// order.
    fn best(&self) -> Option<Vec<usize>> {
        let (values, costs): (Vec<i128>, Vec<i128>) = (
            self.values.iter().map(|&v| scaled(v)).collect(),
            self.costs.iter().map(|&c| scaled(c)).collect(),
        );
        let mut best: Option<(i128, i128, Vec<usize>)> = None;
        subsets(values.len(), self.n, |chosen| {
            let value: i128 = chosen.iter().map(|&i| values[i]).sum();
            let cost: i128 = chosen.iter().map(|&i| costs[i]).sum();
            let better = best.as_ref().is_none_or(|best| (value, -cost) > (best.0, -best.1));
            if better && rounded(cost) <= self.budget {
                best = Some((value, cost, chosen.to_vec()));
            }
        });
        best.map(|best| best.2)
    }

    fn check(&self) {
        let problem = SubsetProblem::new(&self.values, &self.costs, self.n, self.budget).unwrap();
        let best = self.best();
        for problem in [problem, problem.with_max_exchanges(0)] {
            let found = problem.solve(&mut Limit::default().meter());
            assert_eq!(found.proof(), Proof::Exact);
            if let Some(subset) = &found.best {
                let indices = &subset.indices;
                assert_eq!(subset.cost, rounded(total(indices.iter().map(|&i| self.costs[i]))));
                assert_eq!(subset.value, rounded(total(indices.iter().map(|&i| self.values[i]))));
            }
            assert_eq!(found.best.map(|subset| subset.indices), best, "{self:?}");
        }
    }
}

fn choices(cases: usize, seed: u64) {
    let mut random = Random(seed);
    for _ in 0..cases {
        Choice::random(&mut random).check();
    }
}

#[test]
fn subsets_against_integers() {
    choices(30_000, 1);
}

/// By hand: `cargo test --release -p slot-window --test all exact_money -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn a_million_subsets() {
    choices(1_000_000, 3);
}
