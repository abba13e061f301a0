//! The objective and the limit of a goal, as weights of cost, runtime and start.

use sched_model::{Time, Window};

/// A goal in the form that all parts of this crate use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Terms {
    /// Weights of the objective; a greatest income is a least negative cost.
    cost: f64,
    runtime: f64,
    start: f64,
    limited: Limited,
    pub(crate) limit: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Limited {
    Cost,
    Runtime,
}

impl Terms {
    pub(crate) fn of(goal: JointGoal) -> Self {
        let terms =
            Self { cost: 0.0, runtime: 0.0, start: 0.0, limited: Limited::Cost, limit: f64::INFINITY };
        match goal {
            JointGoal::MinTime { budget } => Self { runtime: 1.0, limit: budget, ..terms },
            JointGoal::MinFinish { budget } => Self { runtime: 1.0, start: 1.0, limit: budget, ..terms },
            JointGoal::MinCost { time_limit } => {
                Self { cost: 1.0, limited: Limited::Runtime, limit: time_limit, ..terms }
            }
            JointGoal::MaxIncome { time_limit } => {
                Self { cost: -1.0, limited: Limited::Runtime, limit: time_limit, ..terms }
            }
        }
    }

    /// The minimum sum of finishes under the same limit.
    pub(crate) fn early(self) -> Self {
        Self { cost: 0.0, runtime: 1.0, start: 1.0, ..self }
    }

    /// The objective of a window.
    pub(crate) fn objective(&self, window: &Window, from: Time) -> f64 {
        self.cost * window.cost().get()
            + self.runtime * window.runtime().get()
            + self.start * (window.start() - from).get()
    }

    /// The amount of the limited quantity that a window uses.
    pub(crate) fn weight(&self, window: &Window) -> f64 {
        match self.limited {
            Limited::Cost => window.cost().get(),
            Limited::Runtime => window.runtime().get(),
        }
    }

    /// Whether costs are limited; otherwise runtimes are.
    pub(crate) fn limits_cost(&self) -> bool {
        self.limited == Limited::Cost
    }

    /// The weight of a unit of money in the objective.
    pub(crate) fn cost_weight(&self) -> f64 {
        self.cost
    }

    /// The weight of a unit of runtime in the objective.
    pub(crate) fn runtime_weight(&self) -> f64 {
        self.runtime
    }

    /// The weight of a unit of time by which a window starts later.
    pub(crate) fn start_weight(&self) -> f64 {
        self.start
    }

    /// Whether the objective is better for an earlier start.
    pub(crate) fn counts_starts(&self) -> bool {
        self.start > 0.0
    }

    /// Weights of cost, runtime and start with the limited quantity taxed by this multiplier.
    pub(crate) fn weights(&self, multiplier: f64) -> [f64; 3] {
        match self.limited {
            Limited::Cost => [self.cost + multiplier, self.runtime, self.start],
            Limited::Runtime => [self.cost, self.runtime + multiplier, self.start],
        }
    }
}

/// The goal of a plan. For every goal, placing the most jobs comes first.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum JointGoal {
    /// The minimum sum of runtimes, with a sum of costs of at most `budget` (infinite for no limit).
    MinTime {
        /// Greatest sum of costs.
        budget: f64,
    },
    /// The minimum sum of finishes, counted from the beginning of the plan, with a sum of costs of at most
    /// `budget`.
    MinFinish {
        /// Greatest sum of costs.
        budget: f64,
    },
    /// The minimum sum of costs, with a sum of runtimes of at most `time_limit` (infinite for no limit).
    MinCost {
        /// Greatest sum of runtimes.
        time_limit: f64,
    },
    /// The greatest sum of costs, with a sum of runtimes of at most `time_limit`.
    MaxIncome {
        /// Greatest sum of runtimes.
        time_limit: f64,
    },
}

impl JointGoal {
    pub(crate) fn limit(self) -> f64 {
        Terms::of(self).limit
    }
}
