//! The maximum service, and the alternatives that a choice of the maximum service can contain. The maximum number of
//! jobs follows from their lightest alternatives without a search; if jobs differ in the service that they give, a
//! search is needed.

use super::rows::{Restrictions, Rows};
use crate::ChoiceProblem;
use crate::alternatives::View;
use crate::kernel::CoreScratch;
use crate::list::NONE;
use sched_model::internal::{affordable, exact_sum, order, sort_keys};
use sched_model::{End, Meter};

/// The jobs, each served at its minimum weight or left out.
pub(super) struct Service {
    /// The minimum weight of each job; infinite if it has no alternative.
    lightest: Vec<f64>,
    /// The service that leaving each job out loses, at least 0.
    lost: Vec<f64>,
    limit: f64,
    /// Two prices of a unit of the limit, as computed by [`prices`].
    prices: [Option<f64>; 2],
}

impl Service {
    /// Reads minimum weights and services of a problem.
    pub(super) fn of(problem: &ChoiceProblem<'_>, meter: &mut Meter) -> Result<Self, End> {
        let (batch, View { weight, limit, .. }) = (problem.alternatives, problem.numbers());
        meter.spend(batch.len() as u64)?;
        let rows = batch.offsets.windows(2);
        let least = |row: &[usize]| weight[row[0]..row[1]].iter().copied().fold(f64::INFINITY, f64::min);
        let lightest: Vec<f64> = rows.map(least).collect();
        let lost: Vec<f64> = (0..batch.jobs()).map(|job| problem.coverage.left_out(job)).collect();
        let prices = prices(&lightest, &lost, limit);
        Ok(Self { lightest, lost, limit, prices })
    }

    /// Finds the jobs that are served by the lightest choice of the most jobs; `None` if no choice keeps the limit.
    pub(super) fn most_jobs(&self) -> Option<Vec<bool>> {
        let mut jobs: Vec<(f64, u32)> = self.lightest.iter().copied().zip(0..).collect();
        jobs.retain(|job| job.0 < f64::INFINITY);
        sort_keys(&mut jobs);
        let fits = |count: usize| affordable(jobs[..count].iter().map(|job| job.0), self.limit);
        // Jobs of negative weight come first; each job after them does not decrease the sum, which permits a binary
        // search.
        let (mut least, mut most) = (jobs.partition_point(|job| job.0 < 0.0), jobs.len());
        if !fits(least) {
            return None;
        }
        while least < most {
            let middle = least + (most - least).div_ceil(2);
            if fits(middle) {
                least = middle;
            } else {
                most = middle - 1;
            }
        }
        let mut served = vec![false; self.lightest.len()];
        jobs[..least].iter().for_each(|&(_, job)| served[job as usize] = true);
        Some(served)
    }

    /// Whether every job that has an alternative is served, and leaving it out would lose service.
    pub(super) fn serves_all(&self, served: &[bool]) -> bool {
        let jobs = self.lightest.iter().zip(&self.lost).zip(served);
        jobs.into_iter()
            .all(|((&lightest, &lost), &served)| lightest == f64::INFINITY || served && lost > 0.0)
    }

    /// Finds the jobs that are served by a choice of the maximum service, and how the search ended; `None` if every
    /// choice exceeds the limit. Under a larger limit of work, only a choice of greater service replaces the first one.
    pub(super) fn greatest(
        &self,
        start: Option<&[Option<usize>]>,
        scratch: &mut CoreScratch,
        meter: &mut Meter,
    ) -> Result<Option<(Vec<bool>, End)>, End> {
        let (mut rows, mut own) = (Rows::empty(1.0, self.limit), Vec::new());
        for (job, (&lightest, &lost)) in self.lightest.iter().zip(&self.lost).enumerate() {
            let can_be_served = lightest < f64::INFINITY;
            // A job that the earlier choice serves can also be served by its lightest alternative.
            let is_served = start.is_some_and(|start| start[job].is_some());
            let first = rows.objective.len() as u32;
            own.push(first + u32::from(can_be_served && !is_served));
            if can_be_served {
                rows.push(0.0, lightest, 0.0, job as u32);
            }
            rows.push(lost, 0.0, 0.0, NONE);
            rows.offsets.push(rows.objective.len());
        }
        let start = start.map(|_| own.as_slice());
        let best = rows.best_by_objective(start, scratch, meter)?;
        let is_served = |&pick: &u32| rows.origin[pick as usize] != NONE;
        Ok(best.map(|(picks, proof)| (picks.iter().map(is_served).collect(), proof.end)))
    }

    /// Computes what holds for each job in every choice of the maximum service; `served` is one of these choices.
    ///
    /// At a price of the limit, each job costs at least the lower of the price of its lightest alternative and the loss
    /// of leaving it out. In a choice of the maximum service, no job can exceed this minimum by more than the loss of
    /// the choice exceeds the bound from all minima.
    pub(super) fn restrictions(&self, served: &[bool]) -> Vec<Restrictions> {
        let lost =
            exact_sum(self.lost.iter().zip(served).filter(|(_, served)| !**served).map(|(lost, _)| *lost));
        let mut restrictions = vec![Restrictions::NONE; served.len()];
        for price in self.prices.into_iter().flatten() {
            let value = |(&lightest, &lost): (&f64, &f64)| (price * lightest).min(lost);
            let values = || self.lightest.iter().zip(&self.lost).map(value);
            let bound = values().sum::<f64>() - price * self.limit;
            let sizes = values().map(f64::abs).sum::<f64>() + price * self.limit.abs() + lost;
            let margin = 4.0 * f64::EPSILON * (served.len() as f64 + 16.0) * sizes;
            let more = lost - bound + margin;
            for ((restrictions, value), &lost) in restrictions.iter_mut().zip(values()).zip(&self.lost) {
                let (most, margin) = (value + more, 8.0 * f64::EPSILON * (value.abs() + more));
                let heaviest = most / price;
                let rounding = 8.0 * f64::EPSILON * heaviest.abs() + margin / price + f64::MIN_POSITIVE;
                restrictions.heaviest = restrictions.heaviest.min(heaviest + rounding);
                restrictions.is_served |= lost > most + margin;
            }
        }
        restrictions
    }

    /// The service per unit of the limit of the first job that does not fit.
    pub(super) fn price(&self) -> Option<f64> {
        self.prices[1]
    }
}

/// The service per unit of weight of the last job that fits and of the first that does not, if jobs are served in
/// descending order of this ratio; each `None` if there is no such job, or if its numbers differ too much in magnitude.
fn prices(lightest: &[f64], lost: &[f64], limit: f64) -> [Option<f64>; 2] {
    let mut slack = limit - lightest.iter().filter(|weight| **weight <= 0.0).sum::<f64>();
    let jobs = lightest.iter().zip(lost).filter(|(weight, _)| **weight > 0.0 && **weight < f64::INFINITY);
    let ratios: Vec<(f64, f64)> = jobs.map(|(&weight, &lost)| (lost / weight, weight)).collect();
    let falling = order(ratios.len(), &|a, b| ratios[b].0.total_cmp(&ratios[a].0));
    let first = falling.iter().position(|&at| {
        slack -= ratios[at as usize].1;
        slack < 0.0
    });
    let price = |at: usize| {
        let price = ratios[*falling.get(at)? as usize].0;
        (1e-150..=1e150).contains(&price).then_some(price)
    };
    let first = first.unwrap_or(falling.len());
    [first.checked_sub(1).and_then(price), price(first)]
}
