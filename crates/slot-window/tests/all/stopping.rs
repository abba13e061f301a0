//! Long lists: a signal is asked often, and ends a search as a limit of the work done until then.

use sched_model::*;
use slot_window::{AlternativesSearch, SearchKind, WindowError, WindowQuery, WindowSearch};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;

fn with_racks(slots: SlotList, nodes: u32) -> SlotList {
    let features = (0..nodes).map(|id| {
        let features = Features::new().with_label(format!("rack={}", id / 3));
        (NodeId(id), if id % 2 == 0 { features.with_label("gpu") } else { features })
    });
    slots.with_features(features).unwrap()
}

/// Three slots for each of so many nodes, of nine speeds; few of them start together.
fn many_slots(nodes: u32) -> SlotList {
    let mut slots = Vec::new();
    for id in 0..nodes {
        let speed = f64::from(4 + id % 9) / 4.0;
        let price = Price::must(speed * (1.0 + f64::from(id * 7919 % 1000) / 1000.0));
        let node = Node::new(NodeId(id), Speed::must(speed), price);
        for part in 0..3_u32 {
            let start = f64::from(40 * part + id * 31 % 20);
            slots.push(Slot::new(node, Time::must(start), Time::must(start + 15.0)).unwrap());
        }
    }
    with_racks(SlotList::new(slots).unwrap(), nodes)
}

/// The most units of work between two questions of a search, whatever it takes in all.
fn greatest_step(search: &dyn WindowSearch, query: &WindowQuery<'_>) -> (u64, Outcome<Window>) {
    let (tell, told) = mpsc::channel();
    let limit = Limit::default().with_work(1_000_000);
    let mut meter = limit.meter().with_observer(move |progress| tell.send(progress.work).unwrap());
    let found = search.solve(query, &mut meter).unwrap();
    (
        told.try_iter()
            .chain([found.work])
            .fold((0, 0), |(greatest, before), at: u64| (greatest.max(at.saturating_sub(before)), at))
            .0,
        found,
    )
}

/// Why there is no window is asked within a limit, too: at every limit the same reason, or none.
#[test]
fn a_refusal_keeps_to_its_limit() {
    let slots = many_slots(5_000);
    let requests = [
        // Too many at once, too slow, too late, too expensive.
        ResourceRequest::new(4_850, Work::must(10.0)).unwrap(),
        ResourceRequest::new(3, Work::must(10.0)).unwrap().with_min_speed(Speed::must(9.0)),
        ResourceRequest::new(3, Work::must(10.0)).unwrap().with_deadline(Time::must(1.0)),
        ResourceRequest::new(3, Work::must(10.0)).unwrap().with_budget(Money::must(1.0)),
    ];
    let mut some_stopped = false;
    for (request, kind) in requests
        .iter()
        .flat_map(|request| [SearchKind::Amp, SearchKind::MinFinish].map(|kind| (request, kind)))
    {
        let query = WindowQuery::new(&slots, request);
        let search = kind.build();
        let mut meter = Limit::none().meter();
        let reason = search.refusal(&query, &mut meter).unwrap();
        let whole = meter.work();
        assert!(whole >= 5_000, "{reason:?}: {whole}");
        assert_eq!(search.refusal(&query, &mut Limit::none().meter()).unwrap(), reason);
        for work in [0, whole / 3, whole - 1, whole] {
            let limit = Limit::none().with_work(work);
            let told = search.refusal(&query, &mut limit.meter());
            match told {
                Ok(told) => assert_eq!((&told, work), (&reason, whole)),
                Err(WindowError::Stopped(end)) => {
                    assert!(end == End::Work && work < whole);
                }
                Err(error) => panic!("{error}"),
            }
        }
        // A search for alternatives counts it.
        let find = |jobs: u64, reasons: bool, limit: u64| {
            let search = AlternativesSearch::new(&search).with_limit(Limit::default().with_work(limit));
            let search = if reasons { search } else { search.without_reasons() };
            let batch = Batch::new((0..jobs).map(|id| Job::new(JobId(id), *request)).collect()).unwrap();
            search.find(&slots, &batch, Time::ZERO).unwrap()
        };
        let searching = find(1, false, u64::MAX);
        assert_eq!((searching.refusal(0), searching.end()), (Some(&Refusal::Stopped), End::Done));
        let needed = searching.work() + whole;
        let limits = [(needed - 1, &Refusal::Stopped), (needed, &reason)];
        for (limit, expected) in limits.into_iter().filter(|_| whole <= 2_000_000) {
            let found = find(1, true, limit);
            assert_eq!(found.refusal(0), Some(expected), "{kind} {limit}");
            assert_eq!(found.end() == End::Work, limit < needed);
        }
        // All reasons take at most a tenth of the work, or a tenth of the default limit.
        let (searching, found) = (find(20, false, u64::MAX), find(20, true, u64::MAX));
        assert_eq!(found.end(), End::Done);
        let told = found.refused().filter(|(_, told)| **told == reason).count();
        let explaining = found.work() - searching.work();
        assert!(explaining <= 2_000_000.max(found.work() / 10), "{explaining} of {}", found.work());
        assert!(told as u64 >= (2_000_000 / whole).min(20), "{told}, {whole} each");
        some_stopped |= told < 20;
    }
    assert!(some_stopped);
}

