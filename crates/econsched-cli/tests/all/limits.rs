//! Searches that are bounded say so, and the same bound gives the same answer.

use super::{Dir, End, begun, ends, good, refused, run};
use std::process::Command;
use std::time::Duration;

#[test]
fn a_limit_that_is_not_reached_changes_nothing() {
    let whole = good("plan", "");
    assert!(!whole.contains("the limit of"), "{whole}");
    // The clock is asked every 16384 units of work: what is done by then is done.
    assert!(run("plan --time-limit 0", "").code < 2);
    assert_eq!(good("plan --time-limit 600 --work-limit 1000000000", ""), whole);
}

#[test]
fn every_long_command_is_bounded_and_says_so() {
    let etc = good("generate etc --set tasks=60 --set machines=8", "");
    for (words, limit, said) in [
        ("simulate --jobs 500", 800, "jobs had ended"),
        ("simulate --scheduler min-ctt --jobs 200", 90_000, "jobs had ended"),
        ("multi-s-grid --jobs 300", 2_000_000, "jobs had ended"),
        ("map -", 5000, "the limit of work ended"),
        ("assign - --most-jobs", 4000, "the limit of work ended the search"),
    ] {
        let within = |limit: u64| good(&format!("{words} --work-limit {limit}"), &etc);
        let text = within(limit);
        assert!(text.contains(said), "{words}: {text}");
        assert_eq!(text, within(limit), "{words}");
        // Enough changes nothing, and nothing is said.
        assert!(!within(10_000_000_000).contains("the limit of work"), "{words}");
    }
    // The page and the tables of a stopped simulation are written, and say that it was stopped.
    let dir = Dir::new("bounded");
    dir.good("simulate --jobs 500 --work-limit 800 --out .", "");
    assert!(dir.at("report.html").exists() && dir.at("jobs.csv").exists());
    let told: serde_json::Value = serde_json::from_str(&dir.read("report.json")).expect("JSON");
    let told = told["notes"].as_array().and_then(|notes| notes.last()?.as_str()).expect("why");
    assert!(told.starts_with("the limit of work ended the simulation after"), "{told}");
    dir.good("simulate --jobs 20 --out .", "");
    let report = dir.read("report.json");
    assert!(report.contains("\"makespan\"") && !report.contains("the limit of work"), "{report}");
    refused("assign - --method auction --work-limit 9", &etc, &["takes no limit"]);
    ends(1, "assign - --most-jobs --work-limit 1", &etc, &["no assignment was found"]);
}

/// Runs a command, presses Ctrl-C after a while, and waits for its end, which is a good one.
fn interrupted(dir: &Dir, words: &str) -> String {
    let child = begun(&words.split(' ').collect::<Vec<_>>(), &dir.0);
    std::thread::sleep(Duration::from_millis(1500));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
    assert!(sent.success(), "{words} had ended by itself");
    let end = End::from(child.wait_with_output().expect("it ends"));
    assert_eq!(end.code, 0, "{}", end.err);
    end.out
}

#[test]
fn ctrl_c_ends_a_long_plan_with_the_best_so_far() {
    let dir = Dir::new("ctrl-c-plan");
    dir.good("generate environment --set nodes=100 --set jobs=100 --out long.json", "");
    let told = interrupted(&dir, "plan long.json --gap 0 --time-limit 3000");
    assert!(told.contains("Ctrl-C") && told.contains("jobs placed"), "{told}");
}

#[test]
fn ctrl_c_ends_a_long_simulation_with_what_there_is() {
    let dir = Dir::new("ctrl-c-simulate");
    dir.good("generate log --set jobs=20000 --out long.swf", "");
    // A queue that grows without end, under a policy that looks at all of it.
    let told = interrupted(&dir, "simulate long.swf --scheduler conservative --load 5 --out results");
    assert!(told.contains("the time limit or Ctrl-C ended the simulation"), "{told}");
    let jobs = dir.read("results/jobs.csv");
    assert_eq!(jobs.lines().count(), 1 + 20_000);
    assert!(jobs.contains(",done") && jobs.contains(",waiting"));
}
