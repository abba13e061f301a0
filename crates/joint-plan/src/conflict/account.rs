//! Budgets that several jobs share.

use super::Candidate;
use sched_model::internal::{affordable, plain_sum_error};

/// The accounts of a problem.
#[derive(Debug, Clone, Default)]
pub(super) struct Accounts {
    pub(super) budgets: Vec<f64>,
    /// For each candidate its account and its cost to the account, if any.
    of_candidate: Vec<Option<(u32, f64)>>,
    /// For each account, the maximum rounding error of a plain sum of costs, including subtractions.
    pub(super) errors: Vec<f64>,
}

impl Accounts {
    /// Creates the accounts; the candidates of each job begin at its offset.
    pub(super) fn of(
        of_job: &[Option<usize>],
        budgets: &[f64],
        (offsets, candidates): (&[usize], &[Candidate]),
    ) -> Self {
        let mut greatest = vec![0.0; budgets.len()];
        let mut of_candidate = vec![None; candidates.len()];
        for (own, account) in offsets.windows(2).zip(of_job) {
            let Some(account) = *account else { continue };
            let mut most = 0.0_f64;
            for (of, candidate) in of_candidate[own[0]..own[1]].iter_mut().zip(&candidates[own[0]..own[1]]) {
                *of = Some((account as u32, candidate.cost));
                most = most.max(candidate.cost);
            }
            greatest[account] += most;
        }
        let error = |greatest| plain_sum_error(2 * of_job.len() + 2, greatest);
        Self { budgets: budgets.to_vec(), of_candidate, errors: greatest.into_iter().map(error).collect() }
    }

    /// The accounts for only the candidates of these indices.
    pub(super) fn of_some(&self, kept: &[u32]) -> Self {
        let of = |&index: &u32| self.of_candidate.get(index as usize).copied().flatten();
        Self { of_candidate: kept.iter().map(of).collect(), ..self.clone() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.budgets.is_empty()
    }

    /// The account of a candidate, and its cost to the account.
    pub(super) fn of_candidate(&self, index: u32) -> Option<(usize, f64)> {
        let (account, cost) = self.of_candidate.get(index as usize).copied().flatten()?;
        Some((account as usize, cost))
    }

    /// Whether the candidates of these indices together keep every budget.
    pub(super) fn are_kept_by(&self, indices: impl Iterator<Item = u32> + Clone) -> bool {
        self.budgets.iter().enumerate().all(|(account, &budget)| {
            let own = indices.clone().filter_map(|index| self.of_candidate(index));
            affordable(own.filter(|own| own.0 == account).map(|own| own.1), budget)
        })
    }

    pub(super) fn greatest_cost(&self) -> f64 {
        self.of_candidate.iter().flatten().map(|own| own.1).fold(0.0, f64::max)
    }

    /// The cost of a candidate times the multiplier of its account; 0 without an account.
    pub(super) fn tax(&self, index: usize, multipliers: &[f64]) -> f64 {
        self.of_candidate(index as u32).map_or(0.0, |(account, cost)| multipliers[account] * cost)
    }
}
