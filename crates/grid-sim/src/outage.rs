//! CPUs that are down for some time.

use crate::SimError;
use sched_model::{Machine, Time};

/// A CPU that is down for some time. A job that runs there fails because of the CPU.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Outage {
    /// Place of the machine among those of the grid, from 0.
    pub machine: usize,
    /// The CPU, from 0.
    pub cpu: u32,
    /// The start.
    pub from: Time,
    /// The end; later than `from`.
    pub until: Time,
    /// Whether the broker knows when the CPU will be back.
    pub announced: bool,
}

impl Outage {
    /// # Errors
    /// [`SimError::OutOfRange`] unless the CPU belongs to this machine and `until` is after `from`.
    pub(crate) fn check(&self, machine: Option<&Machine>) -> Result<(), SimError> {
        if machine.is_some_and(|machine| self.cpu < machine.cpus()) && self.from < self.until {
            return Ok(());
        }
        let (what, expected) = ("the CPU of an outage", "one that exists, down for some time");
        Err(SimError::OutOfRange { what, expected, value: f64::from(self.cpu) })
    }
}
