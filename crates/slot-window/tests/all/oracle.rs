//! Every search against brute force on small instances.

use crate::common::{Instance, all_windows, instance, objective};
use proptest::prelude::*;
use sched_model::check::{Checker, Holding, Rules};
use sched_model::*;
use slot_window::{
    Criterion, MaxValue, MaxValueTable, NodeValues, Objective, SearchKind, TotalSpeed, WindowQuery,
    WindowSearch,
};
use std::sync::Arc;

/// The value of a window, from its slots.
fn value(criterion: &dyn Criterion, window: &Window, slots: &SlotList) -> f64 {
    let placements = window.placements().iter();
    placements
        .map(|placement| {
            let slot = slots
                .iter()
                .find(|slot| {
                    slot.node() == placement.node
                        && slot.start() <= window.start()
                        && placement.end <= slot.end()
                })
                .unwrap();
            criterion.value(slot, placement.end - window.start())
        })
        .sum()
}

fn best<'a>(windows: &'a [Window], objective: Objective) -> Option<(f64, Time)> {
    windows
        .iter()
        .map(|window: &'a Window| (objective.of(window), window.start()))
        .min_by(|a, b| a.partial_cmp(b).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn the_best_of_all_windows(instance in instance()) {
        for &kind in SearchKind::ALL {
            let Some(objective) = objective(kind) else { continue };
            let search = kind.build();
            let windows = all_windows(&instance, search.rules());
            let found = search.find(&WindowQuery::new(&instance.slots, &instance.request).with_from(instance.from)).unwrap().best;
            let found = found.map(|window| (objective.of(&window), window.start()));
            prop_assert_eq!(found, best(&windows, objective), "{}", kind);
        }
    }

    #[test]
    fn the_greatest_and_least_value_of_all_windows(
        instance in instance(),
        values in prop::collection::vec(0u32..8, 6),
        criterion in 0usize..4,
        holding in prop::sample::select(vec![Holding::OwnSpan, Holding::SlowestSpan]),
        sense in prop::sample::select(vec![Sense::Maximise, Sense::Minimise]),
    ) {
        let node_values =
            NodeValues::new((0..).map(NodeId).zip(values.iter().map(|&value| f64::from(value) - 2.0))).unwrap();
        let criterion: Arc<dyn Criterion> = match criterion {
            0 => Arc::new(node_values),
            1 => Arc::new(TotalSpeed),
            // Grows with the span, so that a maximum would like idle time.
            2 => Arc::new(|slot: &Slot, span: Span| slot.speed().get() * span.get()),
            // Differs from slot to slot of a node, falls with the span.
            _ => Arc::new(|slot: &Slot, span: Span| slot.end().get() - 2.0 * span.get() - slot.price().get()),
        };
        let search = MaxValue::shared(Arc::clone(&criterion)).with_sense(sense).with_holding(holding);
        let windows = all_windows(&instance, search.rules());
        let sign = if sense == Sense::Maximise { -1.0 } else { 1.0 };
        let value = |window: &Window| value(criterion.as_ref(), window, &instance.slots);
        let expected = windows
            .iter()
            .map(|window| (sign * value(window), window.start(), window.cost()))
            .min_by(|a, b| a.partial_cmp(b).unwrap());
        let found = search
            .find(&WindowQuery::new(&instance.slots, &instance.request).with_from(instance.from)).unwrap().best;
        if let Some(window) = &found {
            prop_assert_eq!(Checker::new(&instance.slots, search.rules()).window(window, &instance.request), vec![]);
            prop_assert_eq!(search.value_of(window, &instance.slots), Some(value(window)));
        }
        let found = found.map(|window| (sign * value(&window), window.start(), window.cost()));
        prop_assert_eq!(found.map(|best| (best.0, best.1)), expected.map(|best| (best.0, best.1)));
        if holding == Holding::OwnSpan {
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn the_table_finds_the_greatest_value_on_whole_units(
        instance in instance(),
        values in prop::collection::vec(0u32..8, 6),
        sense in prop::sample::select(vec![Sense::Maximise, Sense::Minimise]),
    ) {
        let values = NodeValues::new((0..).map(NodeId).zip(values.iter().map(|&value| f64::from(value)))).unwrap();
        // Prices are halves, spans whole numbers.
        let table = MaxValueTable::new(values.clone()).with_sense(sense).with_unit(0.5).unwrap();
        let exact = MaxValue::new(values.clone()).with_sense(sense);
        let found = |search: &dyn WindowSearch| {
            let window = search.find(&WindowQuery::new(&instance.slots, &instance.request).with_from(instance.from)).unwrap().best;
            window.map(|window| (value(&values, &window, &instance.slots), window.start()))
        };
        prop_assert_eq!(found(&table), found(&exact));
    }

    #[test]
    fn the_reason_is_the_limit_that_stands_in_the_way(instance in instance()) {
        for kind in [SearchKind::Alp, SearchKind::Amp, SearchKind::MinCost] {
            let search = kind.build();
            check_reason(&instance, search.as_ref())?;
        }
    }
}

/// Tables of 10^60 cells and more are not begun, within any limit; one that is filled counts each of its cells.
#[test]
fn a_table_that_cannot_be_filled_is_not_made() {
    let slots = |prices: &[f64]| {
        let slot = |(id, price): (u32, &f64)| {
            let node = Node::new(NodeId(id), Speed::ETALON, Price::must(*price));
            Slot::new(node, Time::ZERO, Time::must(1.0)).unwrap()
        };
        SlotList::new((0..).zip(prices).map(slot).collect()).unwrap()
    };
    let values = NodeValues::new([(NodeId(0), 1.0), (NodeId(1), 2.0), (NodeId(2), 4.0)]).unwrap();
    let search = MaxValueTable::new(values);
    let solve = |prices: &[f64], nodes, budget, limit: &Limit| {
        let request = ResourceRequest::must(nodes, 1.0).with_budget(Money::must(budget));
        search.solve(&WindowQuery::new(&slots(prices), &request), &mut limit.meter()).unwrap()
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
    // A limit of as much work as there is to do is enough, a unit less is not.
    let of = |limit: &Limit| solve(&[3.0, 5.0, 4.0], 2, 8.0, limit);
    let whole = of(&Limit::default());
    assert_eq!((whole.value, whole.end), (Some(5.0), End::Done));
    assert_eq!(of(&Limit::default().with_work(whole.work)).end, End::Done);
    assert_eq!(of(&Limit::default().with_work(whole.work - 1)).end, End::Work);
    assert!(search.clone().with_unit(0.0).is_err());
    let fine = search.with_unit(1e-9).unwrap();
    let request = ResourceRequest::must(2, 1.0).with_budget(Money::must(1e9));
    let found = fine.solve(&WindowQuery::new(&slots(&[1.0; 3]), &request), &mut Limit::default().meter());
    assert_eq!(found.unwrap().end, End::Memory);
}

fn check_reason(instance: &Instance, search: &dyn WindowSearch) -> Result<(), TestCaseError> {
    let Instance { slots, request, from } = instance;
    if search.find(&WindowQuery::new(slots, request).with_from(*from)).unwrap().best.is_some() {
        return Ok(());
    }
    let rules = search.rules();
    // Windows by rules that know neither budget nor deadline.
    let exist = |request: ResourceRequest, rules: Rules| {
        !all_windows(&Instance { request, ..instance.clone() }, rules).is_empty()
    };
    let free_of_limits =
        ResourceRequest::new(request.nodes(), request.work()).unwrap().with_min_speed(request.min_speed());
    let priced = match request.price_limit() {
        Some(limit) if rules.slot_price => free_of_limits.with_price_limit(limit),
        _ => free_of_limits,
    };
    let reason = search
        .refusal(&WindowQuery::new(slots, request).with_from(*from), &mut Limit::none().meter())
        .unwrap();
    match reason {
        Refusal::TooFewNodes { needed, fast_enough } => {
            prop_assert!(fast_enough < needed);
            prop_assert!(!exist(free_of_limits, rules));
        }
        Refusal::PriceLimit { needed, affordable } => {
            prop_assert!(rules.slot_price && affordable < needed);
            prop_assert!(!exist(priced, rules));
        }
        Refusal::Horizon { needed, most } => {
            prop_assert!(most < needed);
            prop_assert!(!exist(priced, rules));
            if most > 0 {
                let fewer =
                    ResourceRequest::new(most, request.work()).unwrap().with_min_speed(request.min_speed());
                let fewer = match priced.price_limit() {
                    Some(limit) => fewer.with_price_limit(limit),
                    None => fewer,
                };
                prop_assert!(exist(fewer, rules));
            }
        }
        Refusal::Deadline { late_by } => {
            let deadline = request.deadline().unwrap();
            prop_assert!(!exist(priced.with_deadline(deadline), rules));
            prop_assert!(exist(priced.with_deadline(deadline + late_by), rules));
            prop_assert!(!exist(priced.with_deadline(Time::must((deadline + late_by).get() - 0.25)), rules));
        }
        Refusal::Budget { short_by } => {
            let enough = rules.budget(request).unwrap() + short_by;
            prop_assert!(exist(request.with_budget(enough), rules));
            prop_assert!(!exist(request.with_budget(enough - Money::must(0.25)), rules));
        }
        other => prop_assert!(false, "{other:?}"),
    }
    Ok(())
}

#[test]
fn both_models_differ_where_they_should() {
    // One slow and two fast nodes: held for the slow one's span a fast node costs twice as much.
    let slot = |id, speed, price| {
        let node = Node::new(NodeId(id), Speed::must(speed), Price::must(price));
        Slot::new(node, Time::ZERO, Time::must(100.0)).unwrap()
    };
    let slots = SlotList::new(vec![slot(1, 1.0, 1.0), slot(2, 2.0, 3.0), slot(3, 2.0, 5.0)]).unwrap();
    let request = ResourceRequest::new(2, Work::must(20.0)).unwrap();
    let cost = |kind: SearchKind| {
        let search = kind.build();
        let window = search.find(&WindowQuery::new(&slots, &request)).unwrap().best.unwrap();
        assert_eq!(
            search.rules().holding == Holding::SlowestSpan,
            window.placements().iter().all(|placement| placement.end == window.finish())
        );
        window.cost()
    };
    assert_eq!(cost(SearchKind::MinCostRough), Money::must(1.0 * 20.0 + 3.0 * 10.0));
    assert_eq!(cost(SearchKind::MinCost), Money::must(3.0 * 10.0 + 5.0 * 10.0));
}
