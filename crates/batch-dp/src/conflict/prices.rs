//! Dual values: the multipliers of the limit and of the accounts, and the prices of the cliques, by
//! subgradient steps.
//!
//! For any values of at least 0, the sum over the jobs of the least reduced objective, less the sum of the
//! prices and the multiplier's share of the limit, is a lower bound of every choice that places all jobs.
//! Steps go along the violation of the rows by the candidates of least reduced objective; the best values met
//! are kept.

use super::{Candidate, ConflictProblem, StartPrices, cliques::Conflicts};
use sched_model::{End, Meter, plain_sum_error};
use std::collections::BTreeMap;

/// Steps without a better bound after which steps are made shorter.
const PATIENCE: usize = 12;
/// Steps in all.
const STEPS: usize = 300;
/// Steps shorter than this share of the first change little.
const SHORTEST: f64 = 0.02;

/// The best dual values met.
pub(super) struct Prices {
    /// Reduced objective of each candidate.
    pub(super) reduced: Vec<f64>,
    /// What is subtracted from the sum of reduced objectives.
    pub(super) constant: f64,
    /// Bound on the rounding of any sum of reduced objectives less the constant.
    pub(super) margin: f64,
    values: Values,
}

#[derive(Clone)]
struct Values {
    multiplier: f64,
    accounts: Vec<f64>,
    prices: Vec<f64>,
}

impl Prices {
    /// Steps from the start values of the problem, or from 0.
    pub(super) fn of(
        problem: &ConflictProblem,
        conflicts: &Conflicts,
        meter: &mut Meter<'_>,
    ) -> (Self, Option<End>) {
        let mut values = start(problem, conflicts);
        let greatest = Greatest::of(problem);
        let mut best = Self::at(problem, conflicts, &values, &greatest);
        let mut best_bound = best.bound(problem);
        let enough = problem.known_objective();
        let mut length = 1.0;
        let mut waited = 0;
        let work = problem.candidates.len() as u64;
        for _ in 0..STEPS {
            if best_bound >= enough || length < SHORTEST {
                break;
            }
            if let Err(end) = meter.spend(work) {
                return (best, Some(end));
            }
            let now = Self::at(problem, conflicts, &values, &greatest);
            let bound = now.bound(problem);
            let picks = now.cheapest(problem);
            if bound > best_bound {
                (best, best_bound, waited) = (now, bound, 0);
            } else {
                waited += 1;
                if waited >= PATIENCE {
                    (length, waited) = (length * 0.6, 0);
                }
            }
            if !values.step(problem, conflicts, &picks, length, bound, best_bound) {
                break;
            }
        }
        (best, None)
    }

    fn at(problem: &ConflictProblem, conflicts: &Conflicts, values: &Values, greatest: &Greatest) -> Self {
        let with_cliques = problem.candidates.iter().zip(&conflicts.of_candidate).enumerate();
        let reduced: Vec<f64> = with_cliques
            .map(|(index, (candidate, cliques))| {
                let prices: f64 = cliques.iter().map(|&clique| values.prices[clique as usize]).sum();
                let tax = problem.accounts.tax(index, &values.accounts);
                candidate.objective + values.multiplier * candidate.weight + tax + prices
            })
            .collect();
        let limit = if values.multiplier > 0.0 { values.multiplier * problem.limit } else { 0.0 };
        let budgets = values.accounts.iter().zip(&problem.accounts.budgets);
        let of_accounts =
            budgets.filter(|account| *account.0 > 0.0).map(|(multiplier, budget)| multiplier * budget);
        let (accounts, size_of_accounts) =
            of_accounts.fold((0.0, 0.0), |sums, part: f64| (sums.0 + part, sums.1 + part.abs()));
        let constant = values.prices.iter().sum::<f64>() + limit + accounts;
        // What is added may be far greater than the sums.
        let tax = values.accounts.iter().copied().fold(0.0, f64::max) * greatest.cost;
        let own = greatest.objective + values.multiplier * greatest.weight + tax;
        let added = 2.0 * own + reduced.iter().map(|reduced| reduced.abs()).fold(0.0, f64::max);
        let added = added * problem.jobs() as f64;
        let magnitude = constant.abs() + limit.abs() + size_of_accounts + added;
        let operations = values.prices.len() + values.accounts.len() + 2 * problem.jobs() + 16;
        // Products below the smallest normal double round by a unit of the least.
        let margin = plain_sum_error(operations, magnitude) + f64::MIN_POSITIVE;
        Self { reduced, constant, margin, values: values.clone() }
    }

    /// The dual values, for a problem of fewer candidates.
    pub(super) fn to_start(&self, conflicts: &Conflicts) -> StartPrices {
        let Values { multiplier, accounts, prices } = &self.values;
        let rows = conflicts.cliques.iter().zip(prices).filter(|row| *row.1 > 0.0);
        StartPrices {
            multiplier: *multiplier,
            accounts: accounts.clone(),
            prices: rows.map(|(clique, &price)| (clique.resource, clique.instant, price)).collect(),
        }
    }

    /// A lower bound of the objective of every choice that places all jobs that have candidates.
    pub(super) fn bound(&self, problem: &ConflictProblem) -> f64 {
        let least =
            |range: &[usize]| self.reduced[range[0]..range[1]].iter().copied().fold(f64::INFINITY, f64::min);
        let sum: f64 = problem.offsets.windows(2).map(least).filter(|least| least.is_finite()).sum();
        sum - self.constant - self.margin
    }

