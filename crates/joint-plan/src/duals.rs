//! Dual values, the bounds that they give, and steps in the direction in which the bound grows, which follows from the
//! collisions of the best windows.

use crate::JointError;
use crate::instance::Instance;
use sched_model::internal::{map_of, plain_sum_error, sort};
use sched_model::{NodeId, Time, Window};
use slot_window::priced::NodeTimePrices;
use std::collections::BTreeMap;

/// A constraint: at most one window holds this node just before this instant.
pub(crate) type Row = (NodeId, Time);

/// Dual values, as defined for [the ascent](crate::ascent).
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Duals {
    /// Price of a unit of the limited quantity.
    pub(crate) multiplier: f64,
    /// Price of a unit of money from each account; missing ones are 0.
    pub(crate) accounts: Vec<f64>,
    /// Prices of node-time; only positive ones are stored.
    pub(crate) prices: BTreeMap<Row, f64>,
}

impl Duals {
    /// The weights of cost, runtime and start in the value of a window of `job`, including the multipliers of the
    /// limits.
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

    /// The midpoint between `others` and these dual values.
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

    /// The sum of the multipliers times their limits, which the bound subtracts, and the sum of the magnitudes of the
    /// terms.
    pub(crate) fn of_limits(&self, instance: &Instance<'_>) -> (f64, f64) {
        let limits = [(self.multiplier, instance.limit)].into_iter();
        let limits =
            limits.chain(self.accounts.iter().copied().zip(instance.accounts.budgets.iter().copied()));
        let parts = limits.filter(|part| part.0 > 0.0).map(|part| part.0 * part.1);
        parts.fold((0.0, 0.0), |sums, part| (sums.0 + part, sums.1 + part.abs()))
    }

    /// The prices in the form that searches read.
    pub(crate) fn node_time(&self) -> Result<NodeTimePrices, JointError> {
        Ok(NodeTimePrices::new(self.prices.iter().map(|(row, &price)| (row.0, row.1, price)))?)
    }
}

/// Lower bounds of the jobs' values at some prices, and the bound for plans that follows from them.
#[derive(Debug, Clone)]
pub(crate) struct Bound {
    /// For each job a lower bound of the values of its windows; infinite if the job has no window.
    pub(crate) values: Vec<f64>,
    /// The sum of the prices and of the multipliers times their limits, which is subtracted.
    pub(crate) constant: f64,
    /// The number of terms of `constant`, and the sum of their magnitudes.
    pub(crate) added: (usize, f64),
}

impl Bound {
    /// The lower bound of the values of a job's windows; negative infinity if there is none.
    pub(crate) fn of_job(&self, job: usize) -> f64 {
        self.values.get(job).copied().unwrap_or(f64::NEG_INFINITY)
    }

    /// A lower bound of the objective of every plan that leaves out exactly `count` of the jobs that have windows.
    pub(crate) fn leaving_out(&self, count: usize) -> f64 {
        let mut values: Vec<f64> =
            self.values.iter().copied().filter(|&value| value < f64::INFINITY).collect();
        if values.contains(&f64::NEG_INFINITY) {
            return f64::NEG_INFINITY;
        }
        sort(&mut values, &|a, b| b.total_cmp(a));
        // Jobs left out are not added and do not count in the error, so at prices of 0 the bound of the plan without
        // jobs is exactly 0.
        let kept = values.get(count..).unwrap_or_default();
        let magnitude = kept.iter().map(|value| value.abs()).sum::<f64>() + self.added.1;
        let error = plain_sum_error(kept.len() + self.added.0 + 8, magnitude);
        kept.iter().fold(0.0, |sum, value| sum + value) - self.constant - error
    }
}

/// The weight of the violation of a limit relative to that of other rows. It only decides how fast the ascent is: at a
/// weight of 1 the multipliers follow too slowly, and about twice the gap is left where the run time is minimised.
const LIMIT_WEIGHT: f64 = 3.0;
/// The maximum price or multiplier that the searches accept.
const MAX_PRICE: f64 = 1e90;

/// The best windows at some prices: their bound and their collisions.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    pub(crate) duals: Duals,
    pub(crate) bound: f64,
    pub(crate) violations: BTreeMap<Row, f64>,
    /// The amounts by which the windows exceed the limit, then each account; 0 for an infinite limit.
    pub(crate) excess: Vec<f64>,
}

/// Computes by how much windows, each given with its job, exceed the limit and each account.
pub(crate) fn excess(instance: &Instance<'_>, windows: &[(usize, &Window)]) -> Vec<f64> {
    let weight: f64 = windows.iter().map(|(_, window)| instance.terms.weight(window)).sum();
    let mut used = vec![weight; 1];
    used.resize(1 + instance.accounts.budgets.len(), 0.0);
    for &(job, window) in windows {
        if let Some(account) = instance.accounts.of(job) {
            used[1 + account] += window.cost().get();
        }
    }
    let limits = limits(instance);
    used.iter()
        .zip(limits)
        .map(|(used, limit)| if limit < f64::INFINITY { used - limit } else { 0.0 })
        .collect()
}

/// The limit of the batch, then the budgets of the accounts.
fn limits(instance: &Instance<'_>) -> impl Iterator<Item = f64> {
    [instance.limit].into_iter().chain(instance.accounts.budgets.iter().copied())
}

