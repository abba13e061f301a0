//! What is expected of nodes beyond what was planned: tasks that overrun, nodes that are not back, promises
//! that are late.

use super::State;
use crate::instant::{after, overrun_until};
use crate::jobs::{JobRecord, Phase, Timer};
use sched_model::{JobId, NodeId, SlotList, Time};
use std::collections::BTreeSet;

impl State {
    /// Nodes that are expected to be in use until an instant although no claim says so, because an instant
    /// has passed since the last `Wake`, or a promise is late: what runs past its planned end, nodes that are
    /// not back, and promises that may still start after their planned end. They are not free, and nothing is
    /// offered on them. O(d) for d timers due or due within the tolerance.
    pub(crate) fn overdue(&self, now: Time) -> Vec<(NodeId, Time)> {
        let past = self.due_by(now).filter_map(|timer| self.expected_again(timer, now));
        // Promises whose start has come: the timer of one within the tolerance may be that much ahead, and
        // one for which jobs are stopped has no timer.
        let begun = self.due_by(after(now, self.config.tolerance)).filter_map(|timer| match timer {
            Timer::Start(job) => Some(job),
            _ => None,
        });
        let begun: BTreeSet<JobId> = begun.chain(self.of_jobs.beneficiaries.iter().copied()).collect();
        let begun = begun.iter().filter_map(|job| self.jobs.get(job));
        past.chain(begun.flat_map(|record| self.ends_if_begun(record, now))).collect()
    }

    /// A node that was to be released or back by now, and until when it is expected not to be.
    fn expected_again(&self, timer: Timer, now: Time) -> Option<(NodeId, Time)> {
        match timer {
            Timer::Task(job, at) => {
                let window = self.jobs.get(&job)?.window()?;
                let placement = window.placements().get(at)?;
                Some((placement.node, overrun_until(window.start(), placement.end, now)))
            }
            Timer::Back(node) => Some((node, self.book.get(node)?.facts.down?.longer(now))),
            Timer::Start(_) | Timer::Rested(_) | Timer::GivesUp(_) => None,
        }
    }

    /// The nodes of a promise whose start has come and that may still begin, where it would end later than planned,
    /// and when. It begins when all its nodes are released (at once if jobs are stopped for it) and takes as long as
    /// planned.
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
