//! Dual values, and the bounds that they give.

use crate::JointError;
use crate::instance::Instance;
use sched_model::order::{map_of, sort};
use sched_model::{NodeId, Time, plain_sum_error};
use slot_window::priced::NodeTimePrices;
use std::collections::BTreeMap;

/// A constraint: at most one window holds this node just before this instant.
pub(crate) type Row = (NodeId, Time);

/// Dual values.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Duals {
    /// Price of the limited quantity.
    pub(crate) multiplier: f64,
    /// Price of a unit of money from each account; 0 beyond the end.
    pub(crate) accounts: Vec<f64>,
    /// Prices of node-time, positive ones only.
    pub(crate) prices: BTreeMap<Row, f64>,
}

impl Duals {
    /// Weights of cost, runtime and start of a job's windows, with the multipliers of the limits.
    pub(crate) fn weights(&self, instance: &Instance<'_>, job: usize) -> [f64; 3] {
        let [cost, runtime, start] = instance.terms.weights(self.multiplier);
        let account = instance.accounts.of(job).and_then(|account| self.accounts.get(account));
        [cost + account.copied().unwrap_or(0.0), runtime, start]
    }

    /// The same prices, with the multipliers of the limits times `tax`.
    pub(crate) fn taxed(&self, tax: f64) -> Self {
        let accounts = self.accounts.iter().map(|account| account * tax).collect();
        Self { multiplier: self.multiplier * tax, accounts, prices: self.prices.clone() }
    }

    /// The dual values half-way between others and these.
    pub(crate) fn half_way_from(&self, others: &Self) -> Self {
        let mut prices = map_of(self.prices.iter().map(|(&row, &price)| (row, price / 2.0)));
        for (&row, &price) in &others.prices {
            *prices.entry(row).or_default() += price / 2.0;
        }
        let at = |accounts: &[f64], account: usize| accounts.get(account).copied().unwrap_or(0.0);
        let accounts = (0..self.accounts.len().max(others.accounts.len()))
            .map(|account| at(&self.accounts, account).midpoint(at(&others.accounts, account)));
        Self { multiplier: self.multiplier.midpoint(others.multiplier), accounts: accounts.collect(), prices }
    }

    /// The multipliers times the limits, to be subtracted from the sum of the jobs' values; and the sum of
    /// the magnitudes of the terms.
    pub(crate) fn of_limits(&self, instance: &Instance<'_>) -> (f64, f64) {
        let limits = [(self.multiplier, instance.limit)].into_iter();
        let limits =
            limits.chain(self.accounts.iter().copied().zip(instance.accounts.budgets.iter().copied()));
        let parts = limits.filter(|part| part.0 > 0.0).map(|part| part.0 * part.1);
        parts.fold((0.0, 0.0), |sums, part| (sums.0 + part, sums.1 + part.abs()))
    }

    pub(crate) fn node_time(&self) -> Result<NodeTimePrices, JointError> {
        Ok(NodeTimePrices::new(self.prices.iter().map(|(row, &price)| (row.0, row.1, price)))?)
    }
}

/// Lower bounds of the jobs' values at some prices.
#[derive(Debug, Clone)]
pub(crate) struct Bound {
    /// For each job, no window has a lesser value; infinite where it has none.
    pub(crate) values: Vec<f64>,
    /// Prices and the multiplier's share of the limit, to be subtracted.
    pub(crate) constant: f64,
    /// The number of terms added for it, and the sum of their magnitudes.
    pub(crate) added: (usize, f64),
}

impl Bound {
    /// The lower bound of the values of this job's windows.
    pub(crate) fn of_job(&self, job: usize) -> f64 {
        self.values.get(job).copied().unwrap_or(f64::NEG_INFINITY)
    }

    /// A lower bound of the objective of every plan that leaves out exactly so many of the jobs that have
    /// windows.
    pub(crate) fn leaving_out(&self, count: usize) -> f64 {
        let mut values: Vec<f64> =
            self.values.iter().copied().filter(|&value| value < f64::INFINITY).collect();
        if values.contains(&f64::NEG_INFINITY) {
            return f64::NEG_INFINITY;
        }
        sort(&mut values, &|a, b| b.total_cmp(a));
        // Jobs left out are not added, and do not count in the error: the bound without any job is 0.
        let kept = values.get(count..).unwrap_or_default();
        let magnitude = kept.iter().map(|value| value.abs()).sum::<f64>() + self.added.1;
        let error = plain_sum_error(kept.len() + self.added.0 + 8, magnitude);
        kept.iter().fold(0.0, |sum, value| sum + value) - self.constant - error
    }
}
