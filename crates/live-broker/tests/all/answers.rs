//! Quotes and explanations: what they say holds, to the last bit.

use crate::common::Dice;
use crate::common::driver::{at, request};
use live_broker::*;
use sched_model::*;
use slot_window::SearchKind;

/// A broker with nodes (speed, price), woken at 0.
fn broker(config: Config, nodes: &[(f64, f64)]) -> Broker {
    let mut broker = Broker::new(config).unwrap();
    for (id, &(speed, price)) in (1..).zip(nodes) {
        let node = Node::new(NodeId(id), Speed::must(speed), Price::must(price));
        broker.handle(Time::ZERO, Input::NodeAdded(node)).unwrap();
    }
    broker.handle(Time::ZERO, Input::Wake).unwrap();
    broker
}

fn submit(broker: &mut Broker, id: u64, request: ResourceRequest) {
    broker.handle(broker.now(), Input::Submit(Job::new(JobId(id), request))).unwrap();
    broker.handle(broker.now(), Input::Wake).unwrap();
}

#[test]
fn each_cause_has_its_code_and_its_remedy() {
    let mut broker = broker(Config::new(Span::must(100.0)), &[(1.0, 1.0), (2.0, 3.0), (2.0, 4.0)]);
    let cases = [
        (request(4, 10.0), "too-few-nodes", vec![Suggestion::Nodes(3)]),
        (request(3, 10.0).with_min_speed(Speed::must(2.0)), "too-few-nodes", {
            vec![Suggestion::Nodes(2), Suggestion::MinSpeed(Speed::ETALON)]
        }),
        // 10 * 1 + 5 * 3 at 0.
        (request(2, 10.0).with_budget(Money::must(24.0)), "budget", {
            // 9.6 * 1 + 4.8 * 3.
            vec![
                Suggestion::Budget(Money::must(25.0)),
                Suggestion::Nodes(1),
                Suggestion::Work(Work::must(9.6)),
            ]
        }),
        (request(1, 10.0).with_deadline(at(4.0)), "deadline", {
            vec![Suggestion::Deadline(at(5.0)), Suggestion::Work(Work::must(8.0))]
        }),
        // The horizon reaches to 125; two nodes are of speed 2.
        (request(2, 300.0), "horizon", vec![Suggestion::Work(Work::must(250.0))]),
    ];
    for (id, (request, code, remedies)) in (1..).zip(cases) {
        submit(&mut broker, id, request);
        let explanation = broker.explain(JobId(id)).unwrap();
        assert_eq!((explanation.why.code(), explanation.suggestions), (code, remedies), "job {id}");
    }
    // The last one would start at once if the horizon reached further; the first never.
    assert_eq!(broker.explain(JobId(5)).unwrap().estimated_start, Some(at(0.0)));
    assert_eq!(broker.explain(JobId(1)).unwrap().estimated_start, None);
    assert_eq!(broker.explain(JobId(77)), Err(BrokerError::UnknownJob(JobId(77))));
    let counts = broker.explain(JobId(2)).unwrap().nodes;
    assert_eq!((counts.all, counts.slow, counts.usable), (3, 1, 2));
}

#[test]
fn a_node_says_why_it_was_not_taken() {
    let mut broker = broker(
        Config::new(Span::must(100.0)).with_search(SearchKind::Alp),
        &[(1.0, 1.0), (2.0, 3.0), (4.0, 2.0)],
    );
    let why = |broker: &Broker, job, node| broker.why_not(JobId(job), NodeId(node)).unwrap().why;
    submit(
        &mut broker,
        1,
        request(1, 10.0).with_min_speed(Speed::must(2.0)).with_price_limit(Price::must(2.0)),
    );
    assert_eq!(why(&broker, 1, 3), WhyNot::IsThere);
    assert_eq!(why(&broker, 1, 1), WhyNot::Alone(Refusal::TooFewNodes { needed: 1, fast_enough: 0 }));
    assert_eq!(why(&broker, 1, 2), WhyNot::Alone(Refusal::PriceLimit { needed: 1, affordable: 0 }));
    submit(&mut broker, 2, request(4, 10.0));
    assert_eq!(why(&broker, 2, 1), WhyNot::TooFewBeside);
    submit(&mut broker, 3, request(2, 10.0));
    assert_eq!(why(&broker, 3, 1), WhyNot::IsThere);
    broker.handle(at(0.0), Input::NodeDown { node: NodeId(2), until: None }).unwrap();
    assert_eq!(why(&broker, 2, 2), WhyNot::Down);
    assert_eq!(broker.why_not(JobId(2), NodeId(9)), Err(BrokerError::UnknownNode(NodeId(9))));
}

