//! Entries of a journal that were damaged are errors, whatever is wrong with their notes.

#[cfg(feature = "serde")]
use crate::common::{Driver, restored, restored_with, written};
use crate::common::{at, request};
use live_broker::*;
use sched_model::*;

fn node(id: u32, speed: f64, price: f64) -> Node {
    Node::must(id, speed, price)
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

/// Takes the last entry after those before it, and says what the audit finds then.
fn take(
    journal: &[Entry],
    by: fn(&mut Broker, &Entry) -> Result<(), BrokerError>,
) -> Result<Vec<String>, BrokerError> {
    let mut broker = Broker::new(Config::new(Span::must(100.0))).unwrap();
    let (last, before) = journal.split_last().unwrap();
    for entry in before {
        broker.replay(entry).unwrap();
    }
    by(&mut broker, last).map(|()| broker.audit())
}

#[test]
fn a_noted_window_that_is_not_what_the_job_asks_for_is_not_adopted() {
    let plain = request(2, 10.0);
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
        assert_eq!(take(&entries, Broker::adopt), Ok(Vec::new()));
        let note = entries.last_mut().unwrap().cycle.as_mut().unwrap();
        note.placed[0].window = Window::new(at(start), placements.to_vec()).unwrap();
        let outcome = take(&entries, Broker::adopt);
        assert!(matches!(outcome, Err(BrokerError::Damaged(_))), "case {case}: {outcome:?}");
    }
    let mut entries = journal(plain, 0.0);
    entries[4].cycle.as_mut().unwrap().placed[0].job = JobId(77);
    for by in [Broker::replay, Broker::adopt] {
        assert!(matches!(take(&entries, by), Err(BrokerError::Damaged(_))));
    }
}

#[test]
fn a_noted_cycle_of_a_fact_is_an_error_and_changes_nothing() {
    let mut entries = journal(request(1, 10.0), 0.0);
    entries[0].cycle = entries[4].cycle.clone();
    assert!(entries[0].cycle.is_some());
    let mut broker = Broker::new(Config::new(Span::must(100.0))).unwrap();
    for by in [Broker::replay, Broker::adopt] {
        assert!(matches!(by(&mut broker, &entries[0]), Err(BrokerError::Damaged(_))));
    }
    assert_eq!(broker.nodes().count(), 0);
    // And one out of turn is.
    assert!(matches!(broker.replay(&entries[1]), Err(BrokerError::Damaged(_))));
    entries[0].cycle = None;
    assert_eq!(broker.replay(&entries[0]), Ok(()));
}

/// Another end than that of the cycle repeated; a signal that stopped nothing would lead to another state.
#[test]
fn another_end_of_a_cycle_is_an_error() {
    let mut entries = journal(request(1, 10.0), 0.0);
    assert_eq!(take(&entries, Broker::replay), Ok(Vec::new()));
    for end in [End::Work, End::Signal] {
        entries[4].cycle.as_mut().unwrap().end = end;
        assert!(matches!(take(&entries, Broker::replay), Err(BrokerError::Damaged(_))), "{end}");
    }
}

/// Of one node: job 1 is started, job 2 is promised the time after it, job 3 waits; twice it is blocked.
#[cfg(feature = "serde")]
#[test]
fn a_state_that_contradicts_itself_is_not_restored() {
    use serde_json::{Value, json};
    let mut driver = Driver::new(Config::new(Span::must(100.0)), &[1.0]);
    for (from, until) in [(50.0, 60.0), (70.0, 80.0)] {
        driver.tell(0.0, Input::Blocked { node: NodeId(1), from: at(from), until: at(until) });
    }
    driver.submit(0.0, 1, request(1, 10.0));
    driver.submit(0.0, 2, request(1, 10.0));
    driver.decided(0.0);
    driver.submit(0.0, 3, request(1, 10.0));
    assert!(restored(&written(&driver.0)).is_ok());
    assert!(restored_with(&driver.0, "/nodes", json!([])).is_err());
    let mut wrong: Vec<(String, Value)> = Vec::new();
    // A window of another length, charge or speed.
    for (at, phase) in [(0, "started"), (1, "promised")] {
        for (field, other) in [("end", 25.0), ("cost", 9.0), ("speed", 2.0), ("price", 2.0)] {
            let place = format!("/jobs/{at}/phase/{phase}/window/placements/0/{field}");
            wrong.push((place, json!(other)));
        }
    }
    // Blocked times that end before they begin, touch, or are not in order.
    for blocked in [
        [[50, 40], [70, 80]],
        [[50, 60], [70, -1]],
        [[50, 50], [70, 80]],
        [[50, 70], [70, 80]],
        [[50, 75], [70, 80]],
        [[70, 80], [50, 60]],
    ] {
        wrong.push(("/nodes/0/blocked".to_owned(), json!(blocked)));
    }
    // A job that is over is known by its identifier alone.
    wrong.extend([1, 2, 3].map(|job| ("/over".to_owned(), json!([[job, job]]))));
    for (place, other) in wrong {
        let outcome = restored_with(&driver.0, &place, other);
        assert!(matches!(outcome, Err(BrokerError::Damaged(_))), "{place}: {outcome:?}");
    }
}
