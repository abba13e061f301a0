//! Entries of a journal are repeated, or are errors if they were damaged, whatever is wrong with their notes. Snapshots
//! are damaged by the histories.

use crate::common::{at, request};
use live_broker::*;
use sched_model::*;
use std::sync::atomic::{AtomicU64, Ordering};

fn placement(node: u32, (speed, price): (f64, f64), end: f64, cost: f64) -> Placement {
    let Node { id, speed, price, .. } = Node::must(node, speed, price);
    Placement { node: id, speed, price, end: at(end), cost: Money::must(cost) }
}

fn broker() -> Broker {
    Broker::new(Config::new(Span::must(100.0))).unwrap()
}

/// Three nodes and one job; the journal up to the cycle that places the job.
fn journal(request: ResourceRequest, submit: f64) -> Vec<Entry> {
    let mut broker = broker();
    let inputs = [
        Input::from(Node::must(1, 1.0, 1.0)),
        Input::from(Node::must(2, 1.0, 1.0)),
        Input::from(Node::must(3, 0.5, 1.0)),
        Input::from(Job::new(JobId(1), request).with_submit(at(submit))),
        Input::Wake,
    ];
    inputs.into_iter().map(|input| broker.handle_noted(at(0.0), input, None).unwrap()).collect()
}

/// Takes the last entry after those before it, and says what the audit finds then.
fn take(
    journal: &[Entry],
    by: fn(&mut Broker, &Entry) -> Result<(), BrokerError>,
) -> Result<Vec<String>, BrokerError> {
    let mut broker = broker();
    let (last, before) = journal.split_last().unwrap();
    for entry in before {
        broker.replay(entry).unwrap();
    }
    by(&mut broker, last).map(|()| broker.audit())
}

#[test]
fn a_noted_window_that_is_not_what_the_job_asks_for_is_not_adopted() {
    let (plain, usual) = (request(2, 10.0), (1.0, 1.0));
    let first = placement(1, usual, 10.0, 10.0);
    let beside = |other: Placement| vec![first, other];
    let slow = placement(3, (0.5, 1.0), 20.0, 20.0);
    let whole = beside(placement(2, usual, 10.0, 10.0));
    let damaged = [
        (plain.clone(), 0.0, 0.0, vec![first]),
        (plain.clone().with_min_speed(Speed::ETALON), 0.0, 0.0, beside(slow)),
        (plain.clone().with_budget(Money::must(25.0)), 0.0, 0.0, beside(slow)),
        (plain.clone().with_deadline(at(15.0)), 0.0, 0.0, beside(slow)),
        (plain.clone(), 5.0, 0.0, whole.clone()),
        (plain.clone().with_price_limit(Price::must(1.0)), 0.0, 85.0, vec![placement(1, usual, 95.0, 10.0)]),
        // Too short, too long by the last bit, too cheap, at another price, at another speed, on no node.
        (plain.clone(), 0.0, 0.0, beside(placement(2, usual, 9.0, 10.0))),
        (plain.clone(), 0.0, 0.0, beside(placement(2, usual, 10f64.next_up(), 10.0))),
        (plain.clone(), 0.0, 0.0, beside(placement(2, usual, 10.0, 10f64.next_down()))),
        (plain.clone(), 0.0, 0.0, beside(placement(2, (1.0, 0.5), 10.0, 5.0))),
        (plain.clone(), 0.0, 0.0, beside(placement(2, (2.0, 1.0), 5.0, 5.0))),
        (plain, 0.0, 0.0, beside(placement(9, usual, 10.0, 10.0))),
    ];
    for (case, (request, submit, start, placements)) in damaged.into_iter().enumerate() {
        let mut entries = journal(request, submit);
        assert_eq!(take(&entries, Broker::adopt), Ok(Vec::new()));
        let note = entries.last_mut().unwrap().cycle.as_mut().unwrap();
        note.placed[0].window = Window::new(at(start), placements).unwrap();
        let outcome = take(&entries, Broker::adopt);
        assert!(matches!(outcome, Err(BrokerError::Damaged(_))), "case {case}: {outcome:?}");
    }
}

