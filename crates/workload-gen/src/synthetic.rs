//! Synthetic logs: jobs of the Lublin-Feitelson model with users and requested times, as a
//! [Standard Workload Format](crate::swf) log.
//!
//! # Requested times
//! Users request more time than their jobs take. [`RuntimeEstimate`] offers three ways to draw the requested
//! time. It is then rounded up to the next of [`LogGenerator::round_values`], because users choose from a few round
//! values (D. Tsafrir, Y. Etsion, D. G. Feitelson, "Modeling user runtime estimates", 2005). The list of values is
//! ours, not theirs.

use crate::WorkloadError;
use crate::draw::range::{self, Least};
use crate::draw::{UniformInt, chance, unit};
use crate::error::require;
use crate::lublin::LublinModel;
use crate::swf::{SwfHeader, SwfLog, SwfRecord};
use rand::Rng;

/// The way to draw the requested time of a job, given its run time.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
#[non_exhaustive]
pub enum RuntimeEstimate {
    /// The run time itself.
    Exact,
    /// Uniform in [run time, (1 + factor) * run time]: the f-model of A. W. Mu'alem, D. G. Feitelson,
    /// "Utilization, predictability, workloads, and user runtime estimates in scheduling the IBM SP2 with
    /// backfilling", 2001.
    Factor {
        /// The maximum excess, as a multiple of the run time.
        factor: f64,
    },
    /// With probability `exact` the run time; otherwise the run time divided by the accuracy, the fraction of the
    /// requested time that the job uses, which is uniform in (0, 1], as the same authors observed in logs.
    Accuracy {
        /// Probability that the requested time is the run time.
        exact: f64,
    },
}

/// The usual round values, in minutes.
const ROUND_MINUTES: [f64; 16] =
    [1., 5., 10., 15., 30., 60., 120., 180., 240., 360., 480., 720., 1080., 1440., 2160., 2880.];

sched_model::settings! {
    /// Generates a log.
    ///
    /// Records are in order of submit time, with job numbers from 1. The status is "completed"; allocated and
    /// requested processors are equal; queue 0 is interactive, queue 1 holds all other jobs; waits are absent,
    /// because the jobs were not scheduled. Users are uniform. The draws for each job are, in this order: those of
    /// the model, the user, and the requested time.
    ///
    /// ```
    /// use workload_gen::synthetic::LogGenerator;
    /// use workload_gen::sample::stream;
    ///
    /// let log = LogGenerator::default().with_jobs(1000).generate(&mut stream(1, 0))?;
    /// assert_eq!(log.header.max_procs(), Some(128));
    /// assert!(log.records.is_sorted_by_key(|record| record.submit));
    /// # Ok::<(), workload_gen::WorkloadError>(())
    /// ```
    pub struct LogGenerator {
        /// Number of jobs; 10,000 by default.
        with_jobs: jobs: usize = 10_000,
        /// The model of the jobs.
        with_model: model: LublinModel = LublinModel::default(),
        /// Number of users, numbered from 1; 100 by default.
        _: users: u32 = 100,
        /// The way to draw requested times; by accuracy with 15% exact by default.
        with_estimate: estimate: RuntimeEstimate = RuntimeEstimate::Accuracy { exact: 0.15 },
        /// Round values in seconds, ascending. A requested time is rounded up to the next one; beyond the last it
        /// is rounded up to a whole second. Empty for no round values. By default minutes 1, 5, 10, 15, 30 and
        /// hours 1, 2, 3, 4, 6, 8, 12, 18, 24, 36, 48.
        _: round_values: Vec<f64> = ROUND_MINUTES.map(|minutes| minutes * 60.0).into(),
        /// The maximum requested time, in seconds, unless the job itself ran longer; two days by default.
        _: max_estimate: f64 = 48.0 * 3600.0,
        /// Whether submit times are rounded down to whole seconds, as in logs; true by default.
        _: whole_seconds: bool = true,
    }
}

