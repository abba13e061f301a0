//! Entries of a journal that were damaged are errors, whatever is wrong with their notes.

use live_broker::*;
use sched_model::*;

fn at(time: f64) -> Time {
    Time::must(time)
}

fn node(id: u32, speed: f64, price: f64) -> Node {
    Node::new(NodeId(id), Speed::must(speed), Price::must(price))
}

fn placement(node: Node, end: f64, cost: f64) -> Placement {
    Placement { node: node.id, speed: node.speed, price: node.price, end: at(end), cost: Money::must(cost) }
}

/// Three nodes and one job; the journal up to the cycle that places the job.
fn journal(request: ResourceRequest, submit: f64) -> Vec<Entry> {
    let mut broker = Broker::new(Config::new(Span::must(100.0))).unwrap();
    let inputs = [
        Input::NodeAdded(node(1, 1.0, 1.0)),
        Input::NodeAdded(node(2, 1.0, 1.0)),
        Input::NodeAdded(node(3, 0.5, 1.0)),
        Input::Submit(Job::new(JobId(1), request).with_submit(at(submit))),
        Input::Wake,
    ];
    inputs.into_iter().map(|input| broker.handle_noted(at(0.0), input, None).unwrap()).collect()
}

/// Whether the last entry can be adopted, and what the audit says then.
fn adopt(journal: &[Entry]) -> Result<Vec<String>, BrokerError> {
    let mut broker = Broker::new(Config::new(Span::must(100.0))).unwrap();
    let (last, before) = journal.split_last().unwrap();
    for entry in before {
        broker.adopt(entry).unwrap();
    }
    broker.adopt(last).map(|()| broker.audit())
}

#[test]
fn a_noted_window_that_is_not_what_the_job_asks_for_is_not_adopted() {
    let plain = ResourceRequest::new(2, Work::must(10.0)).unwrap();
    let whole = [placement(node(1, 1.0, 1.0), 10.0, 10.0), placement(node(2, 1.0, 1.0), 10.0, 10.0)];
    let slow = [whole[0], placement(node(3, 0.5, 1.0), 20.0, 20.0)];
    let damaged: [(ResourceRequest, f64, f64, &[Placement]); 12] = [
        (plain, 0.0, 0.0, &whole[..1]),
        (plain.with_min_speed(Speed::ETALON), 0.0, 0.0, &slow),
        (plain.with_budget(Money::must(25.0)), 0.0, 0.0, &slow),
        (plain.with_deadline(at(15.0)), 0.0, 0.0, &slow),
        (plain, 5.0, 0.0, &whole),
        (plain.with_price_limit(Price::must(1.0)), 0.0, 85.0, &[placement(node(1, 1.0, 1.0), 95.0, 10.0)]),
        // Too short, too long by the last bit, too cheap, at another price, at another speed, on one node
        // twice.
        (plain, 0.0, 0.0, &[whole[0], placement(node(2, 1.0, 1.0), 9.0, 10.0)]),
        (plain, 0.0, 0.0, &[whole[0], placement(node(2, 1.0, 1.0), 10f64.next_up(), 10.0)]),
        (plain, 0.0, 0.0, &[whole[0], placement(node(2, 1.0, 1.0), 10.0, 10f64.next_down())]),
        (plain, 0.0, 0.0, &[whole[0], placement(node(2, 1.0, 0.5), 10.0, 5.0)]),
        (plain, 0.0, 0.0, &[whole[0], placement(node(2, 2.0, 1.0), 5.0, 5.0)]),
        (plain, 0.0, 0.0, &[whole[0], placement(node(9, 1.0, 1.0), 10.0, 10.0)]),
    ];
    for (case, (request, submit, start, placements)) in damaged.into_iter().enumerate() {
        let mut entries = journal(request, submit);
        assert_eq!(adopt(&entries), Ok(Vec::new()));
        let note = entries.last_mut().unwrap().cycle.as_mut().unwrap();
        note.placed[0].window = Window::new(at(start), placements.to_vec()).unwrap();
        let outcome = adopt(&entries);
        assert!(matches!(outcome, Err(BrokerError::Damaged(_))), "case {case}: {outcome:?}");
    }
}

#[test]
fn a_noted_cycle_of_a_fact_is_an_error_and_changes_nothing() {
    let mut entries = journal(ResourceRequest::new(1, Work::must(10.0)).unwrap(), 0.0);
    let note = entries[4].cycle.clone();
    assert!(note.is_some());
    entries[0].cycle = note;
    let mut broker = Broker::new(Config::new(Span::must(100.0))).unwrap();
    assert!(matches!(broker.replay(&entries[0]), Err(BrokerError::Damaged(_))));
    assert!(matches!(broker.adopt(&entries[0]), Err(BrokerError::Damaged(_))));
    assert_eq!(broker.nodes().count(), 0);
    entries[0].cycle = None;
    assert_eq!(broker.replay(&entries[0]), Ok(()));
}

