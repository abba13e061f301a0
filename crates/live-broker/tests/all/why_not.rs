//! Why a job is not on a node: what is suggested brings it there, and one representable step less does not.

use crate::common::Dice;
use crate::common::driver::{at, request};
use live_broker::*;
use sched_model::*;
use slot_window::SearchKind;
use std::collections::BTreeMap;

const ASKS: JobId = JobId(9);

fn submit(broker: &mut Broker, id: JobId, request: ResourceRequest) {
    broker.handle(broker.now(), Input::Submit(Job::new(id, request))).unwrap();
}

fn wake(broker: &mut Broker) {
    broker.handle(broker.now(), Input::Wake).unwrap();
}

/// Nodes partly taken by others, and one job more that waits or is promised a window; nobody else waits.
fn scene(dice: &mut Dice) -> (Broker, ResourceRequest) {
    let kinds = [SearchKind::Amp, SearchKind::Alp, SearchKind::MinCost, SearchKind::FirstFit];
    let config = Config::new(Span::must(50.0)).with_search(dice.pick(&kinds).unwrap());
    let mut broker = Broker::new(config).unwrap();
    for id in 0..1 + dice.below(5) as u32 {
        let (speed, price) = (dice.pick(&[1.0, 2.0, 0.7, 3.0]), dice.pick(&[0.1, 1.0, 0.3, 2.0, 0.0]));
        let node = Node::new(NodeId(id), Speed::must(speed.unwrap()), Price::must(price.unwrap()));
        broker.handle(Time::ZERO, Input::NodeAdded(node)).unwrap();
    }
    for id in 1..4 {
        let wanted = request(1 + dice.below(3) as usize, 0.1 * (1.0 + dice.real(300)));
        submit(&mut broker, JobId(id), wanted);
        wake(&mut broker);
        if broker.standing(JobId(id)) == Some(Standing::Waiting) {
            broker.handle(Time::ZERO, Input::Cancel(JobId(id))).unwrap();
        }
    }
    let mut wanted = request(1 + dice.below(4) as usize, 0.1 * (1.0 + dice.real(300)));
    if dice.chance(40) {
        wanted = wanted.with_budget(Money::must(0.1 * dice.real(200)));
    }
    if dice.chance(40) {
        wanted = wanted.with_deadline(at(0.7 * (1.0 + dice.real(60))));
    }
    if dice.chance(30) {
        wanted = wanted.with_min_speed(Speed::must(2.0));
    }
    if dice.chance(40) {
        wanted = wanted.with_price_limit(Price::must(0.3));
    }
    submit(&mut broker, ASKS, wanted);
    if dice.chance(60) {
        wake(&mut broker);
    }
    (broker, wanted)
}

/// Whether a job that asks for this in the place of the other comes to the node.
fn comes(broker: &Broker, wanted: &ResourceRequest, node: NodeId, change: Option<&Suggestion>) -> bool {
    let mut broker = broker.clone();
    broker.handle(broker.now(), Input::Cancel(ASKS)).unwrap();
    if let Some(&Suggestion::NodePrice { node, price }) = change {
        broker.handle(broker.now(), Input::PriceChanged { node, price }).unwrap();
    }
    submit(&mut broker, JobId(10), change.map_or(*wanted, |change| change.apply(wanted)));
    wake(&mut broker);
    let window = broker.job(JobId(10)).and_then(|view| view.window.cloned());
    window.is_some_and(|window| window.nodes().any(|at| at == node))
}

#[test]
fn suggestions_hold_to_the_last_bit() {
    let mut tried: BTreeMap<String, u32> = BTreeMap::new();
    let name = |text: String| text.split(['(', ' ', '{']).next().unwrap_or_default().to_owned();
    for seed in 0..700 {
        let (broker, wanted) = scene(&mut Dice(seed));
        let bytes = format!("{broker:?}");
        for node in broker.nodes().collect::<Vec<_>>() {
            let Ok(answer) = broker.why_not(ASKS, node) else { continue };
            let why = name(format!("{:?}", answer.why));
            *tried.entry(why.clone()).or_default() += 1;
            match answer.why {
                WhyNot::IsThere => assert_eq!(answer.suggestions, []),
                WhyNot::Fits => {
                    assert_eq!(answer.suggestions, []);
                    assert!(comes(&broker, &wanted, node, None), "{seed}: node {node}");
                }
                _ if broker.standing(ASKS) == Some(Standing::Starting) => assert_eq!(answer.suggestions, []),
                _ => assert!(!comes(&broker, &wanted, node, None), "{seed}: node {node}, {why}"),
            }
            for change in answer.suggestions {
                let known = format!("{seed}: {change:?} of {wanted:?} for node {node}");
                assert!(comes(&broker, &wanted, node, Some(&change)), "{known}");
                let less = change.one_step_less().unwrap();
                assert!(!comes(&broker, &wanted, node, Some(&less)), "less than {known}");
                for what in [why.clone(), name(format!("{change:?}"))] {
                    *tried.entry(format!("remedy {what}")).or_default() += 1;
                }
            }
        }
        assert_eq!(bytes, format!("{broker:?}"), "nothing is changed");
    }
    println!("{tried:?}");
    for what in ["IsThere", "Fits", "Alone", "TooFewBeside", "NotPreferred"] {
        assert!(tried.get(what).is_some_and(|count| *count > 5), "{what}: {tried:?}");
    }
    let remedies = ["Alone", "TooFewBeside", "NotPreferred", "Budget", "Deadline", "Nodes"];
    for what in remedies.into_iter().chain(["MinSpeed", "PriceLimit", "Work", "NodePrice"]) {
        assert!(tried.get(&format!("remedy {what}")).is_some_and(|count| *count > 5), "{what}: {tried:?}");
    }
}

/// There is no suggestion for a node that cannot be used, nor for a job that has started.
#[test]
fn what_no_change_helps_has_no_suggestion() {
    let mut broker = Broker::new(Config::new(Span::must(100.0))).unwrap();
    for id in 1..4 {
        let node = Node::new(NodeId(id), Speed::ETALON, Price::must(f64::from(id)));
        broker.handle(Time::ZERO, Input::NodeAdded(node)).unwrap();
    }
    broker.handle(Time::ZERO, Input::NodeDown { node: NodeId(3), until: Some(at(50.0)) }).unwrap();
    submit(&mut broker, ASKS, request(3, 10.0).with_min_speed(Speed::must(2.0)));
    submit(&mut broker, JobId(1), request(1, 10.0));
    wake(&mut broker);
    let down = broker.why_not(ASKS, NodeId(3)).unwrap();
    assert_eq!((down.why, down.suggestions), (WhyNot::Down, vec![]));
    assert_eq!(broker.standing(JobId(1)), Some(Standing::Starting));
    let other = broker.why_not(JobId(1), NodeId(2)).unwrap();
    assert_eq!((&other.why, &*other.suggestions), (&WhyNot::NotPreferred, &[][..]));
    assert_eq!(other.to_string(), "the search prefers other nodes");
    let slow = broker.why_not(ASKS, NodeId(2)).unwrap();
    assert_eq!(slow.suggestions, [Suggestion::MinSpeed(Speed::ETALON)]);
    assert!(slow.to_string().ends_with("\nwould be there with a least speed of 1"), "{slow}");
}
