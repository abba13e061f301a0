//! When the next job arrives.

use super::LublinClass;
use super::class::limited_gamma;
use crate::WorkloadError;
use crate::error::require;
use crate::sample::{Distribution, Gamma};
use rand::Rng;
use sched_model::elementary::exp;

/// Half hours of a day.
const BUCKETS: usize = 48;
const SECONDS: f64 = 1800.0;
/// The cyclic day of the model starts at this half hour.
const FIRST_BUCKET: usize = 11;
/// The greatest log gap. A gap is passed half hour by half hour; e^20 seconds are 270,000 half hours.
const HIGHEST: f64 = 20.0;

/// The arrival process of one class. A gap is drawn in points; a half hour holds as many points as its weight
/// says, the mean weight being 1.
pub(super) struct Arrivals {
    gap: Gamma,
    limit: f64,
    weights: [f64; BUCKETS],
    bucket: usize,
    clock: f64,
    /// Points of the current half hour that are used up.
    points: f64,
    /// The same as a share of the half hour.
    passed: f64,
}

impl Arrivals {
    pub(super) fn new(class: &LublinClass, start_hour: u32) -> Result<Self, WorkloadError> {
        require(start_hour < 24, "start_hour", start_hour, "below 24")?;
        let positive = class.arar.is_finite() && class.arar > 0.0;
        require(positive, "arar", class.arar, "finite and positive")?;
        let (shape, scale) = class.gap;
        let limit = class.max_log_gap;
        let gap = limited_gamma(
            "gap (shape times arar)",
            (shape * class.arar, scale),
            "max_log_gap",
            limit,
            HIGHEST,
        )?;
        let bad_cycle =
            || WorkloadError::parameter("cycle", format!("{:?}", class.cycle), "a gamma over 48 half hours");
        let cycle = Gamma::new(class.cycle.0, class.cycle.1).map_err(|_| bad_cycle())?;
        let mut weights = [0.0; BUCKETS];
        for i in FIRST_BUCKET..FIRST_BUCKET + BUCKETS {
            let at = i as f64;
            weights[(i - 1) % BUCKETS] = (cycle.cdf(at + 0.5) - cycle.cdf(at - 0.5)).max(0.0);
        }
        let mean = weights.iter().sum::<f64>() / BUCKETS as f64;
        if mean < 1e-6 {
            return Err(bad_cycle());
        }
        weights.iter_mut().for_each(|weight| *weight /= mean);
        let bucket = 2 * start_hour as usize;
        Ok(Arrivals { gap, limit, weights, bucket, clock: 0.0, points: 0.0, passed: 0.0 })
    }

    pub(super) fn weights(&self) -> &[f64; BUCKETS] {
        &self.weights
    }

    /// The instant of the next arrival.
    pub(super) fn advance(&mut self, rng: &mut dyn Rng) -> f64 {
        let gap = loop {
            let gap = self.gap.sample(rng);
            if gap <= self.limit {
                break gap;
            }
        };
        // Invariant: `points` of the current half hour are used up, and `clock` is at the same share of it.
        // The points that remain are used by the next call; without that there would be no daily cycle.
        self.points += exp(gap) / SECONDS;
        let mut step = 0.0;
        // A half hour of weight 0 holds no arrival and is skipped.
        while self.points > self.weights[self.bucket] || self.weights[self.bucket] == 0.0 {
            self.points -= self.weights[self.bucket];
            self.bucket = (self.bucket + 1) % BUCKETS;
            step += SECONDS;
        }
        let passed = self.points / self.weights[self.bucket];
        step += SECONDS * (passed - self.passed);
        self.passed = passed;
        self.clock += step;
        self.clock
    }
}
