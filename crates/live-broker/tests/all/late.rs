//! Promises on nodes that are not released in time: they are moved to windows in time before they are lost.

use crate::common::driver::{Driver, at, moves, request, starts};
use live_broker::*;
use sched_model::*;

/// Job 1 runs on node 1 until 100, and job 2 on node 2 until 101; job 3 is promised [100, 130) on node 1.
fn two_running(tolerance: f64) -> Driver {
    let config = Config::new(Span::must(1000.0)).with_tolerance(Span::must(tolerance));
    let mut driver = Driver::new(config, &[1.0; 2]);
    for (id, work) in [(1, 100.0), (2, 101.0), (3, 30.0)] {
        driver.submit(0.0, id, request(1, work));
        driver.wake(0.0);
    }
    assert_eq!(
        [1, 2, 3].map(|id| (driver.start_of(id), driver.node_of(id))),
        [(0.0, 1), (0.0, 2), (100.0, 1)]
    );
    driver
}

fn reservation(driver: &Driver) -> Option<PromiseState> {
    driver.0.job(JobId(3)).unwrap().reservation
}

fn degraded(late: bool) -> Option<PromiseState> {
    Some(PromiseState::Degraded { node: NodeId(1), expected: at(106.25), late })
}

/// At 100 job 1 is thought to need until 106.25. Node 2 is free, or will be.
#[test]
fn a_promise_that_would_be_late_is_moved_when_free_nodes_suffice() {
    for (node_2_is_free, moved_by) in [(true, 0.0), (false, 1.0)] {
        let mut driver = two_running(5.0);
        if node_2_is_free {
            driver.tell(60.0, Input::Ended(JobId(2)));
            driver.wake(60.0);
        }
        assert_eq!(reservation(&driver), Some(PromiseState::Confirmed));
        let acts = driver.wake(100.0);
        assert_eq!(moves(&acts), [(3, moved_by)]);
        let cause = acts.iter().find_map(|act| match act {
            Act::Move { cause, .. } => Some(*cause),
            _ => None,
        });
        assert_eq!(cause, Some(Cause::NotReleased(NodeId(1))));
        assert_eq!(driver.node_of(3), 2);
        assert_eq!(starts(&acts), if node_2_is_free { vec![3] } else { vec![] });
    }
}

/// 106.25 is within the tolerance of 6.25.
#[test]
fn a_promise_that_is_late_by_what_is_tolerated_stays() {
    let mut driver = two_running(6.25);
    driver.tell(60.0, Input::Ended(JobId(2)));
    driver.wake(60.0);
    assert!(driver.wake(100.0).is_empty());
    assert_eq!(reservation(&driver), degraded(false));
    driver.tell(103.0, Input::Ended(JobId(1)));
    assert_eq!(starts(&driver.wake(103.0)), [3]);
    assert_eq!((driver.node_of(3), reservation(&driver)), (1, None));
}

/// Nothing is free in time at 100; at 103 node 2 is.
#[test]
fn a_late_promise_is_sought_for_again_when_time_becomes_free() {
    let blocked = || {
        let mut driver = two_running(5.0);
        driver.tell(50.0, Input::Blocked { node: NodeId(2), from: at(101.0), until: at(200.0) });
        driver.wake(50.0);
        assert!(driver.wake(100.0).is_empty());
        assert_eq!(reservation(&driver), degraded(true));
        driver.tell(101.0, Input::Ended(JobId(2)));
        driver
    };
    let mut driver = blocked();
    driver.tell(103.0, Input::Unblocked { node: NodeId(2), from: at(101.0), until: at(200.0) });
    let acts = driver.wake(103.0);
    assert_eq!((moves(&acts), starts(&acts)), (vec![(3, 3.0)], vec![3]));
    // It is not: at 105 the promise is lost, and replaced.
    let mut driver = blocked();
    let acts = driver.wake(103.0);
    assert!(moves(&acts).is_empty() && starts(&acts).is_empty(), "{acts:?}");
    assert_eq!(driver.0.next_wakeup(), Some(at(105.0)));
    assert_eq!(moves(&driver.wake(105.0)), [(3, 6.25)]);
    assert_eq!(reservation(&driver), Some(PromiseState::Confirmed));
    // Or the node goes down.
    driver.tell(105.5, Input::NodeDown { node: NodeId(1), until: None });
    assert_eq!(reservation(&driver), Some(PromiseState::Lost(Cause::NodeDown(NodeId(1)))));
}

/// The promise begins at 110. At 106.25 job 1 is thought to need until 112.5: that is known before the start.
#[test]
fn a_replacement_is_sought_before_the_start() {
    let config = Config::new(Span::must(1000.0));
    let mut driver = Driver::new(config, &[1.0; 2]);
    driver.submit(0.0, 1, request(1, 100.0));
    let later = Job::new(JobId(3), request(1, 30.0)).with_submit(at(110.0));
    driver.tell(0.0, Input::Submit(later));
    driver.wake(0.0);
    assert_eq!((driver.start_of(3), driver.node_of(3)), (110.0, 1));
    assert_eq!(moves(&driver.wake(100.0)), []);
    assert_eq!(reservation(&driver), Some(PromiseState::Confirmed));
    assert_eq!(driver.0.next_wakeup(), Some(at(106.25)));
    assert_eq!(moves(&driver.wake(106.25)), [(3, 0.0)]);
    assert_eq!(driver.node_of(3), 2);
    assert_eq!(starts(&driver.wake(110.0)), [3]);
}
