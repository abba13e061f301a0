//! The greatest service, and which alternatives a choice of it can hold. The most jobs are found by their lightest
//! alternatives without a search; if jobs differ in the service that they give, a search is needed.

use super::TRIAL;
use super::rows::{Needs, Rows};
use crate::Alternatives;
use crate::kernel::{CoreScratch, Found};
use crate::list::NONE;
use sched_model::internal::{exact_sum, order, sort_keys};
use sched_model::{End, Meter, affordable};
use std::cell::RefCell;

/// The most jobs that can be served within a limit: those with the lightest alternatives.
pub(super) struct Crowd {
    pub(super) served: Vec<bool>,
    /// The weight of the lightest alternative of each job; infinite if it has none.
    pub(super) lightest: Vec<f64>,
    /// For each job, the weight that the job replaces in the lightest choice of as many jobs if it takes another
    /// alternative.
    instead_of: Vec<f64>,
    /// The weight of the lightest job that is not served; infinite where there is none.
    next: f64,
    /// The slack of that choice under the limit, and the greatest magnitude in it.
    slack: f64,
    size: f64,
}

impl Crowd {
    /// `None` where even serving no job exceeds the limit.
    pub(super) fn of(
        batch: &Alternatives,
        weight: &[f64],
        limit: f64,
        meter: &mut Meter,
    ) -> Result<Option<Self>, End> {
        meter.spend(batch.len() as u64)?;
        let mut lightest: Vec<(f64, u32)> = Vec::with_capacity(batch.jobs());
        for job in (0..batch.jobs()).filter(|&job| batch.of_job(job).len() > 0) {
            let own = &weight[batch.offsets[job]..batch.offsets[job + 1]];
            lightest.push((own.iter().copied().fold(f64::INFINITY, f64::min), job as u32));
        }
        let mut lightest_of = vec![f64::INFINITY; batch.jobs()];
        lightest.iter().for_each(|&(weight, job)| lightest_of[job as usize] = weight);
        sort_keys(&mut lightest);
        let fits = |count: usize| affordable(lightest[..count].iter().map(|job| job.0), limit);
        // In ascending order of weight: once weights are positive, each further job increases the sum.
        let (mut least, mut most) = (lightest.partition_point(|job| job.0 < 0.0), lightest.len());
        if !fits(least) {
            return Ok(None);
        }
        while least < most {
            let middle = least + (most - least).div_ceil(2);
            if fits(middle) {
                least = middle;
            } else {
                most = middle - 1;
            }
        }
        let (chosen, others) = lightest.split_at(least);
        let mut crowd = Self {
            served: vec![false; batch.jobs()],
            lightest: lightest_of,
            instead_of: vec![f64::NEG_INFINITY; batch.jobs()],
            next: others.first().map_or(f64::INFINITY, |job| job.0),
            slack: limit - exact_sum(chosen.iter().map(|job| job.0)),
            size: limit.abs() + chosen.iter().map(|job| job.0.abs()).sum::<f64>(),
        };
        for &(weight, job) in chosen {
            (crowd.served[job as usize], crowd.instead_of[job as usize]) = (true, weight);
        }
        // Another job takes the place of the heaviest one.
        if let Some(&(heaviest, _)) = chosen.last() {
            for &(_, job) in others {
                crowd.instead_of[job as usize] = heaviest;
            }
        }
        Ok(Some(crowd))
    }

    /// Whether every job that has an alternative is served.
    pub(super) fn is_everybody(&self, batch: &Alternatives) -> bool {
        (0..batch.jobs()).all(|job| self.served[job] || batch.of_job(job).len() == 0)
    }

    /// The worth of a unit of the limit in jobs: 1 / the weight of the lightest job that is not served.
    pub(super) fn price(&self) -> Option<f64> {
        (1e-100..=1e100).contains(&self.next).then(|| 1.0 / self.next)
    }

    /// What is known about a job in every choice that serves as many jobs: the job's alternative replaces a weight
    /// of the lightest choice, or the lightest other job replaces the job, and the slack must cover the
    /// difference.
    pub(super) fn needs(&self, job: usize) -> Needs {
        let instead = self.instead_of[job];
        if instead == f64::NEG_INFINITY {
            return Needs { heaviest: f64::NEG_INFINITY, is_served: false };
        }
        let doubt = 32.0 * f64::EPSILON * (self.size + instead.abs() + self.slack.abs()) + f64::MIN_POSITIVE;
        let heaviest = instead + self.slack + doubt;
        Needs { heaviest, is_served: self.served[job] && self.next > heaviest }
    }
}

/// The trial for the service is shorter by this factor.
const SHORTER: u64 = 5;

/// The jobs, each served at its least weight or left out.
pub(super) struct Greatest<'a> {
    /// The least weight of each job; infinite if it has no alternative.
    pub(super) lightest: &'a [f64],
    /// The service that leaving each job out loses, at least 0.
    pub(super) lost: &'a [f64],
    pub(super) limit: f64,
    price: Option<f64>,
}

