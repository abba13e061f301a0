//! Entries of a journal that were damaged are errors, whatever is wrong with their notes. Snapshots are damaged by the
//! histories.

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
