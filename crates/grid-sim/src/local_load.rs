//! Random local jobs of a machine, which compete with the jobs of a broker.

use crate::report::check_count;
use crate::{LocalJob, SimError};
use rand::Rng;
use sched_model::{JobId, Span, Time};
use workload_gen::internal::{Distribution, Uniform};
use workload_gen::lublin::LublinModel;

/// When local jobs arrive.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum LocalArrivals {
    /// At the model's arrival times divided by this number, from time 0 on.
    Divided(f64),
    /// Over this interval, the last at its end; the model's arrival times are stretched, and keep their
    /// proportions.
    Over {
        /// Its start.
        from: Time,
        /// Its end.
        to: Time,
    },
}

sched_model::settings! {
    /// Local jobs of a machine by the Lublin-Feitelson model, scaled to the machine: no job needs more CPUs than
    /// it has.
    ///
    /// O(n) for n jobs, plus the time of the model.
    ///
    /// ```
    /// use grid_sim::{LocalArrivals, LocalLoad};
    /// use sched_model::Time;
    /// use workload_gen::sample::stream;
    /// let over = LocalArrivals::Over { from: Time::ZERO, to: Time::must(900.0) };
    /// let jobs = LocalLoad::new(20, over).draw(32, &mut stream(1, 0))?;
    /// assert_eq!((jobs.len(), jobs[19].submit), (20, Time::must(900.0)));
    /// assert!(jobs.iter().all(|job| job.cpus <= 32 && job.requested >= job.actual));
    /// # Ok::<(), grid_sim::SimError>(())
    /// ```
    pub struct LocalLoad {
        /// This many jobs with the default parameters of the model.
        new(jobs: usize, arrivals: LocalArrivals);
        /// Number of jobs.
        _: jobs: usize = jobs,
        /// When they arrive.
        _: arrivals: LocalArrivals = arrivals,
        /// A job asks for its time multiplied by a factor, uniform from 1 to this; 3 by default.
        _: overestimate: f64 = 3.0,
        /// The model of widths and times; its system size is replaced by the CPUs of the machine.
        with_model: model: LublinModel = LublinModel::default(),
    }
}

impl LocalLoad {
    /// Draws the jobs of a machine of `cpus` CPUs, in order of arrival.
    ///
    /// # Errors
    /// [`SimError::OutOfRange`] for an overestimate not in [1, 1e6] or an interval that ends before it
    /// begins; [`SimError::TooMany`] for more than 20 million jobs;
    /// [`SimError::Workload`] for parameters of the model out of range; [`SimError::Model`] for times out of
    /// range.
    pub fn draw(&self, cpus: u32, rng: &mut dyn Rng) -> Result<Vec<LocalJob>, SimError> {
        if !(1.0..=1e6).contains(&self.overestimate) {
            let (what, expected) = ("the overestimate of local jobs", "in [1, 1e6]");
            return Err(SimError::OutOfRange { what, expected, value: self.overestimate });
        }
        if self.jobs == 0 {
            return Ok(Vec::new());
        }
        check_count("local jobs", self.jobs)?;
        let model = self.model.clone().with_system_size(cpus);
        let drawn: Vec<_> = model.jobs(&mut *rng)?.take(self.jobs).collect();
        let last = drawn.iter().map(|job| job.arrival).fold(0.0, f64::max);
        let submit = |arrival: f64| match self.arrivals {
            LocalArrivals::Divided(divisor) => Time::try_from(arrival / divisor),
            LocalArrivals::Over { to, .. } if arrival == last => Ok(to),
            LocalArrivals::Over { from, to } => {
                Time::try_from(from.get() + (to - from).get() * (arrival / last))
            }
        };
        if let LocalArrivals::Over { from, to } = self.arrivals
            && to < from
        {
            let (what, expected) = ("the time over which local jobs arrive", "not negative");
            return Err(SimError::OutOfRange { what, expected, value: (to - from).get() });
        }
        let factor = Uniform::new(1.0, self.overestimate)?;
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
        let divided = LocalLoad::new(50, LocalArrivals::Divided(1000.0)).draw(64, &mut stream(3, 0)).unwrap();
        let over = LocalArrivals::Over { from: Time::must(100.0), to: Time::must(300.0) };
        let stretched = LocalLoad::new(50, over).draw(64, &mut stream(3, 0)).unwrap();
        let last = divided[49].submit.get();
        for (a, b) in divided.iter().zip(&stretched) {
            assert!((100.0 + 200.0 * a.submit.get() / last - b.submit.get()).abs() < 1e-9);
            assert_eq!((a.cpus, a.actual, a.requested), (b.cpus, b.actual, b.requested));
            let factor = a.requested.get() / a.actual.get();
            assert!((1.0 - 1e-12..=3.0 + 1e-12).contains(&factor), "{factor}");
        }
    }

    #[test]
    fn bad_settings_are_named() {
        let draw = |load: LocalLoad| load.draw(8, &mut stream(1, 0)).map(|jobs| jobs.len());
        let divided = LocalArrivals::Divided(1.0);
        assert_eq!(draw(LocalLoad::new(0, divided)), Ok(0));
        let mut short = LocalLoad::new(5, divided);
        short.overestimate = 0.5;
        assert!(draw(short).is_err());
        let back = LocalArrivals::Over { from: Time::must(1.0), to: Time::ZERO };
        assert!(draw(LocalLoad::new(5, back)).is_err());
    }
}
