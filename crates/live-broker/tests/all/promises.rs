//! How steady promises are, by cases computed by hand.

use crate::common::{Driver, at, moves, plain, request};
use batch_dp::{Goal, Preference, VectorCriterion, Weights};
use live_broker::*;
use sched_model::*;

const NONE: Vec<(u64, f64)> = Vec::new();

/// Job 1 holds the node until 100, job 2 is promised [100, 130). Job 1 ends at 20: job 2 could start 80
/// earlier.
fn early_end_under(config: Config) -> Vec<(u64, f64)> {
    let mut driver = Driver::new(config, &[1.0]);
    driver.serve(0.0, &[(1, 100.0), (2, 30.0)]);
    assert_eq!(driver.start_of(2), 100.0);
    driver.tell(20.0, Input::Ended(JobId(1)));
    moves(&driver.wake(20.0))
}

/// Beside a preference nothing moves for the better, whatever the policy; without it the promise moves.
#[test]
fn a_promise_does_not_move_beside_a_preference() {
    let config = plain()
        .with_goal(Goal::MinTime { budget: Some(1e6) }, 3)
        .with_time(slot_window::Objective::Finish)
        .with_stability(Stability::new(MovePolicy::Anywhere));
    assert_eq!(early_end_under(config.clone()), [(2, -80.0)]);
    for prefer in [Prefer::Makespan, Prefer::MeanFinish] {
        assert_eq!(early_end_under(config.clone().with_preference(prefer)), NONE);
    }
}

/// The starts of jobs 1 and 2 where a choice by preference has two alternatives of each: node 1 is free at once and
/// costs 1, node 2 is four times as fast, costs 5, and is blocked until 35. A job of 40 can have [0, 40) for 40 or
/// [35, 45) for 50.
fn chosen_by(
    prefer: impl Into<Option<Prefer>>,
    goal: Goal,
    steps: impl FnOnce(&mut Driver),
) -> [Option<f64>; 2] {
    let mut config = plain().with_goal(goal, 2);
    config.prefer = prefer.into();
    // Beside a preference it is the run time anyway.
    if config.prefer.is_none() {
        config = config.with_time(slot_window::Objective::Runtime);
    }
    let mut driver = Driver::with_nodes(config, &[(1.0, 1.0), (4.0, 5.0)]);
    driver.tell(0.0, Input::Blocked { node: NodeId(2), from: at(0.0), until: at(35.0) });
    steps(&mut driver);
    [1, 2].map(|id| Some(driver.0.job(JobId(id))?.window?.start().get()))
}

#[test]
fn a_preference_chooses_within_the_limit_of_the_goal() {
    let budget = |budget| Goal::MinTime { budget: Some(budget) };
    let one = |driver: &mut Driver| driver.serve(0.0, &[(1, 40.0)]);
    let two = |driver: &mut Driver| driver.serve(0.0, &[(1, 40.0), (2, 40.0)]);
    let cheapest = Prefer::Vector(Preference::Lexicographic(vec![VectorCriterion::Cost]));
    // The earlier end and the least cost; of least time is the other window.
    assert_eq!(chosen_by(Prefer::Makespan, budget(100.0), one), [Some(0.0), None]);
    assert_eq!(chosen_by(cheapest.clone(), budget(100.0), one), [Some(0.0), None]);
    // The mean finish, as a preference or as the goal.
    let finish = Goal::MinFinish { budget: Some(100.0) };
    assert_eq!(chosen_by(Prefer::MeanFinish, budget(100.0), one), [Some(0.0), None]);
    assert_eq!(chosen_by(None, finish, one), [Some(0.0), None]);
    assert_eq!(chosen_by(None, budget(100.0), one), [Some(35.0), None]);
    // The derived limit is the mean time, 25: too little for the window that ends earlier.
    let derived = Goal::MinCost { time_limit: None };
    assert_eq!(chosen_by(Prefer::Makespan, derived, one), [Some(35.0), None]);
    // A vector serves both jobs or none, and 50 pays for one: the goal alone decides, and serves one.
    assert_eq!(chosen_by(cheapest, budget(50.0), two), [None, Some(35.0)]);
    // A job that has lost its promise, on a third node, comes before a new one of 20, which would end earlier.
    let lost = |driver: &mut Driver| {
        driver.tell(0.0, Input::from(Node::must(3, 1.0, 1.0)));
        driver.tell(0.0, Job::new(JobId(1), request(1, 40.0)).with_submit(at(1.0)).into());
        driver.wake(0.0);
        assert_eq!((driver.node_of(1), driver.start_of(1)), (1, 1.0));
        driver.tell(0.0, Input::NodeDown { node: NodeId(1), until: None });
        driver.serve(0.0, &[(2, 20.0)]);
    };
    assert_eq!(chosen_by(Prefer::Makespan, budget(50.0), lost), [Some(1.0), None]);
    // Without a preference, too: for the least run time on the fast node, after the window of the new one, which would
    // take less.
    assert_eq!(chosen_by(None, budget(50.0), lost), [Some(40.0), None]);
}

