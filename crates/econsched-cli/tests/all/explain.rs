//! `--explain`: what is suggested gives a place, one representable step less does not.

use super::{code, econsched, err, out};
use serde_json::{Value, json};

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// Two nodes; node 1 is busy until 40. Three jobs ask for both at once; the horizon is 100.
fn scenario() -> Value {
    let job = |id: u32, work: u32| json!({"id": id, "request": {"nodes": 2, "work": work}});
    json!({
        "nodes": [{"id": 1, "speed": 1, "price": 2}, {"id": 2, "speed": 1, "price": 3}],
        "occupied": [{"node": 1, "start": 0, "end": 40}, {"node": 2, "start": 90, "end": 120}],
        "horizon": 100,
        "jobs": [job(1, 30), job(2, 25), job(3, 55)],
    })
}

/// The explanation that a command gives of the only job, and whether it has a place.
fn window(input: &Value, more: &[&str]) -> (bool, Value) {
    let args = [&["window", "-", "--explain", "--json"], more].concat();
    let output = econsched(&args, &input.to_string());
    assert!(code(&output) < 2, "{}", err(&output));
    (code(&output) == 0, parsed(&out(&output)))
}

/// The request with one change, as a file says it.
fn changed(input: &Value, change: &Value) -> Option<Value> {
    let mut input = input.clone();
    let (name, value) = change.as_object().expect("a change").iter().next().expect("one");
    input["request"][name.as_str()] = if name == "more_nodes" { return None } else { value.clone() };
    Some(input)
}