/// Another job; another end than that of the cycle repeated, where a signal that stopped nothing would lead to another
/// state; the cycle of a fact.
#[test]
fn a_note_of_another_cycle_is_an_error_and_changes_nothing() {
    let journal = journal(request(1, 10.0), 0.0);
    assert_eq!(take(&journal, Broker::replay), Ok(Vec::new()));
    let is_damaged = |change: &dyn Fn(&mut CycleNote), by| {
        let mut entries = journal.clone();
        change(entries[4].cycle.as_mut().unwrap());
        assert!(matches!(take(&entries, by), Err(BrokerError::Damaged(_))));
    };
    is_damaged(&|note| note.placed[0].job = JobId(77), Broker::adopt);
    is_damaged(&|note| note.placed[0].job = JobId(77), Broker::replay);
    is_damaged(&|note| note.end = End::Work, Broker::replay);
    is_damaged(&|note| note.end = End::Signal, Broker::replay);
    let (mut broker, mut first) = (broker(), journal[0].clone());
    first.cycle = journal[4].cycle.clone();
    assert!(matches!(broker.replay(&first), Err(BrokerError::Damaged(_))));
    assert!(matches!(broker.adopt(&first), Err(BrokerError::Damaged(_))));
    assert_eq!(broker.nodes().count(), 0);
    // And one out of turn.
    assert!(matches!(broker.replay(&journal[1]), Err(BrokerError::Damaged(_))));
    assert_eq!(broker.replay(&journal[0]), Ok(()));
}

/// Job 0 finds that one node is too few for two tasks, so that job 1 takes no work; job 2 is stopped before its
/// first unit. The work alone does not tell which of them was reached.
#[test]
fn what_a_signal_stopped_after_a_job_without_work_is_repeated() {
    for stop_after in 0..6 {
        let (mut broker, mut twin) = (broker(), broker());
        let asked = AtomicU64::new(0);
        let signal = StopSignal::when(move || asked.fetch_add(1, Ordering::Relaxed) >= stop_after);
        let submit = |id, nodes| Input::from(Job::new(JobId(id), request(nodes, 10.0)));
        let node = Input::from(Node::must(0, 1.0, 1.0));
        for input in [node, submit(0, 2), submit(1, 2), submit(2, 1), Input::Wake] {
            let entry = broker.handle_noted(at(0.0), input, Some(&signal)).unwrap();
            twin.replay(&entry).unwrap();
        }
        assert_eq!(twin.snapshot(), broker.snapshot(), "stopped after {stop_after}");
        let note = broker.last_cycle().unwrap();
        let told = (note.without_window.len(), note.work, note.steps, note.end);
        assert!(stop_after != 2 || told == (2, 1, Some(3), End::Signal), "{told:?}");
    }
}

/// Fields that a job of a snapshot does not have are refused: nothing that was asked for is dropped in silence.
#[cfg(feature = "serde")]
#[test]
fn a_snapshot_with_demands_beside_a_job_is_refused() {
    let mut broker = broker();
    let request = request(1, 10.0).with_demands(Demands::new().with_label("gpu"));
    broker.handle(at(0.0), Input::from(Job::new(JobId(1), request))).unwrap();
    let text = serde_json::to_string(&broker.snapshot()).unwrap();
    assert_eq!(serde_json::from_str::<Snapshot>(&text).unwrap(), broker.snapshot());
    let demands = r#"{"all_of":["gpu"],"none_of":[],"at_least":{}}"#;
    let beside = text.replace(&format!(r#","demands":{demands}}}"#), "}");
    assert_ne!(beside, text);
    let beside = beside.replace(r#""asked":"#, &format!(r#""demands":{demands},"asked":"#));
    let error = serde_json::from_str::<Snapshot>(&beside).unwrap_err().to_string();
    assert!(error.contains("unknown field `demands`"), "{error}");
}
