//! Searches that could take very long: they are bounded, claim no more than is proven when they are stopped, and
//! never work long without asking the meter. `registry` tests what holds for all searches at any limit.

use crate::{at_prices, share, slot, three_for_each_node};
use sched_model::check::Rules;
use sched_model::*;
use slot_window::{
    AlternativesSearch, MaxValue, NodeValues, Objective, SearchKind, SearchOptions, WindowError, WindowQuery,
    WindowSearch,
};
use std::sync::mpsc;

fn found_within(
    search: &dyn WindowSearch,
    slots: &SlotList,
    request: &ResourceRequest,
    limit: &Limit,
) -> Outcome<Window> {
    search.solve(&WindowQuery::new(slots, request), &mut limit.meter()).unwrap()
}

/// Every reduced value is 0, and the best window is the one whose cost is nearest to the budget.
#[test]
fn values_equal_to_prices_end_within_the_limit_and_say_so() {
    let prices = (0..100).map(|id| 1.0 + 99.0 * share(id));
    let (slots, values) = (at_prices(prices.clone(), 10.0), (0..).map(NodeId).zip(prices));
    let request = ResourceRequest::must(5, 1.0).with_budget(Money::must(250.0));
    let search = MaxValue::new(NodeValues::new(values).unwrap()).with_rules(Rules::per_window(1.0));
    let within = |limit: &Limit| found_within(&search, &slots, &request, limit);
    let limit = Limit::default().with_work(3_000_000);
    let found = within(&limit);
    assert!(found.work <= 3_000_000);
    assert_eq!(found.proof(), Proof::LimitReached, "{found:?}");
    let (value, bound) = (found.value.unwrap(), found.bound.unwrap());
    assert!((249.9..=250.0).contains(&value) && (250.0..250.0 + 1e-9).contains(&bound), "{found:?}");
    assert_eq!(found.best.unwrap().cost().get(), value);
    // Without enough memory, nothing is proven.
    for memory in [0, 1 << 14, 1 << 18] {
        let found = within(&Limit::default().with_memory(memory));
        assert_eq!(found.end, End::Memory);
        assert!(found.value.unwrap() < 250.0 && found.bound.unwrap() >= 250.0, "{found:?}");
    }
    // So it is with the alternatives of a batch.
    let batch = Batch::new(vec![Job::new(JobId(1), request.clone())]).unwrap();
    let limit = Limit::default().with_memory(1 << 14);
    let all = AlternativesSearch::new(&search).with_max_per_job(1).with_limit(limit);
    let all = all.find(&slots, &batch, Time::ZERO).unwrap();
    assert_eq!((all.total(), all.end), (1, End::Memory));
    // A window within the gap is found soon.
    let near = within(&Limit::default().with_relative_gap(1e-3));
    assert_eq!(near.end, End::Gap);
    assert!(near.gap().unwrap() <= 0.25 && near.work < found.work / 10, "{near:?}");
}

/// Tables of 10^60 cells and more are not begun under any limit; a table that is filled counts each of its cells.
#[test]
fn a_table_that_cannot_be_filled_is_not_made() {
    let slots = |prices: &[f64]| at_prices(prices.iter().copied(), 1.0);
    let values = NodeValues::new([(NodeId(0), 1.0), (NodeId(1), 2.0), (NodeId(2), 4.0)]).unwrap();
    let options = SearchOptions::default().with_criterion(values, Sense::Maximise);
    let build = |unit| SearchKind::MaxValueTable.build_with(&options.clone().with_unit(unit));
    let search = build(1.0).unwrap();
    let solve = |prices: &[f64], nodes, budget, limit: &Limit| {
        let request = ResourceRequest::must(nodes, 1.0).with_budget(Money::must(budget));
        found_within(&*search, &slots(prices), &request, limit)
    };
    for limit in [
        Limit::default(),
        Limit::none(),
        Limit::none().with_work(1000),
        Limit::default().with_memory(u64::MAX),
    ] {
        let found = solve(&[1e59, 1e60], 1, 1e60, &limit);
        assert!(found.best.is_none() && matches!(found.end, End::Work | End::Memory), "{:?}", found.end);
    }
    // A limit of exactly the work of the search is enough, a unit less is not.
    let of = |limit: &Limit| solve(&[3.0, 5.0, 4.0], 2, 8.0, limit);
    let whole = of(&Limit::default());
    assert_eq!((whole.value, whole.end), (Some(5.0), End::Done));
    assert_eq!(of(&Limit::default().with_work(whole.work)).end, End::Done);
    assert_eq!(of(&Limit::default().with_work(whole.work - 1)).end, End::Work);
    assert!(build(0.0).is_err());
    let fine = build(1e-9).unwrap();
    let request = ResourceRequest::must(2, 1.0).with_budget(Money::must(1e9));
    assert_eq!(found_within(&*fine, &slots(&[1.0; 3]), &request, &Limit::default()).end, End::Memory);
}

