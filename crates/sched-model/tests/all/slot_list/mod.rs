//! `SlotList`, checked by hand; its modules compare it with a plain table through many changes.

pub(crate) mod living;
mod runs;
mod seams;

use crate::judge::family;
use crate::testkit::Check;
use living::Case;
use sched_model::*;

family!(Changes: Case, Case::draw, |case: &Case| case.judge(&mut |_, _, _| Ok(())));

#[test]
fn changes_agree_with_plain_pieces() {
    Check::new(Changes).run(1500).unwrap();
}

fn node(id: u32) -> Node {
    Node::must(id, 1.0 + f64::from(id), 2.0)
}

fn time(at: u32) -> Time {
    Time::must(f64::from(at))
}

#[test]
fn lists_that_are_not_sorted_or_overlap_are_refused() {
    let slot = |start, end| Slot::new(node(1), time(start), time(end)).unwrap();
    let error = SlotList::from_sorted(vec![slot(10, 20), slot(0, 5)]).unwrap_err();
    assert_eq!(error, ModelError::UnsortedSlots { index: 1, node: NodeId(1), start: 0.0 });
    let error = SlotList::new(vec![slot(10, 20), slot(0, 11)]).unwrap_err();
    assert_eq!(error.to_string(), "slots of node 1 overlap: [0, 11) and [10, 20)");
    assert!(SlotList::new(vec![slot(10, 20), slot(0, 10)]).is_ok()); // touching is not overlapping
    // Two slots of one node that start together overlap.
    let error = SlotList::from_sorted(vec![slot(10, 20), slot(10, 15)]).unwrap_err();
    assert!(matches!(error, ModelError::OverlappingSlots { .. }), "{error}");
}

#[test]
fn from_nodes_names_what_is_wrong() {
    let busy = [Occupied::new(NodeId(3), time(0), time(5)).unwrap()];
    let error = SlotList::from_nodes(&[node(1)], &busy, time(0), time(10)).unwrap_err();
    assert_eq!(error.to_string(), "unknown node 3");
    let error = SlotList::from_nodes(&[3, 1, 2, 1].map(node), &[], time(0), time(10)).unwrap_err();
    assert_eq!(error, ModelError::RepeatedId { what: "node", id: 1 });
    assert!(SlotList::from_nodes(&[node(1)], &[], time(10), time(10)).is_err());
    // Intervals before the start, beyond the horizon and next to each other leave no slot of zero length.
    let busy = [
        Occupied::new(NodeId(1), Time::must(-5.0), time(2)).unwrap(),
        Occupied::new(NodeId(1), time(2), time(3)).unwrap(),
        Occupied::new(NodeId(1), time(8), time(50)).unwrap(),
        Occupied::new(NodeId(1), time(60), time(70)).unwrap(),
    ];
    let list = SlotList::from_nodes(&[node(1)], &busy, time(0), time(10)).unwrap();
    assert_eq!(list.iter().map(|slot| (slot.start(), slot.end())).collect::<Vec<_>>(), [(time(3), time(8))]);
}

/// Ids below the number of slots plus a thousand are found by position, all others in a map.
#[test]
fn a_node_is_found_whatever_its_id() {
    let slot = |id| Slot::new(node(id), time(0), time(id % 7 + 1)).unwrap();
    let mut list = SlotList::new([5, 1027, 1028, u32::MAX].map(slot).into()).unwrap();
    for id in [5, 1027, 1028, u32::MAX] {
        assert_eq!(list.remove_node(NodeId(id)), [slot(id)]);
    }
    assert!([6, 1026, 2000].iter().all(|&id| list.remove_node(NodeId(id)).is_empty()));
}