/// 60,000 slots: no search does more than so much between two questions.
#[test]
fn questions_are_never_far_apart() {
    const GREATEST: u64 = 50_000;
    let slots = many_slots(20_000);
    let spans = (0..20_000).map(|id| (NodeId(id), Span::must(5.0 + f64::from(id % 7))));
    let demands = [
        Demands::new(),
        Demands::new().with_label("gpu"),
        Demands::new().with_pack("rack"),
        Demands::new().with_spread("rack", 1).unwrap(),
        Demands::new().with_spans(Spans::new(spans).unwrap()),
    ];
    let mut found = 0;
    for (at, demands) in demands.iter().enumerate() {
        let eligible = slots.eligible(demands);
        for (&kind, budget) in SearchKind::ALL.iter().flat_map(|kind| [29.0, 34.0].map(|of| (kind, of))) {
            let request = ResourceRequest::new(3, Work::must(10.0)).unwrap();
            let request = request.with_budget(Money::must(budget));
            let query = WindowQuery::new(&slots, &request);
            let query = if at == 0 { query } else { query.with_eligible(&eligible) };
            let (step, outcome) = greatest_step(&*kind.build(), &query);
            // These ask in searches and tables of their own.
            let kinds = [SearchKind::MultipleBest, SearchKind::MultipleBestRough, SearchKind::MaxValueTable];
            assert!(step <= GREATEST || kinds.contains(&kind), "{kind}, {demands:?}, {budget}: {step}");
            found += usize::from(outcome.best.is_some());
        }
    }
    assert!(found > 40, "{found}");
}

/// A signal ends the search as a limit of the work until then does, also between a search and the cut of its
/// window.
#[test]
fn a_signal_stops_alternatives_anywhere() {
    let node = |id: u32| Node::new(NodeId(id), Speed::ETALON, Price::must(f64::from(1 + id * 7919 % 1000)));
    let slots =
        SlotList::from_nodes(&(0..100_000).map(node).collect::<Vec<_>>(), &[], Time::ZERO, Time::must(40.0));
    let slots = slots.unwrap();
    let request = ResourceRequest::new(20, Work::must(15.0)).unwrap();
    let batch = Batch::new((0..12).map(|id| Job::new(JobId(id), request)).collect()).unwrap();
    let mut stops = 0;
    for kind in [SearchKind::Amp, SearchKind::MinFinish, SearchKind::FirstFit] {
        let find = |limit: Limit| {
            let search = AlternativesSearch::new(kind.build()).with_max_per_job(3).with_limit(limit);
            search.find(&slots, &batch, Time::ZERO).unwrap()
        };
        for questions in (0..14).chain([20, 40, 77, 99]) {
            let asked = Arc::new(AtomicU64::new(0));
            let count = Arc::clone(&asked);
            let signal = StopSignal::when(move || count.fetch_add(1, Ordering::Relaxed) >= questions);
            let stopped = find(Limit::none().with_signal(signal));
            if stopped.end() == End::Done {
                continue;
            }
            assert_eq!(stopped.end(), End::Signal);
            let again = find(Limit::none().with_work(stopped.work()));
            assert!(stopped.jobs().eq(again.jobs()), "{kind} {questions}");
            assert_eq!(again.work(), stopped.work(), "{kind} {questions}");
            stops += usize::from(stopped.work() > slots.len() as u64);
        }
    }
    assert!(stops >= 10, "{stops}");
}