    fn cheapest(&self, problem: &ConflictProblem) -> Vec<u32> {
        let of_job = |range: &[usize]| {
            (range[0]..range[1]).min_by(|&a, &b| self.reduced[a].total_cmp(&self.reduced[b]).then(a.cmp(&b)))
        };
        problem.offsets.windows(2).filter_map(of_job).map(|index| index as u32).collect()
    }
}

/// The greatest magnitudes of numbers of candidates.
struct Greatest {
    objective: f64,
    weight: f64,
    cost: f64,
}

impl Greatest {
    fn of(problem: &ConflictProblem) -> Self {
        let of = |number: fn(&Candidate) -> f64| {
            problem.candidates.iter().map(|candidate| number(candidate).abs()).fold(0.0, f64::max)
        };
        let objective = of(|candidate| candidate.objective);
        Self { objective, weight: of(|candidate| candidate.weight), cost: problem.accounts.greatest_cost() }
    }
}

fn start(problem: &ConflictProblem, conflicts: &Conflicts) -> Values {
    let budgets = &problem.accounts.budgets;
    let (accounts, prices) = (vec![0.0; budgets.len()], vec![0.0; conflicts.cliques.len()]);
    let mut values = Values { multiplier: 0.0, accounts, prices };
    let Some(given) = &problem.start else { return values };
    let finite = |value: f64| if value.is_finite() && value > 0.0 { value } else { 0.0 };
    if problem.limit.is_finite() {
        values.multiplier = finite(given.multiplier);
    }
    for ((value, &given), budget) in values.accounts.iter_mut().zip(&given.accounts).zip(budgets) {
        *value = if budget.is_finite() { finite(given) } else { 0.0 };
    }
    let mut by_resource: BTreeMap<u32, Vec<(f64, usize)>> = BTreeMap::new();
    for (index, clique) in conflicts.cliques.iter().enumerate() {
        by_resource.entry(clique.resource).or_default().push((clique.instant, index));
    }
    for &(resource, instant, price) in &given.prices {
        // Who holds the resource just before an instant at which no clique stands held it before the clique's
        // instant before that: no one has begun since.
        let Some(cliques) = by_resource.get(&resource) else { continue };
        let at = cliques.partition_point(|clique| clique.0 <= instant);
        if let Some(&(_, clique)) = at.checked_sub(1).and_then(|at| cliques.get(at)) {
            values.prices[clique] += finite(price);
        }
    }
    values
}

impl Values {
    /// A step along the violations; false where there is none, so that the bound is met.
    fn step(
        &mut self,
        problem: &ConflictProblem,
        conflicts: &Conflicts,
        picks: &[u32],
        length: f64,
        bound: f64,
        best_bound: f64,
    ) -> bool {
        let mut violation = vec![-1.0_f64; self.prices.len()];
        let mut weight = 0.0;
        let mut objective = 0.0;
        // Sums of costs beyond the budgets.
        let finite = |budget: f64| if budget.is_finite() { -budget } else { f64::NEG_INFINITY };
        let mut beyond: Vec<f64> = problem.accounts.budgets.iter().map(|&budget| finite(budget)).collect();
        for &pick in picks {
            let candidate = &problem.candidates[pick as usize];
            weight += candidate.weight;
            objective += candidate.objective.abs();
            if let Some((account, cost)) = problem.accounts.of_candidate(pick) {
                beyond[account] += cost;
            }
            for &clique in &conflicts.of_candidate[pick as usize] {
                violation[clique as usize] += 1.0;
            }
        }
        let excess = if problem.limit.is_finite() { weight - problem.limit } else { 0.0 };
        // Rows with room left and a price of 0 do not move.
        for (violation, &price) in violation.iter_mut().zip(&self.prices) {
            if *violation < 0.0 && price == 0.0 {
                *violation = 0.0;
            }
        }
        let limited = excess > 0.0 || self.multiplier > 0.0 && excess < 0.0;
        for (beyond, &multiplier) in beyond.iter_mut().zip(&self.accounts) {
            if !beyond.is_finite() || *beyond < 0.0 && multiplier == 0.0 {
                *beyond = 0.0;
            }
        }
        if violation.iter().chain(&beyond).all(|&violation| violation == 0.0) && !limited {
            return false;
        }
        // Rows differ in unit: the limit's row is scaled to a violation of about 1.
        let scale = if limited {
            picks.len() as f64 / weight.abs().max(problem.limit.abs()).max(1e-300)
        } else {
            0.0
        };
        let square: f64 = violation.iter().map(|violation| violation * violation).sum();
        let square = square + (excess * scale).powi(2);
        let scales: Vec<f64> = problem
            .accounts
            .budgets
            .iter()
            .zip(&beyond)
            .map(|(budget, beyond)| picks.len() as f64 / budget.abs().max(beyond.abs()).max(1e-300))
            .collect();
        let of_accounts = beyond.iter().zip(&scales).map(|(beyond, scale)| (beyond * scale).powi(2));
        let square = square + of_accounts.sum::<f64>();
        // Polyak's step towards a target above the best bound.
        let target = best_bound + 0.03 * objective.max(best_bound.abs());
        let step = length * (target - bound) / square.max(1e-300);
        for (price, violation) in self.prices.iter_mut().zip(&violation) {
            *price = (*price + step * violation).max(0.0);
        }
        if limited {
            self.multiplier = (self.multiplier + step * excess * scale * scale).max(0.0);
        }
        for ((multiplier, beyond), scale) in self.accounts.iter_mut().zip(&beyond).zip(&scales) {
            if *beyond != 0.0 {
                *multiplier = (*multiplier + step * beyond * scale * scale).max(0.0);
            }
        }
        true
    }
}
