//! Why a method ends without an assignment.

use sched_model::End;

use crate::AssignError;
use crate::solution::Shortage;

/// What ends a method early. It is passed up by `?` to the meter's record, which makes the outcome of it.
pub(crate) enum Stop {
    /// Not every job can be placed.
    Infeasible(Shortage),
    /// The input is malformed.
    Malformed(AssignError),
    /// The limit was reached, or the gap is good enough.
    Ended(End),
    /// The method has used up its turn, or foresees that it would: another goes on.
    Long,
}

impl From<Shortage> for Stop {
    fn from(shortage: Shortage) -> Self {
        Self::Infeasible(shortage)
    }
}

impl From<AssignError> for Stop {
    fn from(error: AssignError) -> Self {
        Self::Malformed(error)
    }
}

impl From<End> for Stop {
    fn from(end: End) -> Self {
        Self::Ended(end)
    }
}
