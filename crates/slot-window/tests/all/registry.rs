//! Every registered search, and searches by values that differ from slot to slot, against every window that there is.

use crate::searches::Searches;
use econsched::testkit::{self, Check, Draw, SearchCase, demands, drawn, features, rounded_sum};
use sched_model::check::{Holding, Rules};
use sched_model::*;
use slot_window::priced::PricedQuery;
use slot_window::{
    Amp, Criterion, FirstFit, MaxValue, NodeValues, SearchKind, SearchOptions, WindowError, WindowQuery,
    WindowSearch,
};
use std::sync::Arc;

#[test]
fn every_kind_is_the_best_of_all_windows_within_any_limit() {
    let seen = Check::new(Searches).run(200).unwrap();
    assert!(seen.solved > 1_500, "{seen:?}");
}

#[test]
fn names_are_distinct_and_parse() {
    for (at, &kind) in SearchKind::ALL.iter().enumerate() {
        assert_eq!((kind.name().parse(), kind.build().name()), (Ok(kind), kind.name()));
        // With the usual options it is the same search, and the least value has no name of its own.
        let built = kind.build_with(&SearchOptions::default()).unwrap();
        assert_eq!(format!("{built:?}"), format!("{:?}", kind.build()), "{kind}");
        let least = SearchOptions::default().with_criterion(NodeValues::default(), Sense::Minimise);
        assert_eq!(kind.build_with(&least).unwrap().name(), kind.name());
        assert!(SearchKind::ALL[..at].iter().all(|other| other.name() != kind.name()));
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

/// A node of price 3 for 10, under a price limit of 4: a budget of rho * 40 for a cost of 30.
#[test]
fn rules_of_searches_hold() {
    let slots = SlotList::new(vec![crate::slot(1, (1.0, 3.0), (0.0, 50.0))]).unwrap();
    let request = ResourceRequest::must(1, 10.0).with_price_limit(Price::must(4.0));
    let measured = Demands::default().with_spans([(NodeId(1), Span::must(10.0))]).unwrap();
    let timed = request.clone().with_demands(measured);
    let finds = |search: &dyn WindowSearch, request: &ResourceRequest| {
        search.find(&WindowQuery::new(&slots, request)).unwrap().best.is_some()
    };
    for (rho, is_paid) in [(1.0, true), (0.5, false)] {
        for &kind in SearchKind::ALL {
            let search = kind.build_with(&SearchOptions::default().with_rho(rho)).unwrap();
            let is_paid = is_paid || kind == SearchKind::Alp;
            assert_eq!([finds(&*search, &request), finds(&*search, &timed)], [is_paid; 2], "{kind} {rho}");
        }
    }
    let first = FirstFit::new().with_rules(Rules::per_slot());
    assert!(finds(&first, &request) && !finds(&first, &request.clone().with_price_limit(Price::must(2.0))));
}

/// The part of a list that a window holds on each node, with the span.
fn held<'a>(window: &'a Window, slots: &'a SlotList) -> impl Iterator<Item = (Slot, Span)> + 'a {
    window.placements().iter().filter_map(|held| {
        let around =
            |slot: &&Slot| slot.node == held.node && slot.start <= window.start() && held.end <= slot.end;
        Some((*slots.iter().find(around)?, held.end - window.start()))
    })
}

/// Whether every span is the difference of its two instants, without rounding.
fn has_exact_spans(case: &SearchCase) -> bool {
    let is_short = |number: f64| number.abs() < 1e6 && (number * 64.0).fract() == 0.0;
    case.nodes.iter().all(|node| {
        is_short((case.request.work() / node.node.speed).get())
            && node.free.iter().all(|&(start, end)| is_short(start.get()) && is_short(end.get()))
    })
}

/// Values by node; such as differ from slot to slot of a node, and such as grow or fall with the span: a maximum would
/// like idle time, a whole level of speeds is worth less than another.
fn criterion(draw: &mut Draw, case: &SearchCase) -> Arc<dyn Criterion> {
    match draw.below(4) {
        0 => Arc::new(
            NodeValues::new((0..).map(NodeId).zip(case.nodes.iter().map(|node| node.value))).unwrap(),
        ),
        1 => Arc::new(|slot: &Slot, _: Span| slot.end.get()),
        2 => Arc::new(|slot: &Slot, span: Span| slot.speed.get() * span.get()),
        _ => Arc::new(|slot: &Slot, span: Span| slot.end.get() - 2.0 * span.get() - slot.price.get()),
    }
}

#[test]
fn the_greatest_and_least_value_of_all_windows() {
    drawn(5000, |draw| {
        let mut case = SearchCase::draw(draw);
        if draw.chance(60) {
            case.nodes.iter_mut().for_each(|node| node.features = features(draw));
            case.request = case.request.with_demands(demands(draw, case.nodes.len(), 30, 0.5));
        }
        let (criterion, sense) = (criterion(draw, &case), draw.of([Sense::Maximise, Sense::Minimise]));
        let search = MaxValue::new(Arc::clone(&criterion)).with_sense(sense);
        let search = search.with_rules(
            Rules::per_window(1.0).with_holding(draw.of([Holding::OwnSpan, Holding::SlowestSpan])),
        );
        if !has_exact_spans(&case) {
            return;
        }
        let value = |window: &Window, slots: &SlotList| {
            let worth = held(window, slots).map(|(slot, span)| criterion.value(&slot, span));
            -sense.sign() * rounded_sum(worth)
        };
        let check = testkit::search(&search).with_completeness().with_value(value).with_earliest_start();
        check.judge(&case).unwrap();
        let slots = case.slots().unwrap();
        let query = WindowQuery::new(&slots, &case.request).with_from(case.from);
        let found = search.find(&query).unwrap();
        let told = found.value.map(|told| -sense.sign() * told);
        assert_eq!(told, found.best.map(|window| value(&window, &slots)));
    });
}

/// What is demanded of the nodes of one list says nothing of those of another.
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