#[test]
fn a_preference_that_no_planner_takes_is_refused() {
    let refused = |goal: Option<Goal>, prefer: Prefer| {
        let mut config = Config::new(Span::must(10.0)).with_preference(prefer);
        config.goal = goal;
        match Broker::new(config) {
            Err(BrokerError::Preference(error)) => error.to_string(),
            other => panic!("{other:?}"),
        }
    };
    let cost = Goal::MinCost { time_limit: None };
    assert!(refused(None, Prefer::Makespan).contains("no goal"));
    assert!(refused(Some(cost), Prefer::MeanFinish).contains("mean finish"));
    let nothing = Prefer::Vector(Preference::Lexicographic(vec![]));
    assert!(!refused(Some(cost), nothing).is_empty());
    let weights = Weights { time: f64::NAN, ..Weights::default() };
    assert!(refused(Some(cost), Prefer::Vector(Preference::Weighted(weights))).contains("time"));
}

#[test]
fn a_promise_moves_only_for_more_than_the_tax() {
    let policy = |policy| Stability::new(policy);
    let not_later = policy(MovePolicy::NotLater);
    let gaining = |least| {
        let mut stability = not_later;
        stability.least_gain = Some(least);
        stability
    };
    for (stability, is_moved) in [
        (policy(MovePolicy::Never), false),
        (policy(MovePolicy::Anywhere), true),
        (not_later, true),
        (not_later.with_tax(79.5), true),
        (not_later.with_tax(80.0), false),
        // A gain of 80 is at least 80.
        (gaining(80.0), true),
        (gaining(80f64.next_up()), false),
        // At 20, what starts before 20 + 81 is frozen; what starts at 100 or later is not.
        (not_later.with_frozen(Span::must(81.0)), false),
        (not_later.with_frozen(Span::must(80.0)), true),
    ] {
        // Starts and ends gain the same.
        for time in [slot_window::Objective::Start, slot_window::Objective::Finish] {
            let moved = early_end_under(plain().with_stability(stability).with_time(time));
            assert_eq!(moved, if is_moved { vec![(2, -80.0)] } else { NONE }, "{stability:?} {time:?}");
        }
    }
}

/// Nothing is used before its release is told; a job that waits for it within the tolerance keeps its
/// promise.
#[test]
fn an_overrun_moves_only_who_waits_beyond_the_tolerance() {
    let run = |tolerance: f64, ends: f64| {
        let config = plain().with_tolerance(Span::must(tolerance));
        let mut driver = Driver::new(config, &[1.0]);
        driver.serve(0.0, &[(1, 100.0), (2, 30.0)]);
        let mut acts = Vec::new();
        let mut now = 0.0;
        while now < ends {
            now = driver.0.next_wakeup().map_or(ends, Time::get).min(ends);
            if now == ends {
                driver.tell(now, Input::Ended(JobId(1)));
            }
            acts.extend(driver.wake(now));
        }
        let started = acts.iter().any(|act| matches!(act, Act::Start { job: JobId(2), .. }));
        (moves(&acts), started)
    };
    assert_eq!(run(0.0, 100.0), (vec![], true));
    assert_eq!(run(5.0, 103.0), (vec![], true));
    // 100 / 16 later, then back to the end, which came sooner.
    assert_eq!(run(0.0, 103.0), (vec![(2, 6.25)], false));
    assert_eq!(run(5.0, 105.0), (vec![], true));
    assert_eq!(run(5.0, 106.0), (vec![(2, 6.25)], false));
}

/// The patience is 60. Job 2 is promised [100, 110) at once; its promise is lost at 80, job 3 is evicted at
/// 80. Neither has waited without a promise by then: both are served on node 2, or refused 60 later.
#[test]
fn who_was_promised_a_window_has_not_waited_for_one() {
    for spare in [true, false] {
        let config = plain().with_patience(Span::must(60.0));
        let mut driver = Driver::new(config, &[1.0]);
        driver.serve(0.0, &[(1, 100.0), (2, 10.0)]);
        assert_eq!(driver.start_of(2), 100.0);
        if spare {
            driver.tell(80.0, Input::from(Node::must(2, 1.0, 1.0)));
        }
        driver.tell(80.0, Input::Evicted { job: JobId(1), done: Work::must(80.0) });
        driver.tell(80.0, Input::NodeDown { node: NodeId(1), until: None });
        let acts = driver.wake(80.0);
        let refused = |acts: &[Act]| acts.iter().filter(|act| matches!(act, Act::Refuse { .. })).count();
        assert_eq!(refused(&acts), 0, "{acts:?}");
        if spare {
            let starts: Vec<f64> = [1, 2].map(|id| driver.start_of(id)).into();
            assert!(starts == [80.0, 100.0] || starts == [90.0, 80.0], "{starts:?}");
        } else {
            assert_eq!(driver.0.next_wakeup(), Some(at(140.0)));
            assert_eq!(refused(&driver.wake(140.0)), 2);
        }
    }
}
