//! The Lublin-Feitelson model of rigid jobs on a parallel machine.
//!
//! Source: U. Lublin, D. G. Feitelson, "The workload on parallel supercomputers: modeling the characteristics
//! of rigid jobs", 2003. The published parameters are the defaults of [`LublinModel`].
//!
//! - Size: a job is serial, or a power of two, or neither, with fixed probabilities; the logarithm of the size of
//!   a parallel job is two-stage uniform.
//! - Run time: e to the power of a mixture of two gammas. The larger the job, the likelier the second gamma.
//! - Arrivals: e to the power of a gamma gives the gap in *points*. Each half hour of the day holds points in
//!   proportion to how busy it is, so gaps stretch at night.
//!
//! # Deviations from the authors' program
//! The clock is real, not whole. A whole clock loses about half a second per job, which over 200,000 jobs moves
//! the daily cycle by more than a day and flattens it. So arrival times are not whole seconds, but run times are.
//! The points that remain after an arrival are kept for the next one, as in the model.
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
    /// Whether the job is of the interactive class; false for batch jobs and for jobs of the whole sample.
    pub interactive: bool,
}

sched_model::settings! {
    /// The model: which variant, and on which system.
    ///
    /// O(1) time per job (about 0.2 us), O(1) space.
    pub struct LublinModel {
        /// Whether batch and interactive jobs are classes, each with its own parameters and arrivals.
        with_typed: typed: bool = false,
        /// Number of processors of the system. The published values of `u_med` and `u_high` are for 128
        /// processors; for another size log2(size / 128) is added to both, which keeps the recommended
        /// `u_med = u_high - 2.5`.
        with_system_size: system_size: u32 = 128,
        /// Hour of the day, 0 to 23, at which the clock is 0.
        _: start_hour: u32 = 0,
        /// Parameters of all jobs, if they are one class.
        _: whole: LublinClass = LublinClass::WHOLE,
        /// Parameters of the batch jobs, if they are a class.
        _: batch: LublinClass = LublinClass::BATCH,
        /// Parameters of the interactive jobs, if they are a class.
        _: interactive: LublinClass = LublinClass::INTERACTIVE,
    }
}

impl LublinModel {
    /// An endless stream of jobs in order of arrival.
    ///
    /// In the typed variant each class has its own arrivals; at equal arrivals the interactive job comes first.
    /// Draws from the generator: the first arrival of each class, batch first; then for each job its size, its run
    /// time, and the next arrival of its class.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] for the first field that is out of its range.
    pub fn jobs<'r, R: Rng + 'r>(
        &self,
        rng: R,
    ) -> Result<impl Iterator<Item = LublinJob> + use<'r, R>, WorkloadError> {
        self.drawn(rng)
    }

    pub(crate) fn drawn<'r>(&self, rng: impl Rng + 'r) -> Result<LublinJobs<'r>, WorkloadError> {
        let mut jobs = LublinJobs { sources: self.sources()?, rng: Box::new(rng) };
        for source in &mut jobs.sources {
            source.next = source.arrivals.advance(&mut jobs.rng);
        }
        Ok(jobs)
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
        if self.typed {
            Ok(vec![source(&self.batch, false)?, source(&self.interactive, true)?])
        } else {
            Ok(vec![source(&self.whole, false)?])
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
pub(crate) struct LublinJobs<'r> {
    /// One or two sources; the interactive one is last.
    sources: Vec<Source>,
    rng: Box<dyn Rng + 'r>,
}

impl<'r> LublinJobs<'r> {
    /// The random generator, for draws between two jobs.
    pub(crate) fn rng(&mut self) -> &mut (dyn Rng + 'r) {
        &mut *self.rng
    }
}

impl Iterator for LublinJobs<'_> {
    type Item = LublinJob;

    fn next(&mut self) -> Option<LublinJob> {
        // In reverse order, `min_by` gives a tie to the interactive class.
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
const SECONDS: f64 = 1800.0;
/// The cyclic day of the model starts at this half hour.
const FIRST_BUCKET: usize = 11;
/// The maximum log gap. A gap is passed half hour by half hour; e^20 seconds are 270,000 half hours.
const HIGHEST: f64 = 20.0;

/// The arrival process of one class. A gap is drawn in points; a half hour holds as many points as its weight, and
/// the mean weight is 1.
pub(super) struct Arrivals {
    gap: Gamma,
    limit: f64,
    weights: [f64; BUCKETS],
    bucket: usize,
    clock: f64,
    /// Points of the current half hour that are used up.
    points: f64,
    /// The used points as a fraction of the half hour.
    passed: f64,
}

impl Arrivals {
    pub(super) fn new(class: &LublinClass, start_hour: u32) -> Result<Self, WorkloadError> {
        require(start_hour < 24, "start_hour", start_hour, "below 24")?;
        let positive = class.arar.is_finite() && class.arar > 0.0;
        require(positive, "arar", class.arar, "finite and positive")?;
        let (shape, scale) = class.gap;
        let limit = class.max_log_gap;
        let gap = limited_gamma(
            "gap (shape times arar)",
            (shape * class.arar, scale),
            "max_log_gap",
            limit,
            HIGHEST,
        )?;
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

    /// The instant of the next arrival.
    pub(super) fn advance(&mut self, rng: &mut dyn Rng) -> f64 {
        let gap = loop {
            let gap = self.gap.sample(rng);
            if gap <= self.limit {
                break gap;
            }
        };
        // Invariant: `points` of the current half hour are used up, and `clock` is at the same fraction of it. The
        // next call uses the remaining points; otherwise there would be no daily cycle.
        self.points += exp(gap) / SECONDS;
        let mut step = 0.0;
        // A half hour of weight 0 holds no arrival and is skipped.
        while self.points > self.weights[self.bucket] || self.weights[self.bucket] == 0.0 {
            self.points -= self.weights[self.bucket];
            self.bucket = (self.bucket + 1) % BUCKETS;
            step += SECONDS;
        }
        let passed = self.points / self.weights[self.bucket];
        step += SECONDS * (passed - self.passed);
        self.passed = passed;
        self.clock += step;
        self.clock
    }
}
