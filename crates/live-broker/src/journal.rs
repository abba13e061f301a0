//! The journal: inputs with what their cycles noted.

use crate::cycle::CycleNote;
use crate::input::Input;
use sched_model::Time;

/// The version of what is written down: snapshots and journal entries.
pub const FORMAT: u32 = 1;

/// The version of how it is decided. Cycles of another version are adopted, not computed again.
pub const ALGORITHM: u32 = 1;

/// One input with its cycle.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Entry {
    /// Position among all inputs that were taken, from 0.
    pub number: u64,
    /// The version of the algorithm that took it.
    pub algorithm: u32,
    /// The instant.
    pub now: Time,
    /// What happened.
    pub input: Input,
    /// What its cycle noted, if it had one.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub cycle: Option<CycleNote>,
}