/// One representable step towards what was asked.
fn less(change: &Value) -> Value {
    let (name, value) = change.as_object().expect("a change").iter().next().expect("one");
    match (name.as_str(), value.as_f64()) {
        ("nodes", _) => json!({name.as_str(): value.as_u64().expect("a count") + 1}),
        ("min_speed", Some(value)) => json!({name.as_str(): value.next_up()}),
        (_, Some(value)) => json!({name.as_str(): value.next_down()}),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_change_is_applied_as_it_is_told() {
    let node = |id: u32, speed: f64, price: f64, end: f64| json!({"node": id, "speed": speed, "price": price, "start": 0.1, "end": end});
    let slots =
        [node(1, 1.0, 0.1, 90.3), node(2, 1.3, 0.7, 90.0), node(3, 0.7, 0.2, 90.0), node(4, 1.0, 2.9, 8.7)];
    let mut told = Vec::new();
    for (search, request) in [
        ("amp", json!({"nodes": 2, "work": 17.1, "budget": 3.3})),
        ("amp", json!({"nodes": 3, "work": 17.1, "min_speed": 1.0, "price_limit": 0.3})),
        ("min-cost", json!({"nodes": 3, "work": 17.1, "deadline": 17.3})),
        ("alp", json!({"nodes": 3, "work": 17.1, "price_limit": 0.3})),
        ("min-finish-rough", json!({"nodes": 3, "work": 7.3, "deadline": 7.3})),
        ("max-value", json!({"nodes": 2, "work": 17.1, "min_speed": 1.1})),
    ] {
        let input = json!({"slots": slots, "request": request});
        let (fits, why) = window(&input, &["--search", search]);
        assert!(!fits, "{search} {request}");
        assert_eq!(why["estimated_start"], Value::Null, "of slots alone nothing is known after their end");
        for change in why["suggestions"].as_array().expect("a list") {
            let Some(input_with) = changed(&input, change) else { continue };
            assert!(window(&input_with, &["--search", search]).0, "{search} {request}: {change}");
            let input_less = changed(&input, &less(change)).expect("of the same kind");
            assert!(!window(&input_less, &["--search", search]).0, "{search} {request}: less than {change}");
            told.push(change.as_object().expect("a change").keys().next().expect("one").clone());
        }
    }
    for kind in ["budget", "deadline", "nodes", "min_speed", "price_limit"] {
        assert!(told.iter().any(|name| name == kind), "{kind}: {told:?}");
    }
}

#[test]
fn refused_jobs_are_explained_beside_the_plan() {
    let input = scenario();
    let output = econsched(
        &["plan", "-", "--method", "cycle", "--no-files", "--json", "--explain"],
        &input.to_string(),
    );
    let plan = parsed(&out(&output));
    // Jobs 1 and 2 are planned from 40 to 70 and from 70 to 95; of 95 to 100 nothing is free on node 2.
    let refused: Vec<&Value> = plan["explanations"].as_array().expect("a list").iter().collect();
    assert_eq!(refused.len(), 2, "{plan}");
    let by_job = |id: u64| *refused.iter().find(|why| why["job"] == json!(id)).expect("explained");
    let why = by_job(3);
    assert_eq!(why["code"], "horizon");
    // Node 2 is free from 0 to 40, node 1 from 70 to 100, both after 120.
    assert_eq!(why["estimated_start"], json!(120.0), "{why}");
    // After job 1 node 1 is free for 30 and node 2 for 20: not for 25 at once.
    assert_eq!((&by_job(2)["estimated_start"], &by_job(2)["busy"]), (&json!(120.0), &json!(0)));
    assert_eq!(by_job(2)["suggestions"][0], json!({"nodes": 1}), "{why}");
    let args = ["plan", "-", "--method", "cycle", "--no-files", "--explain"];
    let text = out(&econsched(&args, &input.to_string()));
    for part in
        ["job 3: needs 2 nodes at once", "(horizon)", "earliest start, after the horizon: 120", "1 node"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Where all have a place there is nothing to explain.
    let plan = parsed(&out(&econsched(&["plan", "--no-files", "--json", "--explain"], "")));
    assert_eq!(plan["explanations"], json!([]));
}

#[test]
fn what_the_limit_of_the_batch_leaves_out_has_a_window() {
    let args = ["plan", "-", "--no-files", "--explain", "--serve", "most-jobs", "--limit", "150"];
    let output = econsched(&args, &scenario().to_string());
    assert_eq!(code(&output), 0, "{}", err(&output));
    let mut single = scenario();
    single["jobs"].as_array_mut().expect("jobs").truncate(1);
    let poor = ["plan", "-", "--no-files", "--explain", "--json", "--serve", "most-jobs", "--limit", "149"];
    let why = &parsed(&out(&econsched(&poor, &single.to_string())))["explanations"][0];
    assert_eq!((&why["code"], &why["estimated_start"]), (&json!("batch-limit"), &json!(40.0)), "{why}");
    assert_eq!(why["suggestions"], json!([]));
}

#[test]
fn amounts_are_told_as_the_file_counts_them() {
    let input = json!({
        "money": {"digits": 2},
        "slots": [{"node": 1, "speed": 1, "price": 0.07, "start": 0, "end": 90}],
        "request": {"nodes": 1, "work": 10, "budget": 0.69},
    });
    let (fits, why) = window(&input, &[]);
    assert!(!fits);
    assert_eq!(why["suggestions"][0], json!({"budget": 0.7}), "{why}");
    let text = out(&econsched(&["window", "-", "--explain"], &input.to_string()));
    assert!(text.contains("a budget of 0.7"), "{text}");
}

#[test]
fn demands_hold_in_what_is_explained() {
    let node =
        |id: u32, rack: &str| json!({"id": id, "speed": 1, "price": 1, "labels": [format!("rack={rack}")]});
    let demands = json!({"pack": "rack", "not_before": 10});
    let input = json!({
        "nodes": [node(1, "a"), node(2, "a"), node(3, "b")],
        "occupied": [{"node": 2, "start": 0, "end": 150}],
        "horizon": 100,
        "request": {"nodes": 2, "work": 60},
        "demands": demands,
        "jobs": [{"id": 7, "request": {"nodes": 2, "work": 60}, "demands": demands}],
    });
    let (fits, why) = window(&input, &[]);
    assert!(!fits);
    // Node 2 is never free before the horizon; then it is.
    assert_eq!((&why["busy"], &why["estimated_start"]), (&json!(1), &json!(150.0)), "{why}");
    assert_eq!(why["suggestions"][0], json!({"nodes": 1}), "{why}");
    let plan = econsched(&["plan", "-", "--no-files", "--json", "--explain"], &input.to_string());
    assert_eq!(code(&plan), 1);
    assert_eq!(parsed(&out(&plan))["explanations"][0]["estimated_start"], json!(150.0), "{}", out(&plan));
}
