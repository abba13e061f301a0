//! Which promises may be moved for the better, how far, and how often: by cases computed by hand.

use crate::common::{Driver, at, moves, plain, request};
use batch_dp::Goal;
use live_broker::*;
use sched_model::*;
use slot_window::SearchKind;

fn cheapest(stability: Stability) -> Config {
    let config = plain().with_goal(Goal::MinCost { time_limit: Some(1e6) }, 3);
    config.with_search(SearchKind::MinCost).with_stability(stability)
}

/// A node that is free from then on.
fn free_from(driver: &mut Driver, id: u32, price: f64, from: f64) {
    driver.tell(0.0, Input::from(Node::must(id, 1.0, price)));
    driver.tell(0.0, Input::Blocked { node: NodeId(id), from: at(0.0), until: at(from) });
}

/// Job 2 is promised [10, 20) for 100. A node comes that is free at 30 and costs a tenth, then one that is
/// free at 31 and costs a twentieth, and at last one that is free at 5.
#[test]
fn a_promise_moves_no_further_than_the_policy_says() {
    let run = |stability: Stability, work: u64| {
        let config = cheapest(stability.with_max_moves(100)).with_work(work);
        let mut driver = Driver::new(config, &[10.0]);
        driver.serve(0.0, &[(1, 10.0), (2, 10.0)]);
        while driver.0.job(JobId(2)).unwrap().window.is_none() {
            driver.wake(0.0);
        }
        assert_eq!(driver.start_of(2), 10.0);
        let mut moved = Vec::new();
        for (id, price, from) in [(7, 1.0, 30.0), (8, 0.5, 31.0), (9, 0.25, 5.0)] {
            free_from(&mut driver, id, price, from);
            moved.extend(moves(&driver.wake(0.0)));
            assert!(driver.0.jobs().all(|view| view.window.is_some()), "what was promised is still promised");
        }
        moved
    };
    let all = |policy| run(Stability::new(policy), 1_000_000);
    assert_eq!(all(MovePolicy::Never), []);
    assert_eq!(all(MovePolicy::NotLater), [(2, -5.0)]);
    assert_eq!(all(MovePolicy::Within(Span::ZERO)), [(2, -5.0)]);
    assert_eq!(all(MovePolicy::Within(Span::must(20f64.next_down()))), [(2, -5.0)]);
    // From 30 to 31 is 1, but from 10 it is 21.
    assert_eq!(all(MovePolicy::Within(Span::must(20.0))), [(2, 20.0), (2, -25.0)]);
    assert_eq!(all(MovePolicy::Within(Span::must(21.0))), [(2, 20.0), (2, 1.0), (2, -26.0)]);
    assert_eq!(all(MovePolicy::Anywhere), [(2, 20.0), (2, 1.0), (2, -26.0)]);
    // Prices of 1, 0.5 and 0.25 gain 90, 95 and 97.5, and the tax is in the unit of the goal.
    let taxed = |tax| run(Stability::new(MovePolicy::Anywhere).with_tax(tax), 1_000_000);
    assert_eq!([taxed(89.0), taxed(90.0), taxed(95.0)], [[(2, 20.0)], [(2, 21.0)], [(2, -5.0)]]);
    for work in [1, 2, 3, 5, 8, 20, 50] {
        run(Stability::new(MovePolicy::Anywhere), work);
    }
}

/// Jobs 1, 2 and 3 run to 100, 110 and 120, jobs 4, 5 and 6 are promised the nodes after them. At 20 the
/// first three end.
fn three_may_move(stability: Stability) -> Driver {
    let mut driver = Driver::new(plain().with_stability(stability), &[1.0; 3]);
    for (id, work) in [(1, 100.0), (2, 110.0), (3, 120.0), (4, 30.0), (5, 30.0), (6, 30.0)] {
        driver.serve(0.0, &[(id, work)]);
    }
    assert_eq!([4, 5, 6].map(|id| driver.start_of(id)), [100.0, 110.0, 120.0]);
    for id in [1, 2, 3] {
        driver.tell(20.0, Input::Ended(JobId(id)));
    }
    driver
}

