//! The checker finds each kind of violation, and no others.

use sched_model::check::{Checker, Holding, Rules, Violation, in_words, overlaps, unmet};
use sched_model::*;

/// Nodes 1 and 2 in rack a, 3 and 4 in rack b, free up to 100. Node 2 is twice as fast as the others, and costs 5
/// instead of 2.
fn list() -> SlotList {
    let nodes = [(1.0, 2.0), (2.0, 5.0), (1.0, 2.0), (1.0, 2.0)];
    let nodes: Vec<Node> =
        (1..).zip(nodes).map(|(id, (speed, price))| Node::must(id, speed, price)).collect();
    let rack = |id: u32| Features::default().with_label(if id < 3 { "rack=a" } else { "rack=b" });
    let list = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(100.0)).unwrap();
    list.with_features([1, 2, 3, 4].map(|id| (NodeId(id), rack(id)))).unwrap()
}

fn request() -> ResourceRequest {
    ResourceRequest::must(2, 60.0)
}

/// A window of these nodes, each held for its own span.
fn held(ids: &[u32], start: f64, span: impl Fn(&Slot) -> Span) -> Window {
    let (list, start) = (list(), Time::must(start));
    let slots = list.iter().filter(|slot| ids.contains(&slot.node.0));
    let places = slots.map(|slot| Placement::on(slot, start, span(slot), &Tariff::default()));
    Window::new(start, places.collect()).unwrap()
}

fn window_at(start: f64, holding: Holding) -> Window {
    held(&[1, 2], start, |slot| match holding {
        Holding::OwnSpan => request().work() / slot.speed,
        Holding::SlowestSpan => Span::must(60.0),
    })
}

#[test]
fn the_first_violations_are_told_with_their_jobs() {
    let found: Vec<_> = (1..=12).map(|job| (JobId(job), Violation::Forgotten)).collect();
    let told = in_words(&found);
    let lines: Vec<&str> = told.lines().collect();
    let forgotten = |job: u64| format!("  job {job}: {}", Violation::Forgotten);
    assert_eq!((lines[0], lines.len()), ("12 violations", 12));
    assert_eq!((lines[1], lines[10]), (&*forgotten(1), &*forgotten(10)));
    assert_eq!(lines[11], "  and 2 more");
    assert_eq!(in_words(&found[..1]), format!("1 violation\n{}", forgotten(1)));
}

#[test]
fn each_violation_is_named_and_says_where() {
    let checker = Checker::new(&list(), Rules::per_window(1.0));
    let window = window_at(10.0, Holding::OwnSpan);
    let changed = |change: fn(&mut Placement)| {
        let mut placements = window.placements().to_vec();
        change(&mut placements[0]);
        Window::new(window.start(), placements).unwrap()
    };
    let cheap =
        changed(|placement| (placement.price, placement.cost) = (Price::must(1.0), Money::must(60.0)));
    // The window costs 2 * 60 + 5 * 30 = 270. A price limit of C allows C * t * N = C * 60 * 2.
    for (window, request, told) in [
        (&window_at(40.5, Holding::OwnSpan), request(), "node 1 is not free during [40.5, 100.5)"),
        (&window, ResourceRequest::must(3, 60.0), "2 placements where 3 are asked for"),
        (&window, request().with_min_speed(Speed::must(1.5)), "node 1 is too slow"),
        (&changed(|first| first.end = Time::must(69.0)), request(), "node 1 is held until 69 instead of 70"),
        (&changed(|first| first.cost = Money::ZERO), request(), "node 1 costs 0 instead of 120"),
        (&cheap, request(), "node 1 has another speed or price in its slot"),
        (&changed(|first| first.node = NodeId(9)), request(), "node 9 is not free during [10, 70)"),
        (&window, request().with_budget(Money::must(269.0)), "costs 270, above the budget of 269"),
        (&window, request().with_price_limit(Price::must(2.0)), "costs 270, above the budget of 240"),
        (&window, request().with_deadline(Time::must(69.5)), "finishes at 70, after the deadline 69.5"),
    ] {
        let found: Vec<String> = checker.window(window, &request).iter().map(ToString::to_string).collect();
        assert_eq!(found, [told]);
    }
    // Requests that the window meets exactly: in speed, cost and finish.
    for request in [
        request().with_min_speed(Speed::must(1.0)),
        request().with_budget(Money::must(270.0)),
        request().with_price_limit(Price::must(2.25)),
        request().with_deadline(Time::must(70.0)),
    ] {
        assert_eq!(checker.window(&window, &request), []);
    }
    // The last start at which the window fits, and windows that are held as the rules say.
    assert_eq!(checker.window(&window_at(40.0, Holding::OwnSpan), &request()), []);
    let square = Checker::new(&list(), Rules::default().with_holding(Holding::SlowestSpan));
    for (held, faults) in [(Holding::SlowestSpan, 0), (Holding::OwnSpan, 2)] {
        assert_eq!(square.window(&window_at(10.0, held), &request()).len(), faults);
    }
    let per_slot = |limit| {
        Checker::new(&list(), Rules::per_slot())
            .window(&window, &request().with_price_limit(Price::must(limit)))
    };
    assert_eq!(per_slot(4.0)[0].to_string(), "node 2 costs more than the price limit");
    assert_eq!((per_slot(4.0).len(), per_slot(5.0).len()), (1, 0));
    let twice = Violation::RepeatedNode { node: NodeId(1) };
    assert_eq!(twice.to_string(), "node 1 is twice in the window");
}