impl LogGenerator {
    /// Draws a log.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] for the first field that is out of its range.
    pub fn generate(&self, rng: &mut dyn Rng) -> Result<SwfLog, WorkloadError> {
        Ok(SwfLog { header: self.header(), records: self.records(rng)?.collect() })
    }

    /// Draws the records of [`generate`](Self::generate) one by one, for logs too long to be held in memory.
    ///
    /// ```
    /// use workload_gen::sample::stream;
    /// use workload_gen::synthetic::LogGenerator;
    ///
    /// let (model, mut file) = (LogGenerator::default().with_jobs(1000), Vec::new());
    /// workload_gen::swf::write(&mut file, &model.header(), model.records(stream(1, 0))?)?;
    /// let mut whole = Vec::new();
    /// let log = model.generate(&mut stream(1, 0))?;
    /// workload_gen::swf::write(&mut whole, &log.header, &log.records)?;
    /// assert_eq!(file, whole);
    /// # Ok::<(), workload_gen::WorkloadError>(())
    /// ```
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] for the first field that is out of its range.
    pub fn records<'r>(
        &'r self,
        rng: impl Rng + 'r,
    ) -> Result<impl Iterator<Item = SwfRecord> + 'r, WorkloadError> {
        let mut jobs = self.model.job_iter(rng)?;
        require(self.users > 0, "users", self.users, "at least 1")?;
        match self.estimate {
            RuntimeEstimate::Exact => {}
            RuntimeEstimate::Factor { factor } => range::number("factor", factor, Least::Zero)?,
            RuntimeEstimate::Accuracy { exact } => range::probability("exact", exact)?,
        }
        range::number("max_estimate", self.max_estimate, Least::Positive)?;
        let values = &self.round_values;
        let rising = values.iter().all(|value| value.is_finite()) && values.is_sorted_by(|a, b| a < b);
        require(rising, "round_values", format_args!("{values:?}"), "finite and rising")?;
        let owners = UniformInt::new(1, self.users)?;
        Ok((1..).take(self.jobs).map_while(move |number| {
            let job = jobs.next()?;
            let rng = jobs.rng();
            let user = u64::from(owners.sample(rng));
            let requested_time = self.requested_time(job.runtime, rng);
            Some(SwfRecord {
                job: Some(number),
                submit: Some(if self.whole_seconds { job.arrival.floor() } else { job.arrival }),
                runtime: Some(job.runtime),
                allocated: Some(u64::from(job.size)),
                requested_processors: Some(u64::from(job.size)),
                requested_time: Some(requested_time),
                status: Some(1), // completed
                user: Some(user),
                queue: Some(u64::from(!job.interactive)),
                ..SwfRecord::default()
            })
        }))
    }

    /// Returns the header comments of a generated log.
    pub fn header(&self) -> SwfHeader {
        let mut header = SwfHeader::default();
        header.push(" Version: 2.2");
        header.push(" Computer: none (synthetic)");
        header.push(" Note: generated by the Lublin-Feitelson model");
        for key in ["MaxJobs", "MaxRecords"] {
            header.push(&format!(" {key}: {}", self.jobs));
        }
        header.push(" UnixStartTime: 0");
        for key in ["MaxNodes", "MaxProcs"] {
            header.push(&format!(" {key}: {}", self.model.system_size));
        }
        if self.model.typed {
            header.push(" Queue: 0 interactive");
        }
        header.push(" Queue: 1 batch");
        header
    }

    fn requested_time(&self, runtime: f64, rng: &mut dyn Rng) -> f64 {
        let drawn = match self.estimate {
            RuntimeEstimate::Exact => runtime,
            RuntimeEstimate::Factor { factor } => runtime * (1.0 + factor * unit(rng)),
            RuntimeEstimate::Accuracy { exact } if chance(rng, exact) => runtime,
            RuntimeEstimate::Accuracy { .. } => runtime / (1.0 - unit(rng)),
        };
        let next = self.round_values.partition_point(|&value| value < drawn);
        let rounded = self.round_values.get(next).copied().unwrap_or(drawn.ceil());
        rounded.min(self.max_estimate).max(runtime)
    }
}
