//! Sorts, orders and changes of long lists ask their limit on the way, and do the same as without one.

use proptest::prelude::*;
use sched_model::{
    Demands, End, Features, Limit, Meter, ModelError, Node, NodeId, Placement, Portion, Price, Slot,
    SlotList, Span, Speed, Time, Window, sort_in_parts,
};
use std::sync::mpsc;

proptest! {
    #[test]
    fn a_sort_in_parts_is_a_stable_sort(keys in prop::collection::vec(0..40_u32, 0..300), part in 0..70_usize) {
        let values: Vec<(u32, usize)> = keys.into_iter().zip(0..).collect();
        let by_key = |a: &(u32, usize), b: &(u32, usize)| a.0.cmp(&b.0);
        let mut expected = values.clone();
        expected.sort_by(by_key);
        let (mut sorted, mut visits) = (values.clone(), 0);
        sort_in_parts(&mut sorted, part, by_key, |visit| {
            assert!(visit > 0 && visit <= part.max(2) as u64);
            visits += visit;
            Ok::<(), End>(())
        }).unwrap();
        prop_assert_eq!(&sorted, &expected);
        // n in the parts, and n for each doubling of their length.
        let (mut run, mut expected_visits) = (part.max(2), 0);
        if values.len() > run {
            expected_visits = values.len() as u64;
            while run < values.len() {
                expected_visits += values.len() as u64;
                run *= 2;
            }
        }
        prop_assert_eq!(visits, expected_visits);
        // Stopped anywhere, nothing is lost.
        for most in [0, 1, visits / 2, visits.saturating_sub(1)] {
            let limit = Limit::default().with_work(most);
            let (mut meter, mut stopped) = (limit.meter(), values.clone());
            let ended = sort_in_parts(&mut stopped, part, by_key, |visit| meter.spend(visit));
            prop_assert_eq!(ended.is_err(), most < visits);
            stopped.sort_unstable();
            let mut all = values.clone();
            all.sort_unstable();
            prop_assert_eq!(stopped, all);
        }
    }

    #[test]
    fn a_portion_counts_its_units_however_it_is_visited(
        units in 0..100_000_u64,
        expected in 0..5_000_u64,
        visits in prop::collection::vec(0..300_u64, 0..40),
    ) {
        let limit = Limit::without_limit();
        let mut meter = limit.meter();
        let mut portion = Portion::new(&mut meter, units, expected);
        let mut visited = 0;
        for visit in visits {
            portion.visit(visit).unwrap();
            visited += visit;
            let share = if expected == 0 { u64::from(visited > 0) } else { visited.min(expected) };
            prop_assert_eq!(portion.counted(), units * share / expected.max(1));
        }
        portion.end().unwrap();
        prop_assert_eq!(meter.work(), units);
    }
}

/// The greatest number of units between two questions of what a call counts, and all of it.
fn steps<R>(call: impl FnOnce(&mut Meter) -> R) -> (u64, u64, R) {
    let (tell, told) = mpsc::channel();
    let limit = Limit::without_limit();
    let mut meter = limit.meter().with_observer(move |progress| tell.send(progress.work).unwrap());
    let result = call(&mut meter);
    let work = meter.work();
    (
        told.try_iter()
            .chain([work])
            .fold((0, 0), |(greatest, before), at: u64| (greatest.max(at.saturating_sub(before)), at))
            .0,
        work,
        result,
    )
}

/// What a poll and a part of a sort count at most.
const GREATEST: u64 = 40_000;

fn slot(id: u32, start: u32, end: u32) -> Slot {
    let price = Price::must(f64::from(1 + id * 7919 % 1000));
    let node = Node::new(NodeId(id), Speed::ETALON, price);
    Slot::new(node, Time::must(f64::from(start)), Time::must(f64::from(end))).unwrap()
}

/// 100,000 slots that start together.
fn wide() -> SlotList {
    SlotList::new((0..100_000).map(|id| slot(id, 0, 10 + id % 37)).collect()).unwrap()
}

/// 70,000 slots, ten for each node.
fn long() -> SlotList {
    SlotList::new((0..70_000).map(|at| slot(at % 7_000, at / 7_000 * 20, at / 7_000 * 20 + 15)).collect())
        .unwrap()
}

#[test]
fn a_cut_asks_on_the_way_and_cuts_the_same() {
    let (mut list, mut unlimited) = (long(), long());
    let window = |at: u32| {
        let nodes = (0..5).map(|k| slot((at * 5 + k) * 131 % 7_000, 0, 1));
        let begin = Time::must(f64::from(at % 10 * 20 + 3));
        let places = nodes.map(|slot| Placement::on(&slot, begin, Span::must(5.0)));
        Window::new(begin, places.collect()).unwrap()
    };
    let (mut counted, mut longest) = (0, 0);
    for at in 0..500 {
        let before = list.clone();
        let limit = Limit::without_limit().with_work(100);
        let stopped = list.cut_within(&window(at), &mut limit.meter());
        if stopped == Ok(Some(End::Work)) {
            assert_eq!(list, before);
        }
        let (greatest, work, cut) = match stopped {
            Ok(Some(_)) => steps(|meter| list.cut_within(&window(at), meter)),
            cut => (0, 0, cut),
        };
        assert_eq!(cut, Ok(None), "{at}");
        unlimited.cut(&window(at)).unwrap();
        assert!(greatest <= GREATEST, "{greatest}");
        (counted, longest) = (counted + work, longest.max(work));
    }
    assert_eq!(list, unlimited);
    // Readings back, and an index that is built once: three passes.
    assert!(counted > 280_000 && longest >= 3 * 70_000 / 4, "{counted} {longest}");
    let gone = list.cut_within(&window(0), &mut Limit::default().meter());
    assert!(matches!(gone, Err(ModelError::NotFree { .. })));
}

#[test]
fn what_is_missing_is_told_within_a_limit() {
    let features = |id: u32| {
        let rack = Features::new().with_label(format!("rack={}", id / 100));
        (NodeId(id), if id.is_multiple_of(2) { rack.with_label("gpu") } else { rack })
    };
    let list = wide().with_features((0..100_000).map(features)).unwrap();
    let gpu = Demands::new().with_label("gpu");
    for (demands, needed) in [(gpu.clone(), 50_001), (gpu.clone(), 50_000), (gpu.with_pack("rack"), 51)] {
        let (greatest, work, missing) = steps(|meter| list.missing_within(&demands, needed, meter));
        assert_eq!(missing, Ok(list.missing(&demands, needed)));
        assert_eq!(missing.unwrap().is_some(), needed != 50_000);
        assert!(greatest <= GREATEST && work >= 600_000, "{greatest} {work}");
        let limit = Limit::without_limit().with_work(work - 1);
        assert_eq!(list.missing_within(&demands, needed, &mut limit.meter()), Err(End::Work));
    }
}

#[test]
fn a_clone_and_its_original_change_apart() {
    let original = long();
    let mut changed = original.clone();
    let copy = changed.clone();
    changed.advance(Time::must(33.0));
    changed.free(slot(9_000, 0, 1).as_node(), Time::must(40.0), Time::must(44.0)).unwrap();
    assert_eq!(changed.remove_node(NodeId(12)).len(), 9);
    assert!(copy == original && changed != original);
    assert_eq!(original, long());
}
