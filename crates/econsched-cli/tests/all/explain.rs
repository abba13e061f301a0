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