#[test]
fn a_schedule_decides_on_each_job_once_and_shares_nothing() {
    let job = |id| Job::new(JobId(id), request());
    let batch = Batch::new(vec![job(1), job(2), job(3)]).unwrap();
    let checker = Checker::new(&list(), Rules::default());
    let told = |(job, what): &(JobId, Violation)| (job.0, what.to_string());

    let mut schedule = Schedule::default();
    schedule.decide(JobId(1), Ok(window_at(0.0, Holding::OwnSpan))).unwrap();
    schedule.decide(JobId(2), Ok(window_at(40.0, Holding::OwnSpan))).unwrap();
    schedule.decide(JobId(7), Err(Refusal::NoCapacity)).unwrap();
    let mut found: Vec<(u64, String)> = checker.schedule(&schedule, &batch).iter().map(told).collect();
    found.sort();
    // Node 1 is taken until 60, node 2 until 30: only the former is used twice.
    let expected =
        [(2, "node 1 is used twice at 40"), (3, "neither placed nor refused"), (7, "not in the batch")];
    assert_eq!(found, expected.map(|(job, what)| (job, what.to_owned())));

    let early = Batch::new(vec![job(1).with_submit(Time::must(0.5))]).unwrap();
    let mut schedule = Schedule::default();
    schedule.decide(JobId(1), Ok(window_at(0.0, Holding::OwnSpan))).unwrap();
    let found: Vec<_> = checker.schedule(&schedule, &early).iter().map(told).collect();
    assert_eq!(found, [(1, "starts at 0, before its submission at 0.5".to_owned())]);
}

#[test]
fn overlaps_are_found_behind_a_longer_window() {
    // [0, 50) covers [10, 20) and [30, 40); the second must be seen although the first ended before it.
    let on = |start: f64, end: f64| held(&[1], start, |_| Span::must(end - start));
    let windows = [on(0.0, 50.0), on(10.0, 20.0), on(30.0, 40.0), on(50.0, 60.0)];
    let found = overlaps(windows.iter().enumerate());
    assert_eq!(found.iter().map(|&(key, _)| key).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn which_nodes_go_together_is_checked() {
    let demands = Demands::default;
    let packed = demands().with_pack("rack");
    let [spread, two] = [1, 2].map(|most| demands().with_spread("rack", most).unwrap());
    let from = |at: f64| demands().with_not_before(Time::must(at));
    let at = |at: f64| demands().with_start(Time::must(at));
    let labelled = demands().with_label("rack=a");
    let large = labelled.clone().with_at_least("memory", 8.0).unwrap();
    let [a, b] = ["a", "b"].map(|rack| format!("2 nodes with rack={rack} where at most 1 may be"));
    for (ids, demands, told) in [
        (&[1, 2][..], &packed, ""),
        (&[2, 3], &packed, "not all with one value of rack, but with a, b"),
        (&[2, 3], &spread, ""),
        (&[2, 3, 4], &spread, &b),
        (&[1, 2, 3, 4], &spread, &format!("{a}; {b}")),
        (&[1, 2, 3, 4], &two, ""),
        (&[1], &from(10.0), ""),
        (&[1], &from(10.5), "starts at 10 instead of 10.5"),
        (&[1], &at(10.0), ""),
        (&[1], &at(9.0), "starts at 10 instead of 9"),
        (&[1], &at(11.0), "starts at 10 instead of 11"),
        (
            &[1],
            &from(11.0).with_start(Time::must(12.0)),
            "starts at 10 instead of 11; starts at 10 instead of 12",
        ),
        (&[1], &labelled, ""),
        (&[1], &large, "node 1 is not one with memory of at least 8"),
    ] {
        let found = unmet(&list(), &held(ids, 10.0, |_| Span::must(60.0)), demands);
        assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "), told);
    }
    // Without features no node has a label.
    let found = unmet(&SlotList::default(), &window_at(10.0, Holding::OwnSpan), &labelled);
    assert!(matches!(&found[..], [Violation::Missing { .. }, Violation::Missing { .. }]), "{found:?}");
}

#[test]
fn demands_of_jobs_are_checked_with_their_spans() {
    let spans = [1, 3].map(|id| (NodeId(id), Span::must(30.0)));
    let demands = Demands::default().with_pack("rack").with_spans(spans).unwrap();
    let right = Checker::new(&list(), Rules::default());
    // Both nodes take 30 by the demands, and 60 by the request.
    let window = held(&[1, 3], 10.0, |_| Span::must(30.0));
    let found = right.window(&window, &request().with_demands(demands));
    assert!(matches!(found[..], [Violation::NotPacked { .. }]), "{found:?}");
    let found = right.window(&window, &request());
    assert_eq!(found.len(), 4, "both end too early for the request, and cost too little: {found:?}");
}
