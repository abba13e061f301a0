//! Searches that are stopped within a pass over the slots: by a limit of work at any unit, or by a signal.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Instance, instance};
use proptest::prelude::*;
use sched_model::*;
use slot_window::{Objective, SearchKind, SearchScratch, WindowQuery, WindowSearch};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The searches that are one or a few passes over the slots.
const PLAIN: [SearchKind; 12] = [
    SearchKind::Alp,
    SearchKind::Amp,
    SearchKind::FirstFit,
    SearchKind::FirstFitRough,
    SearchKind::MinStart,
    SearchKind::MinStartRough,
    SearchKind::MinFinish,
    SearchKind::MinFinishRough,
    SearchKind::MinRuntime,
    SearchKind::MinRuntimeRough,
    SearchKind::MinCost,
    SearchKind::MinCostRough,
];

/// What a search of this kind minimises.
fn objective(kind: SearchKind) -> Objective {
    match kind {
        SearchKind::MinFinish | SearchKind::MinFinishRough => Objective::Finish,
        SearchKind::MinRuntime | SearchKind::MinRuntimeRough => Objective::Runtime,
        SearchKind::MinCost | SearchKind::MinCostRough => Objective::Cost,
        _ => Objective::Start,
    }
}

/// Nothing, a label of every second node, nodes of one rack of three, one node of a rack, measured spans.
fn demands(number: usize) -> Demands {
    match number {
        0 => Demands::new(),
        1 => Demands::new().with_label("gpu"),
        2 => Demands::new().with_pack("rack"),
        3 => Demands::new().with_spread("rack", 1).unwrap(),
        _ => {
            let spans = (0..9).map(|id| (NodeId(id), Span::must(2.0 + f64::from(id % 3))));
            Demands::new().with_spans(Spans::new(spans).unwrap())
        }
    }
}

fn with_racks(slots: SlotList, nodes: u32) -> SlotList {
    let features = (0..nodes).map(|id| {
        let features = Features::new().with_label(format!("rack={}", id / 3));
        (NodeId(id), if id % 2 == 0 { features.with_label("gpu") } else { features })
    });
    slots.with_features(features).unwrap()
}

fn within(search: &dyn WindowSearch, query: &WindowQuery<'_>, limit: &Limit) -> Outcome<Window> {
    search.find_within(query, &mut limit.meter(), &mut SearchScratch::new()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// At every limit up to the work of the whole search, and one beyond.
    #[test]
    fn a_search_stops_at_any_limit_and_says_so(
        instance in instance(),
        kind in prop::sample::select(PLAIN.to_vec()),
        number in 0..5_usize,
    ) {
        let Instance { slots, request, from } = instance;
        let slots = with_racks(slots, 6);
        let eligible = slots.eligible(&demands(number));
        let query = WindowQuery::new(&slots, &request, from);
        let query = if number == 0 { query } else { query.with_eligible(&eligible) };
        let search = kind.build();
        let whole = within(&*search, &query, &Limit::without_limit());
        prop_assert_eq!(whole.end, End::Done);
        let value = |found: &Outcome<Window>| {
            found.incumbent.as_ref().map_or(f64::INFINITY, |window| objective(kind).of(window))
        };
        let mut known = f64::INFINITY;
        for work in 0..=whole.work + 1 {
            let limit = Limit::without_limit().with_work(work);
            let found = within(&*search, &query, &limit);
            prop_assert!(found.work <= work);
            if work >= whole.work {
                prop_assert_eq!(&found, &whole);
            } else {
                prop_assert_eq!(found.end, End::Work, "{} of {}", work, whole.work);
                prop_assert!(!found.is_infeasible());
                let again = within(&*search, &query, &Limit::without_limit().with_work(found.work));
                prop_assert_eq!(&again, &found);
            }
            prop_assert!(value(&found) <= known && value(&found) >= value(&whole), "{kind} at {work}");
            known = value(&found);
        }
    }
}

/// Three slots for each of so many nodes, of nine speeds; few of them start together.
fn many_slots(nodes: u32) -> SlotList {
    let mut slots = Vec::new();
    for id in 0..nodes {
        let speed = f64::from(4 + id % 9) / 4.0;
        let price = Price::must(speed * (1.0 + f64::from(id * 7919 % 1000) / 1000.0));
        let node = Node::new(NodeId(id), Speed::must(speed), price);
        for part in 0..3_u32 {
            let start = f64::from(40 * part + id * 31 % 20);
            slots.push(Slot::new(node, Time::must(start), Time::must(start + 15.0)).unwrap());
        }
    }
    with_racks(SlotList::new(slots).unwrap(), nodes)
}

/// With signals that are set after so many questions: the same bytes as a limit of the work until then, and
/// not many units of work between two questions.
#[test]
fn a_signal_stops_as_a_limit_of_the_work_until_then() {
    let slots = many_slots(12_000);
    let spans = (0..12_000).map(|id| (NodeId(id), Span::must(5.0 + f64::from(id % 7))));
    let demands = [
        None,
        Some(Demands::new().with_pack("rack")),
        Some(Demands::new().with_spread("rack", 1).unwrap()),
        Some(Demands::new().with_spans(Spans::new(spans).unwrap())),
    ];
    let (mut stopped, mut with_a_window) = (0, 0);
    for (kind, demands) in PLAIN.into_iter().flat_map(|kind| demands.iter().map(move |of| (kind, of))) {
        let eligible = slots.eligible(demands.as_ref().unwrap_or(&Demands::new()));
        // What the cheapest windows cost, nearly: most searches read far.
        let budget = Money::must(if demands.is_some() { 40.0 } else { 31.0 });
        let request = ResourceRequest::new(3, Work::must(10.0)).unwrap().with_budget(budget);
        let query = WindowQuery::new(&slots, &request, Time::ZERO);
        let query = if demands.is_some() { query.with_eligible(&eligible) } else { query };
        let search = kind.build();
        let whole = Limit::without_limit();
        for questions in [0, 1, 2, 3, 5, u64::MAX] {
            let asked = Arc::new(AtomicU64::new(0));
            let count = Arc::clone(&asked);
            let signal = StopSignal::when(move || count.fetch_add(1, Ordering::Relaxed) >= questions);
            let found = within(&*search, &query, &whole.clone().with_signal(signal));
            let step = Meter::POLL + 40_000;
            let asked = asked.load(Ordering::Relaxed);
            assert!(found.work <= asked * step, "{kind}, {demands:?}: {asked} for {}", found.work);
            let again = within(&*search, &query, &whole.clone().with_work(found.work));
            assert_eq!((&again.incumbent, again.work), (&found.incumbent, found.work), "{kind}, {demands:?}");
            assert_eq!(found.end == End::Signal, questions < asked, "{kind}, {demands:?}");
            stopped += usize::from(found.end == End::Signal);
            with_a_window += usize::from(found.end == End::Signal && found.incumbent.is_some());
        }
    }
    assert!(stopped > 80 && with_a_window > 10, "{stopped} stopped, {with_a_window} with a window");
}
