//! Searches against optima that a mixed-integer programme found: `benches/peers/window_mip.py` states and
//! solves it, and wrote `data/window_mip.json`.

use sched_model::check::{Checker, Holding};
use sched_model::*;
use serde_json::Value;
use slot_window::{
    AlternativesSearch, Amp, FirstFit, MaxValue, NodeValues, Objective, Optimal, WindowQuery, WindowSearch,
};

struct Case {
    slots: SlotList,
    request: ResourceRequest,
    from: Time,
    values: NodeValues,
    optima: Value,
}

fn number(value: &Value, field: &str) -> f64 {
    value[field].as_f64().unwrap()
}

fn cases() -> Vec<Case> {
    let all: Vec<Value> = serde_json::from_str(include_str!("../data/window_mip.json")).unwrap();
    let case = |case: Value| {
        let slots = case["slots"].as_array().unwrap();
        let node = |slot: &Value| NodeId(number(slot, "node") as u32);
        let slot = |slot: &Value| {
            let speed = Speed::must(number(slot, "speed"));
            let node = Node::new(node(slot), speed, Price::must(number(slot, "price")));
            Slot::new(node, Time::must(number(slot, "start")), Time::must(number(slot, "end"))).unwrap()
        };
        let values = slots.iter().map(|slot| (node(slot), number(slot, "value")));
        let mut request = ResourceRequest::must(number(&case, "nodes") as usize, number(&case, "work"))
            .with_min_speed(Speed::must(number(&case, "min_speed")))
            .with_budget(Money::must(number(&case, "budget")));
        if let Some(deadline) = case["deadline"].as_f64() {
            request = request.with_deadline(Time::must(deadline));
        }
        Case {
            slots: SlotList::new(slots.iter().map(slot).collect()).unwrap(),
            request,
            from: Time::must(number(&case, "from")),
            values: NodeValues::new(values).unwrap(),
            optima: case["optima"].clone(),
        }
    };
    all.into_iter().map(case).collect()
}

#[test]
fn as_the_mixed_integer_programme() {
    let mut with_window = 0;
    for (position, case) in cases().into_iter().enumerate() {
        for (holding, model) in [(Holding::OwnSpan, "rough"), (Holding::SlowestSpan, "square")] {
            let found = |search: &dyn WindowSearch| {
                let window = search
                    .find(&WindowQuery::new(&case.slots, &case.request).with_from(case.from))
                    .unwrap()
                    .best;
                if let Some(window) = &window {
                    let checker = Checker::new(&case.slots, search.rules());
                    assert_eq!(checker.window(window, &case.request), [], "case {position}");
                }
                window
            };
            let optima = &case.optima[model];
            for &objective in Objective::ALL {
                let window = found(&Optimal::new(objective).with_holding(holding));
                let expected = optima[objective.to_string()].as_f64();
                assert_eq!(
                    window.map(|window| objective.of(&window)),
                    expected,
                    "case {position}, {model} {objective}"
                );
            }
            let start = optima["start"].as_f64();
            let first = found(&FirstFit::new().with_holding(holding));
            assert_eq!(first.map(|window| window.start().get()), start, "case {position}, {model} first fit");
            if holding == Holding::OwnSpan {
                assert_eq!(
                    found(&Amp::new()).map(|window| window.start().get()),
                    start,
                    "case {position}, AMP"
                );
            }
            let best = MaxValue::new(case.values.clone()).with_holding(holding);
            let value = found(&best).map(|window| best.value_of(&window, &case.slots).unwrap());
            assert_eq!(value, optima["value"].as_f64(), "case {position}, {model} value");
            with_window += usize::from(start.is_some());
        }
    }
    // The fixture is worth something: most cases have a window, some have none.
    assert!((140..240).contains(&with_window), "{with_window}");
}

#[test]
fn the_first_alternative_is_the_window_of_the_search() {
    for case in cases() {
        let batch = Batch::new(vec![Job::new(JobId(1), case.request).with_submit(case.from)]).unwrap();
        let found = AlternativesSearch::new(Amp::new()).find(&case.slots, &batch, Time::ZERO).unwrap();
        let window =
            Amp::new().find(&WindowQuery::new(&case.slots, &case.request).with_from(case.from)).unwrap().best;
        assert_eq!(found.of(0).first(), window.as_ref());
    }
}
