//! What is to be optimised under which limit, and what may come of it.

use crate::{Alternatives, BatchError, Choice};
use sched_model::Proven as Outcome;

/// One criterion is optimised, the other limited. Limits are inclusive; `f64::INFINITY` means none.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Problem {
    /// The least total time at a total cost of at most `budget` (B*).
    MinTime {
        /// Greatest total cost.
        budget: f64,
    },
    /// The least total cost within a total time of at most `time_limit` (T*).
    MinCost {
        /// Greatest total time.
        time_limit: f64,
    },
    /// The greatest total cost, which is the owners' income, within a total time of at most `time_limit` (T*).
    MaxIncome {
        /// Greatest total time.
        time_limit: f64,
    },
}

/// What came of a problem. Only the first case has a choice; the others say why there is none.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// The choice, and what is proven of it.
    Chosen(Outcome<Choice>),
    /// These jobs have no alternative at all: positions in the batch, from 0.
    NoAlternative {
        /// The jobs.
        jobs: Vec<usize>,
    },
    /// Even the choice that uses least of the limited criterion uses more than the limit.
    OutOfReach {
        /// The least that any choice uses.
        least: f64,
        /// The limit.
        limit: f64,
    },
}

impl Decision {
    /// The choice, if there is one.
    #[must_use]
    pub fn choice(&self) -> Option<&Choice> {
        match self {
            Self::Chosen(outcome) => Some(&outcome.solution),
            Self::NoAlternative { .. } | Self::OutOfReach { .. } => None,
        }
    }

    /// By how much the limit falls short; zero where it does not.
    #[must_use]
    pub fn short_by(&self) -> f64 {
        match self {
            Self::OutOfReach { least, limit } => least - limit,
            Self::Chosen(_) | Self::NoAlternative { .. } => 0.0,
        }
    }
}

/// A problem as every algorithm here sees it: minimise the sum of `sign * objective` where the sum of `weight` is at
/// most `limit`, one alternative per job.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) offsets: &'a [usize],
    pub(crate) objective: &'a [f64],
    pub(crate) sign: f64,
    pub(crate) weight: &'a [f64],
    pub(crate) limit: f64,
}

impl<'a> View<'a> {
    pub(crate) fn jobs(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Objective and weight of the alternatives of a job, by position.
    pub(crate) fn job(&self, job: usize) -> impl Iterator<Item = (f64, f64)> + Clone + 'a {
        let range = self.offsets[job]..self.offsets[job + 1];
        let sign = self.sign;
        let weight = &self.weight[range.clone()];
        self.objective[range].iter().zip(weight).map(move |(&objective, &weight)| (sign * objective, weight))
    }

    /// Signed objective and weight of an alternative, by its index among those of all jobs.
    #[inline(always)]
    pub(crate) fn at(&self, index: usize) -> (f64, f64) {
        (self.sign * self.objective[index], self.weight[index])
    }

    /// Objective and weight of a choice, by index among the alternatives of all jobs, added in the order of the jobs: the
    /// sums that count.
    pub(crate) fn sums(&self, picks: &[u32]) -> (f64, f64) {
        picks.iter().fold((0.0, 0.0), |(objective, weight), &pick| {
            let (p, w) = self.at(pick as usize);
            (objective + p, weight + w)
        })
    }

    /// For each job the alternative of least weight; ties to the lesser objective, then to the lower position. By index
    /// among the alternatives of all jobs.
    pub(crate) fn lightest(&self) -> impl Iterator<Item = u32> + '_ {
        self.offsets.windows(2).map(|row| {
            let mut best = row[0];
            for index in row[0] + 1..row[1] {
                let ((p, w), (best_p, best_w)) = (self.at(index), self.at(best));
                if w < best_w || w == best_w && p < best_p {
                    best = index;
                }
            }
            best as u32
        })
    }
}

impl Problem {
    /// The view of this problem on a batch; or the decision where there is nothing to optimise.
    pub(crate) fn view<'a>(&self, batch: &'a Alternatives) -> Result<Result<View<'a>, Decision>, BatchError> {
        let (what, limit, sign, time_is_objective) = match *self {
            Self::MinTime { budget } => ("budget", budget, 1.0, true),
            Self::MinCost { time_limit } => ("time limit", time_limit, 1.0, false),
            Self::MaxIncome { time_limit } => ("time limit", time_limit, -1.0, false),
        };
        if limit.is_nan() {
            return Err(BatchError::Limit { what });
        }
        let jobs = batch.jobs_without();
        if !jobs.is_empty() {
            return Ok(Err(Decision::NoAlternative { jobs }));
        }
        let (objective, weight) =
            if time_is_objective { (&batch.time, &batch.cost) } else { (&batch.cost, &batch.time) };
        Ok(Ok(View { offsets: &batch.offsets, objective, sign, weight, limit }))
    }
}
