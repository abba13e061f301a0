//! The pricing search against enumeration over all starts on a fine grid and all sets of nodes.

use proptest::prelude::*;
use sched_model::check::{Checker, Holding, Rules};
use sched_model::*;
use slot_window::priced::{NodeTimePrices, PricedAnswer, PricedSearch};
use slot_window::{WindowError, WindowQuery};

/// The window of least value below this, from 0 on.
fn bounded(
    search: &PricedSearch,
    (slots, request): (&SlotList, &ResourceRequest),
    prices: &NodeTimePrices,
    below: f64,
) -> PricedAnswer {
    let query = WindowQuery::new(slots, request);
    search.bounded_within(&query, prices, below, &mut Limit::default().meter()).unwrap()
}

#[derive(Debug, Clone)]
struct Instance {
    slots: SlotList,
    request: ResourceRequest,
    prices: Vec<(NodeId, Time, f64)>,
    weights: [f64; 3],
    holding: Holding,
}

fn instance() -> impl Strategy<Value = Instance> {
    let node = (1_u32..4, 0_u32..6, 0_u32..12, 1_u32..24);
    let nodes = proptest::collection::vec(node, 1..5);
    let prices = proptest::collection::vec((0_u32..5, 0_u32..30, 0_u32..20), 0..8);
    let weights = (-2_i32..4, 0_u32..4, 0_u32..3);
    let request =
        (1_usize..4, prop_oneof![Just(6_u32), Just(12)], proptest::option::of(0_u32..90), any::<bool>());
    (nodes, prices, weights, request, any::<bool>()).prop_map(|(nodes, prices, weights, request, square)| {
        let slots = nodes.iter().enumerate().map(|(id, &(speed, price, from, length))| {
            let node =
                Node::new(NodeId(id as u32), Speed::must(f64::from(speed)), Price::must(f64::from(price)));
            Slot::new(node, Time::must(f64::from(from)), Time::must(f64::from(from + length))).unwrap()
        });
        let (count, work, budget, deadline) = request;
        let mut wanted = ResourceRequest::new(count, Work::must(f64::from(work))).unwrap();
        if let Some(budget) = budget {
            wanted = wanted.with_budget(Money::must(f64::from(budget)));
        }
        if deadline {
            wanted = wanted.with_deadline(Time::must(20.0));
        }
        Instance {
            slots: SlotList::new(slots.collect()).unwrap(),
            request: wanted,
            prices: (prices.into_iter())
                .map(|(node, at, price)| (NodeId(node), Time::must(f64::from(at)), f64::from(price)))
                .collect(),
            weights: [f64::from(weights.0), f64::from(weights.1), f64::from(weights.2)],
            holding: if square { Holding::SlowestSpan } else { Holding::OwnSpan },
        }
    })
}

/// The least value over starts in halves (all events are whole numbers) and all sets of nodes.
fn enumerate(instance: &Instance, search: &PricedSearch, prices: &NodeTimePrices) -> Option<f64> {
    let Instance { slots, request, holding, .. } = instance;
    let all: Vec<Slot> = slots.iter().copied().collect();
    let checker = Checker::new(slots, Rules::per_window(1.0).with_holding(*holding));
    let mut best: Option<f64> = None;
    for half in 0..80 {
        let start = Time::must(f64::from(half) / 2.0);
        for set in 0_u32..1 << all.len() {
            if set.count_ones() as usize != request.nodes() {
                continue;
            }
            let chosen: Vec<&Slot> =
                all.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1).map(|(_, s)| s).collect();
            let own = |slot: &Slot| request.span_on(slot.speed());
            let longest = chosen.iter().map(|slot| own(slot)).max().unwrap();
            let span = |slot: &Slot| if *holding == Holding::SlowestSpan { longest } else { own(slot) };
            let places = chosen.iter().map(|slot| Placement::on(slot, start, span(slot))).collect();
            let Ok(window) = Window::new(start, places) else { continue };
            if checker.window(&window, request).is_empty() {
                let value = search.value(&window, Time::ZERO, prices);
                best = Some(best.map_or(value, |best: f64| best.min(value)));
            }
        }
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn no_window_has_a_lesser_value(instance in instance()) {
        let prices = NodeTimePrices::new(instance.prices.iter().copied()).unwrap();
        let [cost, runtime, start] = instance.weights;
        let search = PricedSearch::new(Rules::per_window(1.0).with_holding(instance.holding))
            .with_cost_weight(cost).unwrap()
            .with_runtime_weight(runtime).unwrap()
            .with_start_weight(start).unwrap();
        let of = (&instance.slots, &instance.request);
        let found = bounded(&search, of, &prices, f64::INFINITY).best;
        let best = enumerate(&instance, &search, &prices);
        prop_assert_eq!(found.as_ref().map(|found| found.value), best);
        for below in [-3.0, 0.0, 7.5, 20.0, 41.0].into_iter().chain(best).chain(best.map(f64::next_up)) {
            let answer = bounded(&search, of, &prices, below);
            prop_assert_eq!(answer.best.map(|found| found.value), best.filter(|&best| best < below));
            let least = best.map_or(below, |best| best.min(below));
            prop_assert!(answer.bound == least || answer.bound <= least && least - answer.bound < 1e-9);
        }
        if let Some(found) = found {
            let checker = Checker::new(&instance.slots, Rules::per_window(1.0).with_holding(instance.holding));
            prop_assert_eq!(checker.window(&found.window, &instance.request), vec![]);
        }
    }
}

