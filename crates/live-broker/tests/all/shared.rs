//! What the searches of a cycle know of earlier ones saves work and changes no decision.

use crate::common::{self, Driver};
use econsched::testkit::{Anew, Draw};
use live_broker::*;
use sched_model::*;
use slot_window::*;
use std::sync::Arc;

fn request(draw: &mut Draw) -> ResourceRequest {
    let mut request =
        ResourceRequest::new(1 + draw.below(4), Work::must(1.0 + draw.below(30) as f64)).unwrap();
    if draw.below(3) == 0 {
        request = request.with_budget(Money::must(20.0 + draw.below(200) as f64));
    }
    if draw.below(4) == 0 {
        request = request.with_deadline(Time::must(20.0 + draw.below(150) as f64));
    }
    if draw.below(4) == 0 {
        request = request.with_price_limit(Price::must(1.0 + draw.below(4) as f64));
    }
    if draw.below(4) == 0 {
        request = request.with_min_speed(Speed::must(1.0 + draw.below(2) as f64));
    }
    request
}

fn demands(draw: &mut Draw) -> Demands {
    let none = Demands::new();
    match draw.below(8) {
        0 => none.with_label("gpu"),
        1 => none.with_pack("rack"),
        2 => none.with_spread("rack", 1).unwrap(),
        3 => none.with_not_before(Time::must(draw.below(60) as f64)),
        4 => none.with_start(Time::must(draw.below(60) as f64)),
        5 => none.with_spans(Spans::new([(NodeId(draw.below(5) as u32), Span::must(2.0))]).unwrap()),
        _ => none,
    }
}

/// Nodes of which time is taken here and there.
fn add_nodes(broker: &mut Broker, draw: &mut Draw) {
    for id in 0..3 + draw.below(4) as u32 {
        let (speed, price) = (1.0 + draw.below(3) as f64 / 2.0, 1.0 + draw.below(4) as f64);
        let node = Node::new(NodeId(id), Speed::must(speed), Price::must(price));
        let features = Features::new().with_label(format!("rack={}", draw.below(2)));
        let features = if draw.chance(50) { features.with_label("gpu") } else { features };
        broker.handle(Time::ZERO, Input::NodeAddedWithFeatures { node, features }).unwrap();
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
        let request = request(draw);
        let job = Job::new(JobId(id), request).with_submit(Time::must(draw.below(3) as f64 * 10.0));
        if id % 9 == 0 {
            broker.handle(Time::ZERO, Input::Submit(job)).unwrap();
            continue;
        }
        let demands = demands(draw);
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
