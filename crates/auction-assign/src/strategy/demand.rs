//! Waiting jobs.

use sched_model::{Bandwidth, DataSize, Priority, Qos, Span, Work};

use super::site::rate;

/// A waiting job, with the data of its owner that enter its cost.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Demand {
    /// Its length.
    pub work: Work,
    /// The data to be transferred before it starts.
    pub input: DataSize,
    /// Rate of the owner's link; `None` if the transfer takes no time.
    pub bandwidth: Option<Bandwidth>,
    /// Failures of the owner's link per unit of time.
    pub link_failure_rate: f64,
    /// Quality of service of the owner.
    pub qos: Qos,
    /// Priority of the job; below 1 counts as 1.
    pub priority: Priority,
    /// How long it has waited.
    pub waited: Span,
}

impl Demand {
    /// A job without input, of quality of service and priority 1, just arrived.
    pub fn new(work: Work) -> Self {
        Self {
            work,
            input: DataSize::ZERO,
            bandwidth: None,
            link_failure_rate: 0.0,
            qos: Qos::must(1.0),
            priority: Priority::must(1.0),
            waited: Span::ZERO,
        }
    }

    /// The same job with this input, over a link of this rate.
    pub fn with_input(self, input: DataSize, bandwidth: Bandwidth) -> Self {
        Self { input, bandwidth: Some(bandwidth), ..self }
    }

    /// The same job behind a link that fails at this mean interval.
    pub fn with_link_mean_time_to_failure(self, mean: Span) -> Self {
        Self { link_failure_rate: rate(mean.get()), ..self }
    }
}

sched_model::setters!(Demand {
    /// The same job of an owner of this quality of service.
    with_qos: qos: Qos,
    /// The same job with this priority.
    with_priority: priority: Priority,
    /// The same job after this wait.
    with_waited: waited: Span,
});
