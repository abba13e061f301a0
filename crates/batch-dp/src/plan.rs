//! A schedule of a batch, with the choice behind it.

use crate::{Choice, ChoiceRefusal, Goal};
use sched_model::{Outcome, Proof, Schedule};

/// A schedule of a batch, with the choice behind it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Plan {
    /// One window for each job that had any and could be served; a refusal for each other.
    pub schedule: Schedule,
    /// The goal, with the given or derived limit.
    pub goal: Goal,
    /// The choice for the jobs that had any window.
    pub outcome: Outcome<Choice, ChoiceRefusal>,
    /// Units of work that the plan took, those for a derived budget included.
    pub work: u64,
}

impl std::fmt::Display for Plan {
    /// The outcome on the first line, then the schedule: one line for each job.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\n{}", self.outcome, self.schedule)
    }
}

impl Plan {
    /// The proof of the choice. [`Proof::Exact`] where there is none: that is always proven.
    pub fn proof(&self) -> Proof {
        self.outcome.proof()
    }
}
