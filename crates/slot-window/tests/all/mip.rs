//! Searches against optima that a mixed-integer programme found: `benches/peers/window_mip.py` states and
//! solves it, and wrote `data/window_mip.json`.

use crate::slot;
use sched_model::check::{Checker, Holding, Rules};
use sched_model::*;
use serde::Deserialize;
use serde_json::Value;
use slot_window::{Amp, FirstFit, MaxValue, NodeValues, Objective, Optimal, WindowQuery, WindowSearch};

#[derive(Deserialize)]
struct Item {
    node: u32,
    speed: f64,
    price: f64,
    value: f64,
    start: f64,
    end: f64,
}

#[derive(Deserialize)]
struct Case {
    #[serde(rename = "slots")]
    items: Vec<Item>,
    nodes: usize,
    work: f64,
    min_speed: f64,
    budget: f64,
    deadline: Option<f64>,
    from: f64,
    optima: Value,
}

impl Case {
    fn parts(&self) -> (SlotList, ResourceRequest, Time) {
        let of = |item: &Item| slot(item.node, (item.speed, item.price), (item.start, item.end));
        let request = ResourceRequest::must(self.nodes, self.work);
        let request =
            request.with_min_speed(Speed::must(self.min_speed)).with_budget(Money::must(self.budget));
        let request = match self.deadline {
            Some(deadline) => request.with_deadline(Time::must(deadline)),
            None => request,
        };
        (SlotList::new(self.items.iter().map(of).collect()).unwrap(), request, Time::must(self.from))
    }
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("../data/window_mip.json")).unwrap()
}

#[test]
fn as_the_mixed_integer_programme() {
    let mut with_window = 0;
    for (position, case) in cases().into_iter().enumerate() {
        let (slots, request, from) = case.parts();
        let values = case.items.iter().map(|item| (NodeId(item.node), item.value));
        let values = NodeValues::new(values).unwrap();
        for (holding, model) in [(Holding::OwnSpan, "rough"), (Holding::SlowestSpan, "square")] {
            let found = |search: &dyn WindowSearch| {
                let window = search.find(&WindowQuery::new(&slots, &request).with_from(from)).unwrap().best?;
                let checker = Checker::new(&slots, search.rules());
                assert_eq!(checker.window(&window, &request), [], "case {position}");
                Some(window)
            };
            let optima = &case.optima[model];
            for &objective in Objective::ALL {
                let value = |window: Window| match objective {
                    Objective::Start => window.start().get(),
                    Objective::Finish => window.finish().get(),
                    Objective::Runtime => window.runtime().get(),
                    _ => window.cost().get(),
                };
                let best =
                    found(&Optimal::new(objective).with_rules(Rules::per_window(1.0).with_holding(holding)));
                let expected = optima[objective.to_string()].as_f64();
                assert_eq!(best.map(value), expected, "case {position}, {model} {objective}");
            }
            let start = optima["start"].as_f64();
            let starts = |search: &dyn WindowSearch| found(search).map(|window| window.start().get());
            let first = starts(&FirstFit::new().with_rules(Rules::per_window(1.0).with_holding(holding)));
            assert_eq!(first, start, "case {position}, {model} first fit");
            if holding == Holding::OwnSpan {
                assert_eq!(starts(&Amp::new()), start, "case {position}, AMP");
            }
            let best = MaxValue::new(values.clone()).with_rules(Rules::per_window(1.0).with_holding(holding));
            let value = best.find(&WindowQuery::new(&slots, &request).with_from(from)).unwrap().value;
            found(&best);
            assert_eq!(value, optima["value"].as_f64(), "case {position}, {model} value");
            with_window += usize::from(start.is_some());
        }
    }
    // The fixture is worth something: most cases have a window, some have none.
    assert!((140..240).contains(&with_window), "{with_window}");
}
