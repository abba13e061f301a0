//! The published parameters of each class of jobs, and the distributions of the size of a job and of its run time given
//! its size.

use crate::WorkloadError;
use crate::draw::range::{self, Least};
use crate::draw::{Distribution, Gamma, TwoStageUniform, chance, unit};
use crate::error::require;
use rand::Rng;
use sched_model::internal::{exp, ln};
use std::f64::consts::LN_2;

/// log2 of the system size for which `u_med` and `u_high` are published.
pub(super) const LOG_SIZE_OF_TABLE: f64 = 7.0;

/// The parameters of one class of jobs. Gamma distributions are given as (shape, scale); the log of a time is the
/// natural logarithm of its number of seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct LublinClass {
    /// Probability of a serial job.
    pub serial: f64,
    /// Probability of a parallel job whose size is a power of two.
    pub power_of_two: f64,
    /// log2 of the smallest parallel size.
    pub u_low: f64,
    /// log2 of the size at which the second stage begins, on 128 processors.
    pub u_med: f64,
    /// log2 of the largest size, on 128 processors.
    pub u_high: f64,
    /// Probability of the first stage, [`u_low`, `u_med`].
    pub u_prob: f64,
    /// The first gamma distribution of the log run time.
    pub runtime_1: (f64, f64),
    /// The second gamma distribution of the log run time.
    pub runtime_2: (f64, f64),
    /// The slope of the probability of the first gamma distribution: `p_a` * size + `p_b`, clamped to [0, 1].
    pub p_a: f64,
    /// See `p_a`.
    pub p_b: f64,
    /// The gamma distribution of the log gap between arrivals in the rush hours.
    pub gap: (f64, f64),
    /// The daily cycle: a gamma distribution that gives the share of arrivals in each half hour of a day.
    pub cycle: (f64, f64),
    /// Arrive-rush-to-all ratio: the factor of the shape of `gap` that extends it from the rush hours to the whole day.
    pub arar: f64,
    /// The maximum log run time; larger ones are drawn again.
    pub max_log_runtime: f64,
    /// The maximum log gap; larger ones are drawn again.
    pub max_log_gap: f64,
}

impl LublinClass {
    /// The parameters of all jobs of the published sample.
    pub(super) const WHOLE: LublinClass = LublinClass {
        serial: 0.244,
        power_of_two: 0.576,
        u_low: 0.8,
        u_med: 4.5,
        u_high: 7.0,
        u_prob: 0.86,
        runtime_1: (4.2, 0.94),
        runtime_2: (312.0, 0.03),
        p_a: -0.0054,
        p_b: 0.78,
        gap: (10.2303, 0.4871),
        cycle: (8.1737, 3.9631),
        arar: 1.0225,
        max_log_runtime: 12.0,
        max_log_gap: 13.0,
    };

    /// The parameters of the batch jobs.
    pub(super) const BATCH: LublinClass = LublinClass {
        serial: 0.2927,
        power_of_two: 0.6686,
        u_low: 1.2,
        u_med: 5.0,
        u_prob: 0.875,
        runtime_1: (6.57, 0.823),
        runtime_2: (639.1, 0.0156),
        p_a: -0.003,
        p_b: 0.6986,
        gap: (6.0415, 0.8531),
        cycle: (6.1271, 5.2740),
        arar: 1.0519,
        ..LublinClass::WHOLE
    };

    /// The parameters of the interactive jobs.
    pub(super) const INTERACTIVE: LublinClass = LublinClass {
        serial: 0.1541,
        power_of_two: 0.625,
        u_low: 1.0,
        u_med: 3.0,
        u_high: 5.5,
        u_prob: 0.705,
        runtime_1: (3.8351, 0.6605),
        runtime_2: (7.073, 0.6856),
        p_a: -0.0118,
        p_b: 0.9156,
        gap: (6.5510, 0.6621),
        cycle: (8.9186, 3.6680),
        arar: 0.9797,
        ..LublinClass::WHOLE
    };
}

