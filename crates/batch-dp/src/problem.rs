//! A problem (a criterion to optimise and a limit), and its decision (a choice, or why there is none).

use crate::view::View;
use crate::{Alternatives, BatchError, Choice};
use sched_model::{Outcome, Sense};

/// One criterion is optimised, the other limited. Limits are inclusive; `f64::INFINITY` means none.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Problem {
    /// The minimum total time at a total cost of at most `budget` (B*).
    MinTime {
        /// Greatest total cost.
        budget: f64,
    },
    /// The minimum total cost within a total time of at most `time_limit` (T*).
    MinCost {
        /// Greatest total time.
        time_limit: f64,
    },
    /// The greatest total cost, which is the owners' income, within a total time of at most `time_limit`
    /// (T*).
    MaxIncome {
        /// Greatest total time.
        time_limit: f64,
    },
    /// The greatest total time, which is the use of the nodes, at a total cost of at most `budget`.
    MaxTime {
        /// Greatest total cost.
        budget: f64,
    },
}

/// The answer to a problem. Only the first case has a choice; the others say why there is none.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum BatchDecision {
    /// The choice with its proof and its work. Value and bound are in the unit of the criterion that is
    /// optimised. There is no incumbent if the search was stopped before it had one.
    Chosen(Outcome<Choice>),
    /// These jobs have no alternative at all: positions in the batch, from 0.
    NoAlternative {
        /// The jobs.
        jobs: Vec<usize>,
    },
    /// The cheapest alternatives of the jobs of one user cost more than the user's budget.
    UserBudgetTooSmall {
        /// Position of the user among the budgets, from 0.
        user: usize,
        /// The least that the user's jobs cost.
        least: f64,
        /// The budget.
        limit: f64,
    },
    /// Even the choice that uses least of the limited criterion uses more than the limit.
    OutOfReach {
        /// The least that any choice uses.
        least: f64,
        /// The limit.
        limit: f64,
    },
}

impl BatchDecision {
    /// The choice, if there is one.
    pub fn choice(&self) -> Option<&Choice> {
        match self {
            Self::Chosen(outcome) => outcome.incumbent.as_ref(),
            Self::NoAlternative { .. } | Self::OutOfReach { .. } | Self::UserBudgetTooSmall { .. } => None,
        }
    }

    /// By how much the limit falls short; zero where it does not.
    #[must_use]
    pub fn short_by(&self) -> f64 {
        match self {
            Self::OutOfReach { least, limit } | Self::UserBudgetTooSmall { least, limit, .. } => {
                least - limit
            }
            Self::Chosen(_) | Self::NoAlternative { .. } => 0.0,
        }
    }
}

impl std::fmt::Display for BatchDecision {
    /// One line: the choice with its bound and proof, or why there is none. Jobs and users are positions,
    /// from 0.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Chosen(outcome) => write!(f, "{outcome}"),
            Self::NoAlternative { jobs } => write!(f, "no alternative for jobs {jobs:?}"),
            Self::UserBudgetTooSmall { user, least, limit } => {
                write!(f, "the jobs of user {user} cost at least {least}, the budget is {limit}")
            }
            Self::OutOfReach { least, limit } => {
                write!(f, "every choice uses at least {least}, the limit is {limit}")
            }
        }
    }
}

impl Problem {
    /// Whether the objective is minimised or maximised.
    pub fn sense(&self) -> Sense {
        match self {
            Self::MinTime { .. } | Self::MinCost { .. } => Sense::Minimise,
            Self::MaxIncome { .. } | Self::MaxTime { .. } => Sense::Maximise,
        }
    }

    /// The value of a choice by the criterion that is optimised.
    #[must_use]
    pub fn value(&self, choice: &Choice) -> f64 {
        match self {
            Self::MinTime { .. } | Self::MaxTime { .. } => choice.time,
            Self::MinCost { .. } | Self::MaxIncome { .. } => choice.cost,
        }
    }

    /// Name and value of the limit, the sign of what is minimised, and whether that is time.
    pub(crate) fn parts(&self) -> (&'static str, f64, f64, bool) {
        match *self {
            Self::MinTime { budget } => ("budget", budget, 1.0, true),
            Self::MinCost { time_limit } => ("time limit", time_limit, 1.0, false),
            Self::MaxIncome { time_limit } => ("time limit", time_limit, -1.0, false),
            Self::MaxTime { budget } => ("budget", budget, -1.0, true),
        }
    }

    /// The view of this problem on a batch.
    pub(crate) fn view<'a>(&self, batch: &'a Alternatives) -> Result<View<'a>, NoView> {
        let (what, limit, sign, time_is_objective) = self.parts();
        if limit.is_nan() {
            return Err(NoView::Malformed(BatchError::Limit { what }));
        }
        let jobs = batch.jobs_without();
        if !jobs.is_empty() {
            return Err(NoView::Decided(BatchDecision::NoAlternative { jobs }));
        }
        let (objective, weight) =
            if time_is_objective { (&batch.time, &batch.cost) } else { (&batch.cost, &batch.time) };
        Ok(View { offsets: &batch.offsets, objective, sign, weight, limit })
    }
}

/// Why a problem has no view.
pub(crate) enum NoView {
    /// There is no choice to optimise.
    Decided(BatchDecision),
    /// The input is malformed.
    Malformed(BatchError),
}

impl NoView {
    /// The answer to the problem.
    pub(crate) fn answer(self) -> Result<BatchDecision, BatchError> {
        match self {
            Self::Decided(decision) => Ok(decision),
            Self::Malformed(error) => Err(error),
        }
    }
}
