//! The pricing search on numbers of which sums are rounded: its answer is the least of the values that it
//! reports, and more work makes neither the value nor the bound worse.

use proptest::prelude::*;
use sched_model::check::{Checker, Holding, Rules};
use sched_model::*;
use slot_window::WindowQuery;
use slot_window::priced::{NodeTimePrices, PricedAnswer, PricedSearch};

#[derive(Debug, Clone)]
struct Instance {
    slots: SlotList,
    request: ResourceRequest,
    prices: Vec<(NodeId, Time, f64)>,
    weights: [f64; 3],
    holding: Holding,
}

impl Instance {
    fn rules(&self) -> Rules {
        Rules::per_window(1.0).with_holding(self.holding)
    }

    fn search(&self) -> PricedSearch {
        let [cost, runtime, start] = self.weights;
        let search = PricedSearch::new(self.rules()).with_cost_weight(cost).unwrap();
        search.with_runtime_weight(runtime).unwrap().with_start_weight(start).unwrap()
    }

    fn prices(&self) -> NodeTimePrices {
        NodeTimePrices::new(self.prices.iter().copied()).unwrap()
    }

    /// The answer within so much work.
    fn within(&self, work: u64) -> PricedAnswer {
        let query = WindowQuery::new(&self.slots, &self.request);
        let limit = Limit::default().with_work(work);
        let prices = self.prices();
        self.search().bounded_within(&query, &prices, f64::INFINITY, &mut limit.meter()).unwrap()
    }
}

fn slot(id: u32, (speed, price): (f64, f64), (start, end): (f64, f64)) -> Slot {
    let node = Node::new(NodeId(id), Speed::must(speed), Price::must(price));
    Slot::new(node, Time::must(start), Time::must(end)).unwrap()
}

/// Checks that the value and the bound after each amount of work are no worse than after the one before.
fn no_worse_with_more_work(instance: &Instance, parts: u64) -> Result<(), TestCaseError> {
    let whole = instance.within(1_000_000);
    let mut last = instance.within(0);
    for part in 1..=parts {
        let now = instance.within(whole.work * part / parts);
        let value = |answer: &PricedAnswer| answer.best.as_ref().map_or(f64::INFINITY, |best| best.value);
        prop_assert!(value(&now) <= value(&last), "{part}: {} after {}", value(&now), value(&last));
        prop_assert!(now.bound >= last.bound, "{part}: {} after {}", now.bound, last.bound);
        last = now;
    }
    prop_assert_eq!(last, whole);
    Ok(())
}

/// Three nodes, 0.9 of work: from 0 nodes 2 to 4 cost 0.54 for 0.9, in doubles, and with node 0 for another
/// span of time the sums differ in their last bits from those of the windows.
#[test]
fn a_value_of_the_same_window_does_not_rise_with_more_work() {
    let slots = vec![
        slot(0, (0.7, 1.0), (0.0, 3.0)),
        slot(1, (1.0, 0.0), (1.0, 3.0)),
        slot(2, (1.0, 0.1), (0.0, 1.0)),
        slot(3, (1.0, 0.5), (0.0, 2.0)),
        slot(4, (1.0, 0.0), (0.0, 1.0)),
    ];
    let request = ResourceRequest::new(3, Work::must(0.9)).unwrap();
    let instance = Instance {
        slots: SlotList::new(slots).unwrap(),
        request: request.with_budget(Money::must(1.735_714_285_714_285_8)),
        prices: Vec::new(),
        weights: [-1.0, 1.0, 0.0],
        holding: Holding::OwnSpan,
    };
    no_worse_with_more_work(&instance, 1).unwrap();
}

/// Nodes in tenths and thirds, of which sets cost nearly as much as the budget.
fn instance() -> impl Strategy<Value = Instance> {
    let speed = prop_oneof![Just(1.0), Just(0.7), Just(1.5), Just(3.0)];
    let node = (speed, 0_u32..16, 0_u32..6, 1_u32..24);
    let nodes = proptest::collection::vec(node, 3..9);
    let prices = proptest::collection::vec((0_u32..8, 0_u32..60, 0_u32..30), 0..10);
    let weights = (
        prop_oneof![Just(1.0), Just(-1.0), Just(0.0), Just(1.0 / 3.0)],
        prop_oneof![Just(0.0), Just(1.0), Just(0.1)],
        prop_oneof![Just(0.0), Just(0.3)],
    );
    let request = (1_usize..5, prop_oneof![Just(0.9), Just(2.1)], any::<prop::sample::Index>(), 0_u32..4);
    (nodes, prices, weights, request, any::<bool>()).prop_map(|(nodes, prices, weights, request, square)| {
        let (count, work, budget, beside) = request;
        let slots: Vec<Slot> = (0..)
            .zip(&nodes)
            .map(|(id, &(speed, price, from, length))| {
                let from = f64::from(from) / 3.0;
                slot(id, (speed, f64::from(price) / 10.0), (from, from + f64::from(length) / 4.0))
            })
            .collect();
        // The cost of some nodes next to one another, or beside it.
        let first = budget.index(slots.len());
        let cost = (0..count).map(|at| {
            let slot = &slots[(first + at) % slots.len()];
            (slot.price() * (Work::must(work) / slot.speed())).get()
        });
        let cost = exact_sum(cost);
        let budget = [cost, cost.next_down().max(0.0), cost * 1.1, cost * 0.8][beside as usize];
        Instance {
            slots: SlotList::new(slots).unwrap(),
            request: ResourceRequest::new(count, Work::must(work)).unwrap().with_budget(Money::must(budget)),
            prices: (prices.into_iter())
                .map(|(node, at, price)| {
                    (NodeId(node), Time::must(f64::from(at) / 9.0), f64::from(price) / 10.0)
                })
                .collect(),
            weights: weights.into(),
            holding: if square { Holding::SlowestSpan } else { Holding::OwnSpan },
        }
    })
}

