//! The services: which jobs may be left out, and how this counts.

use crate::BatchError;

/// Which jobs may be left out, and how that counts.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Service {
    /// Leaving a job out costs its penalty, in the unit of the criterion that is optimised: time for
    /// [`Problem::MinTime`](crate::Problem::MinTime) and [`Problem::MaxTime`](crate::Problem::MaxTime), else
    /// cost. One number for each job.
    Penalties(Vec<f64>),
    /// The most jobs come first; among all choices that serve so many, the best by the criterion.
    MostJobs,
    /// The greatest sum of weights of the jobs served comes first; among all choices of that sum, the best by
    /// the criterion. One number for each job, at least 0. Whole numbers, or multiples of one power of two,
    /// are compared exactly; sums of other weights that differ by rounding alone may count as equal.
    GreatestWeight(Vec<f64>),
}

impl Service {
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

/// What leaving a job out adds: its penalty, itself, or its weight.
pub(super) fn left_out(service: &Service, job: usize) -> f64 {
    match service {
        Service::Penalties(values) | Service::GreatestWeight(values) => values[job] + 0.0,
        Service::MostJobs => 1.0,
    }
}
