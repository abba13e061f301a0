//! What nodes have beside speed and price, and what jobs demand of it.

use super::{code, econsched, err, out};

/// Nodes 1 and 3 in rack a, 2 and 4 in rack b; node 3 has a GPU and is busy until 40. Job 1 must stay in one
/// rack, job 2 needs the GPU, job 3 one node of each rack, and takes 5 on node 4 whatever its speed.
const RACKS: &str = r#"{"nodes": [
    {"id": 1, "speed": 1, "price": 1, "labels": ["rack=a"]},
    {"id": 2, "speed": 1, "price": 1, "labels": ["rack=b"], "amounts": {"memory": 16}},
    {"id": 3, "speed": 1, "price": 1, "labels": ["rack=a", "gpu"]},
    {"id": 4, "speed": 1, "price": 9, "labels": ["rack=b"]}],
  "occupied": [{"node": 3, "start": 0, "end": 40}], "horizon": 200,
  "jobs": [
    {"id": 1, "request": {"nodes": 2, "work": 30, "price_limit": 3}, "demands": {"pack": "rack"}},
    {"id": 2, "request": {"nodes": 1, "work": 10}, "demands": {"all_of": ["gpu"]}},
    {"id": 3, "request": {"nodes": 2, "work": 10},
     "demands": {"spread": {"label": "rack", "most": 1}, "spans": [{"node": 4, "span": 5}]}}]}"#;

#[test]
fn a_plan_keeps_to_what_jobs_demand() {
    for effort in ["quick", "hard"] {
        let output = econsched(
            &["plan", "-", "--json", "--no-files", "--effort", effort, "--alternatives", "3"],
            RACKS,
        );
        assert_eq!(code(&output), 0, "{}", err(&output));
        let plan: serde_json::Value = serde_json::from_str(&out(&output)).expect("JSON");
        let nodes = |job: usize| -> Vec<u64> {
            let placements =
                plan["jobs"][job]["fate"]["placed"]["placements"].as_array().expect("placements");
            placements.iter().filter_map(|placement| placement["node"].as_u64()).collect()
        };
        assert_eq!((nodes(0), nodes(1)), (vec![1, 3], vec![3]), "{effort}");
        let spread = nodes(2);
        assert!(spread[0] % 2 != spread[1] % 2, "{effort}: {spread:?}");
        // Node 3 for job 2 must wait until 40; job 1 takes nodes 1 and 3; the bound knows the demands.
        assert_eq!(plan["distance"]["placed"], 3, "{effort}");
    }
}

#[test]
fn a_window_keeps_to_what_its_job_demands() {
    let window = |flags: &[&str], input: &str| {
        let output = econsched(&[&["window", "-", "--json"], flags].concat(), input);
        assert_eq!(code(&output), 0, "{}", err(&output));
        serde_json::from_str::<serde_json::Value>(&out(&output)).expect("JSON")
    };
    assert_eq!(window(&["--job", "1"], RACKS)["start"], 40.0);
    assert_eq!(window(&["--job", "3"], RACKS)["start"], 0.0);
    // Nodes 1 and 2 cost 10 each, node 4 costs 9 x 5.
    assert_eq!(window(&["--job", "3", "--search", "min-cost"], RACKS)["placements"][1]["node"], 2);
    // On node 4 a task takes 5, but nodes of both racks are held until the other has finished.
    assert_eq!(window(&["--job", "3", "--search", "min-runtime"], RACKS)["placements"][0]["end"], 10.0);
    // A request with demands of its own, on slots with features.
    let slots = r#"{"money": {"digits": 2}, "slots": {
        "features": [{"nodes": [2], "features": {"labels": ["gpu"]}}],
        "slots": [{"node": 1, "speed": 1, "price": 0.25, "start": 0, "end": 90},
                  {"node": 2, "speed": 1, "price": 0.5, "start": 10, "end": 90}]},
      "request": {"nodes": 1, "work": 20}, "demands": {"all_of": ["gpu"]}}"#;
    assert_eq!(window(&[], slots)["start"], 10.0);
    let later = slots.replace("{\"all_of\": [\"gpu\"]}", "{\"all_of\": [\"gpu\"], \"start\": 15}");
    assert_eq!(window(&[], &later)["start"], 15.0);
}

#[test]
fn a_refusal_says_which_demand_is_not_met() {
    for (from, to, words) in [
        ("\"gpu\"]}}", "\"tpu\"]}}", "needs 1 node with tpu, only 0 such"),
        ("{\"all_of\": [\"gpu\"]}", "{\"at_least\": {\"memory\": 32}}", "memory of at least 32, only 0 such"),
    ] {
        let output = econsched(&["window", "-", "--job", "2"], &RACKS.replace(from, to));
        assert_eq!(code(&output), 1);
        assert!(err(&output).contains(words), "{}", err(&output));
    }
    let three = RACKS.replace("\"nodes\": 2, \"work\": 30", "\"nodes\": 3, \"work\": 30");
    let output = econsched(&["window", "-", "--job", "1"], &three);
    assert!(err(&output).contains("needs 3 nodes with one value of rack, only 2 such"), "{}", err(&output));
    for wrong in [
        RACKS.replace("\"pack\"", "\"peck\""),
        RACKS.replace("\"most\": 1", "\"most\": 0"),
        RACKS.replace("\"memory\": 16", "\"memory\": -1"),
        RACKS.replace("\"jobs\"", "\"demands\": {}, \"jobs\""),
    ] {
        let output = econsched(&["plan", "-", "--no-files"], &wrong);
        assert_eq!(code(&output), 2, "{}", out(&output));
    }
}

#[test]
fn a_window_search_keeps_to_its_limit() {
    let output =
        econsched(&["window", "-", "--job", "1", "--search", "max-value", "--work-limit", "1"], RACKS);
    assert_eq!(code(&output), 1);
    assert!(err(&output).contains("the limit of work ended the search"), "{}", err(&output));
    let output = econsched(&["window", "-", "--job", "1", "--time-limit", "never"], RACKS);
    assert_eq!(code(&output), 2);
}
