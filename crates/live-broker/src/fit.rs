//! Tests whether a job can have a window, by the checker of the model, which shares no code with the searches.

use crate::book::Book;
use crate::input::SpeedOn;
use crate::jobs::{JobRecord, Phase};
use crate::state::State;
use sched_model::check::{Checker, Rules};
use sched_model::{Demands, Eligible, JobId, Node, Placement, Slot, SlotList, Speed, Time, Window};
use slot_window::WindowQuery;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Returns the reason why a job cannot have a window now, given all claims except its own and those of `others`; `None`
/// if it can. O(c) for c claims on the nodes of the window.
pub(crate) fn unfit_reason(
    (state, rules, now): (&State, Rules, Time),
    record: &JobRecord,
    window: &Window,
    others: &[JobId],
) -> Option<String> {
    let start = window.start();
    if start < now {
        return Some("begins in the past".to_owned());
    }
    let but: Vec<JobId> = others.iter().copied().chain([record.job.id]).collect();
    let overdue = state.overdue(now);
    let is_free = |place: &Placement| {
        let own = state.book.slots_of(place.node, start, place.end, &but).next();
        let whole = |slot: Slot| (slot.start, slot.end, slot.price) == (start, place.end, place.price);
        own.is_some_and(whole) && !overdue.iter().any(|(node, until)| *node == place.node && start < *until)
    };
    if let Some(place) = window.placements().iter().find(|place| !is_free(place)) {
        return Some(format!("has a window on node {}, which is not free then at that price", place.node));
    }
    misfits(&state.book, rules, record, window).into_iter().next()
}

/// Returns the ways in which the window of a job does not fit its request, without regard to other promises: nodes,
/// speeds, lengths, charges, limits.
pub(crate) fn misfits(book: &Book, rules: Rules, record: &JobRecord, window: &Window) -> Vec<String> {
    // A released node may have left, and another node with the same id may have joined.
    let released = |at: usize| match &record.phase {
        Phase::Started { tasks, .. } => tasks.get(at).is_some_and(|task| task.released.is_some()),
        _ => false,
    };
    // The time of the window as free slots. Prices may have changed since, speeds never do.
    let own = window.placements().iter().enumerate().filter_map(|(at, placement)| {
        let mut node = Node::from(*placement);
        if let Some(entry) = book.get(node.id).filter(|_| !released(at)) {
            node.speed = entry.facts.node.speed;
        }
        node.speed = speed_on(&record.speeds, node)?;
        Slot::new(node, window.start(), placement.end).ok()
    });
    let Ok(list) = book.listed(own.collect()) else { return vec!["takes a node twice".to_owned()] };
    let mut request = record.job.request.clone();
    if (0..window.placements().len()).any(released) {
        // The features of a node that has left are not known.
        let mut timed = Demands::default();
        timed.spans = request.demands().spans.clone();
        request = request.with_demands(timed);
    }
    let violations = Checker::new(&list, rules).window(window, &request);
    let mut faults: Vec<String> = violations.iter().map(ToString::to_string).collect();
    if window.start() < record.job.submit {
        faults.push("starts before it may".to_owned());
    }
    if window.nodes().any(|node| record.avoids.contains(&node)) {
        faults.push("is on a node that refuses it".to_owned());
    }
    faults
}

/// The slots that a job with speeds of its own can use, at these speeds; `None` if the job has none, so that it uses
/// the list itself. O(m r) for m slots and r ranges.
pub(crate) fn slots_for(list: &SlotList, speeds: &[SpeedOn]) -> Option<SlotList> {
    if speeds.is_empty() {
        return None;
    }
    let slots = list.iter().filter_map(|slot| {
        let speed = speed_on(speeds, (*slot).into())?;
        Slot::new(Node { speed, ..(*slot).into() }, slot.start, slot.end).ok()
    });
    // The slots do not overlap, because those of the list do not.
    Some(list.with_slots(slots.collect()).unwrap_or_default())
}

/// The speed of a job on a node; `None` if it has speeds of its own, but none on this node.
pub(crate) fn speed_on(speeds: &[SpeedOn], node: Node) -> Option<Speed> {
    let range = speeds.iter().find(|range| (range.first..=range.last).contains(&node.id));
    if speeds.is_empty() { Some(node.speed) } else { range.map(|range| range.speed) }
}

/// A cache of demands compiled for the free time of a book: equal demands of several jobs are compiled once.
#[derive(Debug, Default)]
pub(crate) struct DemandCache(RefCell<VecDeque<(Demands, Rc<Eligible>)>>);

impl DemandCache {
    /// The maximum number of entries, with which a lookup takes less time than compiling demands.
    const MAX_ENTRIES: usize = 64;

    /// Returns the compiled demands; `None` if there are no demands. O(k) for k kinds of nodes if they are not in the
    /// cache.
    pub(crate) fn of(&self, demands: &Demands, book: &Book) -> Option<Rc<Eligible>> {
        let mut known = self.0.borrow_mut();
        if let Some((_, eligible)) = known.iter().find(|(known, _)| known == demands) {
            return Some(Rc::clone(eligible));
        }
        let eligible = Rc::new(book.eligible(demands)?);
        if known.len() == Self::MAX_ENTRIES {
            known.pop_front();
        }
        known.push_back((demands.clone(), Rc::clone(&eligible)));
        Some(eligible)
    }
}

/// Adds compiled demands to a query, if there are any.
pub(crate) fn with_demands<'a>(query: WindowQuery<'a>, eligible: Option<&'a Eligible>) -> WindowQuery<'a> {
    eligible.into_iter().fold(query, WindowQuery::with_eligible)
}
