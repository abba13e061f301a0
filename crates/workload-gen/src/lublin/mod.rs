//! The Lublin-Feitelson model of rigid jobs on a parallel machine.
//!
//! Source: U. Lublin, D. G. Feitelson, "The workload on parallel supercomputers: modeling the characteristics
//! of rigid jobs", 2003. The published parameters are [`LublinClass::WHOLE`], [`LublinClass::BATCH`] and
//! [`LublinClass::INTERACTIVE`].
//!
//! - Size: a job is serial, or a power of two, or neither, with fixed probabilities; the logarithm of a
//!   parallel job's size is [two-stage uniform](crate::sample::TwoStageUniform).
//! - Run time: e to the power of a mixture of two gammas. The larger the job, the likelier the second.
//! - Arrivals: e to the power of a gamma gives the gap in *points*, and each half hour of the day holds
//!   points in proportion to how busy it is, so that the gaps stretch at night.
//!
//! # Deviations from the authors' program
//! The clock is real, not whole: a whole one loses about half a second a job, which over 200,000 jobs moves
//! the daily cycle by more than a day and flattens it. Arrival times are therefore not whole seconds; run
//! times are. The points that remain after an arrival are kept for the next one, as in the model.
//!
//! # Example
//! ```
//! use workload_gen::lublin::LublinModel;
//! use workload_gen::sample::stream;
//!
//! let model = LublinModel::default(); // the whole sample, 128 processors
//! let jobs: Vec<_> = model.jobs(stream(1, 0))?.take(1000).collect();
//! assert!(jobs.windows(2).all(|pair| pair[0].arrival <= pair[1].arrival));
//! assert!(jobs.iter().all(|job| (1..=128).contains(&job.size) && job.runtime >= 1.0));
//! # Ok::<(), workload_gen::WorkloadError>(())
//! ```

mod arrival;
mod class;
mod runtime;
mod size;

pub use class::{LublinClass, LublinKind};

use crate::WorkloadError;
use crate::error::require;
use crate::settings::settings;
use arrival::Arrivals;
use class::LOG_SIZE_OF_TABLE;
use rand::Rng;
use runtime::Runtimes;
use size::Sizes;

/// The largest system whose sizes are listed one by one.
const MOST_LISTED: u32 = 1 << 24;

/// One generated job.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct LublinJob {
    /// Seconds since the start.
    pub arrival: f64,
    /// Processors, 1 to the size of the system.
    pub size: u32,
    /// Run time in whole seconds, at least 1.
    pub runtime: f64,
    /// True for a job of the interactive class; false for batch jobs and for the whole sample.
    pub interactive: bool,
}

settings! {
    /// The model: which variant, on which system.
    ///
    /// Time O(1) a job (some 0.2 us), space O(1).
    pub struct LublinModel {
        /// One class for all jobs, or batch and interactive apart.
        with_kind: kind: LublinKind = LublinKind::Whole,
        /// Processors of the system. The published values of `u_med` and `u_high` are those of 128 processors;
        /// for another size both move by log2(size / 128), which keeps the recommended `u_med = u_high - 2.5`.
        with_system_size: system_size: u32 = 128,
        /// Hour of the day at which the clock is 0.
        with_start_hour: start_hour: u32 = 0,
        /// Parameters of [`LublinKind::Whole`].
        with_whole: whole: LublinClass = LublinClass::WHOLE,
        /// Parameters of the batch jobs of [`LublinKind::Typed`].
        with_batch: batch: LublinClass = LublinClass::BATCH,
        /// Parameters of the interactive jobs of [`LublinKind::Typed`].
        with_interactive: interactive: LublinClass = LublinClass::INTERACTIVE,
    }
}

impl LublinModel {
    /// Checks every field of the classes in use.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] for the first field that is out of its range.
    pub fn validate(&self) -> Result<(), WorkloadError> {
        self.sources().map(|_| ())
    }

