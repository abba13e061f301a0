//! The least cost with demands against brute force: under every kind of tariff, with nodes whose slots differ in
//! price, and with identifiers of nodes that are far apart.

use econsched::testkit::oracle;
use proptest::prelude::*;
use sched_model::check::{Checker, Holding};
use sched_model::*;
use slot_window::{Objective, Optimal, WindowQuery, WindowSearch};

/// For each node its speed, and for each of its slots the gap before it, its length and three times its price.
type Nodes = Vec<(u32, Vec<(u32, u32, u32)>)>;

fn nodes() -> impl Strategy<Value = Nodes> {
    let slots = prop::collection::vec((0..6_u32, 2..25_u32, 1..12_u32), 1..4);
    prop::collection::vec((1..6_u32, slots), 2..8)
}

fn list(nodes: &Nodes, id: impl Fn(usize) -> NodeId) -> SlotList {
    let mut slots = Vec::new();
    for (number, (speed, parts)) in nodes.iter().enumerate() {
        let mut end = 0;
        for &(gap, length, price) in parts {
            let start = end + gap;
            end = start + length;
            let price = Price::must(f64::from(price) / 3.0);
            let node = Node::new(id(number), Speed::must(f64::from(*speed)), price);
            let (start, end) = (Time::must(f64::from(start)), Time::must(f64::from(end)));
            slots.push(Slot::new(node, start, end).unwrap());
        }
    }
    let racks = (0..nodes.len())
        .map(|number| (id(number), Features::new().with_label(format!("rack={}", number / 3))));
    SlotList::new(slots).unwrap().with_features(racks).unwrap()
}

fn tariff(number: usize) -> Tariff {
    let plain = Tariff::default();
    match number {
        0 => plain,
        1 => plain.with_digits(0, Rounding::Up),
        2 => plain.with_digits(1, Rounding::Nearest),
        3 => plain.with_increment(Span::must(3.0)).unwrap().with_entry_fee(Money::must(2.0)).unwrap(),
        _ => plain.with_least_charge(Money::must(9.0)).unwrap(),
    }
}

/// Pack, spread, measured spans of every second node, and both.
fn demands(number: usize, spans: Spans) -> Demands {
    match number {
        0 => Demands::new().with_pack("rack"),
        1 => Demands::new().with_spread("rack", 1).unwrap(),
        2 => Demands::new().with_spread("rack", 2).unwrap(),
        3 => Demands::new().with_spans(spans),
        4 => Demands::new().with_spans(spans).with_pack("rack"),
        _ => Demands::new().with_spans(spans).with_spread("rack", 1).unwrap(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_window_costs_less(
        nodes in nodes(),
        (n, work) in (1..4_usize, 4..40_u32),
        asked in 0..6_usize,
        priced in 0..5_usize,
        are_far_apart in any::<bool>(),
        budget in prop::option::of(5..200_u32),
        from in 0..8_u32,
    ) {
        let id = |number: usize| {
            NodeId(if are_far_apart { 4_000_000_000 - 77_777 * number as u32 } else { number as u32 })
        };
        let slots = list(&nodes, id).with_tariff(tariff(priced));
        let spans = (0..nodes.len()).step_by(2).map(|number| (id(number), Span::must(2.0 + number as f64)));
        let demands = demands(asked, Spans::new(spans).unwrap());
        let mut request = ResourceRequest::new(n, Work::must(f64::from(work))).unwrap();
        if let Some(budget) = budget {
            request = request.with_budget(Money::must(f64::from(budget)));
        }
        let eligible = slots.eligible(&demands);
        let from = Time::must(f64::from(from));
        let own = |slot: &Slot| demands.spans().on(slot.node()).unwrap_or(request.span_on(slot.speed()));
        for holding in [Holding::OwnSpan, Holding::SlowestSpan] {
            let search = Optimal::new(Objective::Cost).with_holding(holding);
            let checker = Checker::new(&slots, search.rules());
            let query = WindowQuery::new(&slots, &request).with_from(from).with_eligible(&eligible);
            let limit = Limit::none();
            let found = search.solve(&query, &mut limit.meter()).unwrap();
            let mut starts: Vec<Time> = slots.iter().map(Slot::start).filter(|start| *start > from).collect();
            starts.push(from);
            let mut best: Option<(Money, Time)> = None;
            for start in starts {
                let is_free = |slot: &&Slot| slot.start() <= start && start < slot.end();
                let free: Vec<&Slot> = slots.iter().filter(is_free).collect();
                oracle::subsets(free.len(), n, |chosen| {
                    let longest = chosen.iter().map(|&at| own(free[at])).max().unwrap();
                    let held = |slot: &Slot| if holding == Holding::OwnSpan { own(slot) } else { longest };
                    let placement = |&at: &usize| slots.placement(free[at], start, held(free[at]));
                    let Ok(window) = Window::new(start, chosen.iter().map(placement).collect()) else { return };
                    let key = (window.cost(), start);
                    if best.is_none_or(|best| key < best) && checker.demanded(&window, &request, &demands).is_empty() {
                        best = Some(key);
                    }
                });
            }
            prop_assert_eq!(found.best.as_ref().map(|window| (window.cost(), window.start())), best);
            if let Some(window) = &found.best {
                prop_assert_eq!(checker.demanded(window, &request, &demands), []);
            }
        }
    }
}