/// Returns the gamma distribution `name` of a log time, whose values above `limit` the caller draws again. `limit` may
/// be at most `max_limit`, and at least one draw in a thousand must pass it, so that drawing ends soon.
pub(super) fn limited_gamma(
    name: &'static str,
    (shape, scale): (f64, f64),
    limit_name: &'static str,
    limit: f64,
    max_limit: f64,
) -> Result<Gamma, WorkloadError> {
    range::number(limit_name, limit, Least::Positive)?;
    require(limit <= max_limit, limit_name, limit, "small enough: e to it is a time in seconds")?;
    let wrong = |expected| WorkloadError::parameter(name, format_args!("({shape}, {scale})"), expected);
    let gamma = Gamma::new(shape, scale).map_err(|_| wrong("finite and positive"))?;
    if gamma.cdf(limit) >= 1e-3 {
        return Ok(gamma);
    }
    Err(wrong("below its limit at least once in a thousand draws"))
}

/// The distribution of run times given the size of the job.
pub(super) struct Runtimes {
    first: Gamma,
    second: Gamma,
    p_a: f64,
    p_b: f64,
    limit: f64,
}

/// The maximum of `max_log_runtime`: e^50 seconds is more than the age of the universe.
const MAX_LOG_RUNTIME: f64 = 50.0;

impl Runtimes {
    pub(super) fn new(class: &LublinClass) -> Result<Self, WorkloadError> {
        for (name, value) in [("p_a", class.p_a), ("p_b", class.p_b)] {
            require(value.is_finite(), name, value, "finite")?;
        }
        let limit = class.max_log_runtime;
        let gamma =
            |name, parameters| limited_gamma(name, parameters, "max_log_runtime", limit, MAX_LOG_RUNTIME);
        let (first, second) = (gamma("runtime_1", class.runtime_1)?, gamma("runtime_2", class.runtime_2)?);
        Ok(Runtimes { first, second, p_a: class.p_a, p_b: class.p_b, limit })
    }

    fn first_probability(&self, size: u32) -> f64 {
        (self.p_a * f64::from(size) + self.p_b).clamp(0.0, 1.0)
    }

    /// Draws a run time in whole seconds, at least 1 because the log run time is not negative.
    pub(super) fn sample(&self, size: u32, rng: &mut dyn Rng) -> f64 {
        let p = self.first_probability(size);
        loop {
            // A value above the limit is replaced by another draw from the mixture, not from the same gamma.
            let gamma = if chance(rng, p) { &self.first } else { &self.second };
            let log_runtime = gamma.sample(rng);
            if log_runtime <= self.limit {
                return exp(log_runtime).floor();
            }
        }
    }
}

/// The distribution of job sizes.
pub(super) struct Sizes {
    serial: f64,
    power_of_two: f64,
    log_size: TwoStageUniform,
    system_size: u32,
}

impl Sizes {
    pub(super) fn new(class: &LublinClass, system_size: u32) -> Result<Self, WorkloadError> {
        range::probability("serial", class.serial)?;
        range::probability("power_of_two", class.power_of_two)?;
        range::probability("serial + power_of_two", class.serial + class.power_of_two)?;
        require(system_size > 0, "system_size", system_size, "at least 1")?;
        // The bounds must be in order before the shift; after it, those of a small system are clamped.
        let bounds = || format!("{} / {} / {}", class.u_low, class.u_med, class.u_high);
        let bad_bounds =
            || WorkloadError::parameter("u_low / u_med / u_high", bounds(), "in order, each in [0, 32]");
        let in_order = class.u_low >= 0.0
            && class.u_low <= class.u_med
            && class.u_med <= class.u_high
            && class.u_high <= 32.0;
        if !in_order {
            return Err(bad_bounds());
        }
        range::probability("u_prob", class.u_prob)?;
        let shift = ln(f64::from(system_size)) / LN_2 - LOG_SIZE_OF_TABLE;
        let high = (class.u_high + shift).max(0.0);
        let low = class.u_low.min(high);
        let middle = (class.u_med + shift).clamp(low, high);
        let log_size = TwoStageUniform::new(low, middle, high, class.u_prob).map_err(|_| bad_bounds())?;
        Ok(Sizes { serial: class.serial, power_of_two: class.power_of_two, log_size, system_size })
    }

    pub(super) fn sample(&self, rng: &mut dyn Rng) -> u32 {
        // One draw decides whether the job is serial and whether its size is a power of two.
        let u = unit(rng);
        if u <= self.serial {
            return 1;
        }
        let mut log_size = self.log_size.sample(rng);
        if u <= self.serial + self.power_of_two {
            log_size = (log_size + 0.5).floor();
        }
        self.round(log_size)
    }

    fn round(&self, log_size: f64) -> u32 {
        let size = (exp(log_size * LN_2) + 0.5).floor();
        size.clamp(1.0, f64::from(self.system_size)) as u32
    }
}
