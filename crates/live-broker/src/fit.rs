//! Whether a window is one that a job can have: by the checker of the model, which shares no code with the searches.

use crate::book::Book;
use crate::input::SpeedOn;
use crate::jobs::JobRecord;
use crate::speeds::seen_by;
use sched_model::check::{Checker, Rules};
use sched_model::{Job, JobId, Node, NodeId, Slot, SlotList, Time, Window};
use std::collections::BTreeSet;

/// The free time against which windows are checked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fit<'a> {
    pub(crate) book: &'a Book,
    pub(crate) rules: Rules,
    pub(crate) now: Time,
    /// Nodes that are thought to be taken until an instant although no claim says so: see
    /// [`State::overdue`](crate::state::State::overdue).
    pub(crate) overdue: &'a [(NodeId, Time)],
}

impl Fit<'_> {
    /// Why a job cannot have a window beside all claims but its own and those of some others; `None` if it can. O(c) for
    /// c claims on its nodes.
    pub(crate) fn fault(
        &self,
        job: &Job,
        speeds: &[SpeedOn],
        window: &Window,
        others: &[JobId],
    ) -> Option<String> {
        if window.start() < self.now {
            return Some("begins in the past".to_owned());
        }
        if window.start() < job.submit {
            return Some("begins before it may".to_owned());
        }
        let but: Vec<JobId> = others.iter().copied().chain([job.id]).collect();
        let list = self.free_of(&window.nodes().collect(), &but);
        let list = seen_by(&list, speeds).unwrap_or(list);
        let violations = Checker::new(&list, self.rules).window(window, &job.request);
        violations.first().map(|violation| format!("has another window than it can have: {violation}"))
    }

    /// What is free of some nodes beside all claims but those of some jobs, at present prices.
    fn free_of(&self, nodes: &BTreeSet<NodeId>, but: &[JobId]) -> SlotList {
        let mut slots: Vec<Slot> = Vec::new();
        for entry in nodes.iter().filter_map(|&node| self.book.get(node)) {
            let free = entry.free(self.now, self.book.horizon_end, but).into_iter();
            slots.extend(free.filter_map(|(from, until)| Slot::new(entry.facts.node, from, until).ok()));
        }
        // Free pieces of one node never overlap.
        let mut list = SlotList::new(slots).unwrap_or_default().with_tariff(*self.book.tariff());
        for (node, until) in self.overdue.iter().filter(|(node, _)| nodes.contains(node)) {
            list.block(*node, self.now, *until);
        }
        list
    }
}

/// In what the window of a job is not what the job asks for, wherever it stands: nodes, speeds, lengths, charges, limits.
pub(crate) fn misfits(book: &Book, rules: Rules, record: &JobRecord, window: &Window) -> Vec<String> {
    // The window's own time as free time: prices may have changed since, speeds never do.
    let own = window.placements().iter().filter_map(|placement| {
        let speed = match (&*record.speeds, book.get(placement.node)) {
            ([], Some(entry)) => entry.facts.node.speed,
            ([], None) => placement.speed,
            (ranges, _) => {
                ranges.iter().find(|range| (range.first..=range.last).contains(&placement.node))?.speed
            }
        };
        let node = Node { speed, ..placement.as_node() };
        Slot::new(node, window.start(), placement.end).ok()
    });
    let Ok(list) = SlotList::new(own.collect()) else { return vec!["takes a node twice".to_owned()] };
    let checker = Checker::new(&list.with_tariff(*book.tariff()), rules);
    let violations = checker.window(window, &record.job.request);
    let mut faults: Vec<String> = violations.iter().map(ToString::to_string).collect();
    if window.start() < record.job.submit {
        faults.push("starts before it may".to_owned());
    }
    if window.nodes().any(|node| record.avoids.contains(&node)) {
        faults.push("is on a node that refuses it".to_owned());
    }
    faults
}
