//! Schedules: for each job of a batch its place, or the reason why it has none.

use crate::counted::counted;
use crate::{Batch, JobId, ModelError, Money, Span, Time, Window};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;

/// Why a job has no place. This is a value, not an error: the input is valid, but the resources do not suffice.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Refusal {
    /// Too few nodes are fast enough.
    #[error("needs {}, only {fast_enough} {} fast enough", counted(*needed, "node"), plural(fast_enough, "is", "are"))]
    TooFewNodes {
        /// Requested number of nodes.
        needed: usize,
        /// Number of nodes that are fast enough.
        fast_enough: usize,
    },
    /// Enough nodes are fast enough, but too few of them are within the price limit.
    #[error(
        "needs {}, only {affordable} fast {} within the price limit",
        counted(*needed, "node"),
        plural(affordable, "one is", "ones are")
    )]
    PriceLimit {
        /// Requested number of nodes.
        needed: usize,
        /// Number of nodes that are fast enough and cheap enough.
        affordable: usize,
    },
    /// Too few nodes meet the demands of the job on their features.
    #[error("needs {} with {what}, only {having} such", counted(*needed, "node"))]
    Missing {
        /// Requested number of nodes.
        needed: usize,
        /// The demand, in words.
        what: String,
        /// Number of nodes that meet the demand.
        having: usize,
    },
    /// At no instant before the horizon are enough suitable nodes free for long enough.
    #[error(
        "needs {} at once, at most {most} {} free for long enough before the horizon",
        counted(*needed, "node"),
        plural(most, "is", "are")
    )]
    Horizon {
        /// Requested number of nodes.
        needed: usize,
        /// The maximum number of suitable nodes that are free together for long enough.
        most: usize,
    },
    /// Windows exist, but each costs more than the budget.
    #[error("the cheapest window costs {short_by} more than the budget")]
    Budget {
        /// By how much the cheapest window exceeds the budget, rounded to a double.
        short_by: Money,
    },
    /// Windows exist, but none finishes by the deadline.
    #[error("the first window finishes {late_by} after the deadline")]
    Deadline {
        /// The span from the deadline to the finish of the first window.
        late_by: Span,
    },
    /// The job requests more CPUs than any machine on which it can run has.
    #[error("needs {} at once, no suitable machine has more than {largest}", counted(*needed, "CPU"))]
    TooWide {
        /// Requested number of CPUs.
        needed: usize,
        /// Number of CPUs of the largest of these machines.
        largest: usize,
    },
    /// The job requests more memory or GPUs than the largest machine has.
    #[error("needs {needed} of {what} at once, no suitable machine has more than {largest}")]
    TooLarge {
        /// `memory` or `GPUs`.
        what: String,
        /// The requested amount.
        needed: usize,
        /// The amount of the largest machine.
        largest: usize,
    },
    /// The job takes longer than any resource may be held.
    #[error("takes at least {least}, longer than the {limit} for which its resource may be held")]
    TooLong {
        /// The span of the job on the resource on which it is shortest.
        least: Span,
        /// The longest span for which this resource may be held.
        limit: Span,
    },
    /// The job has windows, but every choice of windows for the batch exceeds the limit of the batch.
    #[error("the best choice for the batch exceeds its limit by {short_by}")]
    BatchLimit {
        /// By how much the best choice exceeds the limit, in the limit's unit.
        short_by: f64,
    },
    /// Jobs that were served earlier have taken all suitable resources.
    #[error("no resource was left")]
    NoCapacity,
    /// A limit ended the search before a place was found; whether there is one is unknown.
    #[error("a limit ended the search before a place was found")]
    Stopped,
}

impl Refusal {
    /// A stable name of the reason, for programs: `too-few-nodes`, `budget`, and so on.
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooFewNodes { .. } => "too-few-nodes",
            Self::PriceLimit { .. } => "price-limit",
            Self::Missing { .. } => "missing",
            Self::Horizon { .. } => "horizon",
            Self::Budget { .. } => "budget",
            Self::Deadline { .. } => "deadline",
            Self::TooWide { .. } => "too-wide",
            Self::TooLarge { .. } => "too-large",
            Self::TooLong { .. } => "too-long",
            Self::BatchLimit { .. } => "batch-limit",
            Self::NoCapacity => "no-capacity",
            Self::Stopped => "stopped",
        }
    }
}

