//! Budgets that some of the jobs share.

use batch_dp::BatchError;
use sched_model::internal::affordable;
use sched_model::internal::plain_sum_error;

/// A budget that some of the jobs share, for example a user's money.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// The greatest sum of costs.
    pub budget: f64,
    /// The jobs that pay from the account, by position, each with the cost of each of its candidates.
    pub costs: Vec<(usize, Vec<f64>)>,
}

/// The accounts of a problem.
#[derive(Debug, Clone, Default)]
pub(super) struct Accounts {
    pub(super) budgets: Vec<f64>,
    /// For each candidate its account and its cost; empty if there are no accounts.
    of_candidate: Vec<Option<(u32, f64)>>,
    /// The greatest rounding error of a plain sum of costs of an account, including subtractions.
    pub(super) errors: Vec<f64>,
}

impl Accounts {
    pub(super) fn of(accounts: &[Account], offsets: &[usize]) -> Result<Self, BatchError> {
        let jobs = offsets.len() - 1;
        let mut all = Self {
            budgets: Vec::with_capacity(accounts.len()),
            of_candidate: vec![None; offsets.last().copied().unwrap_or(0)],
            errors: Vec::with_capacity(accounts.len()),
        };
        let mut pays = vec![false; jobs];
        for (number, account) in accounts.iter().enumerate() {
            if account.budget.is_nan() {
                return Err(BatchError::Limit { what: "budget of an account" });
            }
            let mut greatest = 0.0;
            for (job, costs) in &account.costs {
                let job = *job;
                if job >= jobs || pays[job] || costs.len() != offsets[job + 1] - offsets[job] {
                    return Err(BatchError::Account { account: number, job });
                }
                pays[job] = true;
                let mut most = 0.0_f64;
                for (alternative, &cost) in costs.iter().enumerate() {
                    if !(0.0..=1e120).contains(&cost) {
                        let what = "cost of a candidate";
                        return Err(BatchError::Value { what, job, alternative, value: cost });
                    }
                    all.of_candidate[offsets[job] + alternative] = Some((number as u32, cost));
                    most = most.max(cost);
                }
                greatest += most;
            }
            all.budgets.push(account.budget);
            all.errors.push(plain_sum_error(2 * jobs + 2, greatest));
        }
        Ok(all)
    }

    /// The accounts of some of the candidates.
    pub(super) fn of_some(&self, kept: &[u32]) -> Self {
        let of = |&index: &u32| self.of_candidate.get(index as usize).copied().flatten();
        Self { of_candidate: kept.iter().map(of).collect(), ..self.clone() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.budgets.is_empty()
    }

    /// The account of a candidate, and what it costs.
    pub(super) fn of_candidate(&self, index: u32) -> Option<(usize, f64)> {
        let (account, cost) = self.of_candidate.get(index as usize).copied().flatten()?;
        Some((account as usize, cost))
    }

    /// Whether the candidates of these indices keep every budget.
    pub(super) fn are_kept_by(&self, indices: impl Iterator<Item = u32> + Clone) -> bool {
        self.budgets.iter().enumerate().all(|(account, &budget)| {
            let own = indices.clone().filter_map(|index| self.of_candidate(index));
            affordable(own.filter(|own| own.0 == account).map(|own| own.1), budget)
        })
    }

    pub(super) fn greatest_cost(&self) -> f64 {
        self.of_candidate.iter().flatten().map(|own| own.1).fold(0.0, f64::max)
    }

    /// The multiplier of this candidate's account times its cost.
    pub(super) fn tax(&self, index: usize, multipliers: &[f64]) -> f64 {
        self.of_candidate(index as u32).map_or(0.0, |(account, cost)| multipliers[account] * cost)
    }
}
