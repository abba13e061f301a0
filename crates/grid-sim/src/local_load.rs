//! Random local jobs of a machine, which compete with the jobs of a broker.

use crate::error::{check_count, require};
use crate::{LocalJob, SimError};
use rand::Rng;
use sched_model::{JobId, Span, Time};
use workload_gen::internal::{Distribution, Uniform};
use workload_gen::lublin::LublinModel;

sched_model::settings! {
    /// Random local jobs of a machine by the Lublin-Feitelson model, scaled to the machine: no job needs more CPUs
    /// than it has.
    ///
    /// O(n) for n jobs, plus the time of the model's own set-up.
    ///
    /// ```
    /// use grid_sim::LocalLoad;
    /// use sched_model::Time;
    /// use workload_gen::sample::stream;
    /// let load = LocalLoad::default().with_jobs(20).with_over((Time::ZERO, Time::must(900.0)));
    /// let jobs = load.draw(32, &mut stream(1, 0))?;
    /// assert_eq!((jobs.len(), jobs[19].submit), (20, Time::must(900.0)));
    /// assert!(jobs.iter().all(|job| job.cpus <= 32 && job.requested >= job.actual));
    /// # Ok::<(), grid_sim::SimError>(())
    /// ```
    pub struct LocalLoad {
        /// Number of jobs; 0 by default.
        with_jobs: jobs: usize = 0,
        /// Divisor of the model's arrival times, which begin at 0; without effect if `over` is set.
        with_arrival_divisor: arrival_divisor: f64 = 1.0,
        /// First and last instant between which the jobs arrive: the model's arrival times are scaled proportionally,
        /// so that the last job arrives at the second instant.
        with_over: over: (Time, Time) => Some = None,
        /// Maximum overestimate: a job requests its actual time multiplied by a factor that is uniform from 1 to
        /// this; 3 by default.
        _: overestimate: f64 = 3.0,
        /// The model of widths, times and arrivals; its system size is replaced by the CPUs of the machine.
        with_model: model: LublinModel = LublinModel::default(),
    }
}

impl LocalLoad {
    /// Draws the jobs of a machine with `cpus` CPUs, in order of arrival.
    ///
    /// # Errors
    /// [`SimError::OutOfRange`] for an overestimate not in [1, 1e6], a divisor that is not positive, or an interval
    /// that ends before it begins; [`SimError::TooMany`] for more than 20 million jobs;
    /// [`SimError::Workload`] for parameters of the model out of range; [`SimError::Model`] for times out of
    /// range.
    pub fn draw(&self, cpus: u32, rng: &mut dyn Rng) -> Result<Vec<LocalJob>, SimError> {
        let (most, divisor) = (self.overestimate, self.arrival_divisor);
        require((1.0..=1e6).contains(&most), "the overestimate of local jobs", "in [1, 1e6]", most)?;
        require(divisor > 0.0, "the divisor of arrival times", "positive", divisor)?;
        let over = self.over.map_or(0.0, |(from, to)| to.get() - from.get());
        require(over >= 0.0, "the time over which local jobs arrive", "not negative", over)?;
        if self.jobs == 0 {
            return Ok(Vec::new());
        }
        check_count("local jobs", self.jobs)?;
        let model = self.model.clone().with_system_size(cpus);
        let drawn: Vec<_> = model.jobs(&mut *rng)?.take(self.jobs).collect();
        let last = drawn.iter().map(|job| job.arrival).fold(0.0, f64::max);
        let submit = |arrival: f64| match self.over {
            None => Time::try_from(arrival / divisor),
            Some((_, to)) if arrival == last => Ok(to),
            Some((from, to)) => Time::try_from(from.get() + (to - from).get() * (arrival / last)),
        };
        let factor = Uniform::new(1.0, most)?;
        let mut jobs = Vec::with_capacity(drawn.len());
        for (id, job) in (0..).zip(drawn) {
            let requested = Span::try_from(job.runtime * factor.sample(rng))?;
            let (submit, actual) = (submit(job.arrival)?, Span::try_from(job.runtime)?);
            jobs.push(LocalJob::new(JobId(id), submit, job.size.min(cpus), requested, actual)?);
        }
        Ok(jobs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload_gen::sample::stream;

    #[test]
    fn arrivals_are_divided_or_stretched() {
        let load = LocalLoad::default().with_jobs(50).with_arrival_divisor(1000.0);
        let divided = load.draw(64, &mut stream(3, 0)).unwrap();
        let over = (Time::must(100.0), Time::must(300.0));
        let stretched = load.with_over(over).draw(64, &mut stream(3, 0)).unwrap();
        let last = divided[49].submit.get();
        for (a, b) in divided.iter().zip(&stretched) {
            assert!((100.0 + 200.0 * a.submit.get() / last - b.submit.get()).abs() < 1e-9);
            assert_eq!((a.cpus, a.actual, a.requested), (b.cpus, b.actual, b.requested));
            let factor = a.requested.get() / a.actual.get();
            assert!((1.0 - 1e-12..=3.0 + 1e-12).contains(&factor), "{factor}");
        }
    }

    /// The settings are checked before any job is drawn.
    #[test]
    fn bad_settings_are_named() {
        let draw = |load: LocalLoad| load.draw(8, &mut stream(1, 0)).map(|jobs| jobs.len());
        assert_eq!(draw(LocalLoad::default()), Ok(0));
        let many = LocalLoad::default().with_jobs(20_000_000);
        let mut short = many.clone();
        short.overestimate = 0.5;
        for wrong in [short, many.clone().with_over((Time::must(1.0), Time::ZERO))] {
            assert!(matches!(draw(wrong), Err(SimError::OutOfRange { .. })));
        }
        for divisor in [-1.0, 0.0, f64::NAN] {
            let error = draw(many.clone().with_arrival_divisor(divisor)).unwrap_err().to_string();
            assert_eq!(error, format!("the divisor of arrival times must be positive, got {divisor}"));
        }
    }
}
