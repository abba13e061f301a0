//! Serialized values are deserialized unchanged, and values that constructors refuse are refused there too.

use crate::time;
use sched_model::*;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The text of a value, from which the same value is read.
fn written<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) -> String {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
    text
}

fn refused<T: DeserializeOwned + std::fmt::Debug>(text: &str, because: &str) {
    let error = serde_json::from_str::<T>(text).unwrap_err().to_string();
    assert!(error.contains(because), "{error}");
}

/// Slots of nodes 1 and 2 and of node 3, up to 8.5.
fn list() -> SlotList {
    let slot = |id| Slot::new(Node::must(id, 1.5, 2.0), Time::must(-1.0), Time::must(8.5)).unwrap();
    SlotList::new([1, 2, 3].map(slot).to_vec()).unwrap()
}

#[test]
fn values_are_read_as_they_were_written() {
    let request = ResourceRequest::must(2, 60.0).with_price_limit(Price::must(2.0));
    let request = request.with_deadline(Time::must(9.0));
    let job = Job::new(JobId(1), request.clone()).with_trade_off(TradeOff::must(0.25));
    written(&Batch::new(vec![job]).unwrap());
    let demands = r#"{"all_of":["gpu"],"none_of":[],"at_least":{}}"#;
    let demanding = written(&request.with_demands(Demands::default().with_label("gpu")));
    assert!(demanding.ends_with(&format!(r#","demands":{demands}}}"#)), "{demanding}");
    written(&Occupied::must(1, 0.0, 1.0));
    written(&EtcMatrix::from_rows(&[[1.0, 2.0]]).unwrap());
    let machine = Machine::new(MachineId(1), 4, Speed::ETALON, Price::must(0.0)).unwrap();
    written(&machine.with_mean_time_to_failure(Span::must(5.0)));
    written(&vec![
        check::Violation::NotFree { node: NodeId(1), start: Time::ZERO, end: Time::must(4.0) },
        check::Violation::WrongCount { needed: 2, placed: 1 },
    ]);
    written(&Outcome::stopped(Some((4, 2.5)), Some(2.0), 7, End::Signal));
    let mut profile = Profile::new(4, Time::ZERO);
    profile.reserve(Time::must(2.0), Time::must(3.0), 1).unwrap();
    assert_eq!(written(&profile), r#"{"cpus":4,"steps":[[0.0,4],[2.0,3],[3.0,4]]}"#);
}

#[test]
fn what_is_not_there_is_not_written_and_may_be_left_out() {
    let request = ResourceRequest::must(2, 60.0);
    assert_eq!(written(&request), r#"{"nodes":2,"work":60.0,"input":0.0}"#);
    assert!(written(&request.with_min_speed(Speed::ETALON)).contains(r#""min_speed":1.0"#));
    let job: Job = serde_json::from_str(r#"{"id": 5, "request": {"nodes": 2, "work": 30}}"#).unwrap();
    assert_eq!(job, Job::new(JobId(5), ResourceRequest::must(2, 30.0)));
    assert_eq!(serde_json::from_str::<Tariff>("{}").unwrap(), Tariff::default());
    assert_eq!(serde_json::from_str::<Demands>("{}").unwrap(), Demands::default());

    assert!(written(&list()).starts_with('['));
    // A seam is written if the slots do not show it.
    let slot = |start, end| Slot::new(Node::must(1, 1.0, 2.0), time(start), time(end)).unwrap();
    let mut touching = SlotList::new(vec![slot(0, 10), slot(10, 20)]).unwrap();
    assert!(written(&touching).starts_with('['));
    assert_eq!(touching.block(NodeId(1), time(5)..time(10)), [slot(5, 10)]);
    assert!(written(&touching).starts_with(r#"{"seams":[[1,10.0]],"slots":["#));
    let minutes = Tariff::default().with_digits(2, Rounding::Up).with_increment(Span::must(60.0)).unwrap();
    let text = written(&list().with_tariff(minutes));
    let tariff = r#"{"tariff":{"digits":2,"rounding":"up","increment":60.0},"slots":["#;
    assert!(text.starts_with(tariff), "{text}");
    let fee = minutes.with_entry_fee(Money::must(3.0)).unwrap();
    written(&fee.with_least_charge(Money::must(9.0)).unwrap());

    let gpu = || Features::default().with_label("gpu").with_amount("memory", 64.0).unwrap();
    let features = [(NodeId(1), gpu()), (NodeId(3), gpu()), (NodeId(9), Features::default())];
    let text = written(&list().with_features(features).unwrap());
    let kinds = r#"{"nodes":[1,3],"features":{"labels":["gpu"],"amounts":{"memory":64.0}}}"#;
    assert!(text.contains(kinds) && !text.contains("tariff") && !text.contains("kind"), "{text}");
    let read: SlotList = serde_json::from_str(&text).unwrap();
    let eligible = read.eligible(&Demands::default().with_label("gpu"));
    assert_eq!(read.iter().filter(|slot| eligible.allows(slot)).count(), 2);
}

#[test]
fn reading_validates() {
    refused::<Span>("-1", "Span must be finite, at least 0");
    refused::<Time>("1e300", "Time must be finite");
    refused::<TradeOff>("1.5", "at most 1");
    refused::<ResourceRequest>(r#"{"nodes": 0, "work": 30}"#, "must be at least 1");
    refused::<ResourceRequest>(r#"{"nodes": 1, "work": 0}"#, "work of a request");
    refused::<ResourceRequest>(r#"{"nodes": 1, "work": 1, "buget": 3}"#, "unknown field `buget`");
    refused::<Slot>(r#"{"node":1,"speed":1,"price":1,"start":5,"end":5}"#, "must end after it starts");
    let two = |first: &str, second: &str| {
        let slot = |interval| format!(r#"{{"node":1,"speed":1,"price":1,{interval}}}"#);
        format!("[{}, {}]", slot(first), slot(second))
    };
    refused::<SlotList>(&two(r#""start":5,"end":6"#, r#""start":1,"end":2"#), "stands before");
    refused::<SlotList>(&two(r#""start":1,"end":6"#, r#""start":5,"end":8"#), "overlap");
    refused::<SlotList>(r#"{"slots": [{"node": 1}]}"#, "missing field");
    refused::<SlotList>("3", "a list of slots");
    refused::<Tariff>(r#"{"digits": 10}"#, "the digits of a tariff");
    refused::<Tariff>(r#"{"increment": 0}"#, "billing increment");
    refused::<Tariff>(r#"{"entry_fee": -1}"#, "entry fee");
    refused::<Tariff>(r#"{"rounding": "down"}"#, "expected one of: up, nearest");
    refused::<Tariff>(r#"{"fee": 1}"#, "unknown field");
    refused::<Features>(r#"{"amounts": {"memory": -1}}"#, "an amount of a node");
    refused::<Profile>(r#"{"cpus":4,"steps":[[0.0,5]]}"#, "");
    refused::<Window>(r#"{"start": 0, "placements": []}"#, "placements of a window");
    refused::<EtcMatrix>(r#"{"rows": 2, "cols": 2, "values": [1, 2, 3]}"#, "needs 2 * 2 values");
    let job = r#"{"id": 5, "request": {"nodes": 2, "work": 30}}"#;
    refused::<Batch>(&format!("[{job}, {job}]"), "job 5 is twice in the batch");
    refused::<Machine>(r#"{"id": 1, "cpus": 0, "speed": 1, "price": 1}"#, "cpus of a machine");
}

/// `T::deserialize` is the function of the trait, which checks: no function of the type itself comes before it.
#[test]
fn reading_by_the_name_of_the_type_validates() {
    let json = |text| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert!(Window::deserialize(json(r#"{"start": 0, "placements": []}"#)).is_err());
    assert!(ResourceRequest::deserialize(json(r#"{"nodes": 0, "work": 30}"#)).is_err());
    assert!(Occupied::deserialize(json(r#"{"node": 1, "start": 5, "end": 5}"#)).is_err());
    let error = Slot::deserialize(json("3")).unwrap_err().to_string();
    assert_eq!(error, "invalid type: integer `3`, expected struct Slot");
}
