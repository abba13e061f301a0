//! Windows whose nodes are packed, on lists longer than what a search reads first: as good as the best of the
//! windows that a search finds in each zone alone.

use sched_model::*;
use slot_window::{SearchKind, WindowQuery};

/// Numbers below `most` that are the same on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

const ZONES: u32 = 3;

fn zone_of(node: NodeId) -> u32 {
    node.0 % ZONES
}

/// Some thousand slots of 300 nodes in six speeds; nodes become cheaper with time.
fn slots(numbers: &mut Numbers) -> Vec<Slot> {
    let mut slots = Vec::new();
    for id in 0..300 {
        let speed = 1.0 + numbers.below(6) as f64 / 2.0;
        let mut now = numbers.below(40) as f64;
        for _ in 0..4 + numbers.below(16) {
            let price = speed * (40.0 - now / 40.0 + numbers.below(12) as f64).max(1.0);
            let node = Node::new(NodeId(id), Speed::must(speed), Price::must(price));
            let end = now + 4.0 + numbers.below(30) as f64;
            slots.push(Slot::new(node, Time::must(now), Time::must(end)).unwrap());
            now = end + numbers.below(30) as f64;
        }
    }
    slots
}

#[test]
fn as_good_as_the_best_of_all_zones() {
    let mut numbers = Numbers(7);
    let (mut found, mut none) = (0, 0);
    for round in 0..60 {
        let all = slots(&mut numbers);
        let features = (0..300).map(|id| {
            let zone = format!("zone={}", zone_of(NodeId(id)));
            (NodeId(id), Features::new().with_label(zone))
        });
        let list = SlotList::new(all.clone()).unwrap().with_features(features).unwrap();
        let eligible = list.eligible(&Demands::new().with_pack("zone"));
        let nodes = 2 + numbers.below(6) as usize;
        let request = ResourceRequest::new(nodes, Work::must(12.0)).unwrap();
        let budget = 12.0 * nodes as f64 * (18.0 + numbers.below(26) as f64);
        let mut request = request.with_budget(Money::must(budget));
        if round % 3 == 0 {
            request = request.with_deadline(Time::must(100.0 + numbers.below(500) as f64));
        }
        let kinds =
            [SearchKind::FirstFit, SearchKind::MinStart, SearchKind::MinFinish, SearchKind::MinRuntime];
        for kind in kinds {
            let search = kind.build();
            let value = |window: &Window| match kind {
                SearchKind::MinFinish => window.finish().get(),
                // The span of the slowest task: instants are rounded.
                SearchKind::MinRuntime => {
                    let spans = window.placements().iter().map(|placement| request.span_on(placement.speed));
                    spans.fold(0.0, |longest, span| span.get().max(longest))
                }
                _ => window.start().get(),
            };
            let query = WindowQuery::new(&list, &request).with_eligible(&eligible);
            let limit = Limit::none();
            let packed = search.solve(&query, &mut limit.meter()).unwrap().best;
            let in_zone = |zone: u32| all.iter().copied().filter(move |slot| zone_of(slot.node()) == zone);
            let best = (0..ZONES).filter_map(|zone| {
                let alone = SlotList::new(in_zone(zone).collect()).unwrap();
                search.find(&WindowQuery::new(&alone, &request)).unwrap().best
            });
            let best = best.map(|window| value(&window)).min_by(f64::total_cmp);
            assert_eq!(packed.as_ref().map(value), best, "{kind} in round {round}");
            if let Some(window) = packed {
                let zones = window.placements().iter().map(|placement| zone_of(placement.node));
                assert_eq!(zones.collect::<std::collections::BTreeSet<u32>>().len(), 1);
                assert!(window.cost().get() <= budget);
                found += usize::from(list.iter().filter(|slot| slot.start() < window.start()).count() > 1024);
            } else {
                none += 1;
            }
        }
    }
    // Windows beyond what is read first, and none at all, are among the cases.
    assert!(found > 20 && none > 10, "{found} {none}");
}
