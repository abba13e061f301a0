//! `SlotList`, checked by hand; the module `living` compares it with a plain table after many changes.

pub(crate) mod living;

use crate::judge::family;
use crate::time;
use econsched::testkit::Check;
use living::Case;
use sched_model::*;

family!(Changes: Case, Case::draw, |case: &Case| case.judge(&mut |_, _| Ok(())));

#[test]
fn changes_agree_with_plain_pieces() {
    Check::new(Changes).run(1500).unwrap();
}

fn node(id: u32) -> Node {
    Node::must(id, 1.0 + f64::from(id), 2.0)
}

fn slot(id: u32, start: u32, end: u32) -> Slot {
    Slot::new(node(id), time(start), time(end)).unwrap()
}

#[test]
fn lists_that_overlap_are_refused() {
    let slot = |start, end| slot(1, start, end);
    let error = SlotList::new(vec![slot(10, 20), slot(0, 11)]).unwrap_err();
    assert_eq!(error.to_string(), "slots of node 1 overlap: [0, 11) and [10, 20)");
    assert!(SlotList::new(vec![slot(10, 20), slot(0, 10)]).is_ok()); // touching is not overlapping
    // Two slots of one node that start together overlap.
    let error = SlotList::new(vec![slot(10, 20), slot(10, 15)]).unwrap_err();
    assert!(matches!(error, ModelError::OverlappingSlots { .. }), "{error}");
    // A slot whose end was moved to its start is refused, wherever it stands.
    let mut empty = slot(30, 40);
    empty.end = empty.start;
    let error = SlotList::new(vec![slot(0, 10), empty]).unwrap_err();
    assert_eq!(error.to_string(), "a slot of node 1 must end after it starts, got [30, 30)");
}

#[test]
fn from_nodes_names_what_is_wrong() {
    let busy = Occupied::must;
    let error = SlotList::from_nodes(&[node(1)], &[busy(3, 0.0, 5.0)], time(0), time(10)).unwrap_err();
    assert_eq!(error.to_string(), "unknown node 3");
    let error = SlotList::from_nodes(&[3, 1, 2, 1].map(node), &[], time(0), time(10)).unwrap_err();
    assert_eq!(error, ModelError::RepeatedId { what: "node", id: 1 });
    assert!(SlotList::from_nodes(&[node(1)], &[], time(10), time(10)).is_err());
    let mut turned = busy(1, 2.0, 8.0);
    turned.end = time(1);
    let error = SlotList::from_nodes(&[node(1)], &[turned], time(0), time(10)).unwrap_err();
    assert_eq!(error.to_string(), "an occupied interval of node 1 must end after it starts, got [2, 1)");
    // Intervals before the start, beyond the horizon and next to each other leave no slot of zero length.
    let busy = [(-5.0, 2.0), (2.0, 3.0), (8.0, 50.0), (60.0, 70.0)].map(|(start, end)| busy(1, start, end));
    let list = SlotList::from_nodes(&[node(1)], &busy, time(0), time(10)).unwrap();
    assert_eq!(Vec::from(list), [slot(1, 3, 8)]);
}

#[test]
fn lists_are_equal_by_slots_tariff_and_features() {
    assert_eq!(size_of::<Slot>(), 40, "what is known of a node is kept beside its slots");
    let slots = |ends: [u32; 2]| ends.map(|end| slot(end, 0, end)).to_vec();
    let list = SlotList::new(slots([4, 5])).unwrap();
    assert_eq!(list, SlotList::new(slots([4, 5])).unwrap());
    assert_eq!(Vec::from(list.clone()), slots([4, 5]));
    assert!(!list.is_empty() && SlotList::default().is_empty());
    assert_ne!(list, SlotList::new(slots([4, 6])).unwrap());
    assert_ne!(list, SlotList::new(slots([4, 5])[..1].to_vec()).unwrap());
    assert_ne!(list, list.clone().with_tariff(Tariff::default().with_digits(0, Rounding::Up)));
    let gpu = [(NodeId(4), Features::default().with_label("gpu"))];
    let featured = list.clone().with_features(gpu).unwrap();
    assert_ne!(list, featured);
    assert_eq!(list.iter().next(), featured.iter().next());
}

#[test]
fn parts_of_a_list_keep_what_is_known_of_it() {
    let list = SlotList::from_nodes(&[1, 2, 3].map(node), &[], time(0), time(10)).unwrap();
    let tariff = Tariff::default().with_digits(0, Rounding::Up);
    let features = [(NodeId(2), Features::default().with_label("rack=a"))];
    let list = list.with_tariff(tariff).with_features(features.clone()).unwrap();
    let demands = list.eligible(&Demands::default().with_label("rack=a"));
    let some = list.filtered(|slot| slot.node.0 < 3);
    assert!(some.iter().map(|slot| slot.node).eq([1, 2].map(NodeId)));
    let parts = list.split_by_node();
    assert!(parts.iter().flat_map(SlotList::iter).map(|slot| slot.node).eq([1, 2, 3].map(NodeId)));
    let again = list.with_slots([3, 1, 2].map(|id| slot(id, 0, 10)).to_vec()).unwrap();
    for part in [&some, &parts[1], &list.since(time(1)), &again] {
        assert!(part.is_compiled_for(&demands) && part.tariff() == &tariff);
        assert_eq!(part.iter().filter(|slot| demands.allows(slot)).count(), 1);
        assert_eq!(part.features(NodeId(2)), Some(&features[0].1));
    }
    // Demands compiled for another list do not apply to this one.
    let other = SlotList::from_nodes(&[node(1)], &[], time(0), time(10)).unwrap();
    assert!(!other.is_compiled_for(&demands));
    assert_eq!(other.features(NodeId(1)), None);
    // Nor do the features of the list from which its slots were taken.
    let other = SlotList::new(list.into()).unwrap();
    let anything = other.eligible(&Demands::default());
    assert!(other.iter().all(|slot| anything.allows(slot)));
}

/// `Debug` shows what a user put in, not how it is stored.
#[test]
fn a_list_prints_its_slots() {
    let list = SlotList::from_nodes(&[Node::must(1, 1.0, 1.0)], &[], Time::ZERO, Time::must(9.0)).unwrap();
    let printed = format!("{list:?}");
    assert!(printed.contains("NodeId(1)") && printed.contains("Time(9.0)"), "{printed}");
    assert!(!printed.contains("Run"), "{printed}");
}