/// Which jobs are served by choices of one service.
pub(super) struct Served {
    /// By the choice that uses least of the limit.
    pub(super) lightest: Vec<bool>,
    /// By the choice that was found first, if several were found: with more work, only a choice of greater service
    /// replaces it.
    pub(super) first: Option<Vec<bool>>,
    pub(super) found: Found,
    /// Whether they were found by branches.
    pub(super) by_count: bool,
}

impl<'a> Greatest<'a> {
    pub(super) fn new(lightest: &'a [f64], lost: &'a [f64], limit: f64) -> Self {
        Self { lightest, lost, limit, price: price(lightest, lost, limit) }
    }

    /// Which jobs are served; `None` if every choice exceeds the limit.
    pub(super) fn service(
        &self,
        known: Option<&[Option<usize>]>,
        scratch: &mut CoreScratch,
        meter: &mut Meter,
    ) -> Result<Option<Served>, End> {
        let (mut rows, first) = (Rows::empty(1.0, self.limit), RefCell::default());
        let mut known_service = Vec::new();
        for (job, (&lightest, &lost)) in self.lightest.iter().zip(self.lost).enumerate() {
            let can_be_served = lightest < f64::INFINITY;
            // A job that the known choice serves can also be served by its lightest alternative.
            let is_served = known.is_some_and(|known| known[job].is_some());
            let first = rows.objective.len() as u32;
            known_service.push(first + u32::from(can_be_served && !is_served));
            if can_be_served {
                rows.push(0.0, lightest, 0.0, job as u32);
            }
            rows.push(lost, 0.0, 0.0, NONE);
            rows.offsets.push(rows.objective.len());
        }
        let known = known.map(|_| known_service.as_slice());
        // Searching takes much longer than looking for branches among so few alternatives.
        let known = (known, Some(&first));
        let Some(best) = rows.best_by_objective(known, TRIAL / SHORTER, scratch, meter)? else {
            return Ok(None);
        };
        let served = |picks: &[u32]| picks.iter().map(|&pick| rows.origin[pick as usize] != NONE).collect();
        let (lightest, first) = (served(&best.picks), Some(served(&first.borrow())));
        Ok(Some(Served { lightest, first, found: best.found, by_count: best.by_count }))
    }

    /// What is known about each job in every choice that loses as little as this one, which loses the least;
    /// `None` if no alternative can be excluded.
    ///
    /// At a price of the limit each job takes at least the lesser of its lightest alternative and the loss of
    /// leaving it out. No job may exceed this by more than the difference between the loss of the choice and the
    /// sum over all jobs.
    pub(super) fn needs(&self, served: &[bool]) -> Option<Vec<Needs>> {
        let price = self.price?;
        let value = |(&lightest, &lost): (&f64, &f64)| (price * lightest).min(lost);
        let values = || self.lightest.iter().zip(self.lost).map(value);
        let lost =
            exact_sum(self.lost.iter().zip(served).filter(|(_, served)| !**served).map(|(lost, _)| *lost));
        let bound = values().sum::<f64>() - price * self.limit;
        let sizes = values().map(f64::abs).sum::<f64>() + price * self.limit.abs() + lost;
        let doubt = 4.0 * f64::EPSILON * (self.lost.len() as f64 + 16.0) * sizes;
        let more = lost - bound + doubt;
        let needs: Vec<Needs> = values()
            .zip(self.lost)
            .map(|(value, &lost)| {
                let (most, doubt) = (value + more, 8.0 * f64::EPSILON * (value.abs() + more));
                let heaviest = most / price;
                let rounding = 8.0 * f64::EPSILON * heaviest.abs() + doubt / price + f64::MIN_POSITIVE;
                Needs { heaviest: heaviest + rounding, is_served: lost > most + doubt }
            })
            .collect();
        needs.iter().all(|needs| needs.heaviest.is_finite()).then_some(needs)
    }

    /// The worth of a unit of the limit in service.
    pub(super) fn price(&self) -> Option<f64> {
        self.price
    }
}

/// The worth of a unit of the limit in service: that of the first job that does not fit, if jobs are served in
/// descending order of service per weight. `None` if all fit, or if numbers differ too much in magnitude.
fn price(lightest: &[f64], lost: &[f64], limit: f64) -> Option<f64> {
    let mut slack = limit - lightest.iter().filter(|weight| **weight <= 0.0).sum::<f64>();
    let jobs = lightest.iter().zip(lost).filter(|(weight, _)| (0.0..f64::INFINITY).contains(*weight));
    let ratios: Vec<(f64, f64)> =
        jobs.filter(|(weight, _)| **weight > 0.0).map(|(&weight, &lost)| (lost / weight, weight)).collect();
    let falling = order(ratios.len(), &|a, b| ratios[b].0.total_cmp(&ratios[a].0));
    let first = falling.into_iter().map(|at| ratios[at as usize]).find(|&(_, weight)| {
        slack -= weight;
        slack < 0.0
    });
    first.map(|(price, _)| price).filter(|price| (1e-150..=1e150).contains(price))
}
