//! Explanations: their statements hold, and each suggestion helps exactly from the suggested value on.

use crate::common::crowded;
use crate::histories::demands;
use crate::less::one_step_less;
use econsched::testkit::{Draw, request};
use live_broker::*;
use sched_model::*;
use slot_window::explain::{Suggestion, suggestions};
use slot_window::{SearchKind, WindowQuery, WindowSearch};
use std::collections::BTreeMap;

const ASKS: JobId = JobId(9);

/// The input that submits a job with this request.
fn input(id: JobId, request: &ResourceRequest) -> Input {
    Input::from(Job::new(id, request.clone()))
}

/// Nodes partly taken by others, and one job more, which no cycle has looked at; nobody else waits.
fn scene(draw: &mut Draw) -> (Broker, Box<dyn WindowSearch>, ResourceRequest) {
    let kind = draw.of([
        SearchKind::Amp,
        SearchKind::Alp,
        SearchKind::MinCost,
        SearchKind::FirstFit,
        SearchKind::MinFinish,
    ]);
    let (driver, nodes) = crowded(Config::new(Span::must(50.0)).with_search(kind), draw);
    let mut broker = driver.0;
    for id in 1..6 {
        if broker.standing(JobId(id)) == Some(Standing::Waiting) {
            broker.handle(Time::ZERO, Input::Cancel(JobId(id))).unwrap();
        }
    }
    let (nodes_asked, hostile) = (draw.between(1, 4), draw.chance(50));
    let mut asked = request(draw, &nodes, nodes_asked, hostile);
    if draw.chance(60) {
        asked = asked.with_demands(demands(draw, 1));
    }
    broker.handle(Time::ZERO, input(ASKS, &asked)).unwrap();
    (broker, kind.build(), asked)
}

/// Whether a job that asks for this in the place of the other, with one change, gets a window, or one on a node.
fn fits(broker: &Broker, asked: &ResourceRequest, change: Option<&Suggestion>, on: Option<NodeId>) -> bool {
    let mut broker = broker.clone();
    broker.handle(broker.now(), Input::Cancel(ASKS)).unwrap();
    let mut changed = asked.clone();
    if let Some(change) = change {
        if let Suggestion::NodePrice { node, price } = *change {
            broker.handle(broker.now(), Input::PriceChanged { node, price }).unwrap();
        }
        changed = change.apply(asked, &broker.free(), Time::ZERO).unwrap().0;
    }
    broker.handle(broker.now(), input(JobId(10), &changed)).unwrap();
    broker.handle(broker.now(), Input::Wake).unwrap();
    let window = broker.job(JobId(10)).and_then(|view| view.window.cloned());
    window.is_some_and(|window| on.is_none_or(|node| window.nodes().any(|at| at == node)))
}

/// What is suggested gives a window, or one on the node, and one step less does not; where there is no step less,
/// what is asked does not.
#[test]
fn suggestions_hold_to_the_last_bit() {
    // What was said of jobs, and what was suggested.
    let mut seen: [BTreeMap<String, u32>; 2] = Default::default();
    let word = |text: String| text.split(['(', ' ', '{', ')']).next().unwrap_or_default().to_owned();
    for seed in 0..2000 {
        let (broker, search, asked) = scene(&mut Draw::new(seed, 0));
        let bytes = format!("{broker:?}");
        let told = broker.explain(ASKS).unwrap();
        assert_eq!(told.refusal.is_none(), fits(&broker, &asked, None, None), "{seed}: {told}");
        let code = told.refusal.as_ref().map_or("fits", Refusal::code);
        *seen[0].entry(code.to_owned()).or_default() += 1;
        let mut answers = vec![(None, told.suggestions)];
        let list = broker.free();
        let query = WindowQuery::new(&list, &asked).with_from(broker.now());
        for node in broker.nodes().filter(|node| !fits(&broker, &asked, None, Some(*node))) {
            answers.push((Some(node), suggestions(&*search, &query, Some(node)).unwrap()));
        }
        for (on, change) in
            answers.iter().flat_map(|(on, changes)| changes.iter().map(|change| (*on, change)))
        {
            let told = format!("{seed}: {change:?} of {asked:?} on {on:?}");
            assert!(fits(&broker, &asked, Some(change), on), "{told}");
            assert!(!fits(&broker, &asked, one_step_less(change).as_ref(), on), "less than {told}");
            *seen[1].entry(word(format!("{change:?}").replace("Demand(", ""))).or_default() += 1;
        }
        assert_eq!(bytes, format!("{broker:?}"), "nothing is changed");
    }
    for (seen, expected) in seen.iter().zip([
        "too-few-nodes price-limit horizon deadline budget missing",
        "Budget Deadline Nodes MinSpeed PriceLimit Work NodePrice LiftLabel LiftExcluded AtLeast LiftPack Spread \
         LiftSpread NotBefore LaterStart EarlierStart",
    ]) {
        for what in expected.split(' ') {
            assert!(seen.get(what).is_some_and(|count| *count > 5), "{what}: {seen:?}");
        }
    }
}
