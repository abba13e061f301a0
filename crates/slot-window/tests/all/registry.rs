//! Every registered search, compared with all windows.

use crate::searches::{Searches, has_exact_spans, node_values};
use econsched::testkit::{Check, NodeCase, SearchCase, drawn, oracle};
use sched_model::check::{Holding, Rules};
use sched_model::*;
use slot_window::priced::PricedQuery;
use slot_window::{
    Amp, FirstFit, MaxValue, NodeValues, Objective, Optimal, SearchKind, SearchOptions, WindowError,
    WindowQuery, WindowSearch,
};

#[test]
fn every_kind_is_the_best_of_all_windows_within_any_limit() {
    let seen = Check::new(Searches).run(400).unwrap();
    assert!(seen.solved > 6_000, "{seen:?}");
}

#[test]
fn names_are_distinct_and_parse() {
    for &kind in SearchKind::ALL {
        assert_eq!((kind.name().parse(), kind.build().name()), (Ok(kind), kind.name()));
        // With the usual options it is the same search; the minimum of a value has no name of its own.
        let built = kind.build_with(&SearchOptions::default()).unwrap();
        assert_eq!(format!("{built:?}"), format!("{:?}", kind.build()), "{kind}");
        let least = SearchOptions::default().with_criterion(NodeValues::default(), Sense::Minimise);
        assert_eq!(kind.build_with(&least).unwrap().name(), kind.name());
    }
    assert!("alps".parse::<SearchKind>().is_err());
}

#[test]
fn bad_factors_are_refused() {
    for rho in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(SearchKind::MinCost.build_with(&SearchOptions::default().with_rho(rho)).is_err());
        let (slots, request) = (SlotList::default(), ResourceRequest::must(1, 1.0));
        let query = WindowQuery::new(&slots, &request);
        let (amp, first) = (Amp::new().with_rho(rho), FirstFit::new().with_rules(Rules::per_window(rho)));
        for search in [&amp as &dyn WindowSearch, &first] {
            assert!(matches!(search.find(&query), Err(WindowError::Factor { what: "rho", .. })));
            let told = search.refusal(&query, &mut Limit::none().meter());
            assert!(matches!(told, Err(WindowError::Factor { what: "rho", .. })));
        }
    }
}

/// A task of 10 under a price limit of 4: a budget of rho * 40, but for the search that limits the price of each slot.
#[test]
fn a_factor_is_in_the_rules_of_every_search() {
    let request = ResourceRequest::must(1, 10.0).with_price_limit(Price::must(4.0));
    for (rho, budget) in [(1.0, 40.0), (0.5, 20.0)] {
        for &kind in SearchKind::ALL {
            let search = kind.build_with(&SearchOptions::default().with_rho(rho)).unwrap();
            let budget = (kind != SearchKind::Alp).then(|| Money::must(budget));
            assert_eq!(search.rules().budget(&request), budget, "{kind} {rho}");
        }
    }
}

/// Demands compiled for one list are refused for another.
#[test]
fn demands_compiled_for_another_list_are_refused() {
    let slots = SlotList::new(vec![crate::slot(1, (1.0, 1.0), (0.0, 9.0))]).unwrap();
    let featured = slots.clone().with_features([(NodeId(1), Features::default().with_label("gpu"))]).unwrap();
    let eligible = featured.eligible(&Demands::default().with_label("gpu"));
    let request = ResourceRequest::must(1, 1.0);
    let query = WindowQuery::new(&slots, &request).with_eligible(&eligible);
    for search in SearchKind::ALL.iter().map(|kind| kind.build()) {
        let error = search.solve(&query, &mut Limit::default().meter()).unwrap_err();
        assert_eq!(error, WindowError::OtherList, "{}", search.name());
    }
    assert_eq!(PricedQuery::new(Rules::per_window(1.0), &query).unwrap_err(), WindowError::OtherList);
}

type Value<'a> = &'a dyn Fn(&Window) -> f64;

/// Ties between windows of the best value go to the earliest start; then, if all nodes are held for one span, to the
/// shorter window; then to the cheaper one; then to the lower nodes.
#[test]
fn of_equal_windows_the_one_that_is_promised() {
    drawn(5000, |draw| {
        let mut case = SearchCase::draw(draw);
        case.nodes.truncate(6);
        let (most, packs, spread) = (draw.between(1, 4), draw.chance(50), draw.of([0, 1, 2]));
        for of in &mut case.nodes {
            of.node.price = Price::must(of.node.speed.get() * draw.between(1, most) as f64);
            of.value = draw.below(most) as f64;
            of.features = Features::default().with_label(format!("rack={}", of.node.id.0 % 2));
        }
        if !has_exact_spans(&case) {
            return;
        }
        let demands = Demands::default();
        let demands = if packs { demands.with_pack("rack") } else { demands };
        let demands = if spread > 0 { demands.with_spread("rack", spread).unwrap() } else { demands };
        let request = case.request.clone().with_demands(demands);
        let request = request.with_budget(Money::must(draw.between(1, 60) as f64));
        let (slots, from) = (NodeCase::slots(&case.nodes).unwrap(), case.from);
        let holding = draw.of([Holding::OwnSpan, Holding::SlowestSpan]);
        let rules = Rules::per_window(1.0).with_holding(holding);
        let all = oracle::windows(&slots, &request, from, rules);
        let worth =
            |window: &Window| -window.nodes().map(|node| case.nodes[node.0 as usize].value).sum::<f64>();
        let optimal =
            |objective| Box::new(Optimal::new(objective).with_rules(rules)) as Box<dyn WindowSearch>;
        let best_values = Box::new(MaxValue::new(node_values(&case).unwrap()).with_rules(rules));
        let searches: [(Box<dyn WindowSearch>, Value<'_>); 5] = [
            (optimal(Objective::Start), &|window| window.start().get()),
            (optimal(Objective::Finish), &|window| window.finish().get()),
            (optimal(Objective::Runtime), &|window| window.runtime().get()),
            (optimal(Objective::Cost), &|window| window.cost().get()),
            (best_values, &worth),
        ];
        for (search, value) in searches {
            // Between windows by value on several levels or in several racks, only the start is promised.
            let by_start = search.name() == "max-value" || packs && search.name() == "max-value-rough";
            let rank = |window: &Window| {
                let mut nodes: Vec<NodeId> = window.nodes().filter(|_| !packs).collect();
                nodes.sort_unstable();
                let span = if holding == Holding::SlowestSpan { window.runtime() } else { Span::ZERO };
                let others = (!by_start).then(|| (span, window.cost(), nodes));
                (Money::must(value(window)), window.start(), others)
            };
            let found = search.find(&WindowQuery::new(&slots, &request).with_from(from)).unwrap().best;
            assert_eq!(found.as_ref().map(rank), all.iter().map(rank).min(), "{} {found:?}", search.name());
        }
    });
}
