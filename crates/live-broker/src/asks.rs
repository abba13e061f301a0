//! What a job asks for beside its request, in the form that searches take: its own speeds on nodes, and its
//! demands.

use crate::book::Book;
use crate::input::SpeedOn;
use sched_model::{Demands, Eligible, Node, Slot, SlotList, Speed};
use slot_window::WindowQuery;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The slots of the nodes that are in any range, at the job's speed there; `None` where the job has no speeds
/// of its own, so that the list serves as it is. O(m r) for m slots and r ranges.
pub(crate) fn seen_by(list: &SlotList, speeds: &[SpeedOn]) -> Option<SlotList> {
    if speeds.is_empty() {
        return None;
    }
    let slots = list.iter().filter_map(|slot| {
        let speed = speed_on(speeds, slot.as_node())?;
        Slot::new(Node { speed, ..slot.as_node() }, slot.start(), slot.end()).ok()
    });
    // They are in order, and none overlaps another, as in the list.
    let seen = SlotList::from_sorted(slots.collect()).unwrap_or_default();
    Some(seen.with_tariff(*list.tariff()).with_features_of(list))
}

/// How fast a job runs on a node; `None` where it has speeds of its own, and none there.
pub(crate) fn speed_on(speeds: &[SpeedOn], node: Node) -> Option<Speed> {
    let range = speeds.iter().find(|range| (range.first..=range.last).contains(&node.id));
    if speeds.is_empty() { Some(node.speed) } else { range.map(|range| range.speed) }
}

/// Demands compiled for the free time of a book: what many jobs demand alike is compiled once.
#[derive(Debug, Default)]
pub(crate) struct Compiled(RefCell<VecDeque<(Demands, Rc<Eligible>)>>);

impl Compiled {
    /// Comparing with so many takes less time than looking at all kinds of nodes.
    const MOST: usize = 64;

    /// `None` where there are no demands. O(k) for k kinds of nodes, where they are new.
    pub(crate) fn of(&self, demands: &Demands, book: &Book) -> Option<Rc<Eligible>> {
        let mut known = self.0.borrow_mut();
        if let Some((_, eligible)) = known.iter().find(|(known, _)| known == demands) {
            return Some(Rc::clone(eligible));
        }
        let eligible = Rc::new(book.eligible(demands)?);
        if known.len() == Self::MOST {
            known.pop_front();
        }
        known.push_back((demands.clone(), Rc::clone(&eligible)));
        Some(eligible)
    }
}

/// A query with compiled demands, where there are any.
pub(crate) fn asked<'a>(query: WindowQuery<'a>, eligible: Option<&'a Eligible>) -> WindowQuery<'a> {
    match eligible {
        Some(eligible) => query.with_eligible(eligible),
        None => query,
    }
}
