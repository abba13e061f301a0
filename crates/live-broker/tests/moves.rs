//! Which promises may be moved for the better, how far, and how often: by cases computed by hand.
#![allow(unreachable_pub, clippy::unwrap_used, clippy::expect_used)] // a test stops at the first surprise

mod common;

use batch_dp::Goal;
use common::driver::{Driver, at, moves, request};
use live_broker::*;
use sched_model::*;
use slot_window::SearchKind;

fn cheapest(policy: MovePolicy) -> Config {
    Config::new(Span::must(1000.0))
        .with_goal(Goal::MinCost { time_limit: Some(1e6) }, 1)
        .with_search(SearchKind::MinCost)
        .with_stability(Stability::new(policy).with_max_moves(100))
}

/// A node that is free from then on.
fn free_from(driver: &mut Driver, id: u32, price: f64, from: f64) {
    driver.tell(0.0, Input::NodeAdded(Node::new(NodeId(id), Speed::ETALON, Price::must(price))));
    driver.tell(0.0, Input::Blocked { node: NodeId(id), from: at(0.0), until: at(from) });
}

/// Job 2 is promised [10, 20) for 100. A node comes that is free at 30 and costs a tenth, then one that is free at 31.
#[test]
fn a_promise_moves_no_further_than_the_policy_says() {
    let run = |policy: MovePolicy| {
        let mut driver = Driver::new(cheapest(policy), &[10.0]);
        driver.submit(0.0, 1, request(1, 10.0));
        driver.submit(0.0, 2, request(1, 10.0));
        driver.wake(0.0);
        assert_eq!(driver.start_of(2), 10.0);
        let mut moved = Vec::new();
        for (id, price, from) in [(7, 1.0, 30.0), (8, 0.5, 31.0), (9, 0.25, 5.0)] {
            free_from(&mut driver, id, price, from);
            moved.extend(moves(&driver.wake(0.0)));
        }
        moved
    };
    assert_eq!(run(MovePolicy::Never), []);
    assert_eq!(run(MovePolicy::NotLater), [(2, -5.0)]);
    assert_eq!(run(MovePolicy::Within(Span::ZERO)), [(2, -5.0)]);
    assert_eq!(run(MovePolicy::Within(Span::must(20f64.next_down()))), [(2, -5.0)]);
    // From 30 to 31 is 1, but from 10 it is 21.
    assert_eq!(run(MovePolicy::Within(Span::must(20.0))), [(2, 20.0), (2, -25.0)]);
    assert_eq!(run(MovePolicy::Within(Span::must(21.0))), [(2, 20.0), (2, 1.0), (2, -26.0)]);
    assert_eq!(run(MovePolicy::Anywhere), [(2, 20.0), (2, 1.0), (2, -26.0)]);
}

/// A move that gains too little for the job itself is not made, though the tax allows it.
#[test]
fn a_move_gains_at_least_so_much() {
    let run = |least: f64| {
        let mut config = cheapest(MovePolicy::Anywhere);
        config.stability = config.stability.with_least_gain(least);
        let mut driver = Driver::new(config, &[10.0]);
        driver.submit(0.0, 1, request(1, 10.0));
        driver.submit(0.0, 2, request(1, 10.0));
        driver.wake(0.0);
        free_from(&mut driver, 7, 1.0, 5.0);
        moves(&driver.wake(0.0))
    };
    assert_eq!(run(0.0), [(2, -5.0)]);
    assert_eq!(run(90.0), [(2, -5.0)]);
    assert_eq!(run(90f64.next_up()), []);
}

/// Jobs 1, 2 and 3 run to 100, 110 and 120, jobs 4, 5 and 6 are promised the nodes after them. At 20 the first three end.
fn three_may_move(stability: Stability) -> Driver {
    let config = Config::new(Span::must(1000.0)).with_stability(stability);
    let mut driver = Driver::new(config, &[1.0; 3]);
    for (id, work) in [(1, 100.0), (2, 110.0), (3, 120.0), (4, 30.0), (5, 30.0), (6, 30.0)] {
        driver.submit(0.0, id, request(1, work));
        driver.wake(0.0);
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
    let mut driver = three_may_move(stability.with_rate(0, Span::must(50.0)));
    assert_eq!(moves(&driver.wake(20.0)), []);
    assert_eq!(driver.0.next_wakeup(), Some(at(100.0)));
    // Those that gain most; the third when the first two count no longer.
    let mut driver = three_may_move(stability.with_rate(2, Span::must(50.0)));
    assert_eq!(moves(&driver.wake(20.0)), [(5, -90.0), (6, -100.0)]);
    assert_eq!(moves(&driver.wake(20.0)), []);
    driver.tell(50.0, Input::Ended(JobId(5)));
    driver.tell(50.0, Input::Ended(JobId(6)));
    assert_eq!(moves(&driver.wake(50.0)), []);
    assert_eq!(driver.0.next_wakeup(), Some(at(70.0)));
    assert_eq!(moves(&driver.wake(70f64.next_down())), []);
    assert_eq!(moves(&driver.wake(70.0)), [(4, -30.0)]);
    // One at each instant, however short the span.
    let mut driver = three_may_move(stability.with_rate(1, Span::ZERO));
    assert_eq!(moves(&driver.wake(20.0)), [(6, -100.0)]);
    assert_eq!(moves(&driver.wake(20.0)), []);
    assert_eq!(driver.0.next_wakeup(), Some(at(20f64.next_up())));
    assert_eq!(moves(&driver.wake(21.0)), [(5, -89.0)]);
}

/// What counts as moved is part of the state.
#[cfg(feature = "serde")]
#[test]
fn moves_are_counted_across_a_snapshot() {
    let mut driver = three_may_move(Stability::new(MovePolicy::NotLater).with_rate(2, Span::must(50.0)));
    driver.wake(20.0);
    let text = serde_json::to_string(&driver.0.snapshot()).unwrap();
    driver.0 = Broker::restore(serde_json::from_str(&text).unwrap()).unwrap();
    assert_eq!(moves(&driver.wake(60.0)), []);
    assert_eq!(moves(&driver.wake(70.0)), [(4, -30.0)]);
}
