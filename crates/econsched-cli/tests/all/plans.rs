//! Plans that once went wrong.

use super::{data, here};
use serde_json::Value;
use std::fs;

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
