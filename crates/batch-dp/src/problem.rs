//! What is asked of a batch, and what is answered.

use std::fmt;

use crate::{Alternatives, BatchError};

/// Which sum is to be best, and under which limit.
///
/// A limit may be any number but NaN; infinity is no limit. Limits that follow from the batch itself are in
/// [`limits`](crate::limits).
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Problem {
    /// The least total time whose total cost is within the budget (B* in the literature).
    MinTime {
        /// The most that all jobs together may cost.
        budget: f64,
    },
    /// The least total cost whose total time is within the limit (T*).
    MinCost {
        /// The most time that all jobs together may take.
        time_limit: f64,
    },
    /// The greatest income of the owners, which is the total cost, whose total time is within the limit (T*).
    MaxIncome {
        /// The most time that all jobs together may take.
        time_limit: f64,
    },
}

impl Problem {
    /// The limit.
    pub fn limit(&self) -> f64 {
        match *self {
            Self::MinTime { budget } => budget,
            Self::MinCost { time_limit } | Self::MaxIncome { time_limit } => time_limit,
        }
    }
}

/// One alternative for each job, with the two totals.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Choice {
    /// For each job, the index of the chosen alternative.
    pub picks: Vec<usize>,
    /// The total cost, added up from the first job to the last.
    pub cost: f64,
    /// The total time, added up from the first job to the last.
    pub time: f64,
}

/// One of the two sums over a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Total {
    /// The total cost, limited by the budget.
    Cost,
    /// The total time, limited by the time limit.
    Time,
}

impl fmt::Display for Total {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cost => "cost",
            Self::Time => "time",
        })
    }
}

/// An answer about a whole batch: what was asked for, or why there is none.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Decision<T = Choice> {
    /// The limits can be kept, and this is the answer.
    Chosen(T),
    /// These jobs have no alternative, so that no choice for the whole batch exists. The source postpones such jobs to
    /// the next cycle.
    NoAlternative {
        /// Their indices, ascending.
        jobs: Vec<usize>,
    },
    /// No choice keeps the limit.
    OutOfReach {
        /// The sum that cannot be kept low enough.
        total: Total,
        /// The limit that was set on it.
        limit: f64,
        /// The least sum attainable (within the other limit, where there are two).
        least: f64,
        /// By how much the limit falls short: `least - limit`.
        short_by: f64,
    },
}

impl<T> Decision<T> {
    /// What was chosen, if anything.
    pub fn choice(&self) -> Option<&T> {
        match self {
            Self::Chosen(choice) => Some(choice),
            _ => None,
        }
    }

    /// What was chosen, if anything.
    pub fn into_choice(self) -> Option<T> {
        match self {
            Self::Chosen(choice) => Some(choice),
            _ => None,
        }
    }

    /// The same answer with another view of what was chosen.
    pub fn map<U>(self, view: impl FnOnce(T) -> U) -> Decision<U> {
        self.and_then(|choice| Decision::Chosen(view(choice)))
    }

    /// Another answer that follows from what was chosen; a reason stays as it is.
    pub fn and_then<U>(self, next: impl FnOnce(T) -> Decision<U>) -> Decision<U> {
        match self {
            Self::Chosen(choice) => next(choice),
            Self::NoAlternative { jobs } => Decision::NoAlternative { jobs },
            Self::OutOfReach { total, limit, least, short_by } => {
                Decision::OutOfReach { total, limit, least, short_by }
            }
        }
    }

    pub(crate) fn out_of_reach(total: Total, limit: f64, least: f64) -> Self {
        Self::OutOfReach { total, limit, least, short_by: least - limit }
    }
}

impl<T> fmt::Display for Decision<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chosen(_) => f.write_str("chosen"),
            Self::NoAlternative { jobs } => write!(f, "no alternative for jobs {jobs:?}"),
            Self::OutOfReach { total, limit, least, short_by } => {
                write!(f, "{total} limit {limit} is out of reach: {least} at least, short by {short_by}")
            }
        }
    }
}

/// A problem in the form the solvers share: minimise the sum of `sign * objective` while the sum of `constraint` stays
/// within `limit`. Row `i` of both columns is `offsets[i]..offsets[i + 1]` and never empty.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) offsets: &'a [usize],
    pub(crate) objective: &'a [f64],
    pub(crate) constraint: &'a [f64],
    pub(crate) sign: f64,
    pub(crate) limit: f64,
    /// Which sum `constraint` adds up.
    pub(crate) total: Total,
}

impl<'a> View<'a> {
    /// The problem over these alternatives, or the jobs that have none.
    pub(crate) fn new(
        batch: &'a Alternatives,
        problem: &Problem,
    ) -> Result<Result<Self, Decision>, BatchError> {
        let (objective, sign, total) = match problem {
            Problem::MinTime { .. } => (batch.times(), 1.0, Total::Cost),
            Problem::MinCost { .. } => (batch.costs(), 1.0, Total::Time),
            Problem::MaxIncome { .. } => (batch.costs(), -1.0, Total::Time),
        };
        Self::with_objective(batch, objective, sign, total, problem.limit())
    }

    /// The problem with an objective of the caller's, one value per alternative.
    pub(crate) fn with_objective(
        batch: &'a Alternatives,
        objective: &'a [f64],
        sign: f64,
        total: Total,
        limit: f64,
    ) -> Result<Result<Self, Decision>, BatchError> {
        check_limit(total, limit)?;
        if !batch.is_complete() {
            return Ok(Err(Decision::NoAlternative { jobs: batch.jobs_without() }));
        }
        let constraint = match total {
            Total::Cost => batch.costs(),
            Total::Time => batch.times(),
        };
        Ok(Ok(Self { offsets: batch.offsets(), objective, constraint, sign, limit, total }))
    }

    /// The answer when the limit is below the least sum.
    pub(crate) fn out_of_reach(&self, least: f64) -> Decision {
        Decision::out_of_reach(self.total, self.limit, least)
    }

    pub(crate) fn jobs(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Objective (signed) and constraint of the alternative at an absolute index.
    #[inline(always)]
    pub(crate) fn at(&self, index: usize) -> (f64, f64) {
        (self.sign * self.objective[index], self.constraint[index])
    }

    /// The two sums of a choice by absolute index, first job to last: the order in which sums are defined. (Rounding is
    /// symmetric, so the sign may be applied to each term.)
    pub(crate) fn sums(&self, picks: &[u32]) -> (f64, f64) {
        let mut sums = (0.0, 0.0);
        for &pick in picks {
            let (p, w) = self.at(pick as usize);
            sums = (sums.0 + p, sums.1 + w);
        }
        sums
    }
}

/// Refuses a limit that is no number.
pub(crate) fn check_limit(total: Total, limit: f64) -> Result<(), BatchError> {
    if limit.is_nan() { Err(BatchError::Limit { total }) } else { Ok(()) }
}

/// A choice by absolute index as the caller sees it.
pub(crate) fn choice(batch: &Alternatives, picks: &[u32]) -> Choice {
    let mut choice = Choice { picks: Vec::with_capacity(picks.len()), cost: 0.0, time: 0.0 };
    for (&pick, &start) in picks.iter().zip(batch.offsets()) {
        let pick = pick as usize;
        choice.picks.push(pick - start);
        choice.cost += batch.costs()[pick];
        choice.time += batch.times()[pick];
    }
    choice
}
