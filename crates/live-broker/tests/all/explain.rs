//! Quotes and explanations: what they say holds, and what is suggested helps, to the last bit.

use crate::common::{Driver, accept, at, request};
use crate::less::one_step_less;
use econsched::testkit::{self, Draw, features};
use live_broker::*;
use sched_model::*;
use slot_window::explain::{Suggestion, suggestions};
use slot_window::{SearchKind, WindowQuery, WindowSearch};
use std::collections::BTreeMap;

const ASKS: JobId = JobId(9);

/// A broker with nodes (speed, price), woken at 0.
fn broker(config: Config, nodes: &[(f64, f64)]) -> Broker {
    let mut driver = Driver::with_nodes(config, nodes);
    driver.wake(0.0);
    driver.0
}

fn submit(broker: &mut Broker, id: u64, request: ResourceRequest) {
    broker.handle(broker.now(), Input::from(Job::new(JobId(id), request))).unwrap();
    broker.handle(broker.now(), Input::Wake).unwrap();
}

#[test]
fn a_quote_holds_until_the_free_time_changes() {
    let mut broker = broker(Config::new(Span::must(100.0)), &[(1.0, 1.0), (1.0, 2.0)]);
    let wanted = request(1, 60.0).with_budget(Money::must(100.0));
    let job = Job::new(JobId(1), wanted);
    let quotes = broker.quote(&job, 9, &Limit::default()).unwrap();
    // Node 2 is too expensive; node 1 has room for two up to the horizon, which reaches a quarter further than
    // asked.
    assert_eq!((quotes.windows.len(), quotes.end), (2, End::Done));
    let window = quotes.windows[0].clone();
    let dear = Placement { price: Price::must(0.5), cost: Money::must(30.0), ..window.placements()[0] };
    let forged = accept(job.clone(), &Window::new(at(0.0), vec![dear]).unwrap(), quotes.version);
    assert!(matches!(broker.handle(at(0.0), forged), Err(BrokerError::Unfit { .. })));
    let before = format!("{broker:?}");
    let stale = broker.handle(at(0.0), accept(job.clone(), &window, quotes.version + 1));
    assert!(matches!(stale, Err(BrokerError::Stale { .. })));
    // Time passes: the window has begun without it.
    let late = broker.handle(at(1.0), accept(job.clone(), &window, quotes.version));
    assert!(matches!(late, Err(BrokerError::Unfit { .. })), "{late:?}");
    let mut demanding = job.clone();
    demanding.request = demanding.request.with_demands(Demands::default().with_label("gpu"));
    let demanding = accept(demanding, &window, quotes.version);
    assert!(matches!(broker.handle(at(0.0), demanding), Err(BrokerError::Unfit { .. })));
    assert_eq!(before, format!("{broker:?}"));
    broker.handle(at(0.0), accept(job.clone(), &window, quotes.version)).unwrap();
    let reserved = std::iter::from_fn(|| broker.poll()).map(|decision| decision.act).last();
    assert_eq!(reserved, Some(Act::Reserve { job: JobId(1), window }));
    let stopped = broker.quote(&job, 9, &Limit::default().with_work(0)).unwrap();
    assert_eq!((stopped.windows.len(), stopped.end), (0, End::Work));
}

/// The input that submits a job with this request.
fn input(id: JobId, request: &ResourceRequest) -> Input {
    Input::from(Job::new(id, request.clone()))
}

/// Nodes partly taken by others, and one job more, which no cycle has looked at; nobody else waits.
fn scene(draw: &mut Draw) -> (Broker, Box<dyn WindowSearch>, ResourceRequest) {
    let kinds =
        [SearchKind::Amp, SearchKind::Alp, SearchKind::MinCost, SearchKind::FirstFit, SearchKind::MinFinish];
    let demanding = draw.chance(60);
    let kind = *draw.pick(if demanding { &kinds[2..] } else { &kinds[..4] }).unwrap();
    let mut broker = Broker::new(Config::new(Span::must(50.0)).with_search(kind)).unwrap();
    for id in 0..1 + draw.below(5) as u32 {
        let (speed, price) = (draw.of([1.0, 2.0, 0.7, 3.0]), draw.of([0.1, 1.0, 0.3, 2.0, 0.0]));
        let node = Node::must(id, speed, price);
        let features = features(draw);
        broker.handle(Time::ZERO, Input::NodeAdded { node, features }).unwrap();
    }
    for id in 1..4 {
        submit(&mut broker, id, request(1 + draw.below(3), 0.1 * (1.0 + draw.below(300) as f64)));
        if broker.standing(JobId(id)) == Some(Standing::Waiting) {
            broker.handle(Time::ZERO, Input::Cancel(JobId(id))).unwrap();
        }
    }
    let mut request = request(1 + draw.below(4), 0.1 * (1.0 + draw.below(300) as f64));
    if draw.chance(40) {
        request = request.with_budget(Money::must(0.1 * draw.below(200) as f64));
    }
    if draw.chance(40) {
        request = request.with_deadline(at(0.7 * (1.0 + draw.below(60) as f64)));
    }
    if draw.chance(30) && !demanding {
        request = request.with_min_speed(Speed::must(2.0));
    }
    if draw.chance(40) && !demanding {
        request = request.with_price_limit(Price::must(0.3));
    }
    let asked = if demanding { request.with_demands(demands(draw)) } else { request };
    broker.handle(Time::ZERO, input(ASKS, &asked)).unwrap();
    (broker, kind.build(), asked)
}

fn demands(draw: &mut Draw) -> Demands {
    let demands = testkit::demands(draw, 0, 0, 1.0);
    match draw.below(8) {
        0 | 1 => demands.with_not_before(at(0.5 * draw.below(120) as f64)),
        2 => demands.with_start(at(0.7 * draw.below(80) as f64)),
        _ => demands,
    }
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
