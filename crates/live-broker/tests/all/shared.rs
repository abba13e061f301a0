//! What the searches of a cycle know of earlier ones saves work and changes no decision.

use crate::common::{self, Driver};
use crate::histories::{WHOLE, demands, job, node};
use econsched::testkit::{Anew, Draw};
use live_broker::*;
use sched_model::*;
use slot_window::*;
use std::sync::Arc;

/// Nodes of which time is taken here and there.
fn add_nodes(broker: &mut Broker, draw: &mut Draw) {
    for id in 1..4 + draw.below(4) as u32 {
        broker.handle(Time::ZERO, node(draw, WHOLE, id, true)).unwrap();
        for _ in 0..draw.below(4) {
            let from = draw.below(90) as f64;
            let until = Time::must(from + 1.0 + draw.below(40) as f64);
            let blocked = Input::Blocked { node: NodeId(id), from: Time::must(from), until };
            broker.handle(Time::ZERO, blocked).unwrap();
        }
    }
}

fn submit(broker: &mut Broker, ids: std::ops::Range<u64>, draw: &mut Draw) {
    for id in ids {
        let (mut job, demands) = (job(draw, WHOLE, id), demands(draw, WHOLE));
        if draw.chance(25) {
            job.request = job.request.with_price_limit(Price::must(draw.between(1, 20) as f64));
        }
        let speeds = match draw.below(9) {
            0 => vec![SpeedOn { first: NodeId(0), last: NodeId(2), speed: Speed::must(1.5) }],
            _ => Vec::new(),
        };
        broker.handle(Time::ZERO, Input::SubmitWithDemands { job, demands, speeds }).unwrap();
    }
}

/// The decisions of a broker and the notes of its cycles: one for many jobs; then one for others, for those
/// that a node has refused, and for promises that may move.
fn cycles(seed: u64, search: Arc<dyn WindowSearch>) -> (Vec<Decision>, [CycleNote; 2]) {
    let mut draw = Draw::new(seed, 0);
    let mut config = Config::new(Span::must(200.0));
    config.max_alternatives = 1 + seed as usize % 3;
    let moves = draw.chance(50);
    if moves {
        config = config.with_stability(Stability::new(MovePolicy::NotLater));
    }
    let takes_all = config.max_alternatives == 1 && !moves;
    let mut broker = Broker::new(config).unwrap().with_search(search);
    add_nodes(&mut broker, &mut draw);
    submit(&mut broker, 0..28, &mut draw);
    broker.handle(Time::ZERO, Input::Wake).unwrap();
    let first = broker.last_cycle().unwrap().clone();
    let mut decisions: Vec<Decision> = std::iter::from_fn(|| broker.poll()).collect();
    for decision in &decisions {
        let Act::Start { job, window } = &decision.act else { continue };
        let node = window.nodes().next().unwrap();
        let refused = Input::Refused { job: *job, node };
        let input = if draw.chance(50) { refused } else { Input::Started(*job) };
        broker.handle(Time::ZERO, input).unwrap();
    }
    submit(&mut broker, 100..110, &mut draw);
    broker.handle(Time::ZERO, Input::Wake).unwrap();
    let second = broker.last_cycle().unwrap().clone();
    decisions.extend(std::iter::from_fn(|| broker.poll()));
    // What was searched for in vain has no window by a search that knows nothing of others, either.
    for &job in second.without_window.iter().filter(|_| takes_all) {
        let why = broker.explain(job).unwrap();
        assert!(matches!(why.why, Why::None(_)), "{seed}: job {job} {why}");
    }
    (decisions, [first, second])
}

#[test]
fn searches_that_share_what_they_know_decide_as_each_alone() {
    let searches: [Arc<dyn WindowSearch>; 6] = [
        Arc::new(Amp::new()),
        Arc::new(Alp::new()),
        Arc::new(FirstFit::new()),
        Arc::new(Optimal::new(Objective::Start)),
        Arc::new(Optimal::new(Objective::Cost)),
        Arc::new(Optimal::new(Objective::Finish)),
    ];
    let mut shared = [0, 0];
    for search in searches {
        let mut work = [0, 0];
        for seed in 0..150 {
            let (decisions, notes) = cycles(seed, Arc::clone(&search));
            let (alone, of_alone) = cycles(seed, Arc::new(Anew(Arc::clone(&search))));
            assert_eq!(decisions, alone, "{} {seed}", search.name());
            for (note, of_alone) in notes.iter().zip(&of_alone) {
                assert_eq!(
                    (&note.placed, &note.without_window),
                    (&of_alone.placed, &of_alone.without_window)
                );
                work[0] += note.work;
                work[1] += of_alone.work;
            }
        }
        println!("{}: {work:?}", search.name());
        if search.starts_are_monotone() {
            shared = [shared[0] + work[0], shared[1] + work[1]];
        } else {
            // No other search for the same job may begin at the start of its last window.
            assert_eq!(work[0], work[1], "{}", search.name());
        }
    }
    assert!(shared[0] < shared[1], "{shared:?}");
}

/// Equal jobs for which there is no window: one search tells of all, beside those without demands also of those that
/// demand more.
#[test]
fn a_queue_of_jobs_that_fail_alike_costs_one_search() {
    let work = |count: u64| {
        let mut driver = Driver::new(Config::new(Span::must(100.0)), &[1.0; 5]);
        driver.submit(0.0, 0, common::request(6, 10.0));
        for id in 1..count {
            let job = Job::new(JobId(id), common::request(6 + id as usize % 3, 10.0));
            let demands = if id % 2 == 0 { Demands::new() } else { Demands::new().with_label("gpu") };
            driver.tell(0.0, Input::SubmitWithDemands { job, demands, speeds: Vec::new() });
        }
        driver.wake(0.0);
        let note = driver.0.last_cycle().unwrap();
        assert_eq!(note.without_window.len() as u64, count);
        note.work
    };
    assert_eq!(work(100), work(1));
}