/// Computes the violation of each row with a price or a collision: the number of windows that hold it, minus 1.
pub(crate) fn violations(windows: &[&Window], duals: &Duals) -> BTreeMap<Row, f64> {
    let of_window = |window: &&Window| {
        let start = window.start();
        window.placements().iter().map(move |place| (place.node, start, place.end)).collect::<Vec<_>>()
    };
    let mut held: Vec<(NodeId, Time, Time)> = windows.iter().flat_map(of_window).collect();
    sort(&mut held, &|a, b| a.cmp(b));
    let mut rows: BTreeMap<Row, f64> = map_of(duals.prices.keys().map(|&row| (row, -1.0)));
    for held in held.chunk_by(|a, b| a.0 == b.0) {
        let node = held[0].0;
        // The intervals open just before an end form a clique. It is new if another one has begun since the last such
        // end.
        let mut ends: Vec<Time> = held.iter().map(|held| held.2).collect();
        sort(&mut ends, &|a, b| a.cmp(b));
        ends.dedup();
        let mut last_begun = None;
        for &end in &ends {
            let open = || held.iter().filter(|held| held.1 < end && end <= held.2);
            let latest_start = open().map(|held| held.1).max();
            if open().count() < 2 || latest_start == last_begun {
                continue;
            }
            last_begun = latest_start;
            let Some(latest_start) = latest_start else { continue };
            // A price at any instant after the latest start separates them: the row is one that exists already,
            // otherwise that of the first end.
            let between = rows.range((node, latest_start)..=(node, end));
            if !between.into_iter().any(|(row, _)| row.1 > latest_start) {
                rows.insert((node, end), -1.0);
            }
        }
        for (row, count) in rows.range_mut((node, held[0].1)..=(node, ends[ends.len() - 1])) {
            *count += held.iter().filter(|held| held.1 < row.1 && row.1 <= held.2).count() as f64;
        }
    }
    rows
}

/// A direction: the sum of the violations of the last points, the later ones with higher weights.
#[derive(Debug, Default)]
pub(crate) struct Direction {
    rows: BTreeMap<Row, f64>,
    excess: Vec<f64>,
}

impl Direction {
    /// Adds the violations of a point, after multiplying the sum of earlier ones by `memory`.
    pub(crate) fn add(&mut self, point: &Point, memory: f64) {
        for value in self.rows.values_mut() {
            *value *= memory;
        }
        self.excess.resize(point.excess.len(), 0.0);
        for (excess, last) in self.excess.iter_mut().zip(&point.excess) {
            *excess = *excess * memory + last;
        }
        for (&row, &violation) in &point.violations {
            *self.rows.entry(row).or_default() += violation;
        }
        // A thousandth of one job's violation no longer turns the direction.
        self.rows.retain(|_, value| value.abs() > 1e-3);
    }

    /// Takes a step of `length` times the step that would raise the bound by `rise` if it were linear. `None` if no row
    /// is violated, `rise` is not positive, or a price would exceed the maximum.
    pub(crate) fn step(
        &self,
        from: &Duals,
        instance: &Instance<'_>,
        length: f64,
        rise: f64,
    ) -> Option<Duals> {
        // Rows differ in unit: the violation of a limit is scaled such that the share of one job is about 1. A limit
        // that is not exceeded and has a multiplier of 0 does not change.
        let multipliers = [from.multiplier].into_iter().chain(from.accounts.iter().copied());
        let multipliers: Vec<f64> =
            multipliers.chain(std::iter::repeat(0.0)).take(self.excess.len()).collect();
        let scale = |((&excess, limit), &multiplier): ((&f64, f64), &f64)| {
            if excess > 0.0 || multiplier > 0.0 && excess < 0.0 {
                LIMIT_WEIGHT * instance.jobs.len() as f64 / limit.abs().max(excess.abs()).max(1e-300)
            } else {
                0.0
            }
        };
        let scales: Vec<f64> =
            self.excess.iter().zip(limits(instance)).zip(&multipliers).map(scale).collect();
        // Rows without a positive violation and without a price do not change.
        let moves = |row: &Row, value: f64| value > 0.0 || from.prices.contains_key(row);
        let square: f64 =
            self.rows.iter().filter(|(row, value)| moves(row, **value)).map(|(_, value)| value * value).sum();
        let scaled = self.excess.iter().zip(&scales).map(|(excess, scale)| (excess * scale).powi(2));
        let square = square + scaled.sum::<f64>();
        if !(square > 0.0 && rise > 0.0) {
            return None;
        }
        let step = length * rise / square;
        let mut prices = from.prices.clone();
        for (&row, &value) in &self.rows {
            if moves(&row, value) {
                *prices.entry(row).or_default() += step * value;
            }
        }
        prices.retain(|_, price| *price > 0.0);
        let sound = |price: f64| price <= MAX_PRICE;
        let moved = multipliers.iter().zip(&self.excess).zip(&scales);
        let mut moved = moved.map(|((multiplier, excess), scale)| {
            if *scale > 0.0 { (multiplier + step * excess * scale * scale).max(0.0) } else { *multiplier }
        });
        let multiplier = moved.next().unwrap_or(0.0);
        let accounts: Vec<f64> = moved.collect();
        let all_sound =
            sound(multiplier) && accounts.iter().chain(prices.values()).all(|&price| sound(price));
        all_sound.then_some(Duals { multiplier, accounts, prices })
    }
}
