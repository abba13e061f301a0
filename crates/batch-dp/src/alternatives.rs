//! The alternatives of a batch: for each job, pairs of cost and time.

use sched_model::{MAX_QUANTITY, Window};

use crate::BatchError;

/// The alternatives of every job of a batch, as pairs `(cost, time)`.
///
/// Jobs and the alternatives of one job keep the order in which they were given; both are named by their index. A job
/// may have no alternative at all: the solvers then answer
/// [`Decision::NoAlternative`](crate::Decision::NoAlternative).
///
/// Costs are money, times are spans, in the caller's units. Each value must be finite and at most
/// [`MAX_QUANTITY`](sched_model::MAX_QUANTITY) in magnitude. Negative values are legal (a rebate); every solver treats
/// them as it treats others.
///
/// ```
/// use batch_dp::Alternatives;
///
/// let batch = Alternatives::from_pairs([[(4.0, 10.0), (9.0, 5.0)], [(2.0, 8.0), (6.0, 3.0)]])?;
/// assert_eq!((batch.jobs(), batch.len()), (2, 4));
/// assert_eq!(batch.of(1).collect::<Vec<_>>(), [(2.0, 8.0), (6.0, 3.0)]);
/// # Ok::<(), batch_dp::BatchError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Vec<Vec<(f64, f64)>>", into = "Vec<Vec<(f64, f64)>>"))]
pub struct Alternatives {
    /// Where the alternatives of each job begin in `cost` and `time`; one more at the end.
    offsets: Vec<usize>,
    cost: Vec<f64>,
    time: Vec<f64>,
}

impl Default for Alternatives {
    fn default() -> Self {
        Self::new()
    }
}

/// States of the solvers hold an alternative's index in 32 bits, and one value is kept for "none".
const MOST_ALTERNATIVES: usize = u32::MAX as usize - 1;

impl Alternatives {
    /// An empty batch.
    pub fn new() -> Self {
        Self { offsets: vec![0], cost: Vec::new(), time: Vec::new() }
    }

    /// The alternatives of one job after another, each a pair `(cost, time)`.
    ///
    /// # Errors
    /// [`BatchError::Value`] names the first value that is no finite number or too large, by job and alternative.
    pub fn from_pairs<J, A>(jobs: J) -> Result<Self, BatchError>
    where
        J: IntoIterator<Item = A>,
        A: IntoIterator<Item = (f64, f64)>,
    {
        let mut batch = Self::new();
        for alternatives in jobs {
            batch.push_job(alternatives)?;
        }
        Ok(batch)
    }

    /// The windows of one job after another: the cost of a window is [`Window::cost`], its time [`Window::runtime`].
    ///
    /// ```
    /// use batch_dp::Alternatives;
    /// use sched_model::{Money, NodeId, Placement, Price, Span, Speed, Time, Window};
    ///
    /// let placement = Placement {
    ///     node: NodeId(1), speed: Speed::must(1.0), price: Price::must(2.0),
    ///     end: Time::must(30.0), cost: Money::must(40.0),
    /// };
    /// let windows = vec![vec![Window::new(Time::must(10.0), vec![placement])?]];
    /// let batch = Alternatives::from_windows(&windows)?;
    /// assert_eq!(batch.of(0).collect::<Vec<_>>(), [(40.0, 20.0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`from_pairs`](Self::from_pairs).
    pub fn from_windows<A: AsRef<[Window]>>(jobs: &[A]) -> Result<Self, BatchError> {
        Self::from_pairs(
            jobs.iter().map(|windows| windows.as_ref().iter().map(|w| (w.cost().get(), w.runtime().get()))),
        )
    }

