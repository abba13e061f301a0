//! `SlotList` by hand; in its modules against a plain table, through many runs, and what it tells of itself.

pub(crate) mod living;
mod long;
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
    Node::new(NodeId(id), Speed::must(1.0 + f64::from(id)), Price::must(2.0))
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
    // Intervals before the start and beyond the horizon leave no slot of zero length.
    let busy = [
        Occupied::new(NodeId(1), Time::must(-5.0), time(2)).unwrap(),
        Occupied::new(NodeId(1), time(8), time(50)).unwrap(),
        Occupied::new(NodeId(1), time(60), time(70)).unwrap(),
    ];
    let list = SlotList::from_nodes(&[node(1)], &busy, time(0), time(10)).unwrap();
    assert_eq!(list.iter().map(|slot| (slot.start(), slot.end())).collect::<Vec<_>>(), [(time(2), time(8))]);
}

/// After any changes: the rest of a list from an instant on is the list made anew from its slots, in the same
/// runs.
#[test]
fn what_is_free_since_an_instant_is_a_new_list() {
    let node =
        |id: u32| Node::new(NodeId(id), Speed::must(f64::from(1 + id % 3)), Price::must(f64::from(id % 5)));
    let mut list = SlotList::default().with_tariff(Tariff::default());
    let mut random = 7_u64;
    let mut dice = move |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    for id in 0..700 {
        list.free(node(id), Time::ZERO, Time::must(100.0)).unwrap();
    }
    for step in 0..6_000 {
        let (id, start) = (dice(700) as u32, dice(95) as f64);
        let taken = list.block(NodeId(id), Time::must(start), Time::must(start + 1.0 + dice(4) as f64));
        if step % 3 == 0 {
            for slot in taken {
                list.free(slot.as_node(), slot.start(), slot.end()).unwrap();
            }
        }
        assert!(list.runs().all(|run| !run.is_empty()));
        if step % 500 == 0 {
            for now in [-1.0, 0.0, 0.5, dice(100) as f64, 99.0, 100.0, 101.0] {
                let now = Time::must(now);
                let anew = list.only(&Demands::new().with_not_before(now));
                let since = list.since(now);
                assert_eq!((&since, since.len()), (&anew, anew.len()));
                assert!(since.runs().eq(anew.runs()), "other runs at {now}");
                let rooms = |list: &SlotList| {
                    list.runs_with_room(now, Work::must(30.0))
                        .map(|(run, room)| (run.len(), room))
                        .collect::<Vec<_>>()
                };
                assert_eq!(rooms(&since), rooms(&anew));
            }
        }
    }
    // What is known of a run after all these changes is what its slots bear out.
    for work in [1.0, 5.0, 30.0, 100.0, 250.0] {
        for (run, room) in list.runs_with_room(Time::ZERO, Work::must(work)) {
            let most = run
                .iter()
                .map(|slot| (slot.end() - slot.start()).get() * slot.speed().get())
                .fold(0.0, f64::max);
            assert!(room.is_some() == (most >= work) || (most - work).abs() < 1e-6, "{most} for {work}");
            // The cheapest slot bears the bound out, but for rounding.
            let cost = |slot: &Slot| (slot.price() * (Work::must(work) / slot.speed())).get();
            let least = run.iter().map(cost).fold(f64::INFINITY, f64::min);
            let told = room.unwrap_or(least);
            assert!(told <= least && told >= least * (1.0 - 1e-14), "{told} for {least}");
        }
    }
}
