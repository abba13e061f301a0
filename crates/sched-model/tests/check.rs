//! The checker finds each kind of violation, and only it.

#![allow(clippy::unwrap_used)]

use sched_model::check::{Checker, Holding, Rules, Violation, overlaps};
use sched_model::*;

fn nodes() -> [Node; 2] {
    [
        Node::new(NodeId(1), Speed::must(1.0), Price::must(2.0)),
        Node::new(NodeId(2), Speed::must(2.0), Price::must(5.0)),
    ]
}

fn list() -> SlotList {
    SlotList::from_nodes(&nodes(), &[], Time::ZERO, Time::must(100.0)).unwrap()
}

fn request() -> ResourceRequest {
    ResourceRequest::new(2, Work::must(60.0)).unwrap()
}

fn window_at(start: f64, holding: Holding) -> Window {
    let start = Time::must(start);
    let placements = list()
        .iter()
        .map(|slot| {
            let span = match holding {
                Holding::OwnSpan => request().span_on(slot.speed()),
                Holding::SlowestSpan => Span::must(60.0),
            };
            Placement::on(slot, start, span)
        })
        .collect();
    Window::new(start, placements).unwrap()
}

fn with_first(window: &Window, change: impl FnOnce(&mut Placement)) -> Window {
    let mut placements = window.placements().to_vec();
    change(&mut placements[0]);
    Window::new(window.start(), placements).unwrap()
}

#[test]
fn a_right_window_passes() {
    let rough = window_at(10.0, Holding::OwnSpan);
    let square = window_at(10.0, Holding::SlowestSpan);
    let checker = Checker::new(&list(), Rules::default());
    assert_eq!(checker.window(&rough, &request()), []);
    let square_rules = Rules::default().with_holding(Holding::SlowestSpan);
    assert_eq!(Checker::new(&list(), square_rules).window(&square, &request()), []);
    // Each is wrong by the other's rule.
    assert!(!checker.window(&square, &request()).is_empty());
    assert!(!Checker::new(&list(), square_rules).window(&rough, &request()).is_empty());
    // The last instant that fits.
    assert_eq!(checker.window(&window_at(40.0, Holding::OwnSpan), &request()), []);
}

#[test]
fn each_violation_is_named() {
    let checker = Checker::new(&list(), Rules::per_window(1.0));
    let window = window_at(10.0, Holding::OwnSpan);
    let only = |window: &Window, request: &ResourceRequest| {
        let found = checker.window(window, request);
        assert_eq!(found.len(), 1, "{found:?}");
        found[0].clone()
    };

    let late = window_at(40.5, Holding::OwnSpan);
    assert!(matches!(only(&late, &request()), Violation::NotFree { node: NodeId(1), .. }));

    let three = ResourceRequest::new(3, Work::must(60.0)).unwrap();
    assert_eq!(only(&window, &three), Violation::WrongCount { needed: 3, placed: 2 });

    let fast = request().with_min_speed(Speed::must(1.5));
    assert_eq!(only(&window, &fast), Violation::TooSlow { node: NodeId(1) });
    assert_eq!(checker.window(&window, &request().with_min_speed(Speed::must(1.0))), []); // as slow as allowed

    let short = with_first(&window, |placement| placement.end = Time::must(69.0));
    assert!(matches!(only(&short, &request()), Violation::WrongEnd { node: NodeId(1), .. }));

    let free = with_first(&window, |placement| placement.cost = Money::ZERO);
    assert!(matches!(only(&free, &request()), Violation::WrongCost { node: NodeId(1), .. }));

    let cheap = with_first(&window, |placement| {
        placement.price = Price::must(1.0);
        placement.cost = Money::must(60.0);
    });
    assert_eq!(only(&cheap, &request()), Violation::WrongNode { node: NodeId(1) });

    let unknown = with_first(&window, |placement| placement.node = NodeId(9));
    assert!(matches!(only(&unknown, &request()), Violation::NotFree { node: NodeId(9), .. }));

    // The window costs 2 * 60 + 5 * 30 = 270.
    assert_eq!(checker.window(&window, &request().with_budget(Money::must(270.0))), []);
    assert!(matches!(
        only(&window, &request().with_budget(Money::must(269.0))),
        Violation::OverBudget { .. }
    ));
    // C * t * N = 2.25 * 60 * 2 = 270.
    assert_eq!(checker.window(&window, &request().with_price_limit(Price::must(2.25))), []);
    assert!(matches!(
        only(&window, &request().with_price_limit(Price::must(2.0))),
        Violation::OverBudget { .. }
    ));

    assert_eq!(checker.window(&window, &request().with_deadline(Time::must(70.0))), []);
    assert!(matches!(
        only(&window, &request().with_deadline(Time::must(69.5))),
        Violation::PastDeadline { .. }
    ));

    let per_slot = Checker::new(&list(), Rules::per_slot());
    assert_eq!(
        per_slot.window(&window, &request().with_price_limit(Price::must(4.0))),
        [Violation::OverPrice { node: NodeId(2) }]
    );
    assert_eq!(per_slot.window(&window, &request().with_price_limit(Price::must(5.0))), []); // as dear as allowed
}

#[test]
fn a_schedule_decides_on_each_job_once_and_shares_nothing() {
    let job = |id| Job::new(JobId(id), request());
    let batch = Batch::new(vec![job(1), job(2), job(3)]).unwrap();
    let checker = Checker::new(&list(), Rules::default());

    let mut schedule = Schedule::default();
    schedule.place(JobId(1), window_at(0.0, Holding::OwnSpan)).unwrap();
    schedule.place(JobId(2), window_at(40.0, Holding::OwnSpan)).unwrap();
    schedule.refuse(JobId(7), Refusal::NoCapacity).unwrap();
    let found = checker.schedule(&schedule, &batch);
    assert!(found.contains(&(JobId(7), Violation::Unknown)));
    assert!(found.contains(&(JobId(3), Violation::Forgotten)));
    // Node 1 is taken until 60, node 2 until 30: only the former is used twice.
    assert!(found.contains(&(JobId(2), Violation::Overlap { node: NodeId(1), at: Time::must(40.0) })));
    assert_eq!(found.len(), 3, "{found:?}");

    let early = Batch::new(vec![job(1).with_submit(Time::must(0.5))]).unwrap();
    let mut schedule = Schedule::default();
    schedule.place(JobId(1), window_at(0.0, Holding::OwnSpan)).unwrap();
    assert!(matches!(checker.schedule(&schedule, &early)[..], [(JobId(1), Violation::BeforeSubmit { .. })]));
}

#[test]
fn overlaps_are_found_behind_a_longer_window() {
    // [0, 50) covers [10, 20) and [30, 40); the second must be seen although the first ended before it.
    let on = |start: f64, end: f64| {
        let slot = Slot::new(nodes()[0], Time::ZERO, Time::must(100.0)).unwrap();
        let start = Time::must(start);
        Window::new(start, vec![Placement::on(&slot, start, Time::must(end) - start)]).unwrap()
    };
    let windows = [on(0.0, 50.0), on(10.0, 20.0), on(30.0, 40.0), on(50.0, 60.0)];
    let found = overlaps(windows.iter().enumerate());
    assert_eq!(found.iter().map(|&(key, _)| key).collect::<Vec<_>>(), [1, 2]);
}
