//! The goal of a choice, and the limits that follow from the alternatives.

use crate::{Alternatives, BatchError, ChoiceProblem, Chooser, ExpandingCore};
use sched_model::internal::exact_sum;
use sched_model::{Goal, Meter};

/// Returns the goal if it has a limit; otherwise the goal with a limit derived from `batch`, in which every job needs
/// an alternative: the time limit T* of equation 2 ([`derived_time_limit`]), or the budget B* of equation 3, which is
/// the maximum income within T*.
///
/// If rounding down makes T* lower than the minimum total time, so that no choice keeps it, the minimum total time
/// replaces it. Deriving a budget takes a search; if the meter stops that search, the best income found is the budget,
/// and if none was found, the budget is infinite.
///
/// # Errors
/// Those of the search that derives a budget; it has none for numbers that [`Alternatives`] accepts.
pub fn with_derived_limit(goal: Goal, batch: &Alternatives, meter: &mut Meter) -> Result<Goal, BatchError> {
    if goal.limit().is_some() {
        return Ok(goal);
    }
    let quickest = |job: usize| batch.of_job(job).map(|(_, time)| time).fold(f64::INFINITY, f64::min);
    let least = exact_sum((0..batch.jobs()).map(quickest));
    let time_limit = least.max(derived_time_limit(batch, Floor::Sum));
    if !goal.limits_cost() {
        return Ok(goal.with_limit(Some(time_limit)));
    }
    let income = ChoiceProblem::new(batch, Goal::MaxIncome { time_limit: Some(time_limit) });
    let income = ExpandingCore.solve(&income, meter)?.best;
    Ok(goal.with_limit(Some(income.map_or(f64::INFINITY, |choice| choice.cost))))
}

/// # Errors
/// [`BatchError::Limit`] if the limit is NaN.
pub(crate) fn check(goal: Goal) -> Result<(), BatchError> {
    let what = if goal.limits_cost() { "budget" } else { "time limit" };
    if limit(goal).is_nan() { Err(BatchError::Limit { what }) } else { Ok(()) }
}

/// The limit of the goal; infinite if it has none.
pub(crate) fn limit(goal: Goal) -> f64 {
    goal.limit().unwrap_or(f64::INFINITY)
}

/// The factor that turns the goal into a minimisation: 1 for a goal that minimises, -1 for one that maximises.
pub(crate) fn sign(goal: Goal) -> f64 {
    -goal.sense().sign()
}

/// The number that equation 2 rounds down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Floor {
    /// The sum of the mean times of all jobs. Only this reading agrees with the times that the study prints.
    #[default]
    Sum,
    /// Each quotient t / l of a time and the number of alternatives of its job, as the equation is printed. If jobs
    /// have many alternatives, rounding takes most of these small quotients away, and the limit is often out of reach.
    Term,
}

/// The time limit T* of equation 2 (V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, *Resource Selection
/// Algorithms for Economic Scheduling in Distributed Systems*, 2011): the sum over the jobs of the mean time of their
/// alternatives. `floor` selects what is rounded down.
///
/// Jobs without an alternative add nothing. Time: O(alternatives).
///
/// ```
/// use batch_dp::{Alternatives, Floor, derived_time_limit};
/// let batch = Alternatives::new(&[vec![(0.0, 4.0), (0.0, 7.0)], vec![(0.0, 3.9)]])?;
/// assert_eq!(derived_time_limit(&batch, Floor::Sum), 9.0); // floor(5.5 + 3.9)
/// assert_eq!(derived_time_limit(&batch, Floor::Term), 8.0); // floor(2) + floor(3.5) + floor(3.9)
/// # Ok::<(), batch_dp::BatchError>(())
/// ```
#[must_use]
pub fn derived_time_limit(batch: &Alternatives, floor: Floor) -> f64 {
    let of_job = |job: usize| {
        let count = batch.of_job(job).len() as f64;
        let times = batch.of_job(job).map(|(_, time)| time);
        match floor {
            Floor::Sum => exact_sum(times) / count.max(1.0),
            Floor::Term => exact_sum(times.map(|time| (time / count).floor())),
        }
    };
    exact_sum((0..batch.jobs()).map(of_job)).floor()
}
