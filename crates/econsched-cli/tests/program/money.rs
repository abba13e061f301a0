//! Money as people count it: decimals are read and printed, whole units are computed with.

use super::{code, econsched, err, out};

/// Three nodes for 60 units of time each, at 0.1, 0.2 and 0.3 by the hour of 60; together 0.6 and not a bit more.
const SCENARIO: &str = r#"{"money": {"digits": 2}, "billing": {"increment": 60},
"slots": [{"node": 1, "speed": 1, "price": 0.001666666666666667, "start": 0, "end": 90},
          {"node": 2, "speed": 1, "price": 0.003333333333333333, "start": 0, "end": 90},
          {"node": 3, "speed": 1, "price": 0.005, "start": 0, "end": 90}],
"jobs": [{"id": 1, "request": {"nodes": 3, "work": 60, "budget": 0.6}}]}"#;

#[test]
fn tariffs_that_make_no_sense_are_refused() {
    for (from, to, field) in [
        ("\"digits\": 2", "\"digits\": 10", "money.digits"),
        ("\"digits\": 2", "\"digits\": 2, \"rounding\": \"down\"", "money"),
        ("\"digits\": 2", "\"digitz\": 2", "did you mean `digits`?"),
        ("\"increment\": 60", "\"increment\": 0", "billing"),
        ("\"increment\": 60", "\"entry_fee\": 1e59", "billing.entry_fee"),
        ("\"price\": 0.005", "\"price\": 1e59", "Price must be"),
    ] {
        let output = econsched(&["plan", "-", "--no-files"], &SCENARIO.replacen(from, to, 1));
        assert_eq!(code(&output), 2, "{to}: {}", out(&output));
        assert!(err(&output).contains(field), "{to}: {}", err(&output));
    }
}
