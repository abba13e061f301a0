//! Limits derived from the alternatives themselves.
//!
//! V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov: Resource Selection Algorithms for Economic
//! Scheduling in Distributed Systems, 2011, equations 2 and 3.

use crate::{Alternatives, BatchError, Choice, ChoiceProblem, ChoiceRefusal, Chooser, Goal};
use sched_model::{Meter, Outcome, exact_sum};

/// Where the floor of equation 2 applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Floor {
    /// To the sum of the mean times of all jobs. The times that the study prints agree with this reading
    /// only.
    #[default]
    Sum,
    /// To each quotient t / l, as printed. With many alternatives per job the quotients are small, and the
    /// floor removes most of their value, so that the limit is often out of reach.
    Term,
}

/// The time limit T* of equation 2 of the paper of 2011 (V. Toporkov, A. Toporkova, A. Bobchenkov, D.
/// Yemelyanov, *Resource Selection Algorithms for Economic Scheduling in Distributed Systems*): the mean time
/// of the alternatives of each job, added over the jobs, rounded down.
///
/// Jobs without an alternative add nothing. Time O(alternatives).
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

/// The budget B* of equation 3 of the same paper as for [`derived_time_limit`]: the cost of the choice of the
/// greatest income within the time limit. Guarantee, complexity and ties are those of the chooser.
///
/// # Errors
/// [`BatchError::Limit`] if the time limit is NaN.
///
/// ```
/// use batch_dp::{Alternatives, ExpandingCore, derived_budget};
/// use sched_model::Limit;
/// // Within a time of 9: 4 + 3 and 4 + 5 and 6 + 3, but not 6 + 5, which takes 10.
/// let batch = Alternatives::new(&[vec![(4.0, 4.0), (6.0, 7.0)], vec![(3.0, 2.0), (5.0, 3.0)]])?;
/// let limit = Limit::default();
/// let income = derived_budget(&batch, 9.0, &ExpandingCore, &mut limit.meter())?;
/// assert_eq!(income.incumbent.map(|choice| choice.cost), Some(9.0));
/// # Ok::<(), batch_dp::BatchError>(())
/// ```
pub fn derived_budget(
    batch: &Alternatives,
    time_limit: f64,
    chooser: &dyn Chooser,
    meter: &mut Meter,
) -> Result<Outcome<Choice, ChoiceRefusal>, BatchError> {
    let goal = Goal::MaxIncome { time_limit: Some(time_limit) };
    chooser.solve(&ChoiceProblem::new(batch, goal), meter)
}
