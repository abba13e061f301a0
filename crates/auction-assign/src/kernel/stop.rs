//! Why a method ends without an assignment.

use sched_model::End;

use crate::AssignError;
use crate::solution::{Answer, Shortage};

/// What ends a method early. It is passed up by `?`, and [`answer`] converts it in one place.
pub(crate) enum Stop {
    /// Not every job can be placed.
    Infeasible(Shortage),
    /// The input is malformed.
    Malformed(AssignError),
    /// The limit was reached, or the gap is good enough.
    Ended(End),
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

/// The result that the caller of a method gets.
pub(crate) fn answer(result: Result<Answer, Stop>) -> Result<Answer, AssignError> {
    match result {
        Ok(answer) => Ok(answer),
        Err(Stop::Infeasible(shortage)) => Ok(Answer::Infeasible(shortage)),
        Err(Stop::Malformed(error)) => Err(error),
        Err(Stop::Ended(end)) => Err(AssignError::Stopped { end }),
    }
}
