//! Time that is not free although its planned end has come: nothing is offered there, what is accepted is kept, and
//! promises on it are moved to windows in time before they are lost.

use crate::common::{Driver, accept, at, moves, plain, request, starts};
use live_broker::*;
use sched_model::*;

/// Job 1 runs on node 1 until 100, and job 2 on node 2 until 101; job 3 is promised [100, 130) on node 1.
fn two_running(tolerance: f64) -> Driver {
    let mut driver = Driver::new(plain().with_tolerance(Span::must(tolerance)), &[1.0; 2]);
    for (id, work) in [(1, 100.0), (2, 101.0), (3, 30.0)] {
        driver.serve(0.0, &[(id, work)]);
    }
    let promised = [1, 2, 3].map(|id| (driver.start_of(id), driver.node_of(id)));
    assert_eq!(promised, [(0.0, 1), (0.0, 2), (100.0, 1)]);
    driver
}

fn reservation(driver: &Driver) -> Option<PromiseState> {
    driver.0.job(JobId(3)).unwrap().reservation
}

fn degraded(late: bool) -> Option<PromiseState> {
    Some(PromiseState::Degraded { node: NodeId(1), expected: at(106.25), late })
}

/// At 100 job 1 is thought to need until 106.25, which is too late or tolerated. Node 2 is free, or will be.
#[test]
fn a_promise_that_would_be_late_is_moved_when_free_nodes_suffice() {
    for (tolerance, node_2_is_free, moved_by) in
        [(5.0, true, Some(0.0)), (5.0, false, Some(1.0)), (6.25, true, None)]
    {
        let mut driver = two_running(tolerance);
        if node_2_is_free {
            driver.tell(60.0, Input::Ended(JobId(2)));
            driver.wake(60.0);
        }
        assert_eq!(reservation(&driver), Some(PromiseState::Confirmed));
        let acts = driver.wake(100.0);
        let Some(moved_by) = moved_by else {
            assert_eq!((acts, reservation(&driver)), (vec![], degraded(false)));
            continue;
        };
        assert_eq!((moves(&acts), driver.node_of(3)), (vec![(3, moved_by)], 2));
        assert!(matches!(acts[0], Act::Move { cause: Cause::NotReleased(NodeId(1)), .. }), "{acts:?}");
        assert_eq!(starts(&acts), if node_2_is_free { vec![3] } else { vec![] });
    }
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
    let mut driver = Driver::new(plain(), &[1.0; 2]);
    driver.submit(0.0, 1, request(1, 100.0));
    driver.tell(0.0, Input::from(Job::new(JobId(3), request(1, 30.0)).with_submit(at(110.0))));
    driver.wake(0.0);
    assert_eq!((driver.start_of(3), driver.node_of(3)), (110.0, 1));
    assert_eq!(moves(&driver.wake(100.0)), []);
    assert_eq!(reservation(&driver), Some(PromiseState::Confirmed));
    assert_eq!(driver.0.next_wakeup(), Some(at(106.25)));
    assert_eq!(moves(&driver.wake(106.25)), [(3, 0.0)]);
    assert_eq!(driver.node_of(3), 2);
    assert_eq!(starts(&driver.wake(110.0)), [3]);
}

/// One node; job 1 runs on it for [0, 10).
fn one_running(tolerance: f64) -> Driver {
    let mut driver = Driver::new(plain().with_tolerance(Span::must(tolerance)), &[1.0]);
    driver.serve(0.0, &[(1, 10.0)]);
    driver
}

/// The window quoted to a job of five.
fn accepted(driver: &Driver) -> Input {
    let job = Job::new(JobId(2), request(1, 5.0));
    let quotes = driver.0.quote(&job, 1, &Limit::default()).unwrap();
    accept(job, &quotes.windows[0], quotes.version)
}

/// A fact that changes nothing but the time; then the start that is quoted.
fn first_start(driver: &mut Driver, now: f64) -> f64 {
    driver.tell(now, Input::PriceChanged { node: NodeId(1), price: Price::must(1.0) });
    let Input::Accept { window, .. } = accepted(driver) else { panic!("no window") };
    window.start().get()
}

#[test]
fn a_task_past_its_planned_end_keeps_its_node() {
    let mut driver = one_running(0.0);
    assert_eq!(first_start(&mut driver, 0.0), 10.0);
    // A sixteenth of 10 later, as the next Wake will think.
    assert_eq!(first_start(&mut driver, 10.0), 10.625);
    assert_eq!(driver.0.free().iter().next().unwrap().start, at(10.625));
    assert_eq!(first_start(&mut driver, 13.0), 16.0);
}

#[test]
fn a_window_quoted_before_an_overrun_is_not_accepted_after_it() {
    // In time it can be had.
    let mut driver = one_running(0.0);
    let accept = accepted(&driver);
    driver.tell(9.5, accept.clone());
    // At 10 nothing has been told of job 1, and the version is the same.
    let mut driver = one_running(0.0);
    assert!(matches!(driver.0.handle(at(10.0), accept.clone()), Err(BrokerError::Unfit { .. })));
    // Once it has ended, the version is another, and the same window can be had.
    driver.tell(10.0, Input::Ended(JobId(1)));
    assert!(matches!(driver.0.handle(at(10.0), accept), Err(BrokerError::Stale { .. })));
    let accept = accepted(&driver);
    driver.tell(10.0, accept);
    assert_eq!(starts(&driver.decided(10.0)), [2]);
}

#[test]
fn a_node_that_is_not_back_is_not_free() {
    let mut driver = Driver::new(plain(), &[1.0]);
    driver.wake(0.0);
    driver.tell(1.0, Input::NodeDown { node: NodeId(1), until: Some(at(5.0)) });
    assert_eq!(first_start(&mut driver, 1.0), 5.0);
    assert_eq!(first_start(&mut driver, 5.0), 9.0);
    driver.tell(5.0, Input::NodeUp(NodeId(1)));
    assert_eq!(first_start(&mut driver, 5.0), 5.0);
}

/// Job 2 is promised [10, 12), and job 1 ends at 15 only; the tolerance is 8. At 15 job 2 starts, after its
/// planned end; job 3, which comes at 13 or at 15, is not promised the same time.
#[test]
fn a_promise_that_starts_after_its_planned_end_keeps_its_node() {
    for comes in [13.0, 15.0] {
        let mut driver = one_running(8.0);
        driver.submit(0.0, 2, request(1, 2.0));
        let mut all = Vec::new();
        for now in [0.0, 10.0, 10.625, 11.25, 12.5, 13.0, 15.0] {
            if now == 15.0 {
                driver.tell(now, Input::Ended(JobId(1)));
            }
            if now == comes {
                driver.submit(now, 3, request(1, 4.0));
            }
            all.extend(driver.decided(now));
        }
        assert_eq!(starts(&all), [2], "{all:?}");
        assert!(!all.iter().any(|act| matches!(act, Act::Move { .. } | Act::Withdraw { .. })), "{all:?}");
        // At 13, job 1 is thought to end at 15, and job 2 two later.
        assert_eq!(driver.start_of(3), if comes == 13.0 { 17.0 } else { 18.0 });
    }
}
