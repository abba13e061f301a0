//! Jobs that are planned together in free slots, and why planning stops.

use crate::JointError;
use crate::terms::Terms;
use sched_model::check::Rules;
use sched_model::{End, Job, SlotList, Time};

/// Jobs that are planned together in free slots.
#[derive(Debug, Clone)]
pub(crate) struct Instance<'a> {
    pub(crate) slots: &'a SlotList,
    pub(crate) jobs: Vec<&'a Job>,
    pub(crate) from: Time,
    pub(crate) rules: Rules,
    pub(crate) terms: Terms,
    /// What the windows of these jobs may use together of the limited quantity.
    pub(crate) limit: f64,
}

/// Why planning stopped before its end.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// A limit.
    Limit(End),
    /// Malformed input.
    Error(JointError),
}

impl From<JointError> for Stopped {
    fn from(error: JointError) -> Self {
        Self::Error(error)
    }
}
