//! Limits that follow from the alternatives themselves.
//!
//! Source: V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, *Resource Selection Algorithms for Economic
//! Scheduling in Distributed Systems* (2011), eq. (2) and (3).

use sched_model::Outcome;

use crate::{Alternatives, BatchChoice, BatchError, Choice, Decision, ExpandingCore, Problem, Scratch};

/// How eq. (2) is read: where the mean times are cut down to whole numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum TimeRule {
    /// The sum over all jobs of the mean time of the job's alternatives, and of that the largest whole number not above
    /// it. A choice of each job's fastest alternative is within it, unless the fraction cut off is what was needed.
    #[default]
    FloorOfSum,
    /// As printed: every single term, an alternative's time divided by the number of the job's alternatives, is cut
    /// down before it is added. With many alternatives most terms become 0, and the limit out of reach.
    FloorOfTerms,
}

/// T*: the limit on total time by eq. (2), in O(N) for N alternatives. A job without alternatives adds nothing.
///
/// ```
/// use batch_dp::Alternatives;
/// use batch_dp::limits::{TimeRule, time_limit};
///
/// // Mean times 7.5 and 5.75.
/// let batch = Alternatives::from_pairs([[(1.0, 10.0), (2.0, 5.0)], [(1.0, 8.0), (2.0, 3.5)]])?;
/// assert_eq!(time_limit(&batch, TimeRule::FloorOfSum), 13.0);
/// // 10/2, 5/2, 8/2, 3.5/2, each cut down.
/// assert_eq!(time_limit(&batch, TimeRule::FloorOfTerms), 5.0 + 2.0 + 4.0 + 1.0);
/// # Ok::<(), batch_dp::BatchError>(())
/// ```
pub fn time_limit(batch: &Alternatives, rule: TimeRule) -> f64 {
    let rows =
        batch.offsets().windows(2).map(|row| &batch.times()[row[0]..row[1]]).filter(|row| !row.is_empty());
    match rule {
        TimeRule::FloorOfSum => {
            rows.map(|row| row.iter().sum::<f64>() / row.len() as f64).sum::<f64>().floor()
        }
        TimeRule::FloorOfTerms => {
            rows.map(|row| row.iter().map(|time| (time / row.len() as f64).floor()).sum::<f64>()).sum()
        }
    }
}

/// The choice of greatest income within a time limit; its cost is B*, the limit on total cost by eq. (3).
///
/// # Errors
/// [`BatchError::Limit`] when the limit is NaN.
pub fn greatest_income(
    batch: &Alternatives,
    time_limit: f64,
    scratch: &mut Scratch,
) -> Result<Outcome<Decision<Choice>>, BatchError> {
    ExpandingCore::new().choose(batch, &Problem::MaxIncome { time_limit }, scratch)
}

/// Both limits of a cycle.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Limits {
    /// B*: the most that all jobs together may cost.
    pub budget: f64,
    /// T*: the most time that all jobs together may take.
    pub time: f64,
}

impl Limits {
    /// No limits.
    pub const NONE: Self = Self { budget: f64::INFINITY, time: f64::INFINITY };

    /// T* by [`time_limit`], and B* as the [`greatest_income`] within it.
    ///
    /// Within T* some choice exists, or the answer says what is missing.
    ///
    /// ```
    /// use batch_dp::limits::{Limits, TimeRule};
    /// use batch_dp::{Alternatives, Scratch};
    ///
    /// let batch = Alternatives::from_pairs([[(4.0, 10.0), (9.0, 5.0)], [(2.0, 8.0), (6.0, 3.0)]])?;
    /// // Mean times 7.5 and 5.5. Within 13, the owners earn 9 + 6 in 5 + 3.
    /// let limits = Limits::derive(&batch, TimeRule::FloorOfSum, &mut Scratch::new())?;
    /// assert_eq!(limits.solution.into_choice(), Some(Limits { budget: 15.0, time: 13.0 }));
    /// # Ok::<(), batch_dp::BatchError>(())
    /// ```
    ///
    /// # Errors
    /// None by values that an [`Alternatives`] can hold.
    pub fn derive(
        batch: &Alternatives,
        rule: TimeRule,
        scratch: &mut Scratch,
    ) -> Result<Outcome<Decision<Self>>, BatchError> {
        let time = time_limit(batch, rule);
        let income = greatest_income(batch, time, scratch)?;
        Ok(income.map(|decision| decision.map(|choice| Self { budget: choice.cost, time })))
    }
}
