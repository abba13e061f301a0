//! The Lublin-Feitelson model of rigid jobs on a parallel machine.
//!
//! Source: U. Lublin, D. G. Feitelson, "The workload on parallel supercomputers: modeling the characteristics
//! of rigid jobs", 2003. The published parameters are the defaults of [`LublinModel`].
//!
//! - Size: with fixed probabilities a job is serial, or its size is a power of two, or any number; the logarithm of the
//!   size of a parallel job is two-stage uniform.
//! - Run time: its logarithm is a mixture of two gamma distributions. The larger the job, the more probable the second
//!   one.
//! - Arrivals: the gap between two jobs is counted in *points*; its logarithm is gamma distributed. Each half hour of
//!   the day holds points in proportion to how busy it is, so gaps are longer at night.
//!
//! # Deviations from the authors' program
//! The clock is a real number, not a whole one. A clock of whole seconds loses about half a second per job, which over
//! 200,000 jobs moves the daily cycle by more than a day and flattens it. So arrival times are not whole seconds, but
//! run times are. The points that remain after an arrival are kept for the next one, as in the model.
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

mod class;

use crate::WorkloadError;
use crate::draw::{Distribution, Gamma};
use crate::error::require;
pub use class::LublinClass;
use class::{Runtimes, Sizes, limited_gamma};
use rand::Rng;
use sched_model::internal::exp;

/// One generated job.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct LublinJob {
    /// Arrival in seconds since the start.
    pub arrival: f64,
    /// Number of processors, from 1 to the size of the system.
    pub size: u32,
    /// Run time in whole seconds, at least 1.
    pub runtime: f64,
    /// Whether the job is of the interactive class; false for batch jobs and if there is only one class.
    pub interactive: bool,
}

sched_model::settings! {
    /// The configuration of the model: the classes of jobs with their parameters, and the size of the system.
    ///
    /// O(1) time per job (about 0.2 us), O(1) space.
    pub struct LublinModel {
        /// Whether batch and interactive jobs are separate classes, each with its own parameters and arrivals.
        with_typed: typed: bool = false,
        /// Number of processors of the system. The published values of `u_med` and `u_high` are for 128
        /// processors; for another size log2(size / 128) is added to both, which keeps the recommended
        /// `u_med = u_high - 2.5`.
        with_system_size: system_size: u32 = 128,
        /// The hour of the day, 0 to 23, at which the clock is 0.
        _: start_hour: u32 = 0,
        /// Parameters of all jobs; used unless `typed`.
        _: whole: LublinClass = LublinClass::WHOLE,
        /// Parameters of the batch jobs; used if `typed`.
        _: batch: LublinClass = LublinClass::BATCH,
        /// Parameters of the interactive jobs; used if `typed`.
        _: interactive: LublinClass = LublinClass::INTERACTIVE,
    }
}

impl LublinModel {
    /// Returns an endless iterator over the jobs in order of arrival.
    ///
    /// If `typed`, each class has its own arrivals; of equal arrivals the interactive job comes first. The draws are,
    /// in this order: the first arrival of each class, batch first; then for each job its size, its run time, and the
    /// next arrival of its class.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] for the first field that is out of its range.
    pub fn jobs<'r, R: Rng + 'r>(
        &self,
        rng: R,
    ) -> Result<impl Iterator<Item = LublinJob> + use<'r, R>, WorkloadError> {
        self.job_iter(rng)
    }

    /// The iterator of [`jobs`](Self::jobs), which lends its random number generator.
    pub(crate) fn job_iter<'r>(&self, rng: impl Rng + 'r) -> Result<LublinJobs<'r>, WorkloadError> {
        let mut jobs = LublinJobs { sources: self.sources()?, rng: Box::new(rng) };
        for source in &mut jobs.sources {
            source.next = source.arrivals.advance(&mut jobs.rng);
        }
        Ok(jobs)
    }

    fn sources(&self) -> Result<Vec<Source>, WorkloadError> {
        let source = |class, interactive| -> Result<Source, WorkloadError> {
            let (sizes, runtimes) = (Sizes::new(class, self.system_size)?, Runtimes::new(class)?);
            let arrivals = Arrivals::new(class, self.start_hour)?;
            Ok(Source { sizes, runtimes, arrivals, next: 0.0, interactive })
        };
        if self.typed {
            Ok(vec![source(&self.batch, false)?, source(&self.interactive, true)?])
        } else {
            Ok(vec![source(&self.whole, false)?])
        }
    }
}

/// The generator of the jobs of one class.
struct Source {
    sizes: Sizes,
    runtimes: Runtimes,
    arrivals: Arrivals,
    /// The arrival of the next job.
    next: f64,
    interactive: bool,
}

