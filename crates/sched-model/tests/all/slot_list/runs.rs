//! Queries of a list, checked by hand: its runs, its parts, and equality.

use super::{node, time};
use crate::testkit::drawn;
use sched_model::*;

#[test]
fn lists_are_equal_by_slots_tariff_and_features() {
    let slots = |ends: [u32; 2]| ends.map(|end| Slot::new(node(end), time(0), time(end)).unwrap()).to_vec();
    let list = SlotList::new(slots([4, 5])).unwrap();
    assert_eq!(list, SlotList::new(slots([4, 5])).unwrap());
    assert_eq!(Vec::from(list.clone()), slots([4, 5]));
    assert!(!list.is_empty() && SlotList::default().is_empty());
    assert_ne!(list, SlotList::new(slots([4, 6])).unwrap());
    assert_ne!(list, SlotList::new(slots([4, 5])[..1].to_vec()).unwrap());
    assert_ne!(list, list.clone().with_tariff(Tariff::default().with_digits(0, Rounding::Up)));
    assert_ne!(
        list,
        list.clone().with_features([(NodeId(4), Features::default().with_label("gpu"))]).unwrap()
    );
}

#[test]
fn parts_of_a_list_keep_what_is_known_of_it() {
    let list = SlotList::from_nodes(&[1, 2, 3].map(node), &[], time(0), time(10)).unwrap();
    let tariff = Tariff::default().with_digits(0, Rounding::Up);
    let features = [(NodeId(2), Features::new().with_label("rack=a"))];
    let list = list.with_tariff(tariff).with_features(features.clone()).unwrap();
    let demands = list.eligible(&Demands::new().with_label("rack=a"));
    let some = list.filtered(|slot| slot.node().0 < 3);
    assert_eq!(some.iter().map(Slot::node).collect::<Vec<_>>(), [NodeId(1), NodeId(2)]);
    let parts = list.split_by_node();
    assert_eq!(
        parts.iter().flat_map(SlotList::iter).map(Slot::node).collect::<Vec<_>>(),
        [1, 2, 3].map(NodeId)
    );
    for part in [&some, &parts[1], &list.since(time(1))] {
        assert!(part.is_compiled_for(&demands) && part.tariff() == &tariff);
        assert_eq!(part.iter().filter(|slot| demands.allows(slot)).count(), 1);
        assert_eq!(part.features(NodeId(2)), Some(&features[0].1));
    }
    // Demands compiled for another list do not apply to this one.
    let other = SlotList::from_nodes(&[node(1)], &[], time(0), time(10)).unwrap();
    assert!(!other.is_compiled_for(&demands));
    assert_eq!(other.features(NodeId(1)), None);
}

/// No run claims to lack room for work that fits, in spite of rounding; fitting is tested as in a search.
#[test]
fn rounding_hides_no_room() {
    drawn(8_000, |draw| {
        let from = draw.of([0.0, 1.0, 1e3, -1e6, 1e9]) * draw.unit();
        let (start, speed) = (Time::must(from), Speed::must(0.1 + 3.0 * draw.unit()));
        let end = start + Span::must(0.01 + draw.unit() * draw.of([1.0, 1e3, 1e6]));
        let node = Node::new(NodeId(1), speed, Price::ZERO);
        let list = SlotList::from_nodes(&[node], &[], start, end).unwrap();
        // The greatest work that fits, or one near it.
        let mut work = (end - start).get() * speed.get();
        let fits = |work: f64| start + ResourceRequest::must(1, work).span_on(speed) <= end;
        for _ in 0..4 {
            work = if fits(work.next_up()) { work.next_up() } else { work };
        }
        let told = list.runs_with_room(start, Work::must(work)).all(|(_, room)| room.is_some());
        assert!(told || !fits(work), "{work} from {start} to {end} at {speed}");
    });
}
