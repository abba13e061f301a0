//! How steady promises are, by cases computed by hand.

use crate::common::{Driver, at, moves, request};
use batch_dp::{Goal, Preference, Weights};
use live_broker::*;
use sched_model::*;

const NONE: Vec<(u64, f64)> = Vec::new();

/// Job 1 holds the node until 100, job 2 is promised [100, 130). Job 1 ends at 20: job 2 could start 80
/// earlier.
fn early_end(stability: Stability) -> Vec<(u64, f64)> {
    early_end_under(Config::new(Span::must(1000.0)).with_stability(stability))
}

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
    let moved = |prefer: Option<Prefer>| {
        let mut config = Config::new(Span::must(1000.0))
            .with_goal(Goal::MinTime { budget: Some(1e6) }, 3)
            .with_time(slot_window::Objective::Finish)
            .with_stability(Stability::new(MovePolicy::Anywhere));
        config.prefer = prefer;
        let mut driver = Driver::new(config, &[1.0]);
        driver.serve(0.0, &[(1, 100.0)]);
        driver.serve(0.0, &[(2, 30.0)]);
        assert_eq!(driver.start_of(2), 100.0);
        driver.tell(20.0, Input::Ended(JobId(1)));
        moves(&driver.wake(20.0))
    };
    assert_eq!(moved(None), [(2, -80.0)]);
    assert_eq!(moved(Some(Prefer::Makespan)), NONE);
    assert_eq!(moved(Some(Prefer::MeanFinish)), NONE);
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
    assert_eq!(early_end(Stability::new(MovePolicy::Never)), NONE);
    assert_eq!(early_end(Stability::new(MovePolicy::NotLater)), [(2, -80.0)]);
    assert_eq!(early_end(Stability::new(MovePolicy::Anywhere)), [(2, -80.0)]);
    assert_eq!(early_end(Stability::new(MovePolicy::NotLater).with_tax(79.5)), [(2, -80.0)]);
    assert_eq!(early_end(Stability::new(MovePolicy::NotLater).with_tax(80.0)), NONE);
    assert_eq!(early_end(Stability::new(MovePolicy::NotLater).with_max_moves(0)), NONE);
    // A gain of 80 is at least 80.
    assert_eq!(early_end(Stability::new(MovePolicy::NotLater).with_least_gain(80.0)), [(2, -80.0)]);
    assert_eq!(early_end(Stability::new(MovePolicy::NotLater).with_least_gain(80f64.next_up())), NONE);
    // At 20, what starts before 20 + 81 is frozen; what starts at 100 or later is not.
    assert_eq!(early_end(Stability::new(MovePolicy::NotLater).with_frozen(Span::must(81.0))), NONE);
    assert_eq!(early_end(Stability::new(MovePolicy::NotLater).with_frozen(Span::must(80.0))), [(2, -80.0)]);
}

/// The start of job 2 goes from 100 to 20, at 20: from 80 to 0 as counted from the present.
#[test]
fn a_gain_in_starts_is_their_difference() {
    let moved = |least: f64| {
        let stability = Stability::new(MovePolicy::NotLater).with_least_gain(least);
        let config = Config::new(Span::must(1000.0)).with_stability(stability);
        early_end_under(config.with_time(slot_window::Objective::Start))
    };
    assert_eq!(moved(80.0), [(2, -80.0)]);
    assert_eq!(moved(80f64.next_up()), NONE);
}

/// The goal is the least cost. A cheap node comes: the move gains 90, which must be more than the tax.
#[test]
fn the_tax_is_in_the_unit_of_the_goal() {
    let run = |tax: f64, work: u64| {
        let stability = Stability::new(MovePolicy::Anywhere).with_tax(tax);
        let config = Config::new(Span::must(1000.0))
            .with_goal(Goal::MinCost { time_limit: Some(1e6) }, 3)
            .with_search(slot_window::SearchKind::MinCost)
            .with_stability(stability)
            .with_work(work);
        let mut driver = Driver::new(config, &[10.0]);
        driver.submit(0.0, 1, request(1, 10.0));
        driver.submit(0.0, 2, request(1, 10.0));
        while driver.0.job(JobId(2)).unwrap().window.is_none() {
            driver.wake(0.0);
        }
        driver.tell(0.0, Input::NodeAdded(Node::must(7, 1.0, 1.0)));
        let mut moved = Vec::new();
        for _ in 0..5 {
            moved.extend(moves(&driver.wake(0.0)));
            // At any limit of work: what was promised is still promised.
            assert!(driver.0.jobs().all(|view| view.window.is_some()));
        }
        moved.iter().map(|(job, _)| *job).collect::<Vec<_>>()
    };
    assert_eq!(run(89.0, 1_000_000), [2]);
    assert_eq!(run(90.0, 1_000_000), Vec::<u64>::new());
    for work in [1, 2, 3, 5, 8, 20, 50] {
        run(0.0, work);
    }
}

/// Nothing is used before its release is told; a job that waits for it within the tolerance keeps its
/// promise.
#[test]
fn an_overrun_moves_only_who_waits_beyond_the_tolerance() {
    let run = |tolerance: f64, ends: f64| {
        let config = Config::new(Span::must(1000.0)).with_tolerance(Span::must(tolerance));
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

/// Job 0 finds that one node is too few for two tasks, so that job 1 takes no work; job 2 is stopped before its
/// first unit. The work alone does not tell which of them was reached.
#[test]
#[cfg(feature = "serde")]
fn what_a_signal_stopped_after_a_job_without_work_is_repeated() {
    use std::sync::atomic::{AtomicU64, Ordering};
    for stop_after in 0..6 {
        let mut broker = Broker::new(Config::new(Span::must(50.0))).unwrap();
        let mut twin = broker.clone();
        let asked = AtomicU64::new(0);
        let signal = StopSignal::when(move || asked.fetch_add(1, Ordering::Relaxed) >= stop_after);
        let mut inputs = vec![Input::NodeAdded(Node::must(0, 1.0, 1.0))];
        inputs.extend(
            [2, 2, 1]
                .iter()
                .zip(0..)
                .map(|(&nodes, id)| Input::Submit(Job::new(JobId(id), request(nodes, 10.0)))),
        );
        inputs.push(Input::Wake);
        for input in inputs {
            let entry = broker.handle_noted(at(0.0), input, Some(&signal)).unwrap();
            twin.replay(&entry).unwrap();
        }
        assert_eq!(twin.snapshot(), broker.snapshot(), "stopped after {stop_after}");
        if stop_after == 2 {
            let note = broker.last_cycle().unwrap();
            assert_eq!(
                (note.without_window.len(), note.work, note.steps, note.end),
                (2, 1, Some(3), End::Signal)
            );
        }
    }
}

/// The patience is 60. Job 2 is promised [100, 110) at once; its promise is lost at 80, job 3 is evicted at
/// 80. Neither has waited without a promise by then: both are served on node 2, or refused 60 later.
#[test]
fn who_was_promised_a_window_has_not_waited_for_one() {
    for spare in [true, false] {
        let config = Config::new(Span::must(1000.0)).with_patience(Span::must(60.0));
        let mut driver = Driver::new(config, &[1.0]);
        driver.serve(0.0, &[(1, 100.0), (2, 10.0)]);
        assert_eq!(driver.start_of(2), 100.0);
        if spare {
            driver.tell(80.0, Input::NodeAdded(Node::must(2, 1.0, 1.0)));
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
