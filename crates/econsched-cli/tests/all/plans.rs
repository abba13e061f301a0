//! Plans that a reader can check by hand, and those that must agree with each other.

use super::{data, ends, good, json, number, run};
use serde_json::Value;
use std::fs;

fn plan(flags: &str, input: &str) -> Value {
    json(&format!("plan --no-files {flags}"), input)
}

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

/// The default is the least mean finish of all jobs together: nothing waits without need, and no other plan of
/// the program ends earlier on average.
#[test]
fn the_default_plans_all_jobs_together_by_the_least_mean_finish() {
    let finishes = |flags: &str| placed(&plan(flags, "")).iter().map(|job| job.1).sum::<f64>();
    let least = finishes("");
    assert_eq!(finishes("--method joint"), least);
    for others in ["--method cycle", "--goal mean-finish", "--goal mean-finish --effort hard"] {
        assert!(least <= finishes(others), "{others}");
    }
    let told = plan("", "");
    let starts =
        told["jobs"].as_array().expect("jobs").iter().map(|job| number(&job["fate"]["placed"], "start"));
    assert_eq!(starts.fold(f64::INFINITY, f64::min), 0.0);
    assert_eq!(told["violations"].as_array().map(Vec::len), Some(0));
    let weighted = |goal: &str| good(&format!("plan --no-files --goal {goal}"), "");
    assert_eq!(weighted("cost=1,time=2.5"), weighted("C=1,T=2.5"));
    let within = good("plan --no-files --limit 3000", "");
    assert!(within.contains("least mean finish within a budget of 3000"), "{within}");
}

#[test]
fn a_search_that_is_not_named_is_the_papers_for_quick_plans_and_else_the_one_that_fits() {
    for (flags, search) in [
        ("--method cycle", "amp"),
        ("--goal makespan", "amp"),
        ("--criterion min-cost --effort quick", "amp"),
        ("--effort normal", "min-runtime-rough"),
        ("--criterion min-cost --effort hard", "min-cost-rough"),
        ("--criterion max-income --effort normal", "amp"),
        ("--goal mean-finish --effort normal", "min-finish-rough"),
        ("--goal C,T --effort normal", "min-cost-rough"),
        ("--search fit --goal T=1", "min-runtime-rough"),
        ("--search alp --effort normal", "alp"),
    ] {
        assert_eq!(plan(flags, "")["search"], search, "{flags}");
    }
}

/// Four jobs of cost 40 and time 10 on nodes that are alike: three of user 7, who pays 90 at most, and one of
/// user 8.
#[test]
fn users_have_as_many_jobs_served_as_they_can_pay_for() {
    let slot = |node: u32| format!(r#"{{"node": {node}, "speed": 1, "price": 4, "start": 0, "end": 10}}"#);
    let job = |(id, user): (u32, u32)| {
        format!(r#"{{"id": {id}, "user": {user}, "request": {{"nodes": 1, "work": 10}}}}"#)
    };
    let service =
        |(job, weight): (u32, u32)| format!(r#"{{"job": {job}, "weight": {weight}, "penalty": 50}}"#);
    let four = format!(
        r#"{{"slots": [{}], "users": [{{"user": 7, "budget": 90}}], "service": [{}], "jobs": [{}]}}"#,
        [1, 2, 3, 4].map(slot).join(", "),
        [(1, 1), (2, 5), (3, 4), (4, 2)].map(service).join(", "),
        [(1, 7), (2, 7), (3, 7), (4, 8)].map(job).join(", ")
    );
    let served = |flags: &str| {
        let plan = plan(&format!("- {flags}"), &four);
        placed(&plan).into_iter().map(|(job, _)| job).collect::<Vec<_>>()
    };
    // All jobs of a user or none.
    assert_eq!(served("--method cycle --limit 1000"), [4]);
    for effort in ["quick", "normal", "hard"] {
        let serve =
            |serve: &str, limit: u32| served(&format!("--limit {limit} --effort {effort} --serve {serve}"));
        let most = serve("most-jobs", 1000);
        assert!(most.len() == 3 && most.contains(&4), "{effort}: {most:?}");
        assert_eq!(serve("greatest-weight", 1000), [2, 3, 4], "{effort}");
        // The batch pays for one of them, then.
        assert_eq!(serve("greatest-weight", 60), [2], "{effort}");
        assert_eq!(serve("penalties", 1000).len(), 3, "{effort}");
    }
    let told = good("plan - --no-files --limit 1000 --serve most-jobs", &four);
    assert!(told.contains("costs 30 more than the budget"), "{told}");
    ends(2, "plan - --no-files --serve most-jobs --goal makespan", &four, &["with budgets of users"]);
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
            let end = run(&format!("plan - --json --no-files {flags}"), &text);
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
        let mut before = None;
        for flags in ["--effort quick", "--effort normal", "--effort hard", "--effort hard --gap 0.5"] {
            let finish = measure(&told(&format!("--goal mean-finish {flags}")));
            assert!(
                before.is_none_or(|before| finish <= before),
                "{name} {flags}: {finish:?} after {before:?}"
            );
            before = before.or(Some(finish));
        }
        let joint = measure(&told("--method joint"));
        assert!(Some(joint) <= before, "{name}: {joint:?}, {before:?} within the derived limit");
        assert!(joint <= measure(&told("--method cycle")), "{name}");
        // Those that went wrong by their finishes did so by this goal alone.
        let criteria: &[&str] =
            if name.starts_with("finish") { &[] } else { &["min-time", "min-cost", "max-income"] };
        for criterion in criteria {
            told(&format!("--criterion {criterion} --effort hard"));
        }
        files += 1;
    }
    assert!(files > 0);
}
