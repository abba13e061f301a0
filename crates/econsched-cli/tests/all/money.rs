//! Money as people count it: decimals are read and printed, whole units are computed with.

use super::{Dir, ends, good, json, refused};

/// Three nodes for 60 units of time each, at 0.1, 0.2 and 0.3 by the hour of 60; together 0.6 and not a bit
/// more.
const SCENARIO: &str = r#"{"money": {"digits": 2}, "billing": {"increment": 60},
"slots": [{"node": 1, "speed": 1, "price": 0.001666666666666667, "start": 0, "end": 90},
          {"node": 2, "speed": 1, "price": 0.003333333333333333, "start": 0, "end": 90},
          {"node": 3, "speed": 1, "price": 0.005, "start": 0, "end": 90}],
"jobs": [{"id": 1, "request": {"nodes": 3, "work": 60, "budget": 0.6}}]}"#;

#[test]
fn decimals_meet_a_budget_exactly_and_are_printed_as_decimals() {
    let dir = Dir::new("money");
    for search in ["amp", "min-cost", "min-finish", "first-fit"] {
        let told = dir.good(&format!("plan - --search {search} --out ."), SCENARIO);
        assert!(told.contains("cost together 0.6,"), "{search}: {told}");
        let plan: serde_json::Value = serde_json::from_str(&dir.read("plan.json")).expect("JSON");
        assert_eq!(plan["total_cost"], 0.6, "{search}");
        assert_eq!(plan["jobs"][0]["job"]["request"]["budget"], 0.6, "{search}");
        let placements = dir.read("placements.csv");
        for cost in [",0.1\n", ",0.2\n", ",0.3\n"] {
            assert!(placements.contains(cost), "{search}: {placements}");
        }
        assert!(dir.read("jobs.csv").contains(",0.6,"));
    }
}

#[test]
fn what_is_begun_is_paid_and_shortfalls_are_decimals() {
    // An increment is begun: 2 x 60 are billed, with 0.05 for each node: 1.35 in all.
    let dear = SCENARIO
        .replace("\"work\": 60", "\"work\": 61")
        .replace("\"increment\": 60", "\"increment\": 60, \"entry_fee\": 0.05");
    ends(1, "window - --search min-cost", &dear, &["costs 0.75 more than the budget"]);
    let window = json("window - --search min-cost", &dear.replace("0.6}", "1.35}"));
    assert_eq!(window["placements"][0]["cost"], 0.25);
    let least = dear.replace("\"entry_fee\": 0.05", "\"least_charge\": 1").replace("0.6}", "3}");
    assert!(good("window - --search min-cost", &least).contains("cost 3"));
}

#[test]
fn the_limit_of_the_batch_is_a_decimal_too() {
    assert!(good("plan - --limit 0.6 --no-files", SCENARIO).contains("budget of 0.6"));
    let end = super::run("plan - --limit 0.59 --no-files", SCENARIO);
    assert!(end.code == 1 && end.out.contains("budget of 0.59"), "{}", end.out);
    assert!(end.err.contains("exceeds its limit by 0.01"), "{}", end.err);
    // A limit on time is no amount of money.
    refused("plan - --no-files --limit 0.595", SCENARIO, &["--limit 0.595", "2 digits"]);
    good("plan - --no-files --limit 180.295 --criterion min-cost", SCENARIO);
}

/// Amounts of nodes are no money, whatever their names are.
#[test]
fn what_a_job_demands_is_not_counted_in_units_of_money() {
    let input = r#"{"money": {"digits": 2}, "horizon": 90,
        "nodes": [{"id": 1, "speed": 1, "price": 2, "amounts": {"cost": 3}}],
        "jobs": [{"id": 1, "request": {"nodes": 1, "work": 10}, "demands": {"at_least": {"cost": 7}}}]}"#;
    ends(1, "plan - --no-files", input, &["cost of at least 7,"]);
    good("plan - --no-files", &input.replace("\"cost\": 7", "\"cost\": 3"));
}

#[test]
fn tariffs_that_make_no_sense_are_refused() {
    for (from, to, field) in [
        ("\"digits\": 2", "\"digits\": 10", "money.digits"),
        ("\"digits\": 2", "\"digits\": 2, \"rounding\": \"down\"", "money"),
        ("\"digits\": 2", "\"digitz\": 2", "did you mean `digits`?"),
        ("\"increment\": 60", "\"increment\": 0", "billing"),
        ("\"increment\": 60", "\"entry_fee\": 0.005", "billing.entry_fee"),
        ("\"jobs\"", "\"users\": [{\"user\": 0, \"budget\": 0.295}], \"jobs\"", "users[0].budget"),
        ("\"increment\": 60", "\"entry_fee\": 1e59", "billing.entry_fee"),
        ("\"price\": 0.005", "\"price\": 1e59", "Price must be"),
    ] {
        refused("plan - --no-files", &SCENARIO.replacen(from, to, 1), &[field]);
    }
}