/// An endless iterator over the jobs of a [`LublinModel`].
pub(crate) struct LublinJobs<'r> {
    /// One or two sources; the interactive one is last.
    sources: Vec<Source>,
    rng: Box<dyn Rng + 'r>,
}

impl<'r> LublinJobs<'r> {
    /// The random number generator, for draws between two jobs.
    pub(crate) fn rng(&mut self) -> &mut (dyn Rng + 'r) {
        &mut *self.rng
    }
}

impl Iterator for LublinJobs<'_> {
    type Item = LublinJob;

    fn next(&mut self) -> Option<LublinJob> {
        // `min_by` returns the first of equal elements: in reverse order, the interactive class.
        let source = self.sources.iter_mut().rev().min_by(|a, b| a.next.total_cmp(&b.next))?;
        let arrival = source.next;
        let size = source.sizes.sample(&mut self.rng);
        let runtime = source.runtimes.sample(size, &mut self.rng);
        source.next = source.arrivals.advance(&mut self.rng);
        Some(LublinJob { arrival, size, runtime, interactive: source.interactive })
    }
}

/// Number of half hours in a day.
const BUCKETS: usize = 48;
/// Number of seconds in a half hour.
const HALF_HOUR: f64 = 1800.0;
/// The half hour, counted from 1, at which the cyclic day of the model starts.
const FIRST_BUCKET: usize = 11;
/// The maximum of `max_log_gap`. A gap is passed half hour by half hour; e^20 seconds are 270,000 half hours.
const MAX_LOG_GAP: f64 = 20.0;

/// The arrival process of one class. Gaps are drawn in points. Each half hour holds a number of points equal to its
/// weight; the mean weight is 1, so one point is half an hour on average.
pub(super) struct Arrivals {
    gap: Gamma,
    limit: f64,
    weights: [f64; BUCKETS],
    bucket: usize,
    clock: f64,
    /// The points of the current half hour that have passed.
    points: f64,
    /// `points` as a fraction of the points of the half hour.
    passed: f64,
}

impl Arrivals {
    pub(super) fn new(class: &LublinClass, start_hour: u32) -> Result<Self, WorkloadError> {
        require(start_hour < 24, "start_hour", start_hour, "below 24")?;
        let positive = class.arar.is_finite() && class.arar > 0.0;
        require(positive, "arar", class.arar, "finite and positive")?;
        let ((shape, scale), limit) = (class.gap, class.max_log_gap);
        let (name, gamma) = ("gap (shape times arar)", (shape * class.arar, scale));
        let gap = limited_gamma(name, gamma, "max_log_gap", limit, MAX_LOG_GAP)?;
        let bad_cycle =
            || WorkloadError::parameter("cycle", format!("{:?}", class.cycle), "a gamma over 48 half hours");
        let cycle = Gamma::new(class.cycle.0, class.cycle.1).map_err(|_| bad_cycle())?;
        let mut weights = [0.0; BUCKETS];
        for i in FIRST_BUCKET..FIRST_BUCKET + BUCKETS {
            let at = i as f64;
            weights[(i - 1) % BUCKETS] = (cycle.cdf(at + 0.5) - cycle.cdf(at - 0.5)).max(0.0);
        }
        let mean = weights.iter().sum::<f64>() / BUCKETS as f64;
        if mean < 1e-6 {
            return Err(bad_cycle());
        }
        weights.iter_mut().for_each(|weight| *weight /= mean);
        let bucket = 2 * start_hour as usize;
        Ok(Arrivals { gap, limit, weights, bucket, clock: 0.0, points: 0.0, passed: 0.0 })
    }

    /// Advances the clock to the next arrival and returns it.
    pub(super) fn advance(&mut self, rng: &mut dyn Rng) -> f64 {
        let gap = loop {
            let gap = self.gap.sample(rng);
            if gap <= self.limit {
                break gap;
            }
        };
        // Invariant: `points` of the current half hour have passed, and `clock` is at the same fraction of it. The
        // next gap starts with the remaining points; otherwise there would be no daily cycle.
        self.points += exp(gap) / HALF_HOUR;
        let mut step = 0.0;
        // A half hour of weight 0 holds no arrival and is skipped.
        while self.points > self.weights[self.bucket] || self.weights[self.bucket] == 0.0 {
            self.points -= self.weights[self.bucket];
            self.bucket = (self.bucket + 1) % BUCKETS;
            step += HALF_HOUR;
        }
        let passed = self.points / self.weights[self.bucket];
        step += HALF_HOUR * (passed - self.passed);
        self.passed = passed;
        self.clock += step;
        self.clock
    }
}
