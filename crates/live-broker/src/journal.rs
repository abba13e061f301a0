//! The journal: inputs with the results of their cycles.

use crate::cycle::CycleNote;
use crate::input::Input;
use sched_model::Time;

/// An entry of a journal: an input with the result of its cycle.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Entry {
    /// Position among all accepted inputs, from 0.
    pub number: u64,
    /// The instant.
    pub now: Time,
    /// The input.
    pub input: Input,
    /// The result of its cycle, if it had one.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub cycle: Option<CycleNote>,
}
