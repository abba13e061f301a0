//! The times at which components fail, users leave and jobs are withdrawn.

use super::Config;
use super::gis::{Component, Gis};
use econsched::grid_sim::SimError;
use econsched::grid_sim::internal::{check_count, check_expected};
use econsched::sched_model::{Job, Span, Time};
use econsched::workload_gen::internal::{Distribution, Exponential};
use econsched::workload_gen::sample::stream;
use rand::Rng;

/// A component that fails, with its own random stream of intervals.
pub(super) struct Failing {
    pub(super) component: Component,
    interval: Exponential,
    rng: Box<dyn Rng>,
}

/// All components that fail, the times at which users leave, and those at which jobs are withdrawn.
#[derive(Default)]
pub(super) struct Failures {
    pub(super) failing: Vec<Failing>,
    /// When each user leaves; empty if none does.
    pub(super) departures: Vec<Time>,
    /// When each job is withdrawn unless it has ended by then; empty if none is.
    pub(super) cancellations: Vec<Time>,
    /// Number of failures so far.
    happened: usize,
}

/// What [`Failures::count`] counts, for messages.
const COUNTED: &str = "failures of machines and links";

impl Failures {
    /// Prepares the failures of this seed and replicate. Each component draws from its own stream, so that a strategy
    /// does not change which one fails when. It is an error if more failures are expected in one slice than a run may
    /// have.
    pub(super) fn new(
        gis: &Gis<'_>,
        jobs: &[Job],
        config: &Config,
        (seed, replicate): (u64, u64),
    ) -> Result<Self, SimError> {
        // A stream that no workload of the same seed and replicate uses.
        let mut seeds = stream(seed ^ 0x4d75_6c74_6953_4772, replicate);
        let mut failing = Vec::new();
        let mut expected = 0.0;
        for (component, mean) in gis.components() {
            let rng = Box::new(stream(seeds.next_u64(), 0));
            if let Some(mean) = mean.filter(|_| config.failures) {
                // A component that is never repaired fails once.
                let again = |repair: Span| config.strategy.slice.get() / (mean.get() + repair.get());
                expected += config.repair.map_or(0.0, again);
                failing.push(Failing { component, interval: Exponential::new(mean.get())?, rng });
            }
        }
        // A mean of zero was handled above.
        check_expected("failures of machines and links in one slice", expected)?;
        let mut lives = |mean: Option<Span>, from: Vec<Time>| -> Result<Vec<Time>, SimError> {
            let Some(mean) = mean else { return Ok(Vec::new()) };
            let life = Exponential::new(mean.get())?;
            from.into_iter().map(|from| Ok(from + Span::try_from(life.sample(&mut seeds))?)).collect()
        };
        let departures = lives(config.owner_lifetime, vec![Time::ZERO; gis.users.len()])?;
        let cancellations = lives(config.job_lifetime, jobs.iter().map(|job| job.submit).collect())?;
        Ok(Self { failing, departures, cancellations, happened: 0 })
    }

    /// Counts a failure.
    ///
    /// # Errors
    /// [`SimError::TooMany`] after 20 million failures, since the clock may not advance between them.
    pub(super) fn count(&mut self) -> Result<(), SimError> {
        self.happened += 1;
        check_count(COUNTED, self.happened)
    }

    /// Draws when a component that is up from now on fails next.
    pub(super) fn next(&mut self, now: Time, at: usize) -> Result<Time, SimError> {
        let Failing { interval, rng, .. } = &mut self.failing[at];
        Ok(now + Span::try_from(interval.sample(rng))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use econsched::grid_sim::internal::MOST_JOBS;

    #[test]
    fn one_failure_more_than_may_be_is_an_error() {
        let mut failures = Failures { happened: MOST_JOBS - 1, ..Failures::default() };
        assert_eq!(failures.count(), Ok(()));
        let error = failures.count().unwrap_err();
        assert_eq!(error, SimError::TooMany { what: COUNTED, most: MOST_JOBS, given: MOST_JOBS + 1 });
    }
}
