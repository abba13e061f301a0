//! The least cost with demands against every window: with nodes whose slots differ in price, and with identifiers of
//! nodes that are far apart.

use econsched::testkit::{DemandsCase, FeaturesCase, SearchCase, drawn, oracle};
use sched_model::check::{Checker, Holding};
use sched_model::*;
use slot_window::{Objective, Optimal, WindowQuery, WindowSearch};

#[test]
fn no_window_costs_less() {
    drawn(2000, |draw| {
        let mut case = SearchCase::draw(draw);
        case.nodes.truncate(7);
        case.request.n = case.request.n.min(case.nodes.len());
        let nodes = case.nodes.len() as u32;
        let far_apart = draw.chance(50);
        let id = |at: u32| NodeId(if far_apart { 4_000_000_000 - 77_777 * at } else { at });
        let (listed, request, from) = case.parts().unwrap();
        let slots = listed.iter().map(|slot| {
            let node = Node { id: id(slot.node().0), ..slot.as_node() };
            Slot::new(node, slot.start(), slot.end()).unwrap()
        });
        let having = (0..nodes).map(|at| (id(at), FeaturesCase::draw(draw).features().unwrap()));
        let having: Vec<_> = having.collect();
        let slots = SlotList::new(slots.collect()).unwrap().with_tariff(*listed.tariff());
        let mut slots = slots.with_features(having).unwrap();
        for at in 0..nodes {
            let price = Price::must(draw.below(12) as f64 / 3.0);
            slots.reprice(id(at), price, Time::must(draw.below(20) as f64));
        }
        let demands = DemandsCase::draw(draw, nodes as usize, 50).demands(0.5).unwrap();
        let spans = demands.spans().iter().map(|(node, span)| (id(node.0), span));
        let spans = Spans::new(spans).unwrap();
        let demands = demands.with_spans(spans);
        let eligible = slots.eligible(&demands);
        let query = WindowQuery::new(&slots, &request).with_from(from).with_eligible(&eligible);
        for holding in [Holding::OwnSpan, Holding::SlowestSpan] {
            let search = Optimal::new(Objective::Cost).with_holding(holding);
            let found = search.solve(&query, &mut Limit::none().meter()).unwrap().best;
            let all = oracle::windows(&slots, (&request, &demands), from, search.rules());
            let best = all.iter().map(|window| (window.cost(), window.start())).min();
            assert_eq!(found.as_ref().map(|window| (window.cost(), window.start())), best);
            if let Some(window) = &found {
                let checker = Checker::new(&slots, search.rules());
                assert_eq!(checker.demanded(window, &request, &demands), []);
            }
        }
    });
}
