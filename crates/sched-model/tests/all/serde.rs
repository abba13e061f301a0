//! Written values are read back, and values that constructors refuse are also refused when read.

#![cfg(feature = "serde")]

use sched_model::*;
use serde::{Serialize, de::DeserializeOwned};

fn round_trip<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
}

fn refused<T: DeserializeOwned + std::fmt::Debug>(text: &str, because: &str) {
    let error = serde_json::from_str::<T>(text).unwrap_err().to_string();
    assert!(error.contains(because), "{error}");
}

fn slot() -> Slot {
    let node = Node::must(3, 1.5, 2.0);
    Slot::new(node, Time::must(-1.0), Time::must(8.5)).unwrap()
}

#[test]
fn round_trips() {
    let request =
        ResourceRequest::must(2, 60.0).with_price_limit(Price::must(2.0)).with_deadline(Time::must(9.0));
    let job = Job::new(JobId(1), request).with_trade_off(TradeOff::must(0.25));
    let window = Window::new(Time::ZERO, vec![Placement::on(&slot(), Time::ZERO, Span::must(4.0))]).unwrap();
    let mut schedule: Schedule = Schedule::default();
    schedule.place(JobId(1), window.clone()).unwrap();
    schedule.refuse(JobId(2), Refusal::Budget { short_by: Money::must(3.0) }).unwrap();
    schedule.refuse(JobId(3), Refusal::NoCapacity).unwrap();
    round_trip(&SlotList::new(vec![slot()]).unwrap());
    round_trip(&request);
    round_trip(&Batch::new(vec![job]).unwrap());
    round_trip(&window);
    round_trip(&schedule);
    round_trip(&User::new(UserId(1), "ann").with_qos(Qos::must(2.0)));
    round_trip(&Occupied::new(NodeId(1), Time::ZERO, Time::must(1.0)).unwrap());
    round_trip(&EtcMatrix::from_rows(&[[1.0, 2.0]]).unwrap());
    let machine = Machine::new(MachineId(1), 4, Speed::ETALON, Price::ZERO).unwrap();
    round_trip(&machine.with_mean_time_to_failure(Span::must(5.0)));
    round_trip(&Site::new(SiteId(1), "here", vec![machine]).unwrap().with_bandwidth(Bandwidth::must(9.0)));
    round_trip(&vec![
        check::Violation::NotFree { node: NodeId(1), start: Time::ZERO, end: Time::must(4.0) },
        check::Violation::WrongCount { needed: 2, placed: 1 },
    ]);
    round_trip(&Outcome::stopped(Some((4, 2.5)), Some(2.0), 7, End::Signal));
}

#[test]
fn what_is_not_asked_for_is_not_written() {
    let request = ResourceRequest::must(2, 60.0);
    assert_eq!(serde_json::to_string(&request).unwrap(), r#"{"nodes":2,"work":60.0,"input":0.0}"#);
    let fast = serde_json::to_string(&request.with_min_speed(Speed::ETALON)).unwrap();
    assert!(fast.contains(r#""min_speed":1.0"#), "{fast}");
}

#[test]
fn optional_fields_may_be_left_out() {
    let job: Job = serde_json::from_str(r#"{"id": 5, "request": {"nodes": 2, "work": 30}}"#).unwrap();
    assert_eq!(job, Job::new(JobId(5), ResourceRequest::must(2, 30.0)));
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
    refused::<Window>(r#"{"start": 0, "placements": []}"#, "placements of a window");
    refused::<EtcMatrix>(r#"{"rows": 2, "cols": 2, "values": [1, 2, 3]}"#, "needs 2 * 2 values");
    let job = r#"{"id": 5, "request": {"nodes": 2, "work": 30}}"#;
    refused::<Batch>(&format!("[{job}, {job}]"), "job 5 is twice in the batch");
    refused::<Machine>(r#"{"id": 1, "cpus": 0, "speed": 1, "price": 1}"#, "cpus of a machine");
    refused::<Site>(r#"{"id": 1, "name": "x", "machines": []}"#, "machines of a site");
}
