//! Slots of one node that touch stay two, through cuts, returns, blocking and writing.

use super::{node, time};
use sched_model::*;

/// A list in which a window was cut and given back is the list that it was.
#[test]
fn slots_that_touch_stay_two() {
    let slot = |id, start, end| Slot::new(node(id), time(start), time(end)).unwrap();
    let parts = [slot(1, 0, 10), slot(2, 4, 9), slot(3, 9, 12), slot(1, 10, 20), slot(1, 20, 30)];
    let mut list = SlotList::new(parts.to_vec()).unwrap();
    let before = list.clone();
    let window = |id, start, span| {
        let on = slot(id, start, start + span);
        Window::new(time(start), vec![Placement::on(&on, time(start), Span::must(f64::from(span)))]).unwrap()
    };
    assert_eq!(
        list.cut(&window(1, 8, 15)),
        Err(ModelError::NotFree { node: NodeId(1), start: 8.0, end: 23.0 })
    );
    for (start, span) in [(10, 10), (0, 10), (20, 10), (12, 3), (5, 5), (20, 1)] {
        list.cut(&window(1, start, span)).unwrap();
        assert_ne!(list, before);
        list.give_back(&window(1, start, span)).unwrap();
        assert_eq!(list, before, "{start} + {span}");
    }
    // Parts of the list know of it too.
    let mut part = list.of_nodes(&[NodeId(1)].into());
    part.cut(&window(1, 10, 10)).unwrap();
    part.give_back(&window(1, 10, 10)).unwrap();
    assert_eq!(part.len(), 3);
    // Here time is taken out and put back piece by piece.
    list.reprice(NodeId(1), node(1).price, time(15));
    assert_eq!(list, before);
}

/// Slots of nodes 1 and 2 as (node, start, end).
fn pieces(list: &SlotList) -> Vec<(u32, f64, f64)> {
    list.iter().map(|slot| (slot.node().0, slot.start().get(), slot.end().get())).collect()
}

#[test]
fn a_piece_that_is_freed_across_a_seam_is_one_slot() {
    let slot = |id, start, end| Slot::new(node(id), time(start), time(end)).unwrap();
    let cut = |list: &mut SlotList, id, start, end| {
        let place = Placement::on(&slot(id, start, end), time(start), time(end) - time(start));
        let window = Window::new(time(start), vec![place]).unwrap();
        list.cut(&window).unwrap();
        list.give_back(&window).unwrap();
    };
    // The whole node gone and back.
    let mut list = SlotList::new(vec![slot(1, 0, 10), slot(2, 3, 5), slot(1, 10, 20)]).unwrap();
    let before = list.clone();
    assert_eq!(list.remove_node(NodeId(1)).len(), 2);
    list.free(node(1), time(0), time(20)).unwrap();
    for (start, end) in [(5, 10), (10, 12), (8, 15)] {
        cut(&mut list, 1, start, end);
        assert_eq!(pieces(&list), [(1, 0.0, 20.0), (2, 3.0, 5.0)], "{start} to {end}");
    }
    // The list that it was copied from keeps its seam.
    let mut other = before.clone();
    cut(&mut other, 1, 5, 10);
    assert_eq!(other, before);

    // Of three that touch, the middle is blocked with a bit on either side: its seams are within the piece
    // that comes back; those of other nodes at the same instants stay.
    let parts = [(1, 0, 10), (1, 10, 20), (1, 20, 30), (2, 0, 10), (2, 10, 30)];
    let mut list = SlotList::new(parts.map(|(id, start, end)| slot(id, start, end)).to_vec()).unwrap();
    assert_eq!(list.block(NodeId(1), time(9), time(21)).len(), 3);
    list.free(node(1), time(9), time(21)).unwrap();
    cut(&mut list, 1, 5, 10);
    cut(&mut list, 2, 5, 10);
    assert_eq!(pieces(&list), [(1, 0.0, 30.0), (2, 0.0, 10.0), (2, 10.0, 30.0)]);

    // Blocked up to the seam and freed up to the seam, or piece by piece: the seam stays.
    for gaps in [&[(4, 10)][..], &[(10, 13)], &[(10, 20), (0, 10)], &[(2, 10), (10, 11)]] {
        let mut list = SlotList::new(vec![slot(1, 0, 10), slot(1, 10, 20)]).unwrap();
        for &(start, end) in gaps {
            list.block(NodeId(1), time(start), time(end));
        }
        for &(start, end) in gaps {
            list.free(node(1), time(start), time(end)).unwrap();
        }
        assert_eq!(pieces(&list), [(1, 0.0, 10.0), (1, 10.0, 20.0)], "{gaps:?}");
    }
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
    // Listed as one, they are one.
    list.relist(&all, |_, _| [slot(0, 20)]).unwrap();
    list.block(NodeId(1), time(8), time(10));
    list.free(node(1), time(8), time(10)).unwrap();
    assert_eq!(pieces(&list), [(1, 0.0, 20.0)]);
}
