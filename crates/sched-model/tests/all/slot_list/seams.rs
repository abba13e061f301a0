//! Slots of one node that touch stay two, through writing, and where they are listed anew.

use super::{node, time};
use sched_model::*;

/// Slots of nodes 1 and 2 as (node, start, end).
fn pieces(list: &SlotList) -> Vec<(u32, f64, f64)> {
    list.iter().map(|slot| (slot.node().0, slot.start().get(), slot.end().get())).collect()
}

#[cfg(feature = "serde")]
#[test]
fn a_list_that_is_written_while_time_is_taken_keeps_its_seams() {
    let slot = |id, start, end| Slot::new(node(id), time(start), time(end)).unwrap();
    let before = SlotList::new(vec![slot(1, 0, 10), slot(2, 0, 10), slot(1, 10, 20)]).unwrap();
    for (start, end) in [(0, 10), (5, 10), (10, 20), (2, 3)] {
        let place = Placement::on(&slot(1, start, end), time(start), time(end) - time(start));
        let window = Window::new(time(start), vec![place]).unwrap();
        let mut list = before.clone();
        list.cut(&window).unwrap();
        let text = serde_json::to_string(&list).unwrap();
        let mut read: SlotList = serde_json::from_str(&text).unwrap();
        assert_eq!(read, list);
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        read.give_back(&window).unwrap();
        assert_eq!(read, before, "{text}");
        // Where the slots show the seam, they are all that is written.
        assert_eq!(text.starts_with('['), (start, end) == (2, 3), "{text}");
    }
}

/// Node 1 is listed anew as two slots that touch: they stay two when time beside the instant comes back.
#[test]
fn slots_that_touch_and_are_listed_anew_stay_two() {
    let slot = |start, end| Slot::new(node(1), time(start), time(end)).unwrap();
    let mut list = SlotList::new(vec![slot(0, 20)]).unwrap();
    let all = [(NodeId(1), (time(0), time(20)))].into();
    list.relist(&all, |_, _| [slot(0, 10), slot(10, 20)]).unwrap();
    list.block(NodeId(1), time(8), time(10));
    list.free(node(1), time(8), time(10)).unwrap();
    assert_eq!(pieces(&list), [(1, 0.0, 10.0), (1, 10.0, 20.0)]);
    // In no time, nothing is.
    list.relist(&[(NodeId(1), (time(30), time(30)))].into(), |_, _| []).unwrap();
    assert_eq!(pieces(&list), [(1, 0.0, 10.0), (1, 10.0, 20.0)]);
    // Listed as one, they are one.
    list.relist(&all, |_, _| [slot(0, 20)]).unwrap();
    list.block(NodeId(1), time(8), time(10));
    list.free(node(1), time(8), time(10)).unwrap();
    assert_eq!(pieces(&list), [(1, 0.0, 20.0)]);
}

#[test]
fn slots_before_zero_are_listed_anew_in_order() {
    let of = |id: NodeId| {
        let slot = |start: f64| Slot::new(node(id.0), Time::must(start), Time::must(start + 1.0)).unwrap();
        [-7.0, -3.0, -0.5, 2.0].map(slot)
    };
    let (ids, all_time) = ([1, 2].map(NodeId), (Time::must(-100.0), time(100)));
    let mut list = SlotList::default();
    list.relist(&ids.map(|id| (id, all_time)).into(), |id, _| of(id)).unwrap();
    assert_eq!(list, SlotList::new(ids.into_iter().flat_map(of).collect()).unwrap());
}
