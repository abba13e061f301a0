//! A journal that was written down leads to the same bytes, planned again or adopted.
//!
//! Where the decisions of the broker change, the files are made anew
//! (`GOLDEN=write cargo test -p live-broker --all-features --test all golden`).
#![cfg(feature = "serde")]

use crate::common::{restored, written};
use batch_dp::Goal;
use live_broker::*;
use sched_model::*;
use std::path::PathBuf;

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/{name}.json"))
}

fn config() -> Config {
    Config::new(Span::must(300.0))
        .with_goal(Goal::MinCost { time_limit: None }, 3)
        .with_stability(
            Stability::new(MovePolicy::Within(Span::must(20.0))).with_tax(1.0).with_rate(3, Span::must(10.0)),
        )
        .with_tolerance(Span::must(0.5))
        .with_preemption(Preemption::new(Span::must(1.0)).with_delay(Span::must(0.25)))
}

/// Jobs with every kind of demand.
fn demanding(tell: &mut dyn FnMut(f64, Input)) {
    let none = Demands::new;
    let measured = Spans::new([(NodeId(5), Span::must(6.5))]).unwrap();
    let each = [
        none().with_label("gpu").with_at_least("memory", 32.0).unwrap().with_spans(measured),
        none().without_label("gpu").with_not_before(Time::must(12.0)),
        none().with_pack("rack").with_start(Time::must(40.0)),
        none().with_spread("rack", 1).unwrap(),
        none().with_start(Time::must(1.25)).with_label("none"),
    ];
    for (id, demands) in (21..).zip(each) {
        let job = Job::new(JobId(id), ResourceRequest::new(1, Work::must(8.0)).unwrap());
        tell(0.0, Input::SubmitWithDemands { job, demands, speeds: Vec::new() });
    }
}

/// Five nodes, one of them with features.
fn nodes(tell: &mut dyn FnMut(Input)) {
    let node = |id, speed, price| Node::new(NodeId(id), Speed::must(speed), Price::must(price));
    for (id, speed, price) in [(1, 1.0, 1.0), (2, 1.0, 1.5), (3, 2.0, 4.0), (4, 1.5, 0.1)] {
        tell(Input::NodeAdded(node(id, speed, price)));
    }
    let node = Node::new(NodeId(5), Speed::must(1.0), Price::must(2.5));
    let features = Features::new().with_label("rack=a").with_label("gpu").with_amount("memory", 64.0);
    tell(Input::NodeAddedWithFeatures { node, features: features.unwrap() });
}