#[test]
fn only_so_many_promises_move_in_a_span_of_time() {
    let stability = Stability::new(MovePolicy::NotLater);
    assert_eq!(moves(&three_may_move(stability).wake(20.0)), [(4, -80.0), (5, -90.0), (6, -100.0)]);
    let mut driver = three_may_move(stability.with_rate(MoveRate { moves: 0, span: Span::must(50.0) }));
    assert_eq!(moves(&driver.wake(20.0)), []);
    assert_eq!(driver.0.next_wakeup(), Some(at(100.0)));
    // Those that gain most; the third when the first two count no longer.
    let mut driver = three_may_move(stability.with_rate(MoveRate { moves: 2, span: Span::must(50.0) }));
    assert_eq!(moves(&driver.wake(20.0)), [(5, -90.0), (6, -100.0)]);
    assert_eq!(moves(&driver.wake(20.0)), []);
    driver.tell(50.0, Input::Ended(JobId(5)));
    driver.tell(50.0, Input::Ended(JobId(6)));
    assert_eq!(moves(&driver.wake(50.0)), []);
    assert_eq!(driver.0.next_wakeup(), Some(at(70.0)));
    assert_eq!(moves(&driver.wake(70f64.next_down())), []);
    assert_eq!(moves(&driver.wake(70.0)), [(4, -30.0)]);
    // One at each instant, however short the span.
    let mut driver = three_may_move(stability.with_rate(MoveRate { moves: 1, span: Span::ZERO }));
    assert_eq!(moves(&driver.wake(20.0)), [(6, -100.0)]);
    assert_eq!(moves(&driver.wake(20.0)), []);
    assert_eq!(driver.0.next_wakeup(), Some(at(20f64.next_up())));
    assert_eq!(moves(&driver.wake(21.0)), [(5, -89.0)]);
}

/// A tax so great that nothing moves is not the policy `Never`: the window that is searched for a promised
/// job is its own in that cycle, chosen or not, so a job that comes later gets one beside it.
#[test]
fn a_window_that_is_not_taken_is_not_offered_to_others_in_the_same_cycle() {
    let run = |stability: Stability| {
        let mut driver = Driver::new(plain().with_stability(stability), &[1.0]);
        driver.serve(0.0, &[(1, 100.0), (2, 30.0)]);
        // [20, 100) is free, and [20, 50) would be the better window of job 2.
        driver.tell(20.0, Input::Ended(JobId(1)));
        driver.submit(20.0, 3, request(1, 30.0));
        let acts = driver.wake(20.0);
        (moves(&acts), driver.start_of(2), driver.start_of(3))
    };
    assert_eq!(run(Stability::new(MovePolicy::Never)), (vec![], 100.0, 20.0));
    assert_eq!(run(Stability::new(MovePolicy::NotLater).with_tax(1e9)), (vec![], 100.0, 50.0));
    assert_eq!(run(Stability::new(MovePolicy::NotLater)), (vec![(2, -80.0)], 20.0, 50.0));
    // A frozen promise is offered no other window, so none is taken from other jobs.
    let frozen = Stability::new(MovePolicy::NotLater).with_frozen(Span::must(90.0));
    assert_eq!(run(frozen), (vec![], 100.0, 20.0));
}

/// Whatever numbers an instant or a tax has: a move gains more than the tax, as the goal counts it from the
/// present.
#[test]
fn the_sign_of_a_gain_is_exact() {
    // Job 2 is promised [start, start + 1) of node 1; then node 2, which is faster by two units in the last
    // place, and cheaper.
    let fast = Speed::must(1f64.next_up().next_up());
    let run = |now: f64, start: f64, tax: f64| {
        let stability = Stability::new(MovePolicy::NotLater).with_tax(tax);
        let mut driver =
            Driver(Broker::new(Config::new(Span::must(4e15)).with_stability(stability)).unwrap());
        for (id, speed, price) in [(1, Speed::ETALON, 2.0), (2, fast, 1.0)] {
            driver.tell(now, Input::from(Node::new(NodeId(id), speed, Price::must(price))));
        }
        driver.tell(now, Input::Blocked { node: NodeId(2), from: at(now), until: at(3e15) });
        driver.tell(now, Input::Blocked { node: NodeId(1), from: at(now), until: at(start) });
        driver.serve(now, &[(2, 1.0)]);
        assert_eq!((driver.start_of(2), driver.node_of(2)), (start, 1));
        driver.tell(now, Input::Unblocked { node: NodeId(2), from: at(start), until: at(3e15) });
        driver.wake(now);
        driver.node_of(2)
    };
    assert_eq!(run(0.0, 1000.0, 0.0), 1, "both end at 1001 in computed numbers");
    assert_eq!(run(-1e15, 0.0, 0.0), 1, "counted from the present, both end after the same time");
    let gain = 1.0 - 1.0 / fast.get();
    let exact = |tax| run(-f64::MIN_POSITIVE, 0.0, tax);
    assert_eq!([exact(0.0), exact(gain.next_down()), exact(gain), exact(1e100)], [2, 2, 1, 1]);
}
