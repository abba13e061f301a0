//! Searches against optima that a mixed-integer programme found: `benches/peers/window_mip.py` states and
//! solves it, and wrote `data/window_mip.json`.

use crate::searches::node_values;
use econsched::testkit::SearchCase;
use sched_model::check::{Checker, Holding, Rules};
use serde_json::Value;
use slot_window::{Amp, FirstFit, MaxValue, Objective, Optimal, WindowQuery, WindowSearch};

#[test]
fn as_the_mixed_integer_programme() {
    let cases: Vec<(SearchCase, Value)> =
        serde_json::from_str(include_str!("../data/window_mip.json")).unwrap();
    let mut with_window = 0;
    for (position, (case, optima)) in cases.iter().enumerate() {
        let slots = case.slots().unwrap();
        for (holding, model) in [(Holding::OwnSpan, "rough"), (Holding::SlowestSpan, "square")] {
            let finds = |search: &dyn WindowSearch, objective: &str| {
                let found =
                    search.find(&WindowQuery::new(&slots, &case.request).with_from(case.from)).unwrap();
                let checker = Checker::new(&slots, search.rules());
                let wrong = found.best.map(|window| checker.window(&window, &case.request));
                assert_eq!(wrong.unwrap_or_default(), [], "case {position}");
                let optimum = optima[model][objective].as_f64();
                assert_eq!(found.value, optimum, "case {position}, {model} {objective}, {search:?}");
            };
            let rules = Rules::per_window(1.0).with_holding(holding);
            for &objective in Objective::ALL {
                finds(&Optimal::new(objective).with_rules(rules), objective.name());
            }
            finds(&FirstFit::new().with_rules(rules), "start");
            finds(&MaxValue::new(node_values(case).unwrap()).with_rules(rules), "value");
            if holding == Holding::OwnSpan {
                finds(&Amp::new(), "start");
            }
            with_window += usize::from(optima[model]["start"].is_f64());
        }
    }
    // The fixture is not trivial: most cases have a window, some have none.
    assert!((140..240).contains(&with_window), "{with_window}");
}
