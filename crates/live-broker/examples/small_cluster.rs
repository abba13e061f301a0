//! A cluster of three nodes: promises, an early end, an overrun, a node that fails. The driver is a loop: go
//! to the next instant at which something happens, tell what has happened, wake the broker, carry out what it
//! decides.
//!
//! `cargo run -p live-broker --example small_cluster`

use live_broker::{Act, Broker, Config, Input};
use sched_model::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut broker = Broker::new(Config::new(Span::must(1000.0)))?;
    for (id, speed, price) in [(1, 1.0, 1.0), (2, 1.0, 1.0), (3, 2.0, 4.0)] {
        let node = Node::new(NodeId(id), Speed::must(speed), Price::must(price));
        broker.handle(Time::ZERO, Input::NodeAdded(node))?;
    }
    // Two nodes for 60; one node for 30, for 70 at most; two nodes for 20, until 200.
    let requests = [
        ResourceRequest::new(2, Work::must(60.0))?,
        ResourceRequest::new(1, Work::must(30.0))?.with_budget(Money::must(70.0)),
        ResourceRequest::new(2, Work::must(20.0))?.with_deadline(Time::must(200.0)),
    ];
    for (id, request) in (1..).zip(requests) {
        broker.handle(Time::ZERO, Input::Submit(Job::new(JobId(id), request)))?;
    }

    // What will happen to the jobs that were started: job 2 is quicker than it said, job 1 slower, until node
    // 2 fails.
    let mut events: Vec<(Time, Input)> = Vec::new();
    let mut tries = 0;
    let mut now = Time::ZERO;
    loop {
        for (_, event) in events.extract_if(.., |event| event.0 <= now) {
            println!("{now:>4}    {event:?}");
            broker.handle(now, event)?;
        }
        broker.handle(now, Input::Wake)?;
        while let Some(decision) = broker.poll() {
            show(now, &decision.act);
            if let Act::Start { job, window } = decision.act {
                broker.handle(now, Input::Started(job))?;
                tries += u32::from(job == JobId(1));
                events.push(match (job, tries) {
                    (JobId(1), 1) => (Time::must(70.0), Input::Failed { job, node: Some(NodeId(2)) }),
                    (JobId(2), _) => (now + Span::must(5.0), Input::Ended(job)),
                    _ => (window.finish(), Input::Ended(job)),
                });
            }
        }
        match events.iter().map(|event| event.0).chain(broker.next_wakeup()).min() {
            Some(next) => now = next.max(now),
            None => return Ok(()),
        }
    }
}

fn show(now: Time, act: &Act) {
    match act {
        Act::Reserve { job, window } => {
            let (from, to, cost) = (window.start(), window.finish(), window.cost());
            println!("{now:>4}  job {job} is promised [{from}, {to}) for {cost}");
        }
        Act::Move { job, to, cause, .. } => {
            let by = act.moved_by().unwrap_or(0.0);
            println!("{now:>4}  job {job} is moved by {by} to {}: {cause:?}", to.start());
        }
        Act::Start { job, window } => {
            let nodes: Vec<String> = window.nodes().map(|node| node.to_string()).collect();
            println!("{now:>4}  job {job} starts on nodes {}", nodes.join(", "));
        }
        Act::Close { job, ending, cost } => println!("{now:>4}  job {job}: {ending:?}, pays {cost}"),
        other => println!("{now:>4}  {other:?}"),
    }
}
