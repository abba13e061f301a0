//! Lists of many runs of slots: changed in part, with and without an index by node, and advanced.

use sched_model::*;
use std::collections::BTreeMap;

fn node(id: u32) -> Node {
    Node::new(NodeId(id), Speed::must(1.0 + f64::from(id)), Price::must(1.0))
}

fn time(at: u32) -> Time {
    Time::must(f64::from(at))
}

/// Some runs are left alone, some lose all their slots, some become several. Instants before 0 are in
/// order, too.
#[test]
fn they_are_listed_anew_in_part() {
    let slot = |id: u32, start: i32, length: u32| {
        let start = Time::must(f64::from(start));
        Slot::new(node(id), start, start + Span::must(f64::from(length))).unwrap()
    };
    // Nodes with high ids are not numbered as slots are.
    let id = |number: u32| if number.is_multiple_of(7) { number + 4_000_000_000 } else { number };
    let of = |number: u32, step: i32| (0..9).map(move |at| slot(id(number), -40 + 10 * at + step, 3));
    let first: Vec<Slot> = (0..700).flat_map(|number| of(number, (number % 5) as i32)).collect();
    let all_time = (Time::must(-1000.0), Time::must(1000.0));
    for (every, indexed, since) in
        [(1, false, -40), (2, true, -40), (50, true, 0), (699, false, 21), (701, true, 0), (2, false, 30)]
    {
        let mut list = SlotList::new(first.clone()).unwrap();
        if indexed {
            list.index_nodes();
        }
        let since = Time::must(f64::from(since));
        let changed: Vec<u32> = (0..705).filter(|number| number % every == 0).collect();
        let spans: BTreeMap<NodeId, (Time, Time)> =
            changed.iter().map(|&number| (NodeId(id(number)), (since, all_time.1))).collect();
        // Some nodes have nothing left, some are new.
        let left = || changed.iter().copied().filter(|number| number % 3 > 0);
        let new: Vec<Slot> = left().flat_map(|number| of(number, 4)).collect();
        let new: Vec<Slot> = new.into_iter().filter(|slot| slot.start() > since + Span::must(3.0)).collect();
        let of_node = |id: NodeId| new.iter().rev().copied().filter(move |slot| slot.node() == id);
        list.relist(&spans, |id, _| of_node(id)).unwrap();
        let goes = |slot: &&Slot| spans.contains_key(&slot.node()) && slot.end() >= since;
        let kept = first.iter().filter(|slot| !goes(slot));
        let expected = SlotList::new(kept.chain(&new).copied().collect()).unwrap();
        assert_eq!(list, expected, "every {every}");
        let of_another = |_| slot(1_000_000, 0, 1);
        assert!(list.relist(&spans, |id, _| [of_another(id)]).is_err());
        let outside = |id: NodeId| Slot::new(Node { id, ..node(0) }, all_time.1, Time::must(1001.0)).unwrap();
        assert!(list.relist(&spans, |id, _| [outside(id)]).is_err());
        assert_eq!(list, expected, "every {every}, after errors");
        for slot in expected.iter() {
            list.take(slot.node(), slot.start(), slot.end()).unwrap();
        }
        assert!(list.is_empty());
    }
}

#[test]
fn they_advance() {
    let nodes: Vec<Node> = (0..500).map(node).collect();
    let occupied: Vec<Occupied> = (0..500_u32)
        .flat_map(|id| (1..9).map(move |step| (id, 10 * step + id % 7)))
        .map(|(id, start)| Occupied::new(NodeId(id), time(start), time(start + 1 + id % 3)).unwrap())
        .collect();
    let fresh = SlotList::from_nodes(&nodes, &occupied, Time::ZERO, time(100)).unwrap();
    let mut indexed = fresh.clone();
    for _ in 0..300 {
        assert!(indexed.take(NodeId(500), Time::ZERO, time(1)).is_err());
    }
    for now in [0, 5, 5, 37, 64, 99, 100] {
        let expected = SlotList::from_nodes(&nodes, &occupied, time(now), time(101)).unwrap();
        for list in [&fresh, &indexed] {
            let mut list = list.clone();
            list.advance(time(now));
            list.extend(&nodes, time(100), time(101)).unwrap();
            assert_eq!(list, expected);
            // The index, if there is one, is up to date: every slot is found by it.
            for slot in expected.iter() {
                list.take(slot.node(), slot.start(), slot.end()).unwrap();
            }
            assert!(list.is_empty());
        }
    }
}
