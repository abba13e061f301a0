//! Budgets that several jobs share: those of users.

use sched_model::internal::{affordable, exact_sum};
use sched_model::{Job, UserId, Window};
use std::collections::BTreeMap;

/// Which job pays from which budget. A choice, of windows or of candidates, keeps a budget if the costs of its jobs
/// together are at most the budget.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Accounts {
    /// For each job the position of its account; empty if there are no accounts.
    pub(crate) of_job: Vec<Option<usize>>,
    pub(crate) budgets: Vec<f64>,
}

impl Accounts {
    /// The accounts of these jobs.
    pub(crate) fn new(jobs: &[&Job], budgets: &BTreeMap<UserId, f64>) -> Self {
        let users: Vec<UserId> = budgets.keys().copied().collect();
        if users.is_empty() {
            return Self::default();
        }
        let of_job = jobs.iter().map(|job| users.binary_search(&job.user).ok()).collect();
        // A user whose budget is below 0 has no windows, and spends nothing.
        Self { of_job, budgets: budgets.values().map(|budget| budget.max(0.0)).collect() }
    }

    /// The account from which a job pays, if any.
    pub(crate) fn of(&self, job: usize) -> Option<usize> {
        self.of_job.get(job).copied().flatten()
    }

    /// The costs of windows, at most one per job, each with its account.
    pub(crate) fn costs<'a>(
        &'a self,
        windows: &'a [Option<Window>],
    ) -> impl Iterator<Item = (usize, f64)> + Clone + 'a {
        let cost =
            |(job, window): (usize, &Option<Window>)| Some((self.of(job)?, window.as_ref()?.cost().get()));
        windows.iter().enumerate().filter_map(cost)
    }

    /// Whether costs, each with its account, keep every budget.
    pub(crate) fn allow(&self, costs: impl Iterator<Item = (usize, f64)> + Clone) -> bool {
        let keeps = |(account, &budget)| affordable(of_account(account, costs.clone()), budget);
        self.budgets.iter().enumerate().all(keeps)
    }

    /// The accounts of `jobs`, with the budgets that the windows of all other jobs leave.
    pub(crate) fn left_for(&self, jobs: &[usize], windows: &[Option<Window>]) -> Self {
        if self.budgets.is_empty() {
            return Self::default();
        }
        let mut others = windows.to_vec();
        jobs.iter().for_each(|&job| others[job] = None);
        let left = |(account, &budget): (usize, &f64)| {
            let spent = exact_sum(of_account(account, self.costs(&others)));
            if budget < f64::INFINITY { budget - spent } else { budget }
        };
        Self {
            of_job: jobs.iter().map(|&job| self.of(job)).collect(),
            budgets: self.budgets.iter().enumerate().map(left).collect(),
        }
    }
}

/// The costs to one account.
fn of_account(
    account: usize,
    costs: impl Iterator<Item = (usize, f64)> + Clone,
) -> impl Iterator<Item = f64> + Clone {
    costs.filter(move |of| of.0 == account).map(|of| of.1)
}
