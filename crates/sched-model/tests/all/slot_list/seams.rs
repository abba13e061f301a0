//! Slots of one node that touch stay separate, through writing and reading, and when they are listed again.

use super::{node, time};
use sched_model::*;

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
        // If the slots show the seam, only slots are written.
        assert_eq!(text.starts_with('['), (start, end) == (2, 3), "{text}");
    }
}
