//! Replay of journal entries: a damaged entry gives an error, whatever is wrong with its note. The
//! [histories](crate::histories) damage snapshots.

use crate::common::{Driver, at, request, state};
use live_broker::*;
use sched_model::*;

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
    inputs.into_iter().map(|input| broker.handle(at(0.0), input).unwrap()).collect()
}

/// Repeats the last entry after those before it, and says what the audit finds then.
fn repeat(journal: &[Entry]) -> Result<Vec<String>, BrokerError> {
    let mut broker = broker();
    for entry in journal {
        broker.replay(entry)?;
    }
    Ok(broker.audit())
}

/// Another job; another end than that of the cycle repeated, where a signal that stopped nothing would lead to another
/// state; the cycle of a fact.
#[test]
fn a_note_of_another_cycle_is_an_error_and_changes_nothing() {
    let journal = journal(request(1, 10.0), 0.0);
    assert_eq!(repeat(&journal), Ok(Vec::new()));
    let text = serde_json::to_string(&journal[4]).unwrap();
    let changes = [
        (r#""job":1"#, r#""job":77"#),
        (r#""cost":10.0"#, r#""cost":9.999999999999998"#),
        (r#""end":"done""#, r#""end":"work""#),
        (r#""end":"done""#, r#""end":"signal""#),
    ];
    for (part, other) in changes {
        let damaged = text.replacen(part, other, 1);
        assert_ne!(damaged, text, "there is no {part}");
        let mut entries = journal.clone();
        entries[4] = serde_json::from_str(&damaged).unwrap();
        assert!(matches!(repeat(&entries), Err(BrokerError::Damaged(_))), "{other}");
    }
    let (mut broker, mut first) = (broker(), journal[0].clone());
    first.cycle = journal[4].cycle.clone();
    assert!(matches!(broker.replay(&first), Err(BrokerError::Damaged(_))));
    assert_eq!(broker.nodes().count(), 0);
    // And one out of turn.
    assert!(matches!(broker.replay(&journal[1]), Err(BrokerError::Damaged(_))));
    assert_eq!(broker.replay(&journal[0]), Ok(()));
}

/// Counters that could not rise any further, a node or a job that is given twice, fields that a broker, its book
/// and its jobs do not have, and a job that stops another where none may.
#[cfg(feature = "serde")]
#[test]
fn a_snapshot_with_something_beyond_repeated_or_unknown_is_refused() {
    use serde_json::Value;
    let rule = Preemption { least_run: Span::ZERO, delay: Span::ZERO };
    let mut driver = Driver::new(Config::new(Span::must(100.0)).with_preemption(rule), &[1.0]);
    let job = |id| Job::new(JobId(id), request(1, 10.0));
    for (now, job) in [(0.0, job(7)), (1.0, job(8).with_priority(Priority::must(2.0)))] {
        driver.tell(now, job.into());
        driver.wake(now);
    }
    let state = state(&driver.0);
    let refused = |place: &str, change: fn(&mut Value), why: &str| {
        let mut state = state.clone();
        change(state.pointer_mut(place).unwrap());
        let error = serde_json::from_value::<Broker>(state).unwrap_err().to_string();
        assert!(error.contains(why), "{place}: {error}");
    };
    for counter in ["/inputs", "/book/gains", "/book/changes", "/next_decision"] {
        refused(counter, |of| *of = u64::MAX.into(), "beyond");
    }
    let twice = |list: &mut Value| *list = serde_json::json!([list[0], list[0]]);
    refused("/book/nodes", twice, &BrokerError::RepeatedNode(NodeId(1)).to_string());
    refused("/jobs", twice, &BrokerError::RepeatedJob(JobId(7)).to_string());
    refused("/over", |of| *of = serde_json::json!([[7, 8]]), "job 7 is over and still listed");
    refused("/config", |of| of["preemption"] = Value::Null, "no job may be");
    for place in ["", "/book", "/jobs/0"] {
        refused(
            place,
            |of| of["demands"] = serde_json::json!({"all_of": ["gpu"]}),
            "unknown field `demands`",
        );
    }
}
