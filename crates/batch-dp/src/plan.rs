//! A schedule of a batch, with the problem that was solved for it.

use crate::{BatchDecision, Problem};
use sched_model::{Proof, Schedule};

/// A schedule of a batch, with the problem that was solved for it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Plan {
    /// One window for each job that had any and could be served; a refusal for each other.
    pub schedule: Schedule,
    /// The problem, with the given or derived limit.
    pub problem: Problem,
    /// The decision on the jobs that had any window; where a service leaves jobs out, on those that were
    /// served.
    pub decision: BatchDecision,
    /// Units of work that the plan took, those for a derived budget included.
    pub work: u64,
}

impl std::fmt::Display for Plan {
    /// The decision on the first line, then the schedule: one line for each job.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\n{}", self.decision, self.schedule)
    }
}

impl Plan {
    /// The proof of the choice. [`Proof::Exact`] where there is no choice: that is always proven.
    pub fn proof(&self) -> Proof {
        match &self.decision {
            BatchDecision::Chosen(outcome) => outcome.proof(),
            BatchDecision::NoAlternative { .. }
            | BatchDecision::OutOfReach { .. }
            | BatchDecision::UserBudgetTooSmall { .. } => Proof::Exact,
        }
    }
}
