//! The goal of a choice, and its limit.

use crate::{Alternatives, BatchError, Choice, Chooser, Floor, derived_budget, derived_time_limit};
use sched_model::{Meter, Sense, exact_sum};

/// One quantity is optimised, the other limited. Limits are inclusive; `None` means no limit.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Goal {
    /// The minimum total time at a total cost of at most `budget` (B*).
    MinTime {
        /// Greatest total cost.
        budget: Option<f64>,
    },
    /// The minimum total cost within a total time of at most `time_limit` (T*).
    MinCost {
        /// Greatest total time.
        time_limit: Option<f64>,
    },
    /// The greatest total time, which is the use of the nodes, at a total cost of at most `budget`.
    MaxTime {
        /// Greatest total cost.
        budget: Option<f64>,
    },
    /// The greatest total cost, which is the owners' income, within a total time of at most `time_limit`
    /// (T*).
    MaxIncome {
        /// Greatest total time.
        time_limit: Option<f64>,
    },
}

impl Goal {
    /// Whether the goal minimises or maximises.
    pub fn sense(self) -> Sense {
        match self {
            Self::MinTime { .. } | Self::MinCost { .. } => Sense::Minimise,
            Self::MaxIncome { .. } | Self::MaxTime { .. } => Sense::Maximise,
        }
    }

    /// What is optimised of a choice: its time, or its cost.
    #[must_use]
    pub fn value(self, choice: &Choice) -> f64 {
        if self.limits_cost() { choice.time } else { choice.cost }
    }

    /// Whether cost is limited and time optimised; else it is the other way round.
    #[must_use]
    pub fn limits_cost(self) -> bool {
        matches!(self, Self::MinTime { .. } | Self::MaxTime { .. })
    }

    /// The limit.
    pub fn limit(self) -> Option<f64> {
        match self {
            Self::MinTime { budget: limit }
            | Self::MaxTime { budget: limit }
            | Self::MinCost { time_limit: limit }
            | Self::MaxIncome { time_limit: limit } => limit,
        }
    }

    /// Under this limit.
    pub fn with_limit(self, limit: Option<f64>) -> Self {
        match self {
            Self::MinTime { .. } => Self::MinTime { budget: limit },
            Self::MaxTime { .. } => Self::MaxTime { budget: limit },
            Self::MinCost { .. } => Self::MinCost { time_limit: limit },
            Self::MaxIncome { .. } => Self::MaxIncome { time_limit: limit },
        }
    }

    /// The same goal; where it has no limit, under the one derived from a batch in which every job has an
    /// alternative: T* of equation 2 ([`derived_time_limit`]) for a time, and B* of equation 3
    /// ([`derived_budget`]) for a budget.
    ///
    /// To derive a budget, another choice is made first; if the meter stops it, the best income found is the
    /// budget. Where no choice keeps T*, because its floor is below the minimum total time, the minimum total
    /// time is the limit.
    ///
    /// # Errors
    /// [`BatchError::Limit`] if the limit is NaN.
    pub fn or_derived(
        self,
        batch: &Alternatives,
        chooser: &dyn Chooser,
        meter: &mut Meter,
    ) -> Result<Self, BatchError> {
        if self.limit().is_some() {
            return Ok(self);
        }
        let quickest = |job: usize| batch.of_job(job).map(|(_, time)| time).fold(f64::INFINITY, f64::min);
        let least = exact_sum((0..batch.jobs()).map(quickest));
        let time_limit = least.max(derived_time_limit(batch, Floor::Sum));
        if !self.limits_cost() {
            return Ok(self.with_limit(Some(time_limit)));
        }
        let income = derived_budget(batch, time_limit, chooser, meter)?.incumbent;
        Ok(self.with_limit(Some(income.map_or(f64::INFINITY, |choice| choice.cost))))
    }

    /// # Errors
    /// [`BatchError::Limit`] if the limit is NaN.
    pub(crate) fn check(self) -> Result<(), BatchError> {
        let (what, limit, ..) = self.parts();
        if limit.is_nan() { Err(BatchError::Limit { what }) } else { Ok(()) }
    }

    /// Name and value of the limit, the sign of what is minimised, and whether that is time.
    pub(crate) fn parts(self) -> (&'static str, f64, f64, bool) {
        let what = if self.limits_cost() { "budget" } else { "time limit" };
        let sign = if self.sense() == Sense::Minimise { 1.0 } else { -1.0 };
        (what, self.limit().unwrap_or(f64::INFINITY), sign, self.limits_cost())
    }
}
