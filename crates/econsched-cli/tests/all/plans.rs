//! Plans that once went wrong, and one of very many entries.

use super::{data, here};
use serde_json::Value;
use std::fs;
use std::time::Instant;

/// The jobs that have a place, and when they finish.
fn placed(plan: &Value) -> Vec<(u64, f64)> {
    let jobs = plan["jobs"].as_array().expect("jobs").iter();
    let placed = jobs.filter_map(|job| {
        let ends = job["fate"]["placed"]["placements"].as_array()?.iter();
        let ends = ends.map(|placement| placement["end"].as_f64().expect("an end"));
        Some((job["job"]["id"].as_u64().expect("an id"), ends.fold(0.0, f64::max)))
    });
    placed.collect()
}

/// Scenarios on which plans once went wrong: bounds hold, a job is not lost for a worse reason, and what promises to be
/// no worse is not.
#[test]
fn plans_that_went_wrong_are_right() {
    let Some(place) = data("plans") else { return };
    let mut files = 0;
    for file in fs::read_dir(place).expect("scenarios") {
        let file = file.expect("readable").path();
        let text = fs::read_to_string(&file).expect("text");
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let told = |flags: &str| {
            let end = here().run(&format!("plan - --json {flags}"), &text);
            assert!(end.code < 2, "{name} {flags}: {}", end.err);
            let plan: Value = serde_json::from_str(&end.out).expect("JSON");
            assert_eq!(plan["violations"], serde_json::json!([]), "{name} {flags}");
            let distance = &plan["distance"];
            let (value, bound) = (distance["objective"].as_f64(), distance["bound"].as_f64());
            if let (Some(value), Some(bound)) = (value, bound) {
                // An income is a cost below zero.
                assert!(bound <= value, "{name} {flags}: {distance}");
            }
            plan
        };
        let measure = |plan: &Value| {
            let placed = placed(plan);
            (std::cmp::Reverse(placed.len()), placed.iter().map(|job| job.1).sum::<f64>())
        };
        let joint = measure(&told(""));
        for flags in ["--gap 0.5", "--work-limit 20000", "--method cycle", "--search min-finish-rough"] {
            assert!(joint <= measure(&told(flags)), "{name} {flags}");
        }
        // Those that went wrong by their finishes did so by this goal alone.
        let criteria: &[&str] =
            if name.starts_with("finish") { &[] } else { &["min-time", "min-cost", "max-income"] };
        for criterion in criteria {
            told(&format!("--criterion {criterion}"));
            told(&format!("--criterion {criterion} --search amp"));
        }
        files += 1;
    }
    assert!(files > 0);
}

#[test]
fn an_entry_for_each_of_many_jobs_and_users_takes_about_as_long_as_a_job() {
    let list = |of: fn(u32) -> String| (0..40_000).map(of).collect::<Vec<_>>().join(",");
    let jobs = list(|id| format!(r#"{{"id":{id},"user":{id},"request":{{"nodes":1,"work":1}}}}"#));
    let took = |service: &str, users: &str| {
        let text = format!(r#"{{"slots":[],"jobs":[{jobs}],"service":[{service}],"users":[{users}]}}"#);
        let begin = Instant::now();
        assert_eq!(here().run("window - --job 1", &text).code, 1);
        begin.elapsed()
    };
    let alone = took("", "");
    let service = list(|id| format!(r#"{{"job":{id},"weight":2}}"#));
    let users = list(|id| format!(r#"{{"user":{id},"budget":9}}"#));
    let all = took(&service, &users);
    // Entry by entry it would be a hundred times as long.
    assert!(all < 20 * alone, "{all:?}, without entries {alone:?}");
}