    /// An endless stream of jobs in order of arrival.
    ///
    /// In the typed variant each class has its own arrivals; of equal ones the interactive goes first. Draws
    /// of the generator: the first arrival of each class, batch first; then for each job its size, its run
    /// time, and the next arrival of its class.
    ///
    /// # Errors
    /// As [`LublinModel::validate`].
    pub fn jobs<'r>(&self, rng: impl Rng + 'r) -> Result<LublinJobs<'r>, WorkloadError> {
        let mut jobs = LublinJobs { sources: self.sources()?, rng: Box::new(rng) };
        for source in &mut jobs.sources {
            source.next = source.arrivals.advance(&mut jobs.rng);
        }
        Ok(jobs)
    }

    /// The daily cycle: the points of each half hour of the day from midnight, 1 on average.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] when the class or the start hour is not valid.
    pub fn half_hour_weights(&self, class: &LublinClass) -> Result<[f64; 48], WorkloadError> {
        Ok(*Arrivals::new(class, self.start_hour)?.weights())
    }

    /// Probability that a job of the class arrives in each hour of the day, from midnight.
    ///
    /// # Errors
    /// As [`LublinModel::half_hour_weights`].
    pub fn hourly_shares(&self, class: &LublinClass) -> Result<[f64; 24], WorkloadError> {
        let weights = self.half_hour_weights(class)?;
        Ok(std::array::from_fn(|hour| (weights[2 * hour] + weights[2 * hour + 1]) / 48.0))
    }

    /// Probability of each size: entry k is that of k processors, entry 0 is 0.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] when the class or the system size is not valid, or the system is larger
    /// than 2^24 processors, for which a list of all sizes is too long.
    pub fn size_probabilities(&self, class: &LublinClass) -> Result<Vec<f64>, WorkloadError> {
        let sizes = Sizes::new(class, self.system_size)?;
        require(self.system_size <= MOST_LISTED, "system_size", self.system_size, "at most 2^24")?;
        Ok(sizes.probabilities())
    }

    /// Probability that a job of the class and of `size` processors has a log run time of at most
    /// `log_runtime` (before the rounding down to whole seconds).
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] when the class is not valid.
    pub fn log_runtime_cdf(
        &self,
        class: &LublinClass,
        size: u32,
        log_runtime: f64,
    ) -> Result<f64, WorkloadError> {
        Ok(Runtimes::new(class)?.cdf(size, log_runtime))
    }

    fn sources(&self) -> Result<Vec<Source>, WorkloadError> {
        let source = |class, interactive| -> Result<Source, WorkloadError> {
            Ok(Source {
                sizes: Sizes::new(class, self.system_size)?,
                runtimes: Runtimes::new(class)?,
                arrivals: Arrivals::new(class, self.start_hour)?,
                next: 0.0,
                interactive,
            })
        };
        match self.kind {
            LublinKind::Whole => Ok(vec![source(&self.whole, false)?]),
            LublinKind::Typed => Ok(vec![source(&self.batch, false)?, source(&self.interactive, true)?]),
        }
    }
}

/// The jobs of one class.
struct Source {
    sizes: Sizes,
    runtimes: Runtimes,
    arrivals: Arrivals,
    next: f64,
    interactive: bool,
}

/// Endless iterator over the jobs of a [`LublinModel`].
pub struct LublinJobs<'r> {
    /// One or two; the interactive one last.
    sources: Vec<Source>,
    rng: Box<dyn Rng + 'r>,
}

impl<'r> LublinJobs<'r> {
    /// The generator, for draws between two jobs.
    pub fn rng(&mut self) -> &mut (dyn Rng + 'r) {
        &mut *self.rng
    }
}

impl Iterator for LublinJobs<'_> {
    type Item = LublinJob;

    fn next(&mut self) -> Option<LublinJob> {
        // The last of the least: a tie goes to the interactive class.
        let source = self.sources.iter_mut().rev().min_by(|a, b| a.next.total_cmp(&b.next))?;
        let arrival = source.next;
        let size = source.sizes.sample(&mut self.rng);
        let runtime = source.runtimes.sample(size, &mut self.rng);
        source.next = source.arrivals.advance(&mut self.rng);
        Some(LublinJob { arrival, size, runtime, interactive: source.interactive })
    }
}