/// Returns `one` if `count` is 1, otherwise `several`.
fn plural(count: &usize, one: &'static str, several: &'static str) -> &'static str {
    if *count == 1 { one } else { several }
}

/// A place for each job of a batch, or the reason why it has none.
///
/// `P` is the type of a place: a [`Window`] by default.
///
/// ```
/// use sched_model::{JobId, Refusal, Schedule};
/// let mut schedule: Schedule = Schedule::default();
/// schedule.decide(JobId(4), Err(Refusal::TooFewNodes { needed: 8, fast_enough: 6 }))?;
/// assert_eq!(schedule.refused().count(), 1);
/// assert!(schedule.decide(JobId(4), Err(Refusal::NoCapacity)).is_err()); // a job has one fate
/// assert_eq!(schedule.to_string(), "job 4: refused: needs 8 nodes, only 6 are fast enough");
/// # Ok::<(), sched_model::ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[must_use]
pub struct Schedule<P = Window> {
    fates: BTreeMap<JobId, Result<P, Refusal>>,
}

impl<P: fmt::Display> fmt::Display for Schedule<P> {
    /// Writes one line per job, in order of job id, without a line feed after the last.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (job, fate)) in self.iter().enumerate() {
            write!(f, "{}job {job}: ", if at == 0 { "" } else { "\n" })?;
            match fate {
                Ok(place) => write!(f, "{place}")?,
                Err(reason) => write!(f, "refused: {reason}")?,
            }
        }
        Ok(())
    }
}

impl<P> Default for Schedule<P> {
    fn default() -> Self {
        Self { fates: BTreeMap::new() }
    }
}

impl<P> Schedule<P> {
    /// Records the place of a job, or why it is refused.
    ///
    /// # Errors
    /// [`ModelError::RepeatedId`] if the job has already been placed or refused; the schedule is then unchanged.
    pub fn decide(&mut self, job: JobId, fate: Result<P, Refusal>) -> Result<(), ModelError> {
        if self.fates.contains_key(&job) {
            return Err(ModelError::RepeatedId { what: "job", id: job.0 });
        }
        self.fates.insert(job, fate);
        Ok(())
    }

    /// The place of a job; `None` if it has none.
    pub fn place_of(&self, job: JobId) -> Option<&P> {
        self.fates.get(&job)?.as_ref().ok()
    }

    /// The jobs that have a place, with their places, in order of job id.
    pub fn placed(&self) -> impl Iterator<Item = (JobId, &P)> {
        self.fates.iter().filter_map(|(job, fate)| Some((*job, fate.as_ref().ok()?)))
    }

    /// The jobs that are refused, with the reasons, in order of job id.
    pub fn refused(&self) -> impl Iterator<Item = (JobId, &Refusal)> {
        self.fates.iter().filter_map(|(job, fate)| Some((*job, fate.as_ref().err()?)))
    }
}

impl<P> Deref for Schedule<P> {
    type Target = BTreeMap<JobId, Result<P, Refusal>>;

    /// The place of each job, or the reason why it has none, in order of job id.
    fn deref(&self) -> &Self::Target {
        &self.fates
    }
}

impl Schedule<Window> {
    /// The total cost of all windows: the exact sum of their costs, rounded once. The cost of each window is
    /// itself rounded, so the sum of all charges can differ from this number in the last bit. If charges are whole
    /// units of money ([`Tariff`](crate::Tariff)), both are equal.
    pub fn cost(&self) -> Money {
        self.placed().map(|(_, window)| window.cost()).sum()
    }

    /// The instant at which the last window ends; `None` if no job has a place.
    pub fn makespan(&self) -> Option<Time> {
        self.placed().map(|(_, window)| window.finish()).max()
    }

    /// Creates a schedule from the place or refusal of each job of `batch`, in the order of the batch.
    ///
    /// # Errors
    /// [`ModelError::Shape`] unless there are as many fates as jobs.
    #[doc(hidden)]
    pub fn of_batch(batch: &Batch, fates: Vec<Result<Window, Refusal>>) -> Result<Self, ModelError> {
        if fates.len() != batch.len() {
            return Err(ModelError::Shape { rows: batch.len(), cols: 1, values: fates.len() });
        }
        Ok(Self { fates: crate::order::map_of(batch.iter().map(|job| job.id).zip(fates)) })
    }
}