#[test]
fn a_request_for_countless_nodes_has_no_window() {
    let node = Node::new(NodeId(1), Speed::ETALON, Price::must(1.0));
    let slots = SlotList::from_nodes(&[node], &[], Time::ZERO, Time::must(9.0)).unwrap();
    let request = ResourceRequest::new(usize::MAX, Work::must(1.0)).unwrap();
    let search = PricedSearch::new(Rules::per_window(1.0)).with_cost_weight(1.0).unwrap();
    for below in [1.0, f64::INFINITY] {
        let answer = bounded(&search, (&slots, &request), &NodeTimePrices::default(), below);
        assert_eq!((answer.best, answer.bound > 0.9), (None, true));
    }
}

#[test]
fn prices_and_weights_out_of_range_are_refused() {
    let at = (NodeId(1), Time::ZERO);
    assert!(NodeTimePrices::new([(at.0, at.1, -1.0)]).is_err());
    assert!(NodeTimePrices::new([(at.0, at.1, f64::NAN)]).is_err());
    let search = PricedSearch::new(Rules::per_window(1.0));
    assert!(search.with_runtime_weight(-1.0).is_err());
    assert!(search.with_start_weight(f64::INFINITY).is_err());
    assert!(search.with_cost_weight(-1.0).is_ok());
    let square = PricedSearch::new(Rules::per_window(1.0).with_holding(Holding::SlowestSpan));
    assert!(square.with_cost_weight(-1.0).is_ok() && square.with_cost_weight(-1e101).is_err());
}

#[test]
fn a_start_without_an_affordable_set_hides_no_window_of_a_later_one() {
    let slot = |id, speed, price, start, end| {
        let node = Node::new(NodeId(id), Speed::must(speed), Price::must(price));
        Slot::new(node, Time::must(start), Time::must(end)).unwrap()
    };
    // At 2 only nodes 0 and 2 are free, for 54 together; at 3 nodes 1 and 2 take the whole budget.
    let slots =
        vec![slot(0, 2.0, 3.0, 0.0, 11.0), slot(2, 1.0, 3.0, 2.0, 15.0), slot(1, 1.0, 0.0, 3.0, 16.0)];
    let slots = SlotList::new(slots).unwrap();
    let request = ResourceRequest::new(2, Work::must(12.0)).unwrap().with_budget(Money::must(36.0));
    let search = PricedSearch::new(Rules::per_window(1.0));
    let search = search.with_cost_weight(-1.0).unwrap().with_start_weight(2.0).unwrap();
    for below in [-3.0, -29.0, f64::INFINITY] {
        let answer = bounded(&search, (&slots, &request), &NodeTimePrices::default(), below);
        assert_eq!(answer.best.map(|best| best.value), Some(-30.0), "below {below}: {}", answer.bound);
    }
}

/// Three nodes for one unit of time from 0, two of them within 55: the dearest two (nodes 1 and 2, -30 and
/// -30 + 10) cost 60, nodes 1 and 3 (-30 and -20) cost 50. Both sets have the sum -50, the windows with their
/// runtime 18 more: -32. The double above -32, less 18, is -50.
#[test]
fn a_window_is_found_below_the_next_double() {
    let slot = |id: u32, price: f64| {
        let node = Node::new(NodeId(id), Speed::ETALON, Price::must(price));
        Slot::new(node, Time::ZERO, Time::must(1.0)).unwrap()
    };
    let slots = SlotList::new(vec![slot(1, 30.0), slot(2, 30.0), slot(3, 20.0)]).unwrap();
    let request = ResourceRequest::new(2, Work::must(1.0)).unwrap().with_budget(Money::must(55.0));
    let prices = NodeTimePrices::new([(NodeId(2), Time::must(0.5), 10.0)]).unwrap();
    for holding in [Holding::OwnSpan, Holding::SlowestSpan] {
        let search = PricedSearch::new(Rules::per_window(1.0).with_holding(holding));
        let search = search.with_cost_weight(-1.0).unwrap().with_runtime_weight(18.0).unwrap();
        let below = (-32.0_f64).next_up();
        assert_eq!(below - 18.0, -50.0);
        let found = bounded(&search, (&slots, &request), &prices, below).best.unwrap();
        assert_eq!((found.value, found.window.cost().get()), (-32.0, 50.0));
        let none = bounded(&search, (&slots, &request), &prices, -32.0);
        assert_eq!(none.best, None);
    }
}

