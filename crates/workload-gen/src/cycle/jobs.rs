//! The generator of a batch of jobs.

use crate::WorkloadError;
use crate::draw::range::{self, Draw, Least};
use rand::Rng;
use sched_model::internal::pow;
use sched_model::{Batch, Job, JobId, Price, ResourceRequest, Speed, Work};
use std::ops::RangeInclusive;

sched_model::settings! {
    /// Generates a batch of co-allocated jobs.
    ///
    /// The paper does not state the price limit C. Here C =
    /// [`price_limit_factor`](JobGenerator#structfield.price_limit_factor) *
    /// [`price_base`](JobGenerator#structfield.price_base)^(minimum speed): with factor 1, the mean price of the
    /// slowest node that the job accepts. No budget is set: a search derives it from C (S = rho * C * t * N), or the
    /// caller sets one.
    ///
    /// The draws for each job are, in this order: nodes, work, minimum speed. The jobs are in order of priority, with
    /// ids from 0; all belong to user 0 and have submit time 0.
    ///
    /// ```
    /// use workload_gen::cycle::JobGenerator;
    /// use workload_gen::sample::stream;
    ///
    /// let batch = JobGenerator::default().with_jobs(4..=4).generate(&mut stream(1, 0))?;
    /// assert_eq!(batch.len(), 4);
    /// for job in &batch {
    ///     let limit = job.request.price_limit.map(|price| price.get());
    ///     let mean = 1.7_f64.powf(job.request.min_speed.get());
    ///     assert!((limit.unwrap() - mean).abs() < 1e-12);
    /// }
    /// # Ok::<(), workload_gen::WorkloadError>(())
    /// ```
    pub struct JobGenerator {
        /// Number of jobs. Paper: 3 to 7.
        with_jobs: jobs: RangeInclusive<u32> = 3..=7,
        /// Number of nodes that a job needs at once. Paper: 1 to 6.
        with_nodes: nodes: RangeInclusive<u32> = 1..=6,
        /// Work of each task: its run time on the etalon, a node of speed 1. Paper: 50 to 150.
        with_work: work: RangeInclusive<f64> = 50.0..=150.0,
        /// Minimum speed. Paper: 1 to 2.
        with_min_speed: min_speed: RangeInclusive<f64> = 1.0..=2.0,
        /// The base b of the mean price b^speed of a node. Paper: 1.7.
        _: price_base: f64 = 1.7,
        /// Ratio of the price limit to the mean price at the minimum speed; `None` for no limit. Not stated in the
        /// paper; 1 here.
        _: price_limit_factor: Option<f64> = Some(1.0),
        /// Whether work is a whole number.
        _: whole_work: bool = false,
        /// Whether minimum speeds are whole numbers.
        _: whole_speeds: bool = false,
    }
}

impl JobGenerator {
    /// Draws a batch.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] for the first field that is out of its range, [`WorkloadError::Model`] if a price
    /// limit is too large to be a quantity.
    pub fn generate(&self, rng: &mut dyn Rng) -> Result<Batch, WorkloadError> {
        range::number("price_base", self.price_base, Least::Positive)?;
        if let Some(factor) = self.price_limit_factor {
            range::number("price_limit_factor", factor, Least::Zero)?;
        }
        let jobs = range::count("jobs", &self.jobs, 0)?;
        let nodes = range::count("nodes", &self.nodes, 1)?;
        let work = Draw::new("work", &self.work, Least::Positive, self.whole_work)?;
        let speeds = Draw::new("min_speed", &self.min_speed, Least::Positive, self.whole_speeds)?;
        let count = jobs.sample(rng);
        let mut jobs = Vec::new();
        for id in 0..count {
            let nodes = nodes.sample(rng);
            let work = Work::try_from(work.sample(rng))?;
            let min_speed = speeds.sample(rng);
            let mut request =
                ResourceRequest::new(nodes as usize, work)?.with_min_speed(Speed::try_from(min_speed)?);
            if let Some(factor) = self.price_limit_factor {
                request =
                    request.with_price_limit(Price::try_from(factor * pow(self.price_base, min_speed))?);
            }
            jobs.push(Job::new(JobId(u64::from(id)), request));
        }
        Ok(Batch::new(jobs)?)
    }
}
