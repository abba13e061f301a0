//! The published parameters, and the registry of the two variants.

use crate::WorkloadError;
use crate::error::require;
use crate::range::{self, Least};
use crate::sample::{Distribution, Gamma};

sched_model::registry! {
    /// The two published variants.
    pub enum LublinKind: "Lublin-Feitelson variant" {
        /// One set of parameters for all jobs.
        Whole = "whole",
        /// Batch and interactive jobs, each with parameters and arrivals of their own.
        Typed = "typed",
    }
}

/// log2 of the system for which the table's `u_med` and `u_high` are.
pub(super) const LOG_SIZE_OF_TABLE: f64 = 7.0;

/// The parameters of one class of jobs. Gammas are given as (shape, scale).
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct LublinClass {
    /// Probability of a serial job.
    pub serial: f64,
    /// Probability of a power of two.
    pub power_of_two: f64,
    /// log2 of the smallest parallel size.
    pub u_low: f64,
    /// log2 of the size where the second stage begins, on 128 processors.
    pub u_med: f64,
    /// log2 of the largest size, on 128 processors.
    pub u_high: f64,
    /// Probability of the first stage, [`u_low`, `u_med`].
    pub u_prob: f64,
    /// Log run time, first gamma.
    pub runtime_1: (f64, f64),
    /// Log run time, second gamma.
    pub runtime_2: (f64, f64),
    /// The first gamma's probability is `p_a` * size + `p_b`, clamped to [0, 1].
    pub p_a: f64,
    /// See `p_a`.
    pub p_b: f64,
    /// Log gap between arrivals in the busiest hours.
    pub gap: (f64, f64),
    /// The daily cycle: density of arrivals over the half hours of a day.
    pub cycle: (f64, f64),
    /// Arrive-rush-to-all-ratio: scales the shape of `gap` from the rush hours to the whole day.
    pub arar: f64,
    /// Largest log run time; larger ones are drawn again.
    pub max_log_runtime: f64,
    /// Largest log gap; larger ones are drawn again.
    pub max_log_gap: f64,
}

impl LublinClass {
    /// All jobs of the sample.
    pub const WHOLE: LublinClass = LublinClass {
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

    /// The batch jobs.
    pub const BATCH: LublinClass = LublinClass {
        serial: 0.2927,
        power_of_two: 0.6686,
        u_low: 1.2,
        u_med: 5.0,
        u_high: 7.0,
        u_prob: 0.875,
        runtime_1: (6.57, 0.823),
        runtime_2: (639.1, 0.0156),
        p_a: -0.003,
        p_b: 0.6986,
        gap: (6.0415, 0.8531),
        cycle: (6.1271, 5.2740),
        arar: 1.0519,
        max_log_runtime: 12.0,
        max_log_gap: 13.0,
    };

    /// The interactive jobs.
    pub const INTERACTIVE: LublinClass = LublinClass {
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
        max_log_runtime: 12.0,
        max_log_gap: 13.0,
    };
}

/// A gamma that is drawn again while it exceeds `limit`. At least one draw in a thousand must pass, or
/// drawing would hardly end.
pub(super) fn limited_gamma(
    name: &'static str,
    (shape, scale): (f64, f64),
    limit_name: &'static str,
    limit: f64,
    highest: f64,
) -> Result<Gamma, WorkloadError> {
    range::number(limit_name, limit, Least::Positive)?;
    require(limit <= highest, limit_name, limit, "small enough: e to it is a time in seconds")?;
    let wrong = |expected| WorkloadError::parameter(name, format_args!("({shape}, {scale})"), expected);
    let gamma = Gamma::new(shape, scale).map_err(|_| wrong("finite and positive"))?;
    if gamma.cdf(limit) >= 1e-3 {
        return Ok(gamma);
    }
    Err(wrong("below its limit at least once in a thousand draws"))
}
