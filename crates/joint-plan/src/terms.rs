//! The goal of a plan: its objective, as weights of cost, runtime and start, and the quantity that it limits.

use sched_model::internal::exact_sum;
use sched_model::{Goal, Time, Window};

/// A goal in the form that all parts of this crate use: minimise a weighted sum, and limit another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Terms {
    /// The weight of a unit of money in the objective; -1 if the goal is the maximum income.
    pub(crate) cost: f64,
    /// The weight of a unit of runtime.
    pub(crate) runtime: f64,
    /// The weight of a unit of time from the beginning of the plan to the start.
    pub(crate) start: f64,
    /// Whether costs are limited; otherwise runtimes are.
    pub(crate) limits_cost: bool,
}

impl Terms {
    pub(crate) fn of(goal: Goal) -> Self {
        let terms = Self { cost: 0.0, runtime: 0.0, start: 0.0, limits_cost: goal.limits_cost() };
        let weight = -goal.sense().sign();
        match goal {
            Goal::MinFinish { .. } => terms.early(),
            _ if terms.limits_cost => Self { runtime: weight, ..terms },
            _ => Self { cost: weight, ..terms },
        }
    }

    /// The terms of the minimum sum of finishes, with the same limited quantity.
    pub(crate) fn early(self) -> Self {
        Self { cost: 0.0, runtime: 1.0, start: 1.0, ..self }
    }

    /// The objective of a window.
    pub(crate) fn objective(&self, window: &Window, from: Time) -> f64 {
        self.cost * window.cost().get()
            + self.runtime * window.runtime().get()
            + self.start * (window.start() - from).get()
    }

    /// The objective and the weight of all windows together, as exact sums.
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
        if self.limits_cost { window.cost().get() } else { window.runtime().get() }
    }

    /// The weights of cost, runtime and start in the objective plus `multiplier` times the limited quantity.
    pub(crate) fn weights(&self, multiplier: f64) -> [f64; 3] {
        let (cost, runtime) = if self.limits_cost { (multiplier, 0.0) } else { (0.0, multiplier) };
        [self.cost + cost, self.runtime + runtime, self.start]
    }
}
