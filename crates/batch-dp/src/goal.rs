//! The goal of a schedule, under a limit that is given or derived.

use crate::{Alternatives, BatchError, Chooser, Floor, Problem, Scratch, time_limit};
use sched_model::{Meter, exact_sum};

/// The goal of a schedule, under a limit that is given or derived.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Goal {
    /// The minimum total time within a budget. Derived budget: the greatest income within the derived time
    /// limit (equation 3).
    MinTime {
        /// B*.
        budget: Option<f64>,
    },
    /// The minimum total cost within a time. Derived time limit: T* of equation 2, with the floor on the sum.
    MinCost {
        /// T*.
        time_limit: Option<f64>,
    },
    /// The greatest time, which is the use of the nodes, within a budget; derived as for
    /// [`MinTime`](Self::MinTime).
    MaxTime {
        /// B*.
        budget: Option<f64>,
    },
    /// The greatest income within a time; derived as for [`MinCost`](Self::MinCost).
    MaxIncome {
        /// T*.
        time_limit: Option<f64>,
    },
}

impl Goal {
    /// The problem with its limit on a batch in which every job has an alternative.
    ///
    /// To derive a budget, another choice is made first; if the meter stops it, the best income found is the
    /// budget. Where no choice keeps the derived T*, because its floor is below the minimum total time, the
    /// minimum total time is the limit.
    ///
    /// # Errors
    /// [`BatchError::Limit`] if a limit is NaN.
    pub fn problem(
        self,
        batch: &Alternatives,
        chooser: &dyn Chooser,
        scratch: &mut Scratch,
        meter: &mut Meter<'_>,
    ) -> Result<Problem, BatchError> {
        let derived = || {
            let floored = time_limit(batch, Floor::Sum);
            let quickest = |job: usize| batch.of_job(job).map(|(_, time)| time).fold(f64::INFINITY, f64::min);
            let least = exact_sum((0..batch.jobs()).map(quickest));
            least.max(floored)
        };
        Ok(match self {
            Self::MinTime { budget: Some(budget) } => Problem::MinTime { budget },
            Self::MaxTime { budget: Some(budget) } => Problem::MaxTime { budget },
            Self::MinTime { budget: None } | Self::MaxTime { budget: None } => {
                let most = Problem::MaxIncome { time_limit: derived() };
                let decision = chooser.choose(batch, most, scratch, meter)?;
                let budget = decision.choice().map_or(f64::INFINITY, |choice| choice.cost);
                if let Self::MinTime { .. } = self {
                    Problem::MinTime { budget }
                } else {
                    Problem::MaxTime { budget }
                }
            }
            Self::MinCost { time_limit } => {
                Problem::MinCost { time_limit: time_limit.unwrap_or_else(derived) }
            }
            Self::MaxIncome { time_limit } => {
                Problem::MaxIncome { time_limit: time_limit.unwrap_or_else(derived) }
            }
        })
    }
}

/// The same goal under the limit of the problem.
impl From<Problem> for Goal {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::MinTime { budget } => Self::MinTime { budget: Some(budget) },
            Problem::MaxTime { budget } => Self::MaxTime { budget: Some(budget) },
            Problem::MinCost { time_limit } => Self::MinCost { time_limit: Some(time_limit) },
            Problem::MaxIncome { time_limit } => Self::MaxIncome { time_limit: Some(time_limit) },
        }
    }
}
