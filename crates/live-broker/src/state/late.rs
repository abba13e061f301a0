//! What is expected of nodes beyond what was planned: tasks that overrun, nodes that are not back, promises
//! that are late; and jobs that are stopped before they have ended, by their owners or for others of higher priority.

use super::State;
use crate::decision::{Act, StopCause};
use crate::input::{after, overrun_until};
use crate::jobs::{JobRecord, Phase, Timer};
use sched_model::{JobId, NodeId, Placement, Priority, SlotList, Time};
use std::collections::BTreeSet;

impl State {
    /// Nodes that are expected to be in use until an instant although no claim says so, because an instant
    /// has passed since the last `Wake`, or a promise is late: what runs past its planned end, nodes that are
    /// not back, and promises that may still start after their planned end. They are not free, and nothing is
    /// offered on them. O(d) for d timers due or due within the tolerance.
    pub(crate) fn overdue(&self, now: Time) -> Vec<(NodeId, Time)> {
        let mut overdue = Vec::new();
        for timer in self.due_by(now) {
            match timer {
                Timer::Task(job, at) => {
                    let window = self.jobs.get(&job).and_then(JobRecord::window);
                    if let Some((window, placement)) =
                        window.and_then(|window| Some((window, window.placements().get(at)?)))
                    {
                        let until = overrun_until(window.start(), placement.end, now);
                        overdue.push((placement.node, until));
                    }
                }
                Timer::Back(node) => {
                    let down = self.book.get(node).and_then(|entry| entry.facts.down);
                    overdue.extend(down.map(|down| (node, after(now, now - down.since))));
                }
                Timer::Start(_) | Timer::Rested(_) | Timer::GivesUp(_) => {}
            }
        }
        // Promises whose start has come: the timer of one within the tolerance may be that much ahead, and
        // one for which jobs are stopped has no timer.
        let soon = after(now, self.config.tolerance);
        let begun = self.due_by(soon).filter_map(|timer| match timer {
            Timer::Start(job) => Some(job),
            _ => None,
        });
        let begun: BTreeSet<JobId> = begun.chain(self.of_jobs.beneficiaries.iter().copied()).collect();
        for record in begun.iter().filter_map(|job| self.jobs.get(job)) {
            let Some(window) = record.window() else { continue };
            let late = record.due(window) + self.config.tolerance < now && record.victims.is_empty();
            if window.start() > now || late {
                continue;
            }
            // It starts when all its nodes are released (at once if jobs are stopped for it) and takes as
            // long as planned.
            let entries = window.nodes().filter_map(|node| self.book.get(node));
            let claims = entries.flat_map(|entry| &entry.claims);
            let held = claims.filter(|((_, job), claim)| claim.held && !record.victims.contains(job));
            let held = held.map(|(_, claim)| claim);
            let starts = held.map(|claim| claim.end).fold(now, Time::max);
            let until = |place: &Placement| (place.node, after(starts, place.end - window.start()));
            let late = window.placements().iter().map(|place| (until(place), place.end));
            overdue.extend(late.filter(|((_, until), end)| until > end).map(|(late, _)| late));
        }
        overdue
    }

    /// What is free from now on and is expected to be free when the broker wakes. O(m) for m slots.
    pub(crate) fn free(&self) -> SlotList {
        let mut list = self.book.list(self.now);
        for (node, until) in self.overdue(self.now) {
            list.block(node, self.now..until);
        }
        list
    }

    /// Of the nodes of a promise the one that is expected to be released last (of equal ones the first), and
    /// when. `None` where all nodes are released in time for the start. Jobs that are being stopped for the
    /// promise do not count.
    pub(crate) fn expected(&self, record: &JobRecord) -> Option<(NodeId, Time)> {
        let Phase::Promised { window, .. } = &record.phase else { return None };
        let mut last: Option<(NodeId, Time)> = None;
        for node in window.nodes() {
            let Some(((_, holder), claim)) = self.book.get(node).and_then(|entry| entry.held()) else {
                continue;
            };
            let later = last.is_none_or(|(_, until)| claim.end > until);
            if later && claim.end > window.start() && !record.victims.contains(holder) {
                last = Some((node, claim.end));
            }
        }
        last
    }

    /// The node for which a promise is late, if it is.
    pub(crate) fn late(&self, record: &JobRecord) -> Option<NodeId> {
        // One for which others are stopped begins when these have left.
        let (node, until) = self.expected(record).filter(|_| record.victims.is_empty())?;
        let window = record.window()?;
        (until > window.start() + self.config.tolerance).then_some(node)
    }

    /// The promises that are late and for which no other window was searched since time became free last.
    pub(crate) fn late_jobs(&self) -> impl Iterator<Item = &JobRecord> {
        let gains = Some(self.book.gains);
        let records = self.book.at_risk.iter().filter_map(|job| self.jobs.get(job));
        records.filter(move |record| record.searched_at != gains && self.late(record).is_some())
    }

    /// Forgets promises that were at risk and are not late.
    pub(crate) fn forget_risks(&mut self) {
        let late = |job: &JobId| self.jobs.get(job).is_some_and(|record| self.late(record).is_some());
        self.book.at_risk = self.book.at_risk.iter().copied().filter(late).collect();
    }
}

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

    /// A job has released its nodes: a promise that waits for that waits no longer.
    pub(super) fn victim_left(&mut self, victim: JobId) {
        let waits = |job: &JobId| self.jobs.get(job).is_some_and(|record| record.victims.contains(&victim));
        let (now, waiting) =
            (self.now, self.of_jobs.beneficiaries.iter().copied().filter(waits).collect::<Vec<_>>());
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
                    let from = Time::try_from(last - least - slack).unwrap_or(crate::input::before_all());
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
        let may = |running: &std::collections::BTreeSet<(Time, JobId)>| {
            running.first().is_some_and(|(since, _)| *since + rule.least_run <= self.now)
        };
        self.of_jobs.running.iter().find(|(_, running)| may(running)).map(|(priority, _)| *priority)
    }
}
