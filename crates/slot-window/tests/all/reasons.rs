//! Reasons why jobs have no alternative, where a limit or a signal ends the search.

use sched_model::*;
use slot_window::{
    AlternativesSearch, BatchAlternatives, SearchKind, WindowError, WindowQuery, WindowSearch, explain,
};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

fn drawn(seed: u64, at: u64, most: u64) -> u64 {
    let mixed = (seed * 1_000_003 + at * 7_919 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 33) % most
}

/// So many nodes; those with an even number have a label.
fn slots(seed: u64, nodes: u64) -> SlotList {
    let slot = |id: u64| {
        let speed = Speed::must(1.0 + drawn(seed, id, 3) as f64);
        let node = Node::new(NodeId(id as u32), speed, Price::must(1.0 + drawn(seed, id + 5_000, 6) as f64));
        let start = drawn(seed, id + 10_000, 30) as f64;
        Slot::new(node, Time::must(start), Time::must(start + 40.0)).unwrap()
    };
    let features = (0..nodes).step_by(2).map(|id| (NodeId(id as u32), Features::new().with_label("even")));
    SlotList::new((0..nodes).map(slot).collect()).unwrap().with_features(features).unwrap()
}

/// Jobs that have windows, among jobs that have none for each reason, in an order that depends on the seed.
fn batch(seed: u64, nodes: usize) -> Batch {
    let request = |count: usize, work: f64| ResourceRequest::new(count, Work::must(work)).unwrap();
    let mut requests = vec![
        request(2, 10.0),
        request(3, 30.0).with_budget(Money::must(60.0)),
        request(1, 20.0),
        request(2, 10.0).with_min_speed(Speed::must(9.0)),
        request(2, 10.0).with_price_limit(Price::must(0.5)),
        request(nodes, 100.0),
        request(2, 30.0).with_deadline(Time::must(2.0)),
        request(2, 30.0).with_budget(Money::must(1.0)),
        request(nodes - 2, 1.0),
    ];
    for at in (1..requests.len()).rev() {
        requests.swap(at, drawn(seed, 20_000 + at as u64, at as u64 + 1) as usize);
    }
    Batch::new(requests.into_iter().enumerate().map(|(id, of)| Job::new(JobId(id as u64), of)).collect())
        .unwrap()
}

/// What a search has found: all but why it ended.
fn answer(found: &BatchAlternatives) -> String {
    let each = (0..found.len()).map(|at| format!("{:?} {:?}\n", found.of(at), found.refusal(at)));
    format!("{} units, {} rounds\n{}", found.work(), found.rounds(), each.collect::<String>())
}

/// Wherever a signal or a limit ends the search, a limit of the work done gives the same windows, reasons and
/// work.
#[test]
fn a_limit_of_the_work_done_gives_the_same_reasons() {
    let (mut reasons, mut signals, mut limits) = (BTreeSet::new(), 0, 0);
    for (seed, nodes) in [(1, 12), (2, 12), (3, 40), (4, 40), (5, 3_000)] {
        let (slots, batch) = (slots(seed, nodes), batch(seed, nodes as usize));
        let demands = || [(JobId(2), Demands::new().with_label("odd"))];
        for kind in [SearchKind::Alp, SearchKind::Amp, SearchKind::MinCost] {
            let find = |limit: Limit| {
                let search =
                    AlternativesSearch::new(kind.build()).with_max_per_job(2).with_demands(demands());
                search.with_limit(limit).find(&slots, &batch, Time::ZERO).unwrap()
            };
            let whole = find(Limit::none());
            assert_eq!(whole.end(), End::Done);
            reasons.extend(whole.refused().map(|(_, reason)| reason.code()));
            assert_eq!(answer(&find(Limit::none().with_work(whole.work()))), answer(&whole));
            for questions in 0.. {
                let asked = AtomicU64::new(0);
                let signal = StopSignal::when(move || asked.fetch_add(1, Ordering::Relaxed) >= questions);
                let stopped = find(Limit::none().with_signal(signal));
                let again = find(Limit::none().with_work(stopped.work()));
                assert_eq!(answer(&stopped), answer(&again), "{kind}, seed {seed}, {questions} questions");
                if stopped.end() == End::Done {
                    break;
                }
                signals += 1;
            }
            let parts = if nodes < 100 { whole.work() } else { 10 };
            for part in 0..parts {
                let limit = whole.work() / parts * part;
                let stopped = find(Limit::none().with_work(limit));
                let again = find(Limit::none().with_work(stopped.work()));
                assert_eq!(answer(&stopped), answer(&again), "{kind}, seed {seed}, limit {limit}");
                assert!(stopped.work() <= limit);
                limits += u64::from(stopped.end() == End::Work);
                // They are those of the whole search, as far as it went.
                for at in 0..batch.len() {
                    let reason = stopped.refusal(at);
                    assert!(reason.is_none_or(|of| *of == Refusal::Stopped || whole.refusal(at) == Some(of)));
                }
            }
        }
    }
    assert!(signals > 200 && limits > 2_000, "{signals} {limits}");
    let expected = ["budget", "deadline", "horizon", "missing", "price-limit", "too-few-nodes"];
    assert!(expected.iter().all(|code| reasons.contains(code)), "{reasons:?}");
}

/// A task of 3e-43 ends where it begins, as far as numbers tell: for whoever asks no more, that is an error of
/// the request; where there is no window for another reason, the question why is none.
#[test]
fn why_there_is_no_window_can_be_asked_wherever_there_is_none() {
    let slot = |id, speed, price| {
        let node = Node::new(NodeId(id), Speed::must(speed), Price::must(price));
        Slot::new(node, Time::must(2.0), Time::must(6.0)).unwrap()
    };
    let fast = SlotList::new(vec![slot(1, 1e43, 1.0)]).unwrap();
    let both = SlotList::new(vec![slot(1, 1e43, 1.0), slot(2, 1.0, 1.0)]).unwrap();
    let request = ResourceRequest::new(1, Work::must(3.0)).unwrap();
    let limits = [
        request.with_price_limit(Price::must(0.5)).with_budget(Money::ZERO),
        request.with_budget(Money::ZERO),
        request.with_budget(Money::must(1e-60)),
        request.with_deadline(Time::must(2.0)),
        request.with_deadline(Time::must(2f64.next_up())).with_budget(Money::ZERO),
        request,
    ];
    let mut without = 0;
    for (kind, request) in SearchKind::ALL.iter().flat_map(|kind| limits.map(|limit| (kind, limit))) {
        for slots in [&fast, &both] {
            let search = kind.build();
            let query = WindowQuery::new(slots, &request);
            match search.find(&query).map(|found| found.best) {
                Ok(Some(_)) | Err(WindowError::Model(_)) => {}
                Ok(None) => {
                    without += 1;
                    let refusal = search.refusal(&query, &mut Limit::none().meter());
                    assert!(refusal.is_ok(), "{kind} {request:?}: {refusal:?}");
                    let explanation = explain::explain(&*search, &query);
                    assert!(explanation.is_ok(), "{kind} {request:?}: {explanation:?}");
                }
                Err(error) => panic!("{kind} {request:?}: {error}"),
            }
        }
    }
    assert!(without > 20, "{without}");
}
