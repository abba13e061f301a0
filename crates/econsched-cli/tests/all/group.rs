//! `group`, and the grid that fails.

use super::{code, econsched, err, out, scratch};
use std::fs;

const SMALL: &str = r#"{"jobs": [{"work": 30}, {"work": 50}, {"work": 20}, {"work": 40}, {"id": 9, "work": 900}],
    "resources": [{"speed": 10, "cpus": 2, "price": 4}, {"name": "cheap", "speed": 10, "price": 1}]}"#;

#[test]
fn small_jobs_are_grouped_and_written() {
    let dir = scratch("group");
    let dir = dir.to_str().expect("a path of text");
    let flags =
        ["group", "-", "--granularity", "5", "--job-order", "priority", "--resource-order", "cost-per-time"];
    let output = econsched(&[&flags[..], &["--out", dir]].concat(), SMALL);
    assert_eq!(code(&output), 0, "{}", err(&output));
    // Longest first: 50 fills the cheap resource in 5 s, 40 + 30 + 20 take 4.5 s of the other. 900 is too
    // long for both.
    let text = out(&output);
    for words in ["2 groups, the last one done at 9.5", "job 9 is refused", "alone"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let groups = fs::read_to_string(format!("{dir}/groups.csv")).expect("a file");
    let rows = "group,resource,round,jobs,length,input,start,end,cost\n1,cheap,1,1,50,0,0,5,5\n2,R1,1,3,90,0,5,9.5,18\n";
    assert_eq!(groups, rows);
    let jobs = fs::read_to_string(format!("{dir}/jobs.csv")).expect("a file");
    assert_eq!(jobs, "job,group,end\n2,1,5\n4,2,9.5\n1,2,9.5\n3,2,9.5\n");
    // All at once, whole seconds, an overhead, two jobs at most.
    let more =
        ["--dispatching", "parallel", "--service", "whole-seconds", "--overhead", "3", "--max-jobs", "2"];
    let output = econsched(&[&flags[..], &more, &["--json"]].concat(), SMALL);
    let json: serde_json::Value = serde_json::from_str(&out(&output)).expect("JSON");
    assert_eq!(json["groups"].as_array().expect("groups").len(), 3);
    assert_eq!(json["groups"][0]["end"], 9.0); // 3 + floor(5) + 1
    assert_eq!((&json["groups"][0]["round"], &json["groups"][2]["round"]), (&1.into(), &2.into()));
    // One round: what does not fit into a group of each resource is refused.
    let output = econsched(&[&flags[..], &more, &["--max-rounds", "1", "--json"]].concat(), SMALL);
    let json: serde_json::Value = serde_json::from_str(&out(&output)).expect("JSON");
    assert_eq!(json["groups"].as_array().expect("groups").len(), 2);
    assert_eq!(json["refused"].as_array().expect("jobs").len(), 2);
}

#[test]
fn bad_groups_are_refused_by_file_and_field() {
    for (text, words) in [
        (r#"{"jobs": [{"work": -1}], "resources": []}"#, vec!["jobs[0].work"]),
        (
            r#"{"jobs": [{"id": 1, "work": 1}, {"id": 1, "work": 1}], "resources": []}"#,
            vec!["two jobs have the id 1"],
        ),
        (r#"{"jobs": [], "resources": [{"speed": 1, "cpus": 0, "price": 1}]}"#, vec!["resources[0].cpus"]),
        (r#"{"jobs": [], "resources": [], "more": 1}"#, vec!["more"]),
    ] {
        let output = econsched(&["group", "-"], text);
        assert_eq!(code(&output), 2, "{text}");
        for word in words {
            assert!(err(&output).contains(word), "{text}: {}", err(&output));
        }
    }
}

#[test]
fn a_failing_grid_has_flags_and_records() {
    let dir = scratch("failing-grid");
    let dir = dir.to_str().expect("a path of text");
    let base = ["multi-s-grid", "--jobs", "60", "--gap", "0.2", "--slices", "60"];
    let more = ["--auction", "0.5", "--local-rule", "least-total", "--repair", "never", "--retries", "2"];
    let lives = ["--owner-lifetime", "30", "--job-lifetime", "20", "--out", dir];
    let output = econsched(&[&base[..], &more, &lives].concat(), "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert!(out(&output).contains("cancelled"), "{}", out(&output));
    let lines = |name: &str| {
        let text = fs::read_to_string(format!("{dir}/{name}")).expect("a file");
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let assigned: usize = lines("machines.csv")
        .iter()
        .skip(1)
        .map(|line| line.split(',').nth(7).expect("a column").parse::<usize>().expect("a count"))
        .sum();
    assert_eq!(lines("assignments.csv").len() - 1, assigned);
    for (flags, word) in [
        (["--auction", "0"], "epsilon"),
        (["--repair", "soon"], "never"),
        (["--job-lifetime", "0"], "above 0"),
        (["--local-rule", "any"], "least-total"),
    ] {
        let output = econsched(&[&base[..], &flags, &["--no-files"]].concat(), "");
        assert_eq!(code(&output), 2, "{flags:?}");
        assert!(err(&output).contains(word), "{flags:?}: {}", err(&output));
    }
}