#[test]
fn another_end_than_that_of_the_cycle_repeated_is_an_error() {
    let mut entries = journal(ResourceRequest::new(1, Work::must(10.0)).unwrap(), 0.0);
    let mut broker = Broker::new(Config::new(Span::must(100.0))).unwrap();
    for entry in &entries[..4] {
        broker.replay(entry).unwrap();
    }
    let mut twin = broker.clone();
    assert_eq!(twin.replay(&entries[4]), Ok(()));
    entries[4].cycle.as_mut().unwrap().end = End::Work;
    assert!(matches!(broker.replay(&entries[4]), Err(BrokerError::Damaged(_))));
}

/// A cycle that was complete, said to have been stopped by a signal: its state would be another one.
#[test]
fn a_signal_that_stopped_nothing_is_an_error() {
    let mut entries = journal(ResourceRequest::new(1, Work::must(10.0)).unwrap(), 0.0);
    let mut broker = Broker::new(Config::new(Span::must(100.0))).unwrap();
    for entry in &entries[..4] {
        broker.replay(entry).unwrap();
    }
    entries[4].cycle.as_mut().unwrap().end = End::Signal;
    assert!(matches!(broker.replay(&entries[4]), Err(BrokerError::Damaged(_))));
}

/// A state whose promise or whose running job has a window of another length, charge or speed.
#[cfg(feature = "serde")]
#[test]
fn a_state_with_windows_that_do_not_fit_is_not_restored() {
    let mut broker = Broker::new(Config::new(Span::must(100.0))).unwrap();
    broker.handle(at(0.0), Input::NodeAdded(node(1, 1.0, 1.0))).unwrap();
    for id in [1, 2] {
        let job = Job::new(JobId(id), ResourceRequest::new(1, Work::must(10.0)).unwrap());
        broker.handle(at(0.0), Input::Submit(job)).unwrap();
    }
    broker.handle(at(0.0), Input::Wake).unwrap();
    let value = serde_json::to_value(broker.snapshot()).unwrap();
    let restore = |value: serde_json::Value| Broker::restore(serde_json::from_value(value).unwrap());
    assert!(restore(value.clone()).is_ok());
    for (at, phase) in [(0, "started"), (1, "promised")] {
        for (field, other) in [("end", 25.0), ("cost", 9.0), ("speed", 2.0), ("price", 2.0)] {
            let mut damaged = value.clone();
            let placement = &mut damaged["jobs"][at]["phase"][phase]["window"]["placements"][0];
            assert!(placement[field].is_number(), "{placement}");
            placement[field] = other.into();
            let outcome = restore(damaged);
            assert!(matches!(outcome, Err(BrokerError::Damaged(_))), "{phase} {field}: {outcome:?}");
        }
    }
}

/// Times in which a node is blocked that end before they begin, touch, or are not in order.
#[cfg(feature = "serde")]
#[test]
fn a_state_with_blocked_times_out_of_order_is_not_restored() {
    let mut broker = Broker::new(Config::new(Span::must(100.0))).unwrap();
    broker.handle(at(0.0), Input::NodeAdded(node(1, 1.0, 1.0))).unwrap();
    for (from, until) in [(10.0, 20.0), (30.0, 40.0)] {
        broker.handle(at(0.0), Input::Blocked { node: NodeId(1), from: at(from), until: at(until) }).unwrap();
    }
    let value = serde_json::to_value(broker.snapshot()).unwrap();
    assert_eq!(value["nodes"][0]["blocked"], serde_json::json!([[10.0, 20.0], [30.0, 40.0]]));
    let restore = |blocked: [[f64; 2]; 2]| {
        let mut damaged = value.clone();
        damaged["nodes"][0]["blocked"] = serde_json::json!(blocked);
        Broker::restore(serde_json::from_value(damaged).unwrap())
    };
    assert!(restore([[10.0, 20.0], [30.0, 40.0]]).is_ok());
    for blocked in [
        [[10.0, 0.0], [30.0, 40.0]],
        [[10.0, 20.0], [30.0, -1.0]],
        [[10.0, 10.0], [30.0, 40.0]],
        [[10.0, 30.0], [30.0, 40.0]],
        [[10.0, 35.0], [30.0, 40.0]],
        [[30.0, 40.0], [10.0, 20.0]],
    ] {
        assert!(matches!(restore(blocked), Err(BrokerError::Damaged(_))), "{blocked:?}");
    }
}
