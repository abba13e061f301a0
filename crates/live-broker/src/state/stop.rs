//! Jobs that are stopped before they have ended: by their owners, or for others of higher priority.

use super::State;
use crate::decision::{Act, StopCause};
use crate::instant::before_all;
use crate::jobs::JobRecord;
use sched_model::{JobId, Priority, Time};
use std::collections::BTreeSet;

impl State {
    /// Stops a job that was started and is cancelled: it keeps its nodes until that is confirmed.
    pub(crate) fn cancel(&mut self, job: JobId) {
        let mut known = None;
        self.change_job(job, |record| known = record.stopping.replace(StopCause::Cancelled));
        // One that is preempted is being stopped already.
        if known.is_none() {
            self.decide(Act::Stop { job, cause: StopCause::Cancelled });
        }
    }

    /// A job that was stopped for promises has released its nodes: these promises wait for it no more.
    pub(super) fn victim_left(&mut self, victim: JobId) {
        let waits = |job: &JobId| self.jobs.get(job).is_some_and(|record| record.victims.contains(&victim));
        let waiting: Vec<JobId> = self.of_jobs.beneficiaries.iter().copied().filter(waits).collect();
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

    /// The next instant at which a running job may be stopped for one of higher priority that waits or would
    /// start late. O(p log n + k) for p priorities of running jobs and k jobs of high priority that start in
    /// time.
    pub(crate) fn preemption_due(&self) -> Option<Time> {
        let rule = self.config.preemption?;
        let in_time = |job: &JobId| {
            let window = self.jobs.get(job).and_then(JobRecord::window);
            window.is_some_and(|window| window.start() <= self.now + rule.delay)
        };
        let highest = self.of_jobs.open.iter().rev().find(|(_, job)| !in_time(job))?.0;
        let lower = self.of_jobs.running.range(..highest);
        let from = lower.filter_map(|(_, running)| {
            let rest = match self.last_cycle {
                None => running.range(..),
                // Earlier instants were looked at, so rounding of the difference does no harm.
                Some(last) => {
                    let (last, least) = (last.get(), rule.least_run.get());
                    let slack = 4.0 * f64::EPSILON * last.abs().max(least);
                    let from = Time::try_from(last - least - slack).unwrap_or(before_all());
                    running.range((from, JobId(0))..)
                }
            };
            let mut from = rest.map(|(since, _)| *since + rule.least_run);
            from.find(|from| self.last_cycle.is_none_or(|last| *from > last))
        });
        from.min()
    }

    /// The lowest priority of a job that may be stopped now.
    pub(crate) fn least_stoppable(&self) -> Option<Priority> {
        let rule = self.config.preemption?;
        let may = |running: &BTreeSet<(Time, JobId)>| {
            running.first().is_some_and(|(since, _)| *since + rule.least_run <= self.now)
        };
        self.of_jobs.running.iter().find(|(_, running)| may(running)).map(|(priority, _)| *priority)
    }
}
