//! Nodes that fail to start jobs or refuse them, and how often one job is moved: by cases computed by hand.

use crate::common::{Driver, at, backing_off, moves, plain, request, starts, state};
use live_broker::*;
use sched_model::*;

#[test]
fn a_node_that_fails_to_start_jobs_is_left_alone_for_longer_each_time() {
    let mut driver = Driver::new(backing_off(10.0, 35.0, 9), &[1.0]);
    let failed = |job| Input::StartFailed { job: JobId(job), node: Some(NodeId(1)) };
    driver.submit(0.0, 1, request(1, 5.0));
    let mut now = 0.0;
    for rests in [10.0, 20.0, 35.0, 35.0] {
        assert_eq!(starts(&driver.decided(now)), [1], "at {now}");
        driver.tell(now, failed(1));
        let moved = moves(&driver.decided(now));
        assert_eq!((moved, driver.start_of(1)), (vec![(1, rests)], now + rests), "at {now}");
        now += rests;
    }
    assert_eq!(starts(&driver.wake(now)), [1]);
    driver.tell(now + 5.0, Input::Ended(JobId(1)));
    // A job that is done ends the row of failures.
    now += 5.0;
    driver.submit(now, 2, request(1, 5.0));
    assert_eq!(starts(&driver.decided(now)), [2]);
    driver.tell(now, failed(2));
    driver.decided(now);
    assert_eq!(driver.start_of(2), now + 10.0);
}

#[test]
fn a_job_that_fails_to_start_too_often_is_refused() {
    let mut driver = Driver::new(backing_off(0.0, 0.0, 3), &[1.0]);
    driver.submit(0.0, 1, request(1, 5.0));
    for attempt in 1..=3 {
        assert_eq!(starts(&driver.decided(0.0)), [1], "attempt {attempt}");
        driver.tell(0.0, Input::StartFailed { job: JobId(1), node: Some(NodeId(1)) });
    }
    let refused = Act::Refuse { job: JobId(1), reason: Reason::Attempts };
    assert_eq!(driver.decided(0.0), [refused]);
    assert_eq!(driver.0.standing(JobId(1)), Some(Standing::Over));
}

/// Before its start, and when it is to start: a node that refuses a job is not offered to it again, and
/// others may have it.
#[test]
fn a_node_that_refuses_a_job_is_not_offered_to_it_again() {
    let mut driver = Driver::new(plain(), &[1.0, 2.0, 3.0]);
    driver.tell(0.0, Input::from(Job::new(JobId(1), request(1, 5.0)).with_submit(at(7.0))));
    driver.decided(0.0);
    assert_eq!((driver.node_of(1), driver.start_of(1)), (1, 7.0));
    driver.tell(0.0, Input::Refused { job: JobId(1), node: NodeId(1) });
    driver.decided(0.0);
    assert_eq!((driver.node_of(1), driver.start_of(1)), (2, 7.0));
    assert_eq!(driver.0.explain(JobId(1)).unwrap().nodes.avoided, 1);
    assert_eq!(starts(&driver.decided(7.0)), [1]);
    driver.tell(7.0, Input::Refused { job: JobId(1), node: NodeId(2) });
    assert_eq!(starts(&driver.decided(7.0)), [1]);
    assert_eq!(driver.node_of(1), 3);
    driver.submit(7.0, 2, request(1, 5.0));
    assert_eq!(starts(&driver.decided(7.0)), [2]);
    assert_eq!(driver.node_of(2), 1);
}

/// Job 1 is promised [100, 110), then time before that becomes free, again and again.
#[test]
fn a_job_is_moved_so_many_times_at_most() {
    for most in 0..4 {
        let stability = Stability::new(MovePolicy::NotLater).with_max_moves(most);
        let mut driver = Driver::new(plain().with_stability(stability), &[1.0]);
        driver.tell(0.0, Input::Blocked { node: NodeId(1), from: at(0.0), until: at(100.0) });
        driver.serve(0.0, &[(1, 10.0)]);
        let mut made = 0;
        for from in [90.0, 80.0, 70.0] {
            let until = from + 10.0;
            driver.tell(0.0, Input::Unblocked { node: NodeId(1), from: at(from), until: at(until) });
            made += moves(&driver.wake(0.0)).len() as u32;
        }
        assert_eq!((made, driver.start_of(1)), (most, 100.0 - 10.0 * f64::from(most)));
    }
}

/// Every search but those by value ends at some doubling of the work: six jobs are promised windows, the
/// seventh has none.
#[test]
fn no_limit_of_work_keeps_a_job_waiting_that_fits() {
    use slot_window::SearchKind;
    let plain_searches = SearchKind::ALL.iter().copied().filter(|kind| !kind.name().starts_with("max-value"));
    for (kind, work) in plain_searches.flat_map(|kind| [1, 3, 40].map(|work| (kind, work))) {
        let nodes = [1.0, 2.0, 3.0].repeat(7).into_iter().map(|speed| (speed, 1.0)).collect::<Vec<_>>();
        let mut driver = Driver::with_nodes(plain().with_search(kind).with_work(work), &nodes[..20]);
        for id in 1..8 {
            driver.submit(0.0, id, request(if id == 7 { 21 } else { 1 + id as usize % 3 }, 10.0));
        }
        let mut wakes = 0;
        while wakes == 0 || driver.0.next_wakeup() == Some(at(0.0)) {
            driver.tell(0.0, Input::Wake);
            wakes += 1;
            assert!(wakes < 60, "{kind} with {work} units wakes and wakes");
        }
        assert!(wakes > 1 || work == 40, "{kind} with {work} units");
        let waits: Vec<u64> =
            (1..8).filter(|id| driver.0.job(JobId(*id)).unwrap().window.is_none()).collect();
        assert_eq!(waits, [7], "{kind} with {work} units");
    }
}

/// A search by value may take any time: where the work of a whole cycle does not suffice for one job, the job
/// counts as one without a window, and the work is not doubled.
#[test]
fn a_search_without_end_is_not_repeated_with_more_work() {
    let config = plain().with_search(slot_window::SearchKind::MaxValue).with_work(1);
    let mut driver = Driver::new(config, &[1.0, 2.0]);
    driver.serve(0.0, &[(1, 10.0)]);
    assert_eq!(driver.0.job(JobId(1)).unwrap().window, None);
    assert!(driver.0.next_wakeup() > Some(at(0.0)) || driver.0.next_wakeup().is_none());
    assert_eq!(state(&driver.0)["doublings"], 0);
}