/// Slots of many speeds and prices, and several searches: prices, weights and the share of the least value,
/// in quarters, below which windows are searched for.
fn many_searches() -> impl Strategy<Value = (Instance, Vec<Search>)> {
    let slot = (1_u32..6, 0_u32..30, 0_u32..40, 4_u32..30);
    let slots = proptest::collection::vec(slot, 12..40);
    let prices = proptest::collection::vec((0_u32..40, 0_u32..60, 0_u32..20), 0..20);
    let weights = prop_oneof![
        (0_i32..4, 0_u32..4, 0_u32..3),
        (-2_i32..1, 0_u32..20, 0_u32..2),
        (1_i32..4, 0_u32..1, 0_u32..1)
    ];
    let searches = proptest::collection::vec((prices, weights, 0_u32..8), 1..5);
    let request = (1_usize..4, proptest::option::of(20_u32..200), any::<bool>());
    (slots, searches, request).prop_map(|(slots, searches, (count, budget, square))| {
        let slots = slots.iter().enumerate().map(|(id, &(speed, price, from, length))| {
            let node = Node::new(
                NodeId(id as u32),
                Speed::must(f64::from(speed)),
                Price::must(f64::from(price) / 10.0),
            );
            Slot::new(node, Time::must(f64::from(from)), Time::must(f64::from(from + length))).unwrap()
        });
        let mut request = ResourceRequest::new(count, Work::must(12.0)).unwrap();
        if let Some(budget) = budget {
            request = request.with_budget(Money::must(f64::from(budget) / 2.0));
        }
        let slots: Vec<Slot> = slots.collect();
        let instance = Instance {
            slots: SlotList::new(slots).unwrap(),
            request,
            prices: Vec::new(),
            weights: [0.0; 3],
            holding: if square { Holding::SlowestSpan } else { Holding::OwnSpan },
        };
        (instance, searches)
    })
}

type Search = (Vec<(u32, u32, u32)>, (i32, u32, u32), u32);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn a_prepared_query_has_the_answers_of_searches_from_nothing((instance, searches) in many_searches()) {
        let rules = Rules::per_window(1.0).with_holding(instance.holding);
        let query = WindowQuery::new(&instance.slots, &instance.request);
        let prepared = PricedSearch::new(rules).prepare(&query).unwrap();
        let limit = Limit::default();
        for (prices, (cost, runtime, start), quarters) in searches {
            let price = |(node, at, price)| (NodeId(node), Time::must(f64::from(at)), f64::from(price));
            let prices = NodeTimePrices::new(prices.into_iter().map(price)).unwrap();
            let search = PricedSearch::new(rules)
                .with_cost_weight(f64::from(cost) / 3.0).unwrap()
                .with_runtime_weight(f64::from(runtime)).unwrap()
                .with_start_weight(f64::from(start)).unwrap();
            let whole = search.bounded_within(&query, &prices, f64::INFINITY, &mut limit.meter()).unwrap();
            let least = whole.best.as_ref().map_or(50.0, |best| best.value);
            let belows = [f64::INFINITY, least, least.next_up(), least * f64::from(quarters) / 4.0];
            for below in belows {
                let fresh = search.bounded_within(&query, &prices, below, &mut limit.meter()).unwrap();
                let again = search.bounded_in(&prepared, &prices, below, &mut limit.meter()).unwrap();
                prop_assert_eq!(fresh, again);
            }
        }
    }
}

#[test]
fn a_query_prepared_under_other_rules_is_refused() {
    let node = Node::new(NodeId(1), Speed::ETALON, Price::must(1.0));
    let slots = SlotList::from_nodes(&[node], &[], Time::ZERO, Time::must(9.0)).unwrap();
    let request = ResourceRequest::new(1, Work::must(1.0)).unwrap();
    let query = WindowQuery::new(&slots, &request);
    let prepared = PricedSearch::new(Rules::per_window(1.0)).prepare(&query).unwrap();
    let other = PricedSearch::new(Rules::per_slot());
    let limit = Limit::default();
    let answer = other.bounded_in(&prepared, &NodeTimePrices::default(), f64::INFINITY, &mut limit.meter());
    assert_eq!(answer, Err(WindowError::OtherRules));
}
