//! Preferences: which point of a front is chosen.

use crate::BatchError;

/// A criterion of the vector <C, D, T, I> (Toporkov et al. 2011, end of section 2). Cost and time are
/// minimised; what is left of the budget and of the time limit is maximised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum VectorCriterion {
    /// C: total cost.
    Cost,
    /// D = B* - C: what is left of the budget.
    BudgetLeft,
    /// T: total time.
    Time,
    /// I = T* - T: what is left of the time limit.
    TimeLeft,
}

/// The weight of each criterion of <C, D, T, I>: finite and at least 0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Weights {
    /// Of C.
    pub cost: f64,
    /// Of D.
    pub budget_left: f64,
    /// Of T.
    pub time: f64,
    /// Of I.
    pub time_left: f64,
}

impl Weights {
    /// The weights of cost and time, times a common factor with which scores neither overflow nor lose a bit.
    pub(crate) fn of_cost_and_time(&self) -> (f64, f64) {
        /// 2^-600.
        const SMALLER: f64 = f64::from_bits((1023 - 600) << 52);
        let all = [self.cost, self.budget_left, self.time, self.time_left];
        let factor = if all.iter().any(|&weight| weight > 1e100) { SMALLER } else { 1.0 };
        let [cost, budget_left, time, time_left] = all.map(|weight| weight * factor);
        (cost + budget_left, time + time_left)
    }
}

/// Which of several undominated choices is preferred.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Preference {
    /// The choice of the least `cost * C - budget_left * D + time * T - time_left * I`; of equal ones the
    /// cheaper.
    Weighted(Weights),
    /// The best by the first criterion, among these by the second, and so on.
    Lexicographic(Vec<VectorCriterion>),
}

impl Preference {
    pub(crate) fn check(&self) -> Result<(), BatchError> {
        match self {
            Self::Lexicographic(order) if order.is_empty() => Err(BatchError::NoCriterion),
            Self::Lexicographic(_) => Ok(()),
            Self::Weighted(weights) => [
                ("cost", weights.cost),
                ("budget left", weights.budget_left),
                ("time", weights.time),
                ("time left", weights.time_left),
            ]
            .into_iter()
            .find(|(_, value)| !(value.is_finite() && *value >= 0.0))
            .map_or(Ok(()), |(criterion, value)| Err(BatchError::Weight { criterion, value })),
        }
    }
}
