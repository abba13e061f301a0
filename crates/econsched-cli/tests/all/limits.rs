//! Searches that are bounded say so, and the same bound gives the same answer.

use super::{code, econsched, err, json, out, refused, scratch};
use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

#[test]
fn limits_that_are_none_are_refused() {
    for (flag, value) in [
        ("--gap", "1"),
        ("--gap", "-0.1"),
        ("--gap", "nan"),
        ("--time-limit", "-1"),
        ("--time-limit", "nan"),
        ("--limit", "inf"),
        ("--limit", "nan"),
    ] {
        refused(&format!("plan --no-files {flag} {value}"), "", &[flag]);
    }
}

#[test]
fn a_search_that_was_stopped_says_so() {
    let whole = econsched(&["plan", "--no-files"], "");
    assert!(!out(&whole).contains("the limit of"), "{}", out(&whole));
    let mut told = 0;
    for work in ["1", "20", "100", "300", "1000"] {
        let args = ["plan", "--no-files", "--work-limit", work];
        let (once, again) = (econsched(&args, ""), econsched(&args, ""));
        assert_eq!((out(&once), err(&once)), (out(&again), err(&again)), "{work}");
        assert!(code(&once) < 2, "{work}: {}", err(&once));
        let text = format!("{}{}", out(&once), err(&once));
        told += usize::from(text.contains("the limit of work"));
    }
    assert!(told >= 2, "{told}");
    // The clock is asked every 16384 units of work: what is done by then is done.
    let output = econsched(&["plan", "--no-files", "--time-limit", "0"], "");
    assert!(code(&output) < 2, "{}", err(&output));
    // Enough of both changes nothing.
    let ample = econsched(&["plan", "--no-files", "--time-limit", "600", "--work-limit", "1000000000"], "");
    assert_eq!(out(&ample), out(&whole));
}

