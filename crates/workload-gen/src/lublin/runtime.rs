//! How long a job runs, given its size.

use super::LublinClass;
use super::class::limited_gamma;
use crate::WorkloadError;
use crate::error::require;
use crate::sample::{Distribution, Gamma, chance};
use rand::Rng;
use sched_model::elementary::exp;

pub(super) struct Runtimes {
    first: Gamma,
    second: Gamma,
    p_a: f64,
    p_b: f64,
    limit: f64,
}

/// e^50 seconds is more than the age of the universe.
const HIGHEST: f64 = 50.0;

impl Runtimes {
    pub(super) fn new(class: &LublinClass) -> Result<Self, WorkloadError> {
        for (name, value) in [("p_a", class.p_a), ("p_b", class.p_b)] {
            require(value.is_finite(), name, value, "finite")?;
        }
        let limit = class.max_log_runtime;
        let gamma = |name, parameters| limited_gamma(name, parameters, "max_log_runtime", limit, HIGHEST);
        Ok(Runtimes {
            first: gamma("runtime_1", class.runtime_1)?,
            second: gamma("runtime_2", class.runtime_2)?,
            p_a: class.p_a,
            p_b: class.p_b,
            limit,
        })
    }

    fn first_probability(&self, size: u32) -> f64 {
        (self.p_a * f64::from(size) + self.p_b).clamp(0.0, 1.0)
    }

    /// Whole seconds, at least 1: the gamma is not negative.
    pub(super) fn sample(&self, size: u32, rng: &mut dyn Rng) -> f64 {
        let p = self.first_probability(size);
        loop {
            // The choice of the gamma is drawn anew each time, so a value above the limit is replaced by
            // another draw from the mixture.
            let gamma = if chance(rng, p) { &self.first } else { &self.second };
            let log_runtime = gamma.sample(rng);
            if log_runtime <= self.limit {
                return exp(log_runtime).floor();
            }
        }
    }

    pub(super) fn cdf(&self, size: u32, log_runtime: f64) -> f64 {
        let p = self.first_probability(size);
        let mixture = |x| p * self.first.cdf(x) + (1.0 - p) * self.second.cdf(x);
        mixture(log_runtime.min(self.limit)) / mixture(self.limit)
    }
}
