//! Comparisons of which equality decides, each by a case computed by hand.

use crate::common::{Driver, at, backing_off, moves, plain, request};
use batch_dp::Goal;
use live_broker::*;
use sched_model::*;

/// Four jobs take 20 and cost 60 each, and the goal allows 100: one of them is placed, wherever the work ends.
#[test]
fn a_choice_that_is_stopped_keeps_to_the_limit_of_the_goal() {
    let budget = Some(100.0);
    let mut stopped = 0;
    let goals = [Goal::MinTime { budget }, Goal::MinFinish { budget }];
    for (work, goal) in (1..80).flat_map(|work| goals.map(|goal| (work, goal))) {
        let config = plain().with_goal(goal, 1).with_work(work);
        let mut driver = Driver::new(config, &[3.0; 4]);
        for id in 1..5 {
            driver.submit(0.0, id, request(1, 20.0));
        }
        let note = driver.tell(0.0, Input::Wake).cycle.unwrap();
        let placed = driver.0.jobs().filter(|view| view.window.is_some()).count();
        assert!(placed <= 1, "{placed} with {work} units");
        stopped += usize::from(note.end == End::Work && note.work > 8);
    }
    // The work ended after more than one job had a window.
    assert!(stopped > 2, "{stopped}");
}

/// Job 3 is promised [10, 20) on node 1, which is not released at 10; the tolerance is 5. At 10 node 2 comes,
/// at half the price: a promise whose start has come waits for its node and is not moved for the better.
#[test]
fn a_promise_whose_start_has_come_is_not_moved_for_the_better() {
    let run = |joins: f64| {
        let config = plain()
            .with_goal(Goal::MinCost { time_limit: None }, 1)
            .with_search(slot_window::SearchKind::MinCost)
            .with_stability(Stability::new(MovePolicy::NotLater))
            .with_tolerance(Span::must(5.0));
        let mut driver = Driver::new(config, &[1.0]);
        driver.serve(0.0, &[(1, 10.0)]);
        driver.serve(0.0, &[(3, 10.0)]);
        assert_eq!(driver.start_of(3), 10.0);
        driver.wake(joins);
        driver.tell(joins, Input::from(Node::must(2, 1.0, 0.5)));
        moves(&driver.wake(joins))
    };
    assert_eq!(run(10f64.next_down()), [(3, 10f64.next_down() - 10.0)]);
    assert_eq!(run(10.0), []);
}

/// A job that may not begin before 50 finds no room for 60 up to 70; one that may begin at once does.
#[test]
fn what_fails_later_may_be_found_earlier() {
    let mut driver = Driver::new(Config::new(Span::must(100.0)), &[1.0]);
    driver.tell(0.0, Input::Blocked { node: NodeId(1), from: at(70.0), until: at(1e6) });
    driver.tell(0.0, Input::from(Job::new(JobId(1), request(1, 60.0)).with_submit(at(50.0))));
    driver.serve(0.0, &[(2, 60.0)]);
    assert_eq!(driver.0.standing(JobId(1)), Some(Standing::Waiting));
    assert_eq!(driver.0.standing(JobId(2)), Some(Standing::Running));
}

/// Of two nodes that are expected to be released at the same instant, the first is said to be waited for.
#[test]
fn of_two_nodes_that_are_late_alike_the_first_is_named() {
    let mut driver = Driver::new(plain().with_tolerance(Span::must(10.0)), &[1.0; 2]);
    for id in [1, 2] {
        driver.submit(0.0, id, request(2, 100.0));
        driver.wake(0.0);
    }
    driver.wake(100.0);
    let late = PromiseState::Degraded { node: NodeId(1), expected: at(106.25), late: false };
    assert_eq!(driver.0.job(JobId(2)).unwrap().reservation, Some(late));
}

/// A node at the price limit and of the least speed counts as usable; one representable step beyond, it
/// counts for its cause.
#[test]
fn nodes_are_counted_to_the_last_bit() {
    let config = Config::new(Span::must(100.0)).with_search(slot_window::SearchKind::Alp);
    let mut driver = Driver::with_nodes(config, &[(1.5, 2.0), (1.5, 1.0), (2.0, 2.0), (1.0, 1.0)]);
    let counts = |driver: &mut Driver, id: u64, speed: f64, limit: f64| {
        let request = request(9, 1.0).with_min_speed(Speed::must(speed));
        driver.submit(0.0, id, request.with_price_limit(Price::must(limit)));
        let nodes = driver.0.explain(JobId(id)).unwrap().nodes;
        (nodes.slow, nodes.over_price, nodes.usable)
    };
    assert_eq!(counts(&mut driver, 1, 1.5, 2.0), (1, 0, 3));
    assert_eq!(counts(&mut driver, 2, 1.5, 2f64.next_down()), (1, 2, 1));
    assert_eq!(counts(&mut driver, 3, 1.5f64.next_up(), 2.0), (3, 0, 1));
}

/// A node that could not start a job at 0 rests until 60: at that instant it is not said to rest any more,
/// even before the broker wakes.
#[test]
fn a_node_does_not_rest_at_the_instant_at_which_its_rest_ends() {
    let mut driver = Driver::new(backing_off(60.0, 60.0, 3), &[1.0, 3.0]);
    driver.submit(0.0, 1, request(1, 10.0));
    driver.tell(0.0, Input::Wake);
    driver.tell(0.0, Input::StartFailed { job: JobId(1), node: Some(NodeId(1)) });
    let mut resting = |now: f64, id: u64| {
        driver.submit(now, id, request(1, 10.0));
        driver.0.explain(JobId(id)).unwrap().nodes.resting
    };
    assert_eq!((resting(60f64.next_down(), 2), resting(60.0, 3)), (1, 0));
}

/// A task of 1e-8 at 1.7e9 ends at its start.
#[test]
fn a_job_that_cannot_be_timed_is_refused() {
    let mut driver = Driver::new(plain(), &[1.0]);
    driver.submit(1.7e9, 1, request(1, 1e-8));
    let acts = driver.wake(1.7e9);
    assert!(matches!(acts[..], [Act::Refuse { reason: Reason::Request(_), .. }]), "{acts:?}");
}
