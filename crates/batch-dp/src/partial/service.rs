//! The services: which jobs may be left out, and how this counts.

use super::Selection;
use crate::{Alternatives, BatchError, Problem};
use sched_model::{End, Outcome};

/// Which jobs may be left out, and how that counts.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Service {
    /// Leaving a job out costs its penalty, in the unit of the criterion that is optimised: time for
    /// [`Problem::MinTime`](crate::Problem::MinTime) and [`Problem::MaxTime`](crate::Problem::MaxTime), else
    /// cost. One number for each job; infinity forbids leaving the job out.
    Penalties(Vec<f64>),
    /// The most jobs come first; among all choices that serve so many, the best by the criterion.
    MostJobs,
    /// The greatest sum of weights of the jobs served comes first; among all choices of that sum, the best by
    /// the criterion. One number for each job, at least 0. Whole numbers, or multiples of one power of two,
    /// are compared exactly; sums of other weights that differ by rounding alone may count as equal.
    GreatestWeight(Vec<f64>),
}

impl Service {
    /// Whether a job must not be left out.
    pub(crate) fn forbids(&self, job: usize) -> bool {
        matches!(self, Self::Penalties(penalties) if penalties.get(job) == Some(&f64::INFINITY))
    }

    /// The outcome of a search with a finite penalty in place of infinity, so great that no choice is better
    /// than one that leaves fewer of the forbidden jobs out. A choice that leaves one out is none.
    pub(crate) fn search(
        &self,
        batch: &Alternatives,
        problem: Problem,
        search: impl FnOnce(&Self) -> Result<Outcome<Selection>, BatchError>,
    ) -> Result<Outcome<Selection>, BatchError> {
        let Self::Penalties(penalties) = self else { return search(self) };
        if !penalties.contains(&f64::INFINITY) {
            return search(self);
        }
        let greatest = beyond_all(batch, problem, penalties);
        let finite = penalties.iter().map(|penalty| penalty.min(greatest)).collect();
        let outcome = search(&Self::Penalties(finite))?;
        Ok(match &outcome.incumbent {
            Some(found) if self.allows(&found.picks) => outcome,
            Some(_) if outcome.end == End::Done => Outcome::infeasible(outcome.work),
            Some(_) => Outcome::stopped(None, outcome.bound, outcome.work, outcome.end),
            None => outcome,
        })
    }

    /// Whether no job is left out that must not be.
    pub(crate) fn allows(&self, picks: &[Option<usize>]) -> bool {
        picks.iter().enumerate().all(|(job, pick)| pick.is_some() || !self.forbids(job))
    }

    /// The same for some of the jobs, by position.
    pub(crate) fn of_jobs(&self, positions: &[usize]) -> Result<Self, BatchError> {
        let of = |values: &[f64]| -> Result<Vec<f64>, BatchError> {
            let given = values.len();
            let count = BatchError::Count { jobs: positions.last().map_or(0, |&last| last + 1), given };
            positions.iter().map(|&at| values.get(at).copied().ok_or_else(|| count.clone())).collect()
        };
        Ok(match self {
            Self::Penalties(penalties) => Self::Penalties(of(penalties)?),
            Self::MostJobs => Self::MostJobs,
            Self::GreatestWeight(weights) => Self::GreatestWeight(of(weights)?),
        })
    }
}

/// A power of two above every difference between two choices by the criterion and the finite penalties.
fn beyond_all(batch: &Alternatives, problem: Problem, penalties: &[f64]) -> f64 {
    let (.., time_is_objective) = problem.parts();
    let numbers = if time_is_objective { &batch.time } else { &batch.cost };
    let most = penalties.iter().zip(batch.offsets.windows(2)).map(|(penalty, row)| {
        let own = numbers[row[0]..row[1]].iter().chain(Some(penalty).filter(|penalty| penalty.is_finite()));
        own.fold(0.0, |most: f64, number| most.max(number.abs()))
    });
    // Each job changes the sum by no more than twice its greatest number.
    let least = (4.0 * most.sum::<f64>()).max(1.0);
    // Its bits of sign and exponent alone.
    let power = f64::from_bits(least.to_bits() >> 52 << 52);
    if power < least { 2.0 * power } else { power }
}

/// What leaving a job out adds: its penalty, itself, or its weight.
pub(super) fn left_out(service: &Service, job: usize) -> f64 {
    match service {
        Service::Penalties(values) | Service::GreatestWeight(values) => values[job] + 0.0,
        Service::MostJobs => 1.0,
    }
}