    /// Appends a job with its alternatives `(cost, time)`; its index is the number of jobs before.
    ///
    /// # Errors
    /// As [`from_pairs`](Self::from_pairs); the batch is then as it was.
    pub fn push_job(&mut self, alternatives: impl IntoIterator<Item = (f64, f64)>) -> Result<(), BatchError> {
        let (job, start) = (self.jobs(), self.cost.len());
        let mut fault = None;
        for (alternative, (cost, time)) in alternatives.into_iter().enumerate() {
            fault = [("cost", cost), ("time", time)]
                .into_iter()
                .find(|(_, value)| !(-MAX_QUANTITY..=MAX_QUANTITY).contains(value))
                .map(|(quantity, value)| BatchError::Value { quantity, job, alternative, value });
            if fault.is_some() {
                break;
            }
            if self.cost.len() >= MOST_ALTERNATIVES {
                let alternatives = self.cost.len() + 1;
                fault = Some(BatchError::TooManyAlternatives { alternatives, most: MOST_ALTERNATIVES });
                break;
            }
            // Adding zero turns a negative zero into a positive one.
            self.cost.push(cost + 0.0);
            self.time.push(time + 0.0);
        }
        if let Some(fault) = fault {
            self.cost.truncate(start);
            self.time.truncate(start);
            return Err(fault);
        }
        self.offsets.push(self.cost.len());
        Ok(())
    }

    /// The number of jobs.
    pub fn jobs(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of alternatives of all jobs together.
    pub fn len(&self) -> usize {
        self.cost.len()
    }

    /// Whether there is no alternative at all.
    pub fn is_empty(&self) -> bool {
        self.cost.is_empty()
    }

    /// The alternatives `(cost, time)` of a job, in their order; none for a job that the batch does not have.
    pub fn of(&self, job: usize) -> impl ExactSizeIterator<Item = (f64, f64)> + '_ {
        let range = if job < self.jobs() { self.offsets[job]..self.offsets[job + 1] } else { 0..0 };
        self.cost[range.clone()].iter().copied().zip(self.time[range].iter().copied())
    }

    /// The jobs that have no alternative, in ascending order.
    pub fn jobs_without(&self) -> Vec<usize> {
        (0..self.jobs()).filter(|&job| self.offsets[job] == self.offsets[job + 1]).collect()
    }

    /// Whether every job has an alternative.
    pub fn is_complete(&self) -> bool {
        self.offsets.windows(2).all(|row| row[0] < row[1])
    }

    /// The total `(cost, time)` of a choice, one alternative per job, added up from the first job to the last; `None`
    /// when the choice has not one valid index per job.
    pub fn totals(&self, picks: &[usize]) -> Option<(f64, f64)> {
        if picks.len() != self.jobs() {
            return None;
        }
        let mut totals = (0.0, 0.0);
        for (job, &pick) in picks.iter().enumerate() {
            let (cost, time) = self.of(job).nth(pick)?;
            totals = (totals.0 + cost, totals.1 + time);
        }
        Some(totals)
    }

    pub(crate) fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    pub(crate) fn costs(&self) -> &[f64] {
        &self.cost
    }

    pub(crate) fn times(&self) -> &[f64] {
        &self.time
    }
}

impl TryFrom<Vec<Vec<(f64, f64)>>> for Alternatives {
    type Error = BatchError;

    fn try_from(jobs: Vec<Vec<(f64, f64)>>) -> Result<Self, BatchError> {
        Self::from_pairs(jobs)
    }
}

impl From<Alternatives> for Vec<Vec<(f64, f64)>> {
    fn from(batch: Alternatives) -> Self {
        (0..batch.jobs()).map(|job| batch.of(job).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_value_is_named_and_leaves_the_batch_alone() {
        let mut batch = Alternatives::from_pairs([[(1.0, 2.0)]]).unwrap();
        let before = batch.clone();
        let error = batch.push_job([(1.0, 1.0), (3.0, f64::NAN)]).unwrap_err();
        assert!(
            matches!(error, BatchError::Value { quantity: "time", job: 1, alternative: 1, value } if value.is_nan())
        );
        assert_eq!(batch, before);
        let error = batch.push_job([(1e61, 1.0)]).unwrap_err();
        assert_eq!(error, BatchError::Value { quantity: "cost", job: 1, alternative: 0, value: 1e61 });
        assert!(batch.push_job([(f64::NEG_INFINITY, 1.0)]).is_err());
    }

    #[test]
    fn totals_want_one_valid_pick_per_job() {
        let batch = Alternatives::from_pairs([vec![(1.0, 2.0), (3.0, 4.0)], vec![(10.0, 20.0)]]).unwrap();
        assert_eq!(batch.totals(&[1, 0]), Some((13.0, 24.0)));
        assert_eq!(batch.totals(&[1]), None);
        assert_eq!(batch.totals(&[1, 1]), None);
        assert_eq!(batch.of(7).len(), 0);
    }
}
