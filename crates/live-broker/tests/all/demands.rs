//! Jobs that demand labels, amounts, places and starts: what they get, and why not.

use crate::common::{Driver, at, plain, request, starts};
use live_broker::*;
use sched_model::*;
use slot_window::explain::Suggestion;

/// Nodes of speed 1, numbered from 1, of these prices and with these labels and memory.
fn driver(nodes: &[(f64, &[&str], f64)]) -> Driver {
    let mut driver = Driver::new(plain(), &[]);
    for (id, &(price, labels, memory)) in (1..).zip(nodes) {
        let features = labels.iter().fold(Features::new(), |all, label| all.with_label(*label));
        let features = features.with_amount("memory", memory).unwrap();
        let node = Node::must(id, 1.0, price);
        driver.tell(0.0, Input::NodeAdded { node, features });
    }
    driver
}

fn submit(driver: &mut Driver, now: f64, id: u64, request: ResourceRequest, demands: Demands) {
    driver.tell(now, Input::from(Job::new(JobId(id), request.with_demands(demands))));
}

fn nodes_of(driver: &Driver, id: u64) -> Vec<u32> {
    driver.0.job(JobId(id)).unwrap().window.unwrap().nodes().map(|node| node.0).collect()
}

const RACKS: [(f64, &[&str], f64); 4] = [
    (1.0, &["rack=a"], 16.0),
    (2.0, &["rack=b", "gpu"], 64.0),
    (3.0, &["rack=a", "gpu"], 16.0),
    (4.0, &[], 8.0),
];

#[test]
fn what_is_missing_is_named() {
    let mut driver = driver(&RACKS);
    let none = Demands::new;
    let say = |driver: &mut Driver, id, nodes, demands| {
        submit(driver, 0.0, id, request(nodes, 10.0), demands);
        driver.wake(0.0);
        driver.0.explain(JobId(id)).unwrap()
    };
    let why = say(&mut driver, 1, 3, none().with_label("gpu").with_at_least("memory", 10.0).unwrap());
    assert_eq!(why.refusal.as_ref().unwrap().code(), "missing");
    assert_eq!((why.nodes.missing, why.nodes.usable), (2, 2));
    let lifted = Suggestion::LiftLabel("gpu".to_owned());
    assert_eq!(why.suggestions, [Suggestion::Nodes(2), lifted]);
    assert!(why.to_string().ends_with("\nwould have a window with nodes without gpu too"), "{why}");
    let told = "needs 3 nodes with gpu, only 2 such; 2 of 4 nodes usable; 2 without what it demands";
    assert!(why.to_string().starts_with(told), "{why}");
    let why = say(&mut driver, 2, 3, none().with_pack("rack"));
    assert!(why.to_string().starts_with("needs 3 nodes with one value of rack, only 2 such"), "{why}");
}

#[test]
fn a_start_that_is_fixed_is_kept_or_passes() {
    let mut driver = driver(&RACKS[..2]);
    let start = |start| Demands::new().with_start(at(start));
    submit(&mut driver, 0.0, 1, request(2, 10.0), start(5.0));
    submit(&mut driver, 0.0, 2, request(1, 10.0), start(8.0));
    submit(&mut driver, 0.0, 3, request(1, 4.0), Demands::new().with_not_before(at(3.0)));
    driver.wake(0.0);
    assert_eq!((driver.start_of(1), driver.start_of(3)), (5.0, 15.0));
    assert_eq!(driver.0.standing(JobId(2)), Some(Standing::Waiting));
    assert_eq!(driver.0.explain(JobId(2)).unwrap().estimated_start, None);
    driver.wake(5.0);
    // At the start itself a node may yet become free.
    driver.tell(8.0, Input::Released { job: JobId(1), node: NodeId(2) });
    assert_eq!(starts(&driver.wake(8.0)), [2]);
    driver.tell(9.0, Input::Failed { job: JobId(2), node: Some(NodeId(2)) });
    driver.wake(9.0);
    assert_eq!(driver.0.standing(JobId(2)), Some(Standing::Over), "its only start has passed");
    submit(&mut driver, 10.0, 4, request(1, 1.0), start(20.0).with_label("none"));
    driver.wake(10.0);
    driver.wake(20.0);
    assert_eq!(driver.0.standing(JobId(4)), Some(Standing::Waiting));
    let next = driver.0.next_wakeup().unwrap();
    assert!(next > at(20.0) && next <= at(20.0_f64.next_up()), "{next}");
    let acts = driver.wake(next.get());
    let refused = Act::Refuse { job: JobId(4), reason: Reason::StartPassed };
    assert!(acts.contains(&refused), "{acts:?}");
    let far = Job::new(JobId(9), request(1, 1.0).with_demands(start(1e60)));
    assert!(matches!(driver.0.handle(next, Input::from(far)), Err(BrokerError::OutOfRange { .. })));
}

/// A job continues on its other node when a node that it has released leaves and another machine joins with
/// the same id.
#[test]
fn a_released_node_may_come_again_as_another() {
    let mut driver = driver(&RACKS[1..3]);
    submit(&mut driver, 0.0, 1, request(2, 10.0), Demands::new().with_label("gpu"));
    driver.wake(0.0);
    driver.tell(1.0, Input::NodeRemoved(NodeId(1)));
    driver.tell(1.0, Input::Released { job: JobId(1), node: NodeId(1) });
    driver.tell(2.0, Input::from(Node::must(1, 4.0, 1.0)));
    driver.serve(2.0, &[(2, 10.0)]);
    assert_eq!((driver.start_of(2), nodes_of(&driver, 2)), (2.0, vec![1]));
    driver.tell(10.0, Input::Ended(JobId(1)));
}

/// Measured times, where they are given, and as much of them as of the work after an eviction.
#[test]
fn measured_times_count() {
    let mut driver = driver(&RACKS[..2]);
    let measured =
        Demands::new().with_spans([(NodeId(1), Span::must(40.0)), (NodeId(2), Span::must(8.0))]).unwrap();
    submit(&mut driver, 0.0, 1, request(2, 10.0), measured);
    driver.wake(0.0);
    let ends = |driver: &Driver| {
        let window = driver.0.job(JobId(1)).unwrap().window.unwrap();
        window.placements().iter().map(|place| (place.end - window.start()).get()).collect::<Vec<_>>()
    };
    assert_eq!(ends(&driver), [40.0, 8.0]);
    driver.tell(5.0, Input::Evicted { job: JobId(1), done: Work::must(7.5) });
    driver.wake(5.0);
    assert_eq!(ends(&driver), [10.0, 2.0]);
}
