//! Jobs that are stopped before they end: cancelled by their owners, or preempted by jobs of higher priority.

use super::State;
use crate::decision::{Act, StopCause};
use crate::instant::earliest_instant;
use crate::jobs::JobRecord;
use sched_model::{JobId, Priority, Time};
use std::collections::BTreeSet;

impl State {
    /// Cancels a started job, which keeps its nodes until its end is confirmed.
    pub(crate) fn cancel(&mut self, job: JobId) {
        let mut known = None;
        self.change_job(job, |record| known = record.stopping.replace(StopCause::Cancelled));
        // A preempted job is already being stopped.
        if known.is_none() {
            self.decide(Act::Stop { job, cause: StopCause::Cancelled });
        }
    }

    /// Processes that a job has released its nodes: promises for which it was stopped no longer wait for it.
    pub(super) fn victim_left(&mut self, victim: JobId) {
        let waits = |job: &JobId| self.jobs.get(job).is_some_and(|record| record.victims.contains(&victim));
        let waiting: Vec<JobId> = self.job_sets.beneficiaries.iter().copied().filter(waits).collect();
        let now = self.now;
        self.book.at_risk.extend(waiting.iter().copied());
        for job in waiting {
            self.change_job(job, |record| {
                record.victims.remove(&victim);
                if record.victims.is_empty() {
                    record.clear_since = Some(now);
                }
            });
        }
    }

    /// The next instant at which a running job becomes eligible to be stopped for a job of higher priority that waits
    /// or would start late. Instants up to the last cycle do not count: that cycle has tried them, and jobs that came
    /// later are searched for in any case. O(p log n + k) for p priorities of running jobs and k jobs of high priority
    /// that start in time.
    pub(crate) fn preemption_due(&self) -> Option<Time> {
        let rule = self.config.preemption?;
        let in_time = |job: &JobId| {
            let window = self.jobs.get(job).and_then(JobRecord::window);
            window.is_some_and(|window| window.start() <= self.now + rule.delay)
        };
        let highest = self.job_sets.open.iter().rev().find(|(_, job)| !in_time(job))?.0;
        let lower = self.job_sets.running.range(..highest);
        let from = lower.filter_map(|(_, running)| {
            let rest = match self.last_cycle {
                None => running.range(..),
                // A slightly earlier start of the range allows for rounding: instants before the last cycle are skipped
                // below.
                Some(last) => {
                    let (last, least) = (last.get(), rule.least_run.get());
                    let slack = 4.0 * f64::EPSILON * last.abs().max(least);
                    let from = Time::try_from(last - least - slack).unwrap_or(earliest_instant());
                    running.range((from, JobId(0))..)
                }
            };
            let mut from = rest.map(|(since, _)| *since + rule.least_run);
            from.find(|from| self.last_cycle.is_none_or(|last| *from > last))
        });
        from.min()
    }

    /// The lowest priority of the running jobs that may be stopped now.
    pub(crate) fn lowest_stoppable(&self) -> Option<Priority> {
        let rule = self.config.preemption?;
        let may = |running: &BTreeSet<(Time, JobId)>| {
            running.first().is_some_and(|(since, _)| *since + rule.least_run <= self.now)
        };
        self.job_sets.running.iter().find(|(_, running)| may(running)).map(|(priority, _)| *priority)
    }
}
