//! Time that is not free although its planned end has come: nothing is offered there, and what is accepted is
//! kept.

use live_broker::*;
use sched_model::*;

fn at(time: f64) -> Time {
    Time::must(time)
}

fn request(nodes: usize, work: f64) -> ResourceRequest {
    ResourceRequest::new(nodes, Work::must(work)).unwrap()
}

fn tell(broker: &mut Broker, now: f64, input: Input) {
    broker.handle(at(now), input).unwrap();
    assert_eq!(broker.audit(), Vec::<String>::new());
}

fn acts(broker: &mut Broker) -> Vec<Act> {
    std::iter::from_fn(|| broker.poll()).map(|decision| decision.act).collect()
}

/// One node; job 1 runs on it for [0, 10).
fn one_running(config: Config) -> Broker {
    let mut broker = Broker::new(config).unwrap();
    tell(&mut broker, 0.0, Input::NodeAdded(Node::new(NodeId(1), Speed::ETALON, Price::must(1.0))));
    tell(&mut broker, 0.0, Input::Submit(Job::new(JobId(1), request(1, 10.0))));
    tell(&mut broker, 0.0, Input::Wake);
    tell(&mut broker, 0.0, Input::Started(JobId(1)));
    acts(&mut broker);
    broker
}

/// A fact that changes nothing but the time.
fn pass_time(broker: &mut Broker, now: f64) {
    tell(broker, now, Input::PriceChanged { node: NodeId(1), price: Price::must(1.0) });
}

fn first_start(broker: &Broker, work: f64) -> f64 {
    let job = Job::new(JobId(99), request(1, work));
    broker.quote(&job, 1, &Limit::default()).unwrap().windows[0].start().get()
}

#[test]
fn a_task_past_its_planned_end_keeps_its_node() {
    let mut broker = one_running(Config::new(Span::must(1000.0)));
    assert_eq!(first_start(&broker, 5.0), 10.0);
    pass_time(&mut broker, 10.0);
    // A sixteenth of 10 later, as the next Wake will think.
    assert_eq!(first_start(&broker, 5.0), 10.625);
    assert_eq!(broker.free().iter().next().unwrap().start(), at(10.625));
    pass_time(&mut broker, 13.0);
    assert_eq!(first_start(&broker, 5.0), 16.0);
    let job = Job::new(JobId(2), request(1, 5.0));
    let quote = broker.quote(&job, 1, &Limit::default()).unwrap();
    let window = quote.windows[0].clone();
    tell(
        &mut broker,
        13.0,
        Input::Accept {
            job,
            window: window.clone(),
            version: quote.version,
            victims: vec![],
            demands: Demands::new(),
        },
    );
    tell(&mut broker, 13.0, Input::Wake);
    assert!(acts(&mut broker).iter().all(|act| matches!(act, Act::Reserve { .. })));
    assert_eq!(broker.job(JobId(2)).unwrap().window, Some(&window));
}

#[test]
fn a_window_quoted_before_an_overrun_is_not_accepted_after_it() {
    let quoted = |broker: &Broker| {
        let job = Job::new(JobId(2), request(1, 5.0));
        let quote = broker.quote(&job, 1, &Limit::default()).unwrap();
        Input::Accept {
            job,
            window: quote.windows[0].clone(),
            version: quote.version,
            victims: vec![],
            demands: Demands::new(),
        }
    };
    // In time it can be had.
    let mut broker = one_running(Config::new(Span::must(1000.0)));
    let accept = quoted(&broker);
    tell(&mut broker, 9.5, accept.clone());
    // At 10 nothing has been told of job 1, and the version is the same.
    let mut broker = one_running(Config::new(Span::must(1000.0)));
    assert!(matches!(broker.handle(at(10.0), accept.clone()), Err(BrokerError::Unfit { .. })));
    // Once it has ended, the version is another, and the same window can be had.
    tell(&mut broker, 10.0, Input::Ended(JobId(1)));
    assert!(matches!(broker.handle(at(10.0), accept), Err(BrokerError::Stale { .. })));
    let accept = quoted(&broker);
    tell(&mut broker, 10.0, accept);
    tell(&mut broker, 10.0, Input::Wake);
    let started = acts(&mut broker);
    assert!(started.iter().any(|act| matches!(act, Act::Start { job: JobId(2), .. })), "{started:?}");
}

#[test]
fn a_node_that_is_not_back_is_not_free() {
    let mut broker = Broker::new(Config::new(Span::must(1000.0))).unwrap();
    tell(&mut broker, 0.0, Input::NodeAdded(Node::new(NodeId(1), Speed::ETALON, Price::must(1.0))));
    tell(&mut broker, 0.0, Input::Wake);
    tell(&mut broker, 1.0, Input::NodeDown { node: NodeId(1), until: Some(at(5.0)) });
    assert_eq!(first_start(&broker, 5.0), 5.0);
    pass_time(&mut broker, 5.0);
    assert_eq!(first_start(&broker, 5.0), 9.0);
    tell(&mut broker, 5.0, Input::NodeUp(NodeId(1)));
    assert_eq!(first_start(&broker, 5.0), 5.0);
}

/// Job 2 is promised [10, 12), and job 1 ends at 15 only; the tolerance is 8. At 15 job 2 starts, after its
/// planned end; job 3, which comes at 13 or at 15, is not promised the same time.
#[test]
fn a_promise_that_starts_after_its_planned_end_keeps_its_node() {
    for comes in [13.0, 15.0] {
        let mut broker = one_running(Config::new(Span::must(1000.0)).with_tolerance(Span::must(8.0)));
        tell(&mut broker, 0.0, Input::Submit(Job::new(JobId(2), request(1, 2.0))));
        let mut all = Vec::new();
        for now in [0.0, 10.0, 10.625, 11.25, 12.5] {
            tell(&mut broker, now, Input::Wake);
            all.extend(acts(&mut broker));
        }
        for now in [13.0, 15.0] {
            if now == 15.0 {
                tell(&mut broker, now, Input::Ended(JobId(1)));
            }
            if now == comes {
                tell(&mut broker, now, Input::Submit(Job::new(JobId(3), request(1, 4.0))));
            }
            tell(&mut broker, now, Input::Wake);
            all.extend(acts(&mut broker));
        }
        let started: Vec<JobId> =
            all.iter().filter(|act| matches!(act, Act::Start { .. })).map(Act::job).collect();
        assert_eq!(started, [JobId(2)], "{all:?}");
        assert!(!all.iter().any(|act| matches!(act, Act::Move { .. } | Act::Withdraw { .. })), "{all:?}");
        // At 13, job 1 is thought to end at 15, and job 2 two later.
        let expected = if comes == 13.0 { 17.0 } else { 18.0 };
        assert_eq!(broker.job(JobId(3)).unwrap().window.unwrap().start(), at(expected));
    }
}