/// Why there is no window is searched for within the same limit as the window.
#[test]
fn the_reason_is_searched_for_within_the_limit() {
    let slots: Vec<String> = (0..40)
        .map(|node| format!(r#"{{"node": {node}, "speed": 1, "price": 2, "start": 0, "end": 90}}"#))
        .collect();
    let slots = slots.join(", ");
    let request = r#"{"nodes": 2, "work": 60, "budget": 3}"#;
    let scenario = format!(r#"{{"slots": [{slots}], "request": {request}}}"#);
    let whole = econsched(&["window", "-"], &scenario);
    assert!(code(&whole) == 1 && err(&whole).contains("budget"), "{}", err(&whole));
    let (mut reasons, mut stopped) = (0, 0);
    for work in (0..300).step_by(10) {
        let output = econsched(&["window", "-", "--work-limit", &work.to_string()], &scenario);
        assert_eq!(code(&output), 1);
        let told = err(&output);
        reasons += usize::from(told == err(&whole));
        stopped += usize::from(told.contains("no window; the limit of work ended the search for the reason"));
    }
    assert!(reasons > 0 && stopped > 0, "{reasons} {stopped}");
}

#[test]
fn what_was_not_searched_is_not_called_impossible_and_nothing_placed_has_the_bound_0() {
    for effort in ["quick", "hard"] {
        let output = econsched(&["plan", "--no-files", "--work-limit", "1", "--effort", effort], "");
        assert_eq!(code(&output), 1);
        let told = err(&output);
        assert!(told.contains("the limit of work ended the search before any job had a place"), "{told}");
        assert!(!told.contains("no resource was left"), "{told}");
    }
    for args in [&["--work-limit", "1"][..], &["--limit", "0"], &["--limit", "0", "--effort", "hard"]] {
        let args = [&["plan", "--no-files", "--criterion", "min-cost"], args].concat();
        let shown = out(&econsched(&args, ""));
        assert!(shown.contains("bound of any plan 0: this one is the best of those"), "{args:?}: {shown}");
    }
}

#[test]
fn nothing_is_exact_beside_a_search_that_was_cut_short() {
    let mut cut = 0;
    for work in ["20", "40", "60", "100", "200"] {
        let args = ["plan", "--method", "cycle", "--no-files", "--work-limit", work];
        let output = econsched(&args, "");
        if !out(&output).contains("ended the search for alternatives") || code(&output) != 0 {
            continue;
        }
        cut += 1;
        assert!(!out(&output).contains("exact"), "{}", out(&output));
        assert_eq!(json(&args, "")["proof"], "limit_reached", "{work}");
    }
    assert!(cut > 0);
}

#[test]
fn every_long_command_is_bounded_and_says_so() {
    let dir = scratch("bounded");
    let etc = out(&econsched(&["generate", "etc", "--tasks", "60", "--machines", "8"], ""));
    let place = dir.display().to_string();
    for (command, input, said) in [
        ("simulate --jobs 500 --no-files --work-limit 800", "", "jobs had ended"),
        ("simulate --scheduler min-ctt --jobs 200 --no-files --work-limit 90000", "", "jobs had ended"),
        ("multi-s-grid --jobs 300 --no-files --work-limit 2000000", "", "jobs had ended"),
        ("map - --work-limit 5000", &etc, "the limit of work ended"),
        ("assign - --most-jobs --work-limit 4000", &etc, "the limit of work ended the search"),
    ] {
        let mut words: Vec<&str> = command.split(' ').collect();
        let (once, again) = (econsched(&words, input), econsched(&words, input));
        let text = out(&once);
        assert_eq!(code(&once), 0, "{command}: {}", err(&once));
        assert!(text.contains(said), "{command}: {text}");
        assert_eq!(text, out(&again), "{command}");
        // Enough changes nothing, and nothing is said.
        *words.last_mut().expect("a limit") = "10000000000";
        let text = out(&econsched(&words, input));
        assert!(!text.contains("the limit of work"), "{command}: {text}");
    }
    // The page and the tables of a stopped simulation are written, and say that it was stopped.
    let stopped = econsched(&["simulate", "--jobs", "500", "--work-limit", "800", "--out", &place], "");
    assert_eq!(code(&stopped), 0, "{}", err(&stopped));
    assert!(dir.join("report.html").exists() && dir.join("jobs.csv").exists());
    let report = || fs::read_to_string(dir.join("report.json")).expect("a report");
    let told: serde_json::Value = serde_json::from_str(&report()).expect("JSON");
    let told = told[0]["stopped"].as_str().expect("why").to_owned();
    assert!(told.starts_with("the limit of work ended the simulation after"), "{told}");
    assert_eq!(code(&econsched(&["simulate", "--jobs", "20", "--out", &place], "")), 0);
    assert!(report().contains("\"makespan\"") && !report().contains("stopped"), "{}", report());
    refused("assign - --method auction --work-limit 9", &etc, &["takes no limit"]);
    let output = econsched(&["assign", "-", "--most-jobs", "--work-limit", "1"], &etc);
    assert_eq!(code(&output), 1);
    assert!(err(&output).contains("no assignment was found"), "{}", err(&output));
}

/// Ten million jobs take far longer.
#[test]
fn the_clock_also_ends_what_comes_before_a_simulation() {
    for (command, before) in [
        ("simulate --jobs 10000000 --time-limit 0.01", "before the jobs were generated"),
        (
            "simulate --workload hicc --scheduler min-ctt --jobs 10000000 --time-limit 0.01",
            "before the jobs were generated",
        ),
        ("multi-s-grid --gap 0.001 --jobs 10000000 --time-limit 0.01", "before the jobs were generated"),
        (
            "simulate --scheduler greedy --jobs 60 --local-jobs 3000000 --time-limit 1",
            "local jobs were drawn",
        ),
    ] {
        let output = econsched(&command.split(' ').chain(["--no-files"]).collect::<Vec<_>>(), "");
        assert_eq!(code(&output), 1, "{command}: {}", out(&output));
        assert!(err(&output).contains(before), "{command}: {}", err(&output));
    }
    let log = "1 0 0 50 8 -1 -1 8 90 -1 1 1 1 1 1 -1 -1 -1\n";
    let output = econsched(&["simulate", "-", "--time-limit", "0", "--no-files"], log);
    assert_eq!(code(&output), 1, "{}", out(&output));
    assert!(err(&output).contains("before the log was read"), "{}", err(&output));
}

/// Runs a command, presses Ctrl-C after a while, and waits for its end.
fn interrupted(args: &[&str]) -> Output {
    let child = Command::new(env!("CARGO_BIN_EXE_econsched"))
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(Duration::from_millis(1500));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
    assert!(sent.success(), "{args:?} had ended by itself");
    child.wait_with_output().expect("it ends")
}

#[test]
fn ctrl_c_ends_a_long_plan_with_the_best_so_far() {
    let dir = scratch("ctrl-c-plan");
    let file = dir.join("long.json").display().to_string();
    let made = econsched(&["generate", "environment", "--nodes", "60", "--jobs", "60", "--out", &file], "");
    assert_eq!(code(&made), 0, "{}", err(&made));
    let output = interrupted(&["plan", &file, "--effort", "hard", "--time-limit", "3000", "--no-files"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).contains("Ctrl-C"), "{}", out(&output));
    assert!(out(&output).contains("jobs placed"), "{}", out(&output));
}

#[test]
fn ctrl_c_ends_a_long_simulation_with_what_there_is() {
    let dir = scratch("ctrl-c-simulate");
    let log = dir.join("long.swf").display().to_string();
    let made = econsched(&["generate", "log", "--jobs", "20000", "--out", &log], "");
    assert_eq!(code(&made), 0, "{}", err(&made));
    // A queue that grows without end, under a policy that looks at all of it.
    let results = dir.join("results").display().to_string();
    let output =
        interrupted(&["simulate", &log, "--scheduler", "conservative", "--load", "5", "--out", &results]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).contains("the time limit or Ctrl-C ended the simulation"), "{}", out(&output));
    let jobs = fs::read_to_string(dir.join("results/jobs.csv")).expect("jobs");
    assert_eq!(jobs.lines().count(), 1 + 20_000);
    assert!(jobs.contains(",done") && jobs.contains(",waiting"));
}
