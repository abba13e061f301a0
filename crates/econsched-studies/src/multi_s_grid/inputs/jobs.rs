//! Jobs of one CPU with input data.

use super::GridUser;
use econsched::sched_model::{DataSize, Job, JobId, Priority, ResourceRequest, Time, Work};
use econsched::workload_gen::WorkloadError;
use econsched::workload_gen::range::{self, Draw, Least};
use econsched::workload_gen::sample::{Distribution, Exponential, UniformInt};
use rand::Rng;
use std::ops::RangeInclusive;

/// The ranges from which jobs are drawn: those of Figure 6, and some that the paper does not state.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
#[must_use]
pub struct JobProperties {
    /// Number of jobs. Not stated in the paper; 100 here.
    pub jobs: u32,
    /// Length of a job, millions of instructions. Paper: 1200 to 12000.
    pub length: RangeInclusive<f64>,
    /// Input volume, KB. Paper: 32 to 1024.
    pub input: RangeInclusive<f64>,
    /// Priority. Not stated in the paper; 1 for all here.
    pub priority: RangeInclusive<f64>,
    /// Mean of the exponential gaps between arrivals, seconds; 0 for all at once. Not stated in the paper; 1
    /// here.
    pub mean_gap: f64,
}

impl Default for JobProperties {
    fn default() -> Self {
        JobProperties {
            jobs: 100,
            length: 1200.0..=12000.0,
            input: 32.0..=1024.0,
            priority: 1.0..=1.0,
            mean_gap: 1.0,
        }
    }
}

econsched::sched_model::setters!(JobProperties {
    with_jobs: jobs: u32,
    with_length: length: RangeInclusive<f64>,
    with_input: input: RangeInclusive<f64>,
    with_priority: priority: RangeInclusive<f64>,
    with_mean_gap: mean_gap: f64,
});

impl JobProperties {
    /// Draws the jobs in order of arrival, ids from 0; each of one CPU, without limits. For each: the gap
    /// before it (no draw where `mean_gap` is 0), its owner, length, input, priority.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] for the first field that is out of its range, and for no users where there
    /// are jobs; [`WorkloadError::Model`] for values beyond the model's range.
    pub fn generate(&self, users: &[GridUser], rng: &mut dyn Rng) -> Result<Vec<Job>, WorkloadError> {
        range::number("mean_gap", self.mean_gap, Least::Zero)?;
        let draw = |name, range, least| Draw::new(name, range, least, false);
        let length = draw("length", &self.length, Least::Positive)?;
        let input = draw("input", &self.input, Least::Zero)?;
        let priority = draw("priority", &self.priority, Least::Zero)?;
        let gap = (self.mean_gap > 0.0).then(|| Exponential::new(self.mean_gap)).transpose()?;
        let last = u32::try_from(users.len()).ok().and_then(|count| count.checked_sub(1));
        let owner = match last {
            Some(last) => UniformInt::new(0, last)?,
            None if self.jobs == 0 => return Ok(Vec::new()),
            None => {
                let (name, value) = ("number of users", users.len().to_string());
                return Err(WorkloadError::Parameter { name, value, expected: "1 to 2^32 - 1" });
            }
        };
        let mut jobs = Vec::new();
        let mut now = 0.0;
        for id in 0..self.jobs {
            now += gap.map_or(0.0, |gap| gap.sample(rng));
            let user = users[owner.sample(rng) as usize].user.id;
            let request = ResourceRequest::new(1, Work::new(length.sample(rng))?)?
                .with_input(DataSize::new(input.sample(rng))?);
            let job = Job::new(JobId(u64::from(id)), request)
                .with_user(user)
                .with_submit(Time::new(now)?)
                .with_priority(Priority::new(priority.sample(rng))?);
            jobs.push(job);
        }
        Ok(jobs)
    }
}