/// On 15,000 slots, no search does more than a bounded amount of work between two calls of the meter; those by value
/// report their windows.
#[test]
fn questions_are_never_far_apart() {
    const GREATEST: u64 = 50_000;
    const NODES: u32 = 5_000;
    let slots = three_for_each_node(NODES, 4);
    let spans = (0..NODES).map(|id| (NodeId(id), Span::must(5.0 + f64::from(id % 7))));
    let demands = [
        Demands::default(),
        Demands::default().with_label("gpu"),
        Demands::default().with_pack("rack"),
        Demands::default().with_spread("rack", 1).unwrap(),
        Demands::default().with_spans(spans).unwrap(),
    ];
    let mut found = 0;
    for demands in demands {
        let eligible = slots.eligible(&demands);
        for &kind in SearchKind::ALL {
            let request = ResourceRequest::must(3, 10.0).with_budget(Money::must(34.0));
            let query = WindowQuery::new(&slots, &request).with_eligible(&eligible);
            let (tell, told) = mpsc::channel();
            let limit = Limit::default().with_work(400_000);
            let mut meter = limit.meter().with_observer(move |progress| tell.send(progress).unwrap());
            let outcome = kind.build().solve(&query, &mut meter).unwrap();
            let told: Vec<Progress> = told.try_iter().collect();
            let reports = told.iter().any(|told| told.best.is_some()) || outcome.best.is_none();
            assert!(reports || !kind.name().starts_with("max-value"), "{kind}, {demands:?}");
            let works = told.iter().map(|told| told.work).chain([outcome.work]);
            let told: Vec<u64> = [0].into_iter().chain(works).collect();
            let step = told.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).max();
            // These call the meter within their own searches and tables.
            let kinds = [SearchKind::MultipleBest, SearchKind::MultipleBestRough, SearchKind::MaxValueTable];
            assert!(step <= Some(GREATEST) || kinds.contains(&kind), "{kind}, {demands:?}: {step:?}");
            found += usize::from(outcome.best.is_some());
        }
    }
    assert!(found > 20, "{found}");
}

/// The reason why there is no window is found within a limit, too: at every limit it is the same reason, or none.
#[test]
fn a_refusal_keeps_to_its_limit() {
    let slots = three_for_each_node(2_000, 4);
    let request = ResourceRequest::must(3, 10.0);
    let requests = [
        // Too many at once, too slow, too late, too expensive.
        ResourceRequest::must(1_950, 10.0),
        request.clone().with_min_speed(Speed::must(9.0)),
        request.clone().with_deadline(Time::must(1.0)),
        request.with_budget(Money::must(1.0)),
    ];
    let mut some_stopped = false;
    for request in &requests {
        let query = WindowQuery::new(&slots, request);
        for search in [SearchKind::Amp, SearchKind::MinFinish].map(SearchKind::build) {
            let mut meter = Limit::none().meter();
            let reason = search.refusal(&query, &mut meter).unwrap();
            let whole = meter.work();
            assert!(whole >= 2_000, "{reason:?}: {whole}");
            for work in [0, whole / 3, whole - 1, whole] {
                match search.refusal(&query, &mut Limit::none().with_work(work).meter()) {
                    Ok(told) => assert_eq!((told, work), (reason.clone(), whole)),
                    Err(error) => {
                        assert_eq!(error.to_string(), "work limit reached, before a window was found");
                        assert!(error == WindowError::Stopped(End::Work) && work < whole);
                    }
                }
            }
            // A search for alternatives counts the work of reasons, which take at most a tenth of all work, or of the
            // limit.
            let find = |jobs: u64, reasons: bool, limit: u64| {
                let search = AlternativesSearch::new(&search).with_reasons(reasons);
                let search = search.with_limit(Limit::default().with_work(limit));
                let batch =
                    Batch::new((0..jobs).map(|id| Job::new(JobId(id), request.clone())).collect()).unwrap();
                search.find(&slots, &batch, Time::ZERO).unwrap()
            };
            let searching = find(1, false, u64::MAX);
            assert_eq!((&searching.jobs[0].refusal, searching.end), (&Some(Refusal::Stopped), End::Done));
            let needed = searching.work + whole;
            for (limit, expected) in [(needed - 1, &Refusal::Stopped), (needed, &reason)] {
                let found = find(1, true, limit);
                assert_eq!(found.jobs[0].refusal.as_ref(), Some(expected));
                assert_eq!(found.end == End::Work, limit < needed);
            }
            let (searching, found) = (find(200, false, u64::MAX), find(200, true, u64::MAX));
            let told = found.jobs.iter().filter(|of| of.refusal.as_ref() == Some(&reason)).count();
            let explaining = found.work - searching.work;
            assert!(explaining <= 2_000_000.max(found.work / 10), "{explaining} of {}", found.work);
            assert!(told as u64 >= (2_000_000 / whole).min(200), "{told}, {whole} each");
            some_stopped |= told < 200;
        }
    }
    assert!(some_stopped);
}

/// The window after the expensive ones is the cheapest. It is compared if it is the thousandth window, but not if it
/// is the 1,001st.
#[test]
fn a_thousand_windows_are_compared() {
    let cheapest_after = |dear: f64| {
        let slots =
            SlotList::new(vec![slot(1, (1.0, 5.0), (0.0, dear)), slot(2, (1.0, 1.0), (dear, dear + 1.0))]);
        let (slots, request) = (slots.unwrap(), ResourceRequest::must(1, 1.0));
        let options = SearchOptions::default().with_objective(Objective::Cost);
        let search = SearchKind::MultipleBest.build_with(&options).unwrap();
        search.find(&WindowQuery::new(&slots, &request)).unwrap().best.unwrap().cost()
    };
    assert_eq!([999.0, 1000.0].map(cheapest_after), [1.0, 5.0].map(Money::must));
}
