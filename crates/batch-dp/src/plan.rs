//! A schedule of a batch, with what was solved for it.

use crate::{BatchDecision, Problem};
use sched_model::{Proof, Schedule};

/// A schedule of a batch, with the problem that was solved for it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Plan {
    /// One window for each job that had any and could be served; a refusal for each other.
    pub schedule: Schedule,
    /// The problem with the limit that held.
    pub problem: Problem,
    /// How it was solved, over the jobs that had any window; where a service lets jobs wait, over those that
    /// were served.
    pub decision: BatchDecision,
    /// Units of work that the plan took, for a derived budget too.
    pub work: u64,
}

impl std::fmt::Display for Plan {
    /// The decision on the first line, then the schedule: one line for each job.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\n{}", self.decision, self.schedule)
    }
}

impl Plan {
    /// What is proven of the choice. That there is none is always proven.
    pub fn proof(&self) -> Proof {
        match &self.decision {
            BatchDecision::Chosen(outcome) => outcome.proof(),
            BatchDecision::NoAlternative { .. }
            | BatchDecision::OutOfReach { .. }
            | BatchDecision::UserBudgetTooSmall { .. } => Proof::Exact,
        }
    }
}
