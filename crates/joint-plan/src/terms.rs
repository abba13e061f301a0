//! The goal of a plan: its objective and its limit, as weights of cost, runtime and start.

use sched_model::internal::exact_sum;
use sched_model::{Goal, Time, Window};

/// A goal in the form that all parts of this crate use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Terms {
    /// Weights of the objective; the greatest income is the least negative cost.
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
    pub(crate) fn of(goal: Goal) -> Self {
        let limit = goal.limit().unwrap_or(f64::INFINITY);
        let limited = if goal.limits_cost() { Limited::Cost } else { Limited::Runtime };
        let terms = Self { cost: 0.0, runtime: 0.0, start: 0.0, limited, limit };
        let weight = -goal.sense().sign();
        match goal {
            Goal::MinFinish { .. } => terms.early(),
            _ if goal.limits_cost() => Self { runtime: weight, ..terms },
            _ => Self { cost: weight, ..terms },
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

    /// Objective and weight of windows together, as exact sums.
    pub(crate) fn sums<'w>(
        &self,
        windows: impl Iterator<Item = &'w Window> + Clone,
        from: Time,
    ) -> (f64, f64) {
        let objective = exact_sum(windows.clone().map(|window| self.objective(window, from)));
        (objective, exact_sum(windows.map(|window| self.weight(window))))
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