/// Whatever is suggested gives a window to a broker that has the job changed so; one step less does not.
#[test]
fn suggestions_hold_to_the_last_bit() {
    let mut tried = 0;
    // Explanations by code, and of these, those with a remedy.
    let mut by_code: std::collections::BTreeMap<&str, (u32, u32)> = std::collections::BTreeMap::new();
    for seed in 0..400 {
        let mut dice = Dice(seed);
        let search = dice
            .pick(&[SearchKind::Amp, SearchKind::Alp, SearchKind::MinCost, SearchKind::FirstFit])
            .unwrap();
        let nodes: Vec<(f64, f64)> = (0..1 + dice.below(5))
            .map(|_| {
                (dice.pick(&[1.0, 2.0, 0.7, 3.0]).unwrap(), dice.pick(&[0.1, 1.0, 0.3, 2.0, 0.0]).unwrap())
            })
            .collect();
        let mut broker = broker(Config::new(Span::must(50.0)).with_search(search), &nodes);
        for id in 1..4 {
            submit(&mut broker, id, request(1 + dice.below(3) as usize, 0.1 * (1.0 + dice.real(300))));
        }
        let mut wanted = request(1 + dice.below(6) as usize, 0.1 * (1.0 + dice.real(300)));
        if dice.chance(50) {
            wanted = wanted.with_budget(Money::must(0.1 * dice.real(200)));
        }
        if dice.chance(50) {
            wanted = wanted.with_deadline(at(0.7 * dice.real(60)));
        }
        if dice.chance(30) {
            wanted = wanted.with_min_speed(Speed::must(2.0));
        }
        if dice.chance(30) {
            wanted = wanted.with_price_limit(Price::must(0.3));
        }
        broker.handle(at(0.0), Input::Submit(Job::new(JobId(9), wanted))).unwrap();
        let Ok(explanation) = broker.explain(JobId(9)) else { continue };
        let known = by_code.entry(explanation.why.code()).or_default();
        *known = (known.0 + 1, known.1 + u32::from(!explanation.suggestions.is_empty()));
        for suggestion in explanation.suggestions {
            let fits = |suggestion: &Suggestion| {
                let mut other = broker.clone();
                submit(&mut other, 10, suggestion.apply(&wanted));
                other.job(JobId(10)).is_some_and(|view| view.window.is_some())
            };
            assert!(fits(&suggestion), "{seed}: {suggestion:?} of {wanted:?}");
            assert!(
                !fits(&suggestion.one_step_less().unwrap()),
                "{seed}: less than {suggestion:?} of {wanted:?}"
            );
            tried += 1;
        }
    }
    assert!(tried > 150, "{tried}");
    for code in ["too-few-nodes", "price-limit", "horizon", "deadline", "budget"] {
        assert!(by_code.get(code).is_some_and(|(_, remedied)| *remedied >= 3), "{code}: {by_code:?}");
    }
}

#[test]
fn an_estimate_is_kept_if_nothing_else_comes() {
    let mut broker = broker(Config::new(Span::must(20.0)), &[(1.0, 1.0), (1.0, 1.0)]);
    submit(&mut broker, 1, request(2, 18.0));
    submit(&mut broker, 2, request(2, 19.0));
    let estimate = broker.explain(JobId(2)).unwrap().estimated_start.unwrap();
    assert_eq!((broker.standing(JobId(2)), estimate), (Some(Standing::Waiting), at(18.0)));
    while let Some(next) = broker.next_wakeup() {
        if next > at(18.0) {
            break;
        }
        if next == at(18.0) {
            broker.handle(next, Input::Ended(JobId(1))).unwrap();
        }
        broker.handle(next, Input::Wake).unwrap();
        if next == at(0.0) || broker.standing(JobId(1)) == Some(Standing::Starting) {
            broker.handle(next, Input::Started(JobId(1))).unwrap();
        }
    }
    assert_eq!(broker.job(JobId(2)).unwrap().window.unwrap().start(), estimate);
}

#[test]
fn a_quote_holds_until_the_free_time_changes() {
    let mut broker = broker(Config::new(Span::must(100.0)), &[(1.0, 1.0), (1.0, 2.0)]);
    let wanted = request(1, 60.0).with_budget(Money::must(100.0));
    let job = Job::new(JobId(1), wanted);
    let quotes = broker.quote(&job, 9, &Limit::default()).unwrap();
    // Node 2 is too dear; node 1 has room for two up to the horizon, which reaches a quarter further than
    // asked.
    assert_eq!((quotes.windows.len(), quotes.end), (2, End::Done));
    let accept = |window: Window, version| Input::Accept {
        job,
        window,
        version,
        victims: Vec::new(),
        demands: Demands::new(),
    };
    let window = quotes.windows[0].clone();
    let dear = Placement { price: Price::must(0.5), cost: Money::must(30.0), ..window.placements()[0] };
    let forged = accept(Window::new(at(0.0), vec![dear]).unwrap(), quotes.version);
    assert!(matches!(broker.handle(at(0.0), forged), Err(BrokerError::Unfit { .. })));
    let before = format!("{broker:?}");
    assert!(matches!(
        broker.handle(at(0.0), accept(window.clone(), quotes.version + 1)),
        Err(BrokerError::Stale { .. })
    ));
    // Time passes: the window has begun without it.
    let late = broker.handle(at(1.0), accept(window.clone(), quotes.version));
    assert!(matches!(late, Err(BrokerError::Unfit { .. })), "{late:?}");
    assert_eq!(before, format!("{broker:?}"));
    broker.handle(at(0.0), accept(window.clone(), quotes.version)).unwrap();
    let reserved = std::iter::from_fn(|| broker.poll()).map(|decision| decision.act).last();
    assert_eq!(reserved, Some(Act::Reserve { job: JobId(1), window }));
    let stopped = broker.quote(&job, 9, &Limit::default().with_work(0)).unwrap();
    assert_eq!((stopped.windows.len(), stopped.end), (0, End::Work));
}
