//! The most jobs that can be served.

use super::rows::Needs;
use crate::Alternatives;
use crate::list::sort_keys;
use sched_model::{End, Meter, affordable, exact_sum};

/// The most jobs that can be served within a limit: those of the lightest alternatives.
pub(super) struct Crowd {
    pub(super) served: Vec<bool>,
    /// The weight of the lightest alternative of each job, infinite where there is none.
    pub(super) lightest: Vec<f64>,
    /// For each job, the weight that is replaced in the lightest choice of so many jobs if the job takes
    /// another alternative.
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
        // In ascending order of weight: once weights are positive, each further job makes the sum greater.
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
        // Another job takes the place of the heaviest.
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

    /// The worth of a unit of the limit in jobs: 1 divided by the weight of the lightest job that is not
    /// served.
    pub(super) fn price(&self) -> Option<f64> {
        (1e-100..=1e100).contains(&self.next).then(|| 1.0 / self.next)
    }

    /// The facts about a job in every choice that serves so many jobs: the job's alternative replaces a
    /// weight of the lightest choice, or the lightest other job replaces its own, and the slack must cover
    /// the difference.
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
