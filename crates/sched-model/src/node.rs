//! Resources: nodes and machines.

use crate::{Bandwidth, MachineId, ModelError, NodeId, Price, Span, Speed};

/// One CPU with its speed and price. One task of a co-allocated job occupies one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[must_use]
pub struct Node {
    /// Its identifier.
    pub id: NodeId,
    /// Work per unit of time.
    pub speed: Speed,
    /// Money per unit of time.
    pub price: Price,
}

impl Node {
    /// Creates a node from literals.
    ///
    /// # Panics
    /// If the speed or the price is out of range, as in [`Speed::must`] and [`Price::must`].
    ///
    /// ```
    /// use sched_model::*;
    /// let node = Node { id: NodeId(7), speed: Speed::must(2.0), price: Price::must(3.0) };
    /// assert_eq!(Node::must(7, 2.0, 3.0), node);
    /// ```
    #[track_caller]
    pub fn must(id: u32, speed: f64, price: f64) -> Self {
        Self { id: NodeId(id), speed: Speed::must(speed), price: Price::must(price) }
    }
}

/// A machine with several equal CPUs, which are allocated one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use]
#[non_exhaustive]
pub struct Machine {
    /// Its identifier.
    pub id: MachineId,
    cpus: u32,
    /// Work per unit of time of each CPU.
    pub speed: Speed,
    /// Money per CPU and unit of time.
    pub price: Price,
    /// Mean time between two failures; `None` if it never fails.
    pub mean_time_to_failure: Option<Span>,
    /// The amount of its memory; `None` if memory is not counted, so that it suffices for any job.
    pub memory: Option<u32>,
    /// The number of its GPUs; `None` if they are not counted.
    pub gpus: Option<u32>,
    /// Bandwidth of its own link; `None` if transfers take no time.
    pub bandwidth: Option<Bandwidth>,
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(remote = "Machine", rename = "Machine", deny_unknown_fields)]
struct MachineForm {
    id: MachineId,
    cpus: u32,
    speed: Speed,
    price: Price,
    #[serde(default)]
    mean_time_to_failure: Option<Span>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gpus: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bandwidth: Option<Bandwidth>,
}

#[cfg(feature = "serde")]
crate::serde_checked!(Machine as MachineForm);

impl Machine {
    /// Creates a machine with `cpus` CPUs that never fails.
    ///
    /// # Errors
    /// [`ModelError::Zero`] if it has no CPU.
    pub fn new(id: MachineId, cpus: u32, speed: Speed, price: Price) -> Result<Self, ModelError> {
        Self { id, cpus, speed, price, mean_time_to_failure: None, memory: None, gpus: None, bandwidth: None }
            .checked()
    }

    /// Number of its CPUs, at least 1.
    pub fn cpus(&self) -> u32 {
        self.cpus
    }

    fn checked(self) -> Result<Self, ModelError> {
        if self.cpus == 0 { Err(ModelError::Zero { what: "cpus of a machine" }) } else { Ok(self) }
    }
}

crate::setters!(Machine {
    /// Sets the amount of memory, which the CPUs share, in whole units of the caller's choice.
    with_memory: memory: u32 => Some,
    /// Sets the number of GPUs.
    with_gpus: gpus: u32 => Some,
    /// Sets the bandwidth of the machine's own link.
    with_bandwidth: bandwidth: Bandwidth => Some,
    /// Sets the mean time between failures, which come at exponentially distributed intervals.
    with_mean_time_to_failure: mean_time_to_failure: Span => Some,
});
