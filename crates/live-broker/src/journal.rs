//! The journal: the inputs with the results of their cycles.

use crate::cycle::CycleNote;
use crate::input::Input;
use sched_model::Time;

/// The newest version of the format of snapshots. One is written in the oldest that can hold it: format 2 has
/// features of nodes and demands of jobs. All are read.
pub const FORMAT: u32 = 2;

/// The version of the decisions. Cycles of another version are adopted, not computed again.
pub const ALGORITHM: u32 = 11;

/// One input with its cycle.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Entry {
    /// Position among all accepted inputs, from 0.
    pub number: u64,
    /// The version of the algorithm that took it.
    pub algorithm: u32,
    /// The instant.
    pub now: Time,
    /// The input.
    pub input: Input,
    /// The result of its cycle, if it had one.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub cycle: Option<CycleNote>,
}
