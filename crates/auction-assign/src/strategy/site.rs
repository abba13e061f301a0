//! Machines and sites as the global scheduler sees them.

use sched_model::{Bandwidth, Span, Speed};

use super::balance::Processors;
use crate::problem::MAX_COST;

/// A machine of a site that is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FreeMachine {
    /// Free processors.
    pub free: u32,
    /// All processors.
    pub live: u32,
    /// Speed of each.
    pub speed: Speed,
    /// Mean time between two failures; `None` if it never fails.
    pub mean_time_to_failure: Option<Span>,
}

impl FreeMachine {
    /// A machine that never fails.
    pub fn new(free: u32, live: u32, speed: Speed) -> Self {
        Self { free, live, speed, mean_time_to_failure: None }
    }

    /// The same machine, failing at this mean interval.
    pub fn with_mean_time_to_failure(self, mean: Span) -> Self {
        Self { mean_time_to_failure: Some(mean), ..self }
    }
}

/// A site as the global scheduler sees it at the beginning of a slice.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SiteState {
    /// Its processors.
    pub processors: Processors,
    /// Mean speed of its free processors (equation 12); `None` if there are none.
    pub speed: Option<Speed>,
    /// Failures per unit of time: 1 divided by the mean time to failure over the free processors; 0 if it
    /// never fails.
    pub failure_rate: f64,
    /// Rate of its link; `None` if transfers take no time.
    pub bandwidth: Option<Bandwidth>,
    /// Failures of its link per unit of time.
    pub link_failure_rate: f64,
}

impl SiteState {
    /// The state of a site of these machines, on a link that takes no time and never fails.
    ///
    /// The mean time to failure is, as the speed, the mean over the free processors; a machine that never
    /// fails takes no part in it, so that the site never fails only if none of its machines does.
    pub fn new(machines: &[FreeMachine]) -> Self {
        let (mut free, mut live) = (0u32, 0u32);
        let (mut speeds, mut spans, mut failing) = (0.0, 0.0, 0.0);
        for machine in machines {
            free = free.saturating_add(machine.free);
            live = live.saturating_add(machine.live);
            let weight = f64::from(machine.free);
            speeds += weight * machine.speed.get();
            if let Some(mean) = machine.mean_time_to_failure {
                spans += weight * mean.get();
                failing += weight;
            }
        }
        Self {
            processors: Processors { free, live },
            // The mean of speeds lies within their limits, except for rounding at the ends.
            speed: Speed::new(
                (speeds / f64::from(free)).clamp(sched_model::MIN_SPEED, sched_model::MAX_QUANTITY),
            )
            .ok(),
            failure_rate: if failing > 0.0 { rate(spans / failing) } else { 0.0 },
            bandwidth: None,
            link_failure_rate: 0.0,
        }
    }

    /// The same site behind a link of this rate.
    pub fn with_bandwidth(self, bandwidth: Bandwidth) -> Self {
        Self { bandwidth: Some(bandwidth), ..self }
    }

    /// The same site with a link that fails at this mean interval.
    pub fn with_link_mean_time_to_failure(self, mean: Span) -> Self {
        Self { link_failure_rate: rate(mean.get()), ..self }
    }
}

/// Failures per unit of time; the greatest finite rate for a mean time of 0.
pub(super) fn rate(mean: f64) -> f64 {
    (1.0 / mean).min(MAX_COST)
}
