//! `--explain`: what is said of jobs that have no place, in JSON and in words.

use super::{good, run};
use serde_json::{Value, json};

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

#[test]
fn refused_jobs_are_explained_beside_the_plan() {
    let input = scenario().to_string();
    let plan: Value =
        serde_json::from_str(&run("plan - --method cycle --no-files --json --explain", &input).out)
            .expect("JSON");
    // Jobs 1 and 2 are planned from 40 to 70 and from 70 to 95; of 95 to 100 nothing is free on node 2.
    let refused = plan["explanations"].as_array().expect("a list");
    assert_eq!(refused.len(), 2, "{plan}");
    let of = |id: u64| refused.iter().find(|why| why["job"] == json!(id)).expect("explained");
    // Node 2 is free from 0 to 40, node 1 from 70 to 100, both after 120.
    assert_eq!((&of(3)["code"], &of(3)["estimated_start"]), (&json!("horizon"), &json!(120.0)), "{plan}");
    // After job 1 node 1 is free for 30 and node 2 for 20: not for 25 at once.
    assert_eq!((&of(2)["estimated_start"], &of(2)["busy"]), (&json!(120.0), &json!(0)));
    assert_eq!(of(2)["suggestions"][0], json!({"nodes": 1}), "{plan}");
    let text = good("plan - --method cycle --no-files --explain", &input);
    for part in
        ["job 3: needs 2 nodes at once", "(horizon)", "earliest start, after the horizon: 120", "1 node"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Where all have a place there is nothing to explain.
    assert_eq!(super::json("plan --no-files --explain", "")["explanations"], json!([]));
}

#[test]
fn what_the_limit_of_the_batch_leaves_out_has_a_window() {
    let words = "plan - --no-files --explain --serve most-jobs --limit";
    good(&format!("{words} 150"), &scenario().to_string());
    let mut single = scenario();
    single["jobs"].as_array_mut().expect("jobs").truncate(1);
    let poor = run(&format!("{words} 149 --json"), &single.to_string());
    let why = &serde_json::from_str::<Value>(&poor.out).expect("JSON")["explanations"][0];
    assert_eq!((&why["code"], &why["estimated_start"]), (&json!("batch-limit"), &json!(40.0)), "{why}");
    assert_eq!(why["suggestions"], json!([]));
}

/// Of one window, and as the file counts money.
#[test]
fn amounts_are_told_as_the_file_counts_them() {
    let input = json!({
        "money": {"digits": 2},
        "slots": [{"node": 1, "speed": 1, "price": 0.07, "start": 0, "end": 90}],
        "request": {"nodes": 1, "work": 10, "budget": 0.69},
    });
    let input = input.to_string();
    let end = run("window - --explain", &input);
    assert!(end.code == 1 && end.out.contains("a budget of 0.7"), "{}", end.out);
    let why: Value = serde_json::from_str(&run("window - --explain --json", &input).out).expect("JSON");
    assert_eq!(why["suggestions"][0], json!({"budget": 0.7}), "{why}");
    assert_eq!(why["estimated_start"], Value::Null, "of slots alone nothing is known after their end");
    good("window - --explain", &input.replace("0.69", "0.7"));
}
