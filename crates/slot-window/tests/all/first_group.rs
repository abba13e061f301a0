//! Searches on a list that knows its first slots in order of price / speed answer as on one that does not.

use sched_model::*;
use slot_window::{Alp, Amp, Objective, Optimal, SearchScratch, WindowQuery, WindowSearch};

/// Numbers that look random, the same on every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn pick(&mut self, of: &[f64]) -> f64 {
        of[self.below(of.len() as u64) as usize]
    }
}

const SPEEDS: [f64; 6] = [1.0, 1.5, 2.0, 3.0, 0.1, 7.0];
const PRICES: [f64; 9] = [0.1, 0.2, 0.3, 1.0, 1.5, 2.0, 3.0, 0.7, 0.0];

/// Nodes that are free from 0 on, and some that are free later; with many ties of price, speed and their
/// quotient.
fn slots(numbers: &mut Numbers) -> SlotList {
    let slots = (0..4_600).map(|id| {
        let price =
            if numbers.below(10) == 0 { numbers.below(1000) as f64 / 997.0 } else { numbers.pick(&PRICES) };
        let price = if numbers.below(200) == 0 { 1e-300 } else { price };
        let node = Node::new(NodeId(id), Speed::must(numbers.pick(&SPEEDS)), Price::must(price));
        let start = if numbers.below(25) == 0 { 5.0 + numbers.below(30) as f64 } else { 0.0 };
        Slot::new(node, Time::must(start), Time::must(start + 1.0 + numbers.below(60) as f64)).unwrap()
    });
    let list = SlotList::new(slots.collect()).unwrap();
    let features = (0..4_600).map(|id| {
        let rack = Features::new().with_label(format!("rack={}", numbers.below(900)));
        let all = rack.with_label(format!("zone={}", numbers.below(7)));
        (NodeId(id), if numbers.below(4) > 0 { all.with_label("gpu") } else { all })
    });
    let features: Vec<_> = features.collect();
    list.with_features(features).unwrap()
}

/// Labels, nodes that go together or apart, and both.
fn demands(numbers: &mut Numbers) -> Demands {
    let mut demands = Demands::new();
    if numbers.below(4) == 0 {
        demands = demands.with_label("gpu");
    }
    if numbers.below(3) == 0 {
        demands = demands.with_pack("zone");
    }
    if numbers.below(3) == 0 {
        let (label, most) = if numbers.below(2) == 0 { ("rack", 1 + numbers.below(2)) } else { ("zone", 4) };
        demands = demands.with_spread(label, most as usize).unwrap();
    }
    demands
}

fn request(numbers: &mut Numbers) -> ResourceRequest {
    let (nodes, work) = (1 + numbers.below(30), numbers.pick(&[10.0, 30.0, 0.3, 100.0, 7.7]));
    let mut request = ResourceRequest::new(nodes as usize, Work::must(work)).unwrap();
    if numbers.below(3) > 0 {
        // Budgets that few or many of the cheapest meet, some to the last bit.
        let share = numbers.pick(&[0.0, 0.1, 0.2, 0.25, 1.0, 0.05]);
        request = request.with_budget(Money::must(share * work * nodes as f64));
    }
    if numbers.below(3) == 0 {
        request = request.with_min_speed(Speed::must(numbers.pick(&SPEEDS)));
    }
    if numbers.below(3) == 0 {
        request = request.with_deadline(Time::must(numbers.below(40) as f64));
    }
    if numbers.below(3) == 0 {
        request = request.with_price_limit(Price::must(numbers.pick(&PRICES)));
    }
    request
}

#[test]
fn the_order_changes_no_answer() {
    let mut numbers = Numbers(1);
    let mut scratch = SearchScratch::new();
    let (mut found, mut quick) = (0, [0; 4]);
    for _ in 0..6 {
        let mut plain = slots(&mut numbers);
        let mut ordered = plain.clone();
        ordered.order_first_group();
        assert_eq!(ordered.first_group_start(), Some(Time::ZERO));
        for step in 0..120 {
            let request = request(&mut numbers);
            let demands = demands(&mut numbers);
            // At 2 the slots that start first are all that are free; at 8 they are not.
            let from = Time::must(numbers.pick(&[0.0, 0.0, -3.0, 2.0, 8.0]));
            let optimal = Optimal::new(Objective::Start).with_holding(check::Holding::OwnSpan);
            let searches: [&dyn WindowSearch; 3] = [&Amp::new(), &Alp::new(), &optimal];
            let search = searches[step % 3];
            let limit = Limit::default();
            let mut ask = |list: &SlotList| {
                let eligible = list.eligible(&demands);
                let query = WindowQuery::new(list, &request, from).with_eligible(&eligible);
                search.find_within(&query, &mut limit.meter(), &mut scratch).unwrap()
            };
            let (with, without) = (ask(&ordered), ask(&plain));
            assert_eq!(with.incumbent, without.incumbent, "{} {request:?} {demands:?}", search.name());
            let kind = usize::from(demands.pack().is_some()) + 2 * usize::from(demands.spread().is_some());
            quick[kind] += usize::from(with.work < without.work / 4);
            if let Some(window) = with.incumbent {
                found += 1;
                plain.cut(&window).unwrap();
                ordered.cut(&window).unwrap();
                if numbers.below(3) == 0 {
                    plain.give_back(&window).unwrap();
                    ordered.give_back(&window).unwrap();
                }
            }
        }
    }
    assert!(found > 300 && quick.iter().all(|&quick| quick > 5), "{found} {quick:?}");
}