/// A history with every kind of input, told by hand. Decisions stay in the state, so that they are compared
/// too.
fn made() -> (Broker, Vec<Entry>) {
    let mut broker = Broker::new(config()).unwrap();
    let mut journal = Vec::new();
    let mut tell = |broker: &mut Broker, now: f64, input: Input| {
        if let Ok(entry) = broker.handle_noted(Time::must(now), input, None) {
            journal.push(entry);
        }
    };
    nodes(&mut |input| tell(&mut broker, 0.0, input));
    let request = |nodes, work| ResourceRequest::new(nodes, Work::must(work)).unwrap();
    for id in 1..9 {
        let request = request(1 + id as usize % 3, 7.3 * id as f64).with_deadline(Time::must(250.0));
        tell(&mut broker, 0.0, Input::Submit(Job::new(JobId(id), request.with_budget(Money::must(200.0)))));
    }
    let speeds = vec![SpeedOn { first: NodeId(1), last: NodeId(2), speed: Speed::must(3.0) }];
    tell(&mut broker, 0.0, Input::SubmitWithSpeeds { job: Job::new(JobId(20), request(1, 9.0)), speeds });
    demanding(&mut |now, input| tell(&mut broker, now, input));
    for step in 0_i32..60 {
        let now = 2.5 * f64::from(step);
        let job = JobId(1 + step as u64 % 8);
        match step % 12 {
            1 => tell(&mut broker, now, Input::Released { job, node: NodeId(1) }),
            3 => tell(
                &mut broker,
                now,
                Input::NodeDown { node: NodeId(2), until: Some(Time::must(now + 6.0)) },
            ),
            5 => tell(&mut broker, now, Input::NodeUp(NodeId(2))),
            6 => tell(&mut broker, now, Input::Evicted { job, done: Work::must(1.0) }),
            7 => tell(
                &mut broker,
                now,
                Input::PriceChanged { node: NodeId(3), price: Price::must(f64::from(step) / 10.0) },
            ),
            8 => tell(&mut broker, now, Input::Failed { job, node: Some(NodeId(1)) }),
            9 => tell(&mut broker, now, Input::Refused { job, node: NodeId(3) }),
            10 => tell(&mut broker, now, Input::StartFailed { job, node: None }),
            11 => {
                let (from, until) = (Time::must(now + 3.0), Time::must(now + 9.5));
                tell(&mut broker, now, Input::Blocked { node: NodeId(4), from, until });
                tell(
                    &mut broker,
                    now,
                    Input::Unblocked { node: NodeId(4), from: Time::must(now + 5.0), until },
                );
            }
            _ => {}
        }
        if step % 7 == 2 {
            // In a hurry: others are stopped for it.
            let request = request(1 + step as usize % 3, 4.0);
            let urgent = Job::new(JobId(100 + step as u64), request).with_priority(Priority::must(5.0));
            tell(&mut broker, now, Input::Submit(urgent));
        }
        if step % 7 == 4 {
            let urgent =
                Job::new(JobId(200 + step as u64), request(1, 3.0)).with_priority(Priority::must(7.0));
            let quotes = broker.quote(&urgent, 1, &Limit::default()).unwrap();
            if let Some(Displacement { window, victims, .. }) = quotes.displacing {
                let version = quotes.version;
                let demands = Demands::new();
                tell(&mut broker, now, Input::Accept { job: urgent, window, version, victims, demands });
            }
        }
        let stopping = broker.jobs().filter(|view| view.standing == Standing::Stopping);
        for job in stopping.map(|view| view.job.id).collect::<Vec<_>>() {
            tell(&mut broker, now, Input::Evicted { job, done: Work::must(0.5) });
        }
        let starting = broker.jobs().filter(|view| view.standing == Standing::Starting);
        for job in starting.map(|view| view.job.id).collect::<Vec<_>>() {
            tell(&mut broker, now, Input::Started(job));
        }
        let ended = JobId(100 + step as u64 - step as u64 % 7 + 2 - 7 * u64::from(step % 7 < 4));
        tell(&mut broker, now, Input::Ended(ended));
        tell(&mut broker, now, Input::Ended(job));
        tell(&mut broker, now, Input::Wake);
    }
    tell(&mut broker, 151.0, Input::Cancel(JobId(20)));
    tell(&mut broker, 151.0, Input::NodeRemoved(NodeId(1)));
    tell(&mut broker, 151.0, Input::Wake);
    (broker, journal)
}

#[test]
fn a_journal_leads_to_its_state() {
    if std::env::var("GOLDEN").is_ok_and(|what| what == "write") {
        let (broker, journal) = made();
        std::fs::write(file("journal"), serde_json::to_string(&journal).unwrap()).unwrap();
        std::fs::write(file("state"), written(&broker)).unwrap();
    }
    let text = std::fs::read_to_string(file("journal")).unwrap();
    let journal: Vec<Entry> = serde_json::from_str(&text).unwrap();
    let state = std::fs::read_to_string(file("state")).unwrap();
    let mut replayed = Broker::new(config()).unwrap();
    let mut adopted = replayed.clone();
    for entry in &journal {
        replayed.replay(entry).unwrap();
        adopted.adopt(entry).unwrap();
    }
    assert_eq!(written(&replayed), state.trim_end());
    assert_eq!(written(&adopted), state.trim_end());
    assert_eq!(written(&restored(&state).unwrap()), state.trim_end());
    for what in ["preempt", "rescued", "blocked", "victims", "demands", "features", "start_passed"] {
        let what = format!("\"{what}\"");
        assert!(text.contains(&what) || state.contains(&what), "there is no {what}");
    }
    let cycles = journal.iter().filter(|entry| entry.cycle.is_some()).count();
    assert!(cycles > 10 && journal.len() > 100, "{cycles} cycles of {} entries", journal.len());
}
