//! The objective of a plan.

use crate::Sense;

/// The objective of a plan for a batch: the criterion that is optimised, and the limit on another one. Limits are
/// inclusive; `None` means no limit.
///
/// ```
/// use sched_model::{Goal, Sense};
/// let goal = Goal::MinTime { budget: Some(20.0) };
/// assert_eq!((goal.sense(), goal.limits_cost(), goal.limit()), (Sense::Minimise, true, Some(20.0)));
/// assert_eq!(goal.with_limit(None), Goal::MinTime { budget: None });
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Goal {
    /// Minimises the mean finish, and thus the sum of finishes, with a total cost of at most `budget`.
    MinFinish {
        /// Maximum total cost.
        budget: Option<f64>,
    },
    /// Minimises the total time with a total cost of at most `budget` (B*).
    MinTime {
        /// Maximum total cost.
        budget: Option<f64>,
    },
    /// Minimises the total cost with a total time of at most `time_limit` (T*).
    MinCost {
        /// Maximum total time.
        time_limit: Option<f64>,
    },
    /// Maximises the total time (the use of the nodes) with a total cost of at most `budget`.
    MaxTime {
        /// Maximum total cost.
        budget: Option<f64>,
    },
    /// Maximises the total cost (the income of the owners) with a total time of at most `time_limit` (T*).
    MaxIncome {
        /// Maximum total time.
        time_limit: Option<f64>,
    },
}

impl Goal {
    /// Whether the goal minimises or maximises.
    pub fn sense(self) -> Sense {
        let maximises = matches!(self, Self::MaxIncome { .. } | Self::MaxTime { .. });
        if maximises { Sense::Maximise } else { Sense::Minimise }
    }

    /// Whether cost is limited and time optimised; otherwise time is limited and cost optimised.
    #[must_use]
    pub fn limits_cost(self) -> bool {
        !matches!(self, Self::MinCost { .. } | Self::MaxIncome { .. })
    }

    /// The limit: a budget or a time limit.
    pub fn limit(mut self) -> Option<f64> {
        *self.limit_mut()
    }

    /// Replaces the budget or time limit by `limit`.
    pub fn with_limit(mut self, limit: Option<f64>) -> Self {
        *self.limit_mut() = limit;
        self
    }

    fn limit_mut(&mut self) -> &mut Option<f64> {
        match self {
            Self::MinFinish { budget: limit }
            | Self::MinTime { budget: limit }
            | Self::MaxTime { budget: limit }
            | Self::MinCost { time_limit: limit }
            | Self::MaxIncome { time_limit: limit } => limit,
        }
    }
}