/// The value of a window by its definition; its runtime is the span of the slowest task.
fn value(instance: &Instance, window: &Window) -> f64 {
    let ([cost, runtime, start], prices) = (instance.weights, instance.prices());
    let longest = window.placements().iter().map(|p| instance.request.span_on(p.speed)).max().unwrap();
    let of_node = |p: &Placement| cost * p.cost.get() + prices.between(p.node, window.start(), p.end);
    exact_sum(window.placements().iter().map(of_node))
        + (runtime * longest.get() + start * window.start().get())
}

/// The least value over the given starts and all sets of nodes.
fn enumerate(instance: &Instance, starts: &[f64]) -> Option<f64> {
    let Instance { slots, request, holding, .. } = instance;
    let all: Vec<Slot> = slots.iter().copied().collect();
    let checker = Checker::new(slots, instance.rules());
    let mut best: Option<f64> = None;
    for set in 0_u32..1 << all.len() {
        if set.count_ones() as usize != request.nodes() {
            continue;
        }
        let chosen: Vec<&Slot> =
            all.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1).map(|(_, s)| s).collect();
        let own = |slot: &Slot| request.span_on(slot.speed());
        let longest = chosen.iter().map(|slot| own(slot)).max().unwrap();
        let span = |slot: &Slot| if *holding == Holding::SlowestSpan { longest } else { own(slot) };
        for &start in starts {
            let start = Time::must(start);
            let places = chosen.iter().map(|slot| Placement::on(slot, start, span(slot))).collect();
            let Ok(window) = Window::new(start, places) else { continue };
            let value = value(instance, &window);
            if best.is_none_or(|best| value < best) && checker.window(&window, request).is_empty() {
                best = Some(value);
            }
        }
    }
    best
}

/// The starts of slots, the instants of prices, the starts from which a task ends at one, and some beside.
fn starts(instance: &Instance) -> Vec<f64> {
    let mut starts: Vec<f64> = instance.slots.iter().map(|slot| slot.start().get()).collect();
    let spans: Vec<f64> =
        instance.slots.iter().map(|slot| instance.request.span_on(slot.speed()).get()).collect();
    for (_, at, _) in &instance.prices {
        starts.push(at.get());
        for span in &spans {
            // The least start whose end, as a double, is at the price.
            let near = at.get() - span;
            let mut start = near.next_down().next_down();
            while start + span < at.get() {
                start = start.next_up();
            }
            starts.extend([start, start.next_up()]);
        }
    }
    starts.retain(|&start| start >= 0.0);
    starts.sort_by(f64::total_cmp);
    starts.dedup();
    starts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 1_500 } else { 100_000 }))]
    #[test]
    fn more_work_makes_no_value_and_no_bound_worse(instance in instance()) {
        no_worse_with_more_work(&instance, 12)?;
    }

    #[test]
    fn no_window_has_a_lesser_value_by_the_last_bit(instance in instance()) {
        let best = enumerate(&instance, &starts(&instance));
        let found = instance.within(10_000_000).best;
        if let Some(found) = &found {
            let own = value(&instance, &found.window);
            prop_assert_eq!(found.value, own);
            let of_instants = instance.search().value(&found.window, Time::ZERO, &instance.prices());
            prop_assert!(own == of_instants || instance.weights[1] > 0.0 && (own - of_instants).abs() < 1e-12);
        }
        prop_assert_eq!(found.map(|found| found.value), best);
        // No window is below the least value, and one is below the next double.
        if let Some(best) = best {
            for (below, is_found) in [(best, false), (best.next_up(), true)] {
                let query = WindowQuery::new(&instance.slots, &instance.request);
                let limit = Limit::default();
                let answer = instance.search()
                    .bounded_within(&query, &instance.prices(), below, &mut limit.meter()).unwrap();
                prop_assert_eq!(answer.best.map(|found| found.value), is_found.then_some(best));
            }
        }
    }
}
