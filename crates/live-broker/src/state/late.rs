//! Expectations that differ from the plan: tasks that overrun, nodes that are not back, promises that are late.
//!
//! | word | meaning | follows from |
//! |---|---|---|
//! | overdue | a node that is in use longer than its claims say, and the new end | due timers and begun promises |
//! | expected | the release of the last node of a promise, if that is after its start | the ends of claims |
//! | late | a promise whose expected release is after its start and the tolerance | expected |
//! | at risk | a promise that may be late: every late one, and others | longer claims on its nodes, victims that left |
//!
//! The first is about nodes, and keeps new windows away from them. The others are about promises. Only at risk is
//! stored, so that not all promises are looked at; a late promise gets another window if there is one.

use super::State;
use crate::instant::{after, overrun_until};
use crate::jobs::{JobRecord, Phase, Timer};
use sched_model::{JobId, NodeId, SlotList, Time};
use std::collections::BTreeSet;

impl State {
    /// Returns the nodes that are expected to be in use until an instant although no claim or fact says so: because of
    /// tasks that have passed their expected ends, nodes that are not back, and promises that start late and so end
    /// later than planned. These nodes are not free, and nothing is offered on them. O(d) for d timers due or due
    /// within the tolerance.
    pub(crate) fn overdue(&self, now: Time) -> Vec<(NodeId, Time)> {
        let past = self.due_by(now).filter_map(|timer| self.expected_again(timer, now));
        // Promises whose start has come. If such a promise waits within the tolerance, its timer is ahead by up to the
        // tolerance; if jobs are stopped for it, it has no timer.
        let begun = self.due_by(after(now, self.config.tolerance)).filter_map(|timer| match timer {
            Timer::Start(job) => Some(job),
            _ => None,
        });
        let begun: BTreeSet<JobId> = begun.chain(self.job_sets.beneficiaries.iter().copied()).collect();
        let begun = begun.iter().filter_map(|job| self.jobs.get(job));
        past.chain(begun.flat_map(|record| self.ends_if_begun(record, now))).collect()
    }

    /// For a due timer of a task or of a node that is down: the node, and the instant until which it is now expected to
    /// be unusable.
    fn expected_again(&self, timer: Timer, now: Time) -> Option<(NodeId, Time)> {
        match timer {
            Timer::TaskEnd(job, at) => {
                let window = self.jobs.get(&job)?.window()?;
                let placement = window.placements().get(at)?;
                Some((placement.node, overrun_until(window.start(), placement.end, now)))
            }
            Timer::NodeBack(node) => Some((node, self.book.get(node)?.facts.down?.extended(now))),
            Timer::Start(_) | Timer::NodeRested(_) | Timer::Refuse(_) => None,
        }
    }

    /// For a promise whose start has come and that may still start: the nodes on which it would end later than planned,
    /// with the ends. It starts when all its nodes are released, disregarding jobs that are stopped for it, and takes
    /// as long as planned.
    fn ends_if_begun(&self, record: &JobRecord, now: Time) -> Vec<(NodeId, Time)> {
        let is_missed =
            |window| record.due(window) + self.config.tolerance < now && record.victims.is_empty();
        let Some(window) = record.window().filter(|&window| window.start() <= now && !is_missed(window))
        else {
            return Vec::new();
        };
        let held = window.nodes().filter_map(|node| self.book.get(node)?.held());
        let held = held.filter(|((_, job), _)| !record.victims.contains(job));
        let begin = held.map(|(_, claim)| claim.end).fold(now, Time::max);
        let ends = window.placements().iter().map(|place| {
            let until = after(begin, place.end - window.start());
            (until > place.end).then_some((place.node, until))
        });
        ends.flatten().collect()
    }

    /// The free time from now on, without the [overdue](Self::overdue) nodes. O(m) for m slots.
    pub(crate) fn free(&self) -> SlotList {
        let mut list = self.book.list(self.now);
        for (node, until) in self.overdue(self.now) {
            list.block(node, self.now..until);
        }
        list
    }

    /// The node of a promise that is expected to be released last (the first of equal ones), and the instant. `None` if
    /// all nodes are expected to be released by the start. Jobs that are being stopped for the promise do not count.
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

    /// The node because of which a promise is late, if it is late.
    pub(crate) fn late(&self, record: &JobRecord) -> Option<NodeId> {
        // A promise for which jobs are stopped starts when these have left, and is never late.
        let (node, until) = self.expected(record).filter(|_| record.victims.is_empty())?;
        let window = record.window()?;
        (until > window.start() + self.config.tolerance).then_some(node)
    }

    /// The late promises for which no other window was searched since time last became free or cheaper.
    pub(crate) fn late_jobs(&self) -> impl Iterator<Item = &JobRecord> {
        let gains = Some(self.book.gains);
        let records = self.book.at_risk.iter().filter_map(|job| self.jobs.get(job));
        records.filter(move |record| record.searched_at != gains && self.late(record).is_some())
    }

    /// Removes the promises that are not late from those at risk.
    pub(crate) fn forget_risks(&mut self) {
        let late = |job: &JobId| self.jobs.get(job).is_some_and(|record| self.late(record).is_some());
        self.book.at_risk = self.book.at_risk.iter().copied().filter(late).collect();
    }
}
