//! Searches that could be endless: bounded, and honest when stopped.

use crate::common::{instance, request, slot_list};
use proptest::prelude::*;
use sched_model::check::Holding;
use sched_model::*;
use slot_window::{
    AlternativesSearch, Amp, FirstFit, MaxValue, MultipleBest, NodeValues, Objective, Ranking, SearchKind,
    WindowError, WindowQuery, WindowSearch,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;

/// A number in [0, 1), different for each index.
fn share(index: u32) -> f64 {
    let mut z = u64::from(index).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / 2_f64.powi(53)
}

/// So many nodes of speed 1 with one slot each, all free from 0 to the end.
fn equal_starts(nodes: u32, end: f64, price: impl Fn(u32) -> f64) -> SlotList {
    let slot = |id| {
        let node = Node::new(NodeId(id), Speed::ETALON, Price::must(price(id)));
        Slot::new(node, Time::ZERO, Time::must(end)).unwrap()
    };
    SlotList::new((0..nodes).map(slot).collect()).unwrap()
}

/// Values equal to prices: every reduced value is 0, and the best window is the one that comes nearest to the
/// budget.
fn values_that_are_prices() -> (SlotList, ResourceRequest, MaxValue) {
    let price = |id| 1.0 + 99.0 * share(id);
    let slots = equal_starts(100, 10.0, price);
    let values = NodeValues::new((0..100).map(|id| (NodeId(id), price(id)))).unwrap();
    let request = ResourceRequest::new(5, Work::must(1.0)).unwrap().with_budget(Money::must(250.0));
    (slots, request, MaxValue::new(values).with_holding(Holding::OwnSpan))
}

fn found_within(
    search: &dyn WindowSearch,
    slots: &SlotList,
    request: &ResourceRequest,
    limit: &Limit,
) -> Outcome<Window> {
    search.solve(&WindowQuery::new(slots, request), &mut limit.meter()).unwrap()
}

#[test]
fn values_equal_to_prices_end_within_the_limit_and_say_so() {
    let (slots, request, search) = values_that_are_prices();
    let within = |limit: &Limit| found_within(&search, &slots, &request, limit);
    let found = within(&Limit::default());
    assert!(found.work <= Limit::DEFAULT_WORK);
    assert_ne!(found.proof(), Proof::Exact, "{found:?}");
    assert_eq!(found.proof(), Proof::LimitReached);
    let (value, bound) = (found.value.unwrap(), found.bound.unwrap());
    assert!((249.9..=250.0).contains(&value) && (250.0..250.0 + 1e-9).contains(&bound), "{found:?}");
    assert_eq!(search.value_of(found.best.as_ref().unwrap(), &slots), Some(value));
    // What is near enough is soon found.
    let near = within(&Limit::default().with_relative_gap(1e-3));
    assert_eq!(near.end, End::Gap);
    assert!(near.gap().unwrap() <= 0.25 && near.work < found.work / 10, "{near:?}");
    // The plain search has the same window as the default limit.
    assert_eq!(search.find(&WindowQuery::new(&slots, &request)).unwrap().best, found.best);
}

#[test]
fn stopped_without_a_window_is_not_no_window() {
    let (slots, request, search) = values_that_are_prices();
    let flag = Arc::new(AtomicBool::new(true));
    for limit in [Limit::default().with_work(3), Limit::default().with_signal(flag.into())] {
        let found = found_within(&search, &slots, &request, &limit);
        assert!(found.best.is_none() && !found.is_infeasible(), "{found:?}");
    }
    let error = WindowError::from(End::Work);
    assert_eq!(error.to_string(), "work limit reached, before a window was found");
    let poor = request.with_budget(Money::must(4.0));
    let none = found_within(&search, &slots, &poor, &Limit::default());
    assert!(none.is_infeasible(), "{none:?}");
}

#[test]
fn ten_million_alternatives_are_not_collected() {
    let slots = equal_starts(1, 1e7, |_| 1.0);
    let one = ResourceRequest::new(1, Work::must(1.0)).unwrap();
    let batch = Batch::new(vec![Job::new(JobId(1), one)]).unwrap();
    let found = AlternativesSearch::new(Amp::new()).find(&slots, &batch, Time::ZERO).unwrap();
    assert!(matches!(found.end(), End::Memory | End::Work), "{}", found.end());
    let bytes = size_of::<Window>() + size_of::<Placement>();
    assert!(found.total() > 100_000 && found.total() * bytes <= Limit::DEFAULT_MEMORY as usize);
    assert!(found.work() <= Limit::DEFAULT_WORK);
    let few = AlternativesSearch::new(Amp::new()).with_limit(Limit::default().with_work(1000));
    let few = few.find(&slots, &batch, Time::ZERO).unwrap();
    assert_eq!((few.end(), few.refusal(0)), (End::Work, None));
    assert_eq!(found.of(0)[..few.total()], *few.of(0));
}

/// The greatest value costs the most here: what a stopped search has is cheaper, and no window of it.
#[test]
fn a_repeated_search_takes_nothing_of_a_stopped_one() {
    let (slots, request, search) = values_that_are_prices();
    let cheapest = MultipleBest::new(search, Ranking::Objective(Objective::Cost));
    let mut known = f64::INFINITY;
    for work in [100, 200, 400, 800, 1_600, 3_200, 12_800, 51_200, 204_800] {
        let limit = Limit::default().with_work(work);
        let value = found_within(&cheapest, &slots, &request, &limit).value;
        assert!(value.unwrap_or(f64::INFINITY) <= known, "{value:?} after {work}, before {known}");
        known = value.unwrap_or(known);
    }
}

/// The poll at which the signal is set falls on the work of a search that has ended.
#[test]
fn a_signal_stops_a_repeated_search_as_a_limit_of_its_work_does() {
    let slots = equal_starts(2_000, 1000.0, |id| 1.0 + share(id));
    let request = ResourceRequest::new(3, Work::must(10.0)).unwrap();
    let best = MultipleBest::new(FirstFit::new(), Ranking::Objective(Objective::Cost));
    let mut stopped = 0;
    for questions in 0..40 {
        let asked = AtomicU64::new(0);
        let signal = StopSignal::when(move || asked.fetch_add(1, Ordering::Relaxed) >= questions);
        let limit = Limit::default().with_signal(signal);
        let found = found_within(&best, &slots, &request, &limit);
        let limit = Limit::default().with_work(found.work);
        let again = found_within(&best, &slots, &request, &limit);
        assert_eq!((again.value, again.work), (found.value, found.work), "{questions} questions");
        stopped += usize::from(found.end == End::Signal);
    }
    assert!(stopped > 1, "{stopped} were stopped");
}

/// What a search looks at, added up over its calls.
#[derive(Debug)]
struct Counted {
    search: Box<dyn WindowSearch>,
    work: Arc<AtomicU64>,
}

impl WindowSearch for Counted {
    fn name(&self) -> &str {
        self.search.name()
    }
    fn rules(&self) -> check::Rules {
        self.search.rules()
    }
    fn starts_are_monotone(&self) -> bool {
        self.search.starts_are_monotone()
    }
    fn solve(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Outcome<Window>, WindowError> {
        let found = self.search.solve(query, meter)?;
        self.work.fetch_add(found.work, Ordering::Relaxed);
        Ok(found)
    }
}

/// Slots of nodes of four speeds, three for each node; racks of five nodes.
fn three_for_each_node(nodes: u32) -> SlotList {
    let mut slots = Vec::new();
    for id in 0..nodes {
        let speed = f64::from(1 + id % 4);
        let node = Node::new(NodeId(id), Speed::must(speed), Price::must(speed * (1.0 + share(id))));
        for part in 0..3_u32 {
            let start = f64::from(40 * part) + 20.0 * share(7 * id + part);
            slots.push(Slot::new(node, Time::must(start), Time::must(start + 15.0)).unwrap());
        }
    }
    let features = (0..nodes).map(|id| (NodeId(id), Features::new().with_label(format!("rack={}", id / 5))));
    SlotList::new(slots).unwrap().with_features(features).unwrap()
}

#[test]
fn ten_thousand_equal_starts() {
    let slots = equal_starts(10_000, 100.0, |id| 1.0 + share(id));
    let request = ResourceRequest::new(100, Work::must(10.0)).unwrap().with_budget(Money::must(1010.0));
    let values = NodeValues::new((0..10_000).map(|id| (NodeId(id), share(7 * id + 1)))).unwrap();
    for holding in [Holding::OwnSpan, Holding::SlowestSpan] {
        let first_fit = FirstFit::new().with_holding(holding);
        let best = MultipleBest::new(first_fit, Ranking::Objective(Objective::Cost));
        let found = found_within(&best, &slots, &request, &Limit::default());
        assert!(found.best.is_some() && found.work <= Limit::DEFAULT_WORK, "{found:?}");
        let search = MaxValue::new(values.clone()).with_holding(holding);
        let found = found_within(&search, &slots, &request, &Limit::default());
        assert!(found.work <= Limit::DEFAULT_WORK);
        assert!(found.gap().unwrap() <= 1e-3 * found.value.unwrap(), "{:?} {:?}", found.value, found.bound);
    }
}

#[test]
fn a_job_that_cannot_be_timed_spoils_no_other() {
    let slots = equal_starts(2, 6e16, |_| 1.0);
    let one = ResourceRequest::new(1, Work::must(1.0)).unwrap();
    // At 5e16 doubles are 8 apart: a task of length 1 ends where it starts.
    let late = Job::new(JobId(1), one).with_submit(Time::must(5e16));
    let batch = Batch::new(vec![late, Job::new(JobId(2), one)]).unwrap();
    let found =
        AlternativesSearch::new(Amp::new()).with_max_per_job(2).find(&slots, &batch, Time::ZERO).unwrap();
    assert_eq!(found.refusal(0), Some(&Refusal::Horizon { needed: 1, most: 0 }));
    assert_eq!((found.of(0).len(), found.of(1).len(), found.end()), (0, 2, End::Done));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn more_work_is_never_worse(
        instance in instance(),
        values in prop::collection::vec(0u32..9, 6),
        holding in prop::sample::select(vec![Holding::OwnSpan, Holding::SlowestSpan]),
        sense in prop::sample::select(vec![Sense::Maximise, Sense::Minimise]),
        by_span in prop::bool::ANY,
        work in 1u64..300,
        more in 1u64..300,
    ) {
        let worth: Vec<f64> = values.iter().map(|&value| f64::from(value)).collect();
        let search = MaxValue::new(move |slot: &Slot, span: Span| {
            worth[slot.node().0 as usize] - if by_span { span.get() } else { 0.0 }
        });
        let search = search.with_sense(sense).with_holding(holding);
        let within = |limit: &Limit| {
            search.solve(&WindowQuery::new(&instance.slots, &instance.request).with_from(instance.from), &mut limit.meter()).unwrap()
        };
        let whole = within(&Limit::none());
        prop_assert!(whole.end == End::Done && whole.gap().unwrap_or(0.0) == 0.0);
        let less = within(&Limit::none().with_work(work));
        let more = within(&Limit::none().with_work(work + more));
        let sign = sense.sign();
        for found in [&less, &more] {
            if let (Some(value), Some(best)) = (found.value, whole.value) {
                prop_assert!(sign * value <= sign * best);
            }
            if let (Some(bound), Some(best)) = (found.bound, whole.value) {
                prop_assert!(sign * bound >= sign * best);
            }
            if found.end == End::Done {
                prop_assert_eq!(&found.best, &whole.best);
            }
        }
        let value = |found: &Outcome<Window>| found.value.map_or(f64::NEG_INFINITY, |value| sign * value);
        let bound = |found: &Outcome<Window>| found.bound.map_or(f64::INFINITY, |bound| sign * bound);
        prop_assert!(value(&more) >= value(&less));
        if more.best.is_some() || more.end != End::Done {
            prop_assert!(bound(&more) <= bound(&less), "{less:?} {more:?}");
        }
        let (tell, told) = mpsc::channel();
        let limit = Limit::none();
        let query = WindowQuery::new(&instance.slots, &instance.request).with_from(instance.from);
        let mut meter = limit.meter().with_observer(move |progress| tell.send(progress).unwrap());
        let observed = search.solve(&query, &mut meter).unwrap();
        prop_assert_eq!(&observed, &whole);
        let told: Vec<f64> = told.try_iter().filter_map(|progress: Progress| progress.best).map(|value| sign * value).collect();
        prop_assert!(told.is_sorted(), "{told:?}");
        prop_assert_eq!(told.last().copied(), whole.value.map(|value| sign * value));
        let again = within(&Limit::none().with_work(less.work));
        prop_assert_eq!(again, less);
        let near = within(&Limit::none().with_absolute_gap(2.0));
        prop_assert_eq!(near.best.is_some(), whole.best.is_some());
        if let (Some(value), Some(best)) = (near.value, whole.value) {
            prop_assert!(sign * (best - value) <= 2.0 && near.gap().unwrap() <= 2.0);
        }
    }

    /// Whatever is searched repeatedly, and wherever the limit falls: at most a tenth more is read than it
    /// allows, and with more of it the best window is no worse.
    #[test]
    fn a_repeated_search_keeps_to_its_limit(
        kind in prop::sample::select(SearchKind::ALL),
        demand in 0..3_usize,
        nodes in 20_u32..120,
        times in 1.0..12.0_f64,
    ) {
        let slots = three_for_each_node(nodes);
        let demands = [Demands::new(), Demands::new().with_pack("rack"), Demands::new().with_spread("rack", 1).unwrap()];
        let eligible = slots.eligible(&demands[demand]);
        let request = ResourceRequest::new(3, Work::must(10.0)).unwrap().with_budget(Money::must(90.0));
        let query = WindowQuery::new(&slots, &request);
        let query = if demand == 0 { query } else { query.with_eligible(&eligible) };
        let within = |work: u64| {
            let looked_at = Arc::new(AtomicU64::new(0));
            let search = Counted { search: kind.build(), work: Arc::clone(&looked_at) };
            let search = MultipleBest::new(search, Ranking::Objective(Objective::Cost));
            let limit = Limit::default().with_work(work);
            let found = search.solve(&query, &mut limit.meter()).unwrap();
            (found, looked_at.load(Ordering::Relaxed))
        };
        let limit = (slots.len() as f64 * times) as u64;
        let (found, looked_at) = within(limit);
        prop_assert!(found.work <= limit, "{found:?}");
        prop_assert!(looked_at * 10 <= limit * 11, "{looked_at} of {limit}");
        let (more, _) = within(2 * limit);
        let value = |found: &Outcome<Window>| found.value.unwrap_or(f64::INFINITY);
        prop_assert!(value(&more) <= value(&found));
        if found.end == End::Done {
            prop_assert_eq!(&found.best, &more.best);
        }
        // A limit of exactly the work counted finds the same answer.
        let (again, _) = within(found.work);
        prop_assert_eq!((again.best, again.work), (found.best, found.work));
    }

    #[test]
    fn stopped_alternatives_are_the_first_ones(slots in slot_list(6), first in request(), second in request(), work in 1u64..400) {
        let batch = Batch::new(vec![Job::new(JobId(1), first), Job::new(JobId(2), second)]).unwrap();
        let all = AlternativesSearch::new(Amp::new()).find(&slots, &batch, Time::ZERO).unwrap();
        let limit = Limit::default().with_work(work);
        let some = AlternativesSearch::new(Amp::new()).with_limit(limit).find(&slots, &batch, Time::ZERO).unwrap();
        // Reasons have a limit of their own.
        let is_all = some.jobs().eq(all.jobs()) && some.work() == all.work();
        prop_assert!(some.end() == End::Work || is_all);
        for position in 0..2 {
            prop_assert!(all.of(position).starts_with(some.of(position)));
        }
    }
}

#[test]
fn a_job_that_asks_for_more_nodes_than_can_be_counted_spoils_no_other() {
    let slots = equal_starts(2, 10.0, |_| 1.0);
    let job = |id, nodes| Job::new(JobId(id), ResourceRequest::new(nodes, Work::must(5.0)).unwrap());
    let batch = Batch::new(vec![job(1, usize::MAX), job(2, 2)]).unwrap();
    let found = AlternativesSearch::new(Amp::new()).find(&slots, &batch, Time::ZERO).unwrap();
    assert_eq!(found.end(), End::Done);
    assert_eq!((found.of(0).len(), found.of(1).len()), (0, 2));
    assert!(found.refusal(0).is_some());
}
