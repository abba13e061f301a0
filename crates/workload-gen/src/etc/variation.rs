//! Times on machines, drawn from known times of tasks.

use super::method::cov_gamma;
use crate::WorkloadError;
use crate::range::{self, Least};
use crate::sample::{Distribution, unit};
use rand::Rng;
use sched_model::EtcMatrix;

/// How a task's known time varies from machine to machine.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
#[non_exhaustive]
pub enum Variation {
    /// Gamma with the task's time as mean and this coefficient of variation: the second stage of the CVB
    /// method. A coefficient of 0.9 gives shape 1.2346 and scale 0.81 * mean.
    Gamma {
        /// Coefficient of variation.
        cov: f64,
    },
    /// Uniform from the task's time upward, with this standard deviation s: U[mean, mean + s * sqrt(12)].
    Uniform {
        /// Standard deviation, in units of time.
        deviation: f64,
    },
}

impl Variation {
    /// Draws a row for each known time.
    ///
    /// ```
    /// use workload_gen::etc::Variation;
    /// use workload_gen::sample::stream;
    /// let etc = Variation::Uniform { deviation: 20.0 }.etc(&[100.0, 500.0], 3, &mut stream(1, 0))?;
    /// assert!(etc.row(1).iter().all(|time| (500.0..=569.3).contains(time))); // 20 * sqrt(12) = 69.28
    /// # Ok::<(), workload_gen::WorkloadError>(())
    /// ```
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] for a parameter or a known time out of its range,
    /// [`WorkloadError::Model`] for a time that leaves the range of the model.
    pub fn etc(&self, times: &[f64], machines: usize, rng: &mut dyn Rng) -> Result<EtcMatrix, WorkloadError> {
        for &time in times {
            range::number("time of a task", time, Least::Positive)?;
        }
        let etc = match *self {
            Variation::Gamma { cov } => {
                let gamma = cov_gamma("cov", cov)?;
                EtcMatrix::from_fn(times.len(), machines, |i, _| times[i] * gamma.sample(rng))
            }
            Variation::Uniform { deviation } => {
                range::number("deviation", deviation, Least::Zero)?;
                let width = deviation * 12.0_f64.sqrt();
                EtcMatrix::from_fn(times.len(), machines, |i, _| times[i] + width * unit(rng))
            }
        };
        Ok(etc?)
    }
}
