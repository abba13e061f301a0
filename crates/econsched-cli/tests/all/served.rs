//! Jobs that are left out, beside budgets of users.

use super::{code, econsched, err, out};
use serde_json::Value;

/// Four jobs of cost 40 and time 10 on nodes that are alike: three of user 7, who pays 90 at most, and one of
/// user 8.
fn four() -> String {
    let slot = |node: u32| format!(r#"{{"node": {node}, "speed": 1, "price": 4, "start": 0, "end": 10}}"#);
    let job = |id: u32, user: u32| {
        format!(r#"{{"id": {id}, "user": {user}, "request": {{"nodes": 1, "work": 10}}}}"#)
    };
    let service = |job: u32, weight: u32| format!(r#"{{"job": {job}, "weight": {weight}, "penalty": 50}}"#);
    format!(
        r#"{{"slots": [{}], "users": [{{"user": 7, "budget": 90}}], "service": [{}], "jobs": [{}]}}"#,
        (1..5).map(slot).collect::<Vec<_>>().join(", "),
        [service(1, 1), service(2, 5), service(3, 4), service(4, 2)].join(", "),
        [job(1, 7), job(2, 7), job(3, 7), job(4, 8)].join(", ")
    )
}

/// The jobs that have a place, and the output as it is printed.
fn placed(args: &[&str]) -> (Vec<u64>, String) {
    let args = [&["plan", "-", "--no-files"], args].concat();
    let output = econsched(&args, &four());
    let text = out(&output);
    let output = econsched(&[&args[..], &["--json"]].concat(), &four());
    assert!(code(&output) < 2, "{}", err(&output));
    let plan: Value = serde_json::from_str(&out(&output)).expect("a plan");
    let jobs = plan["jobs"].as_array().expect("jobs").iter();
    let placed = jobs.filter(|job| job["fate"].get("placed").is_some());
    (placed.map(|job| job["job"]["id"].as_u64().expect("an id")).collect(), text)
}

#[test]
fn users_have_as_many_jobs_served_as_they_can_pay_for() {
    // All jobs of a user or none.
    assert_eq!(placed(&["--method", "cycle", "--limit", "1000"]).0, [4]);
    for effort in ["quick", "normal", "hard"] {
        let serve = |serve: &'static str, limit: &'static str| {
            placed(&["--limit", limit, "--effort", effort, "--serve", serve])
        };
        let (most, text) = serve("most-jobs", "1000");
        assert_eq!(most.len(), 3, "{effort}");
        assert!(most.contains(&4) && text.contains("costs 30 more than the budget"), "{effort}: {text}");
        assert_eq!(serve("greatest-weight", "1000").0, [2, 3, 4], "{effort}");
        // The batch pays for one of them, then.
        assert_eq!(serve("greatest-weight", "60").0, [2], "{effort}");
        assert_eq!(serve("penalties", "1000").0.len(), 3, "{effort}");
    }
}

#[test]
fn what_is_not_looked_at_together_is_refused_with_the_reason() {
    for (args, why) in [
        (&["--serve", "most-jobs", "--goal", "makespan"][..], "with budgets of users"),
        (&["--serve", "most-jobs", "--goal", "T,C"], "jobs that are all served"),
        (&["--serve", "most-jobs", "--front"], "choices that serve all jobs"),
    ] {
        let output = econsched(&[&["plan", "-", "--no-files", "--limit", "1000"], args].concat(), &four());
        assert!(code(&output) == 2 && err(&output).contains(why), "{}", err(&output));
    }
}
