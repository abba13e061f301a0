//! What else a plan is for: makespan first, vectors of criteria, budgets of users; and what charts show of it.

use super::{code, econsched, err, out, scratch};
use serde_json::Value;
use std::fs;

fn plan(args: &[&str], input: &str) -> Value {
    let output = econsched(&[&["plan", "--no-files", "--json"], args].concat(), input);
    assert_eq!(code(&output), 0, "{args:?}: {}", err(&output));
    serde_json::from_str(&out(&output)).expect("JSON")
}

fn number(plan: &Value, key: &str) -> f64 {
    plan[key].as_f64().expect("a number")
}

/// The last finish of all placed jobs.
fn makespan(plan: &Value) -> f64 {
    let windows = plan["jobs"].as_array().expect("jobs").iter().map(|job| &job["fate"]["placed"]);
    let finishes = windows.flat_map(|window| window["placements"].as_array().into_iter().flatten());
    finishes.map(|placement| placement["end"].as_f64().expect("an end")).fold(0.0, f64::max)
}

#[test]
fn vectors_agree_with_the_criteria_that_they_hold() {
    let unlimited = ["--limit", "1e9"];
    let with = |args: &[&str]| plan(&[&unlimited, args].concat(), "");
    let (quick, cheap) = (with(&[]), with(&["--criterion", "min-cost"]));
    for (goal, best, key) in [
        ("T,C", &quick, "total_runtime"),
        ("T=1", &quick, "total_runtime"),
        ("C,T", &cheap, "total_cost"),
        ("cost=1", &cheap, "total_cost"),
    ] {
        assert_eq!(number(&with(&["--goal", goal]), key), number(best, key), "{goal}");
    }
    // Between the ends: no worse than either by its own measure.
    let score = |plan: &Value| number(plan, "total_cost") + 20.0 * number(plan, "total_runtime");
    let weighed = with(&["--goal", "C=1,T=20"]);
    assert!(score(&weighed) <= score(&quick) && score(&weighed) <= score(&cheap));
    // Weights count by their ratio, however great they are.
    for goal in ["C=1,T=1e308", "C=1e6,T=1e308,I=1.7e308"] {
        assert_eq!(
            number(&with(&["--goal", goal]), "total_runtime"),
            number(&quick, "total_runtime"),
            "{goal}"
        );
    }
    for (goal, part) in [("X", "expected makespan"), ("C=-1", "at least 0"), ("C=1,cost=2", "twice")] {
        let output = econsched(&["plan", "--goal", goal, "--no-files"], "");
        assert_eq!(code(&output), 2);
        assert!(err(&output).contains(part), "{}", err(&output));
    }
    let output = econsched(&["plan", "--goal", "T,C", "--effort", "hard", "--no-files"], "");
    assert!(code(&output) == 2 && err(&output).contains("--effort"), "{}", err(&output));
    let output = econsched(&["plan", "--goal", "T,C", "--search", "best", "--no-files"], "");
    assert!(code(&output) == 2 && err(&output).contains("--search best"), "{}", err(&output));
}

#[test]
fn charts_that_are_not_written_have_no_extent() {
    for command in ["plan", "simulate", "multi-s-grid"] {
        for flag in ["--from", "--until"] {
            let output = econsched(&[command, "--no-files", flag, "5"], "");
            assert_eq!(code(&output), 2, "{command} {flag}");
            assert!(err(&output).contains(&format!("{flag}: no chart is written")), "{}", err(&output));
        }
    }
}

/// One job may be cheap and late or dear and early, the other has one window each on nodes of its own.
const CHOICE: &str = r#"{"slots": [
    {"node": 1, "speed": 1, "price": 5, "start": 0, "end": 10},
    {"node": 3, "speed": 1, "price": 1, "start": 2, "end": 12},
    {"node": 2, "speed": 1, "price": 1, "start": 20, "end": 30}],
  "jobs": [{"id": 1, "user": 7, "request": {"nodes": 1, "work": 10}}]}"#;

#[test]
fn the_makespan_comes_first_within_the_limit() {
    let args = |limit: &str| {
        plan(
            &["-", "--criterion", "min-time", "--search", "amp", "--limit", limit, "--goal", "makespan"],
            CHOICE,
        )
    };
    assert_eq!((makespan(&args("100")), number(&args("100"), "total_cost")), (10.0, 50.0));
    // What is too dear is left: then the next earliest finish.
    assert_eq!((makespan(&args("49")), number(&args("49"), "total_cost")), (12.0, 10.0));
    let free = plan(&["--criterion", "min-cost", "--limit", "1e9"], "");
    let first = plan(&["--criterion", "min-cost", "--limit", "1e9", "--goal", "makespan"], "");
    assert!(makespan(&first) <= makespan(&free));
    assert!(number(&first, "total_cost") >= number(&free, "total_cost"));
}

#[test]
fn users_pay_no_more_than_they_have() {
    let with = |budget: &str| {
        CHOICE.replace("\"jobs\"", &format!("\"users\": [{{\"user\": 7, \"budget\": {budget}}}], \"jobs\""))
    };
    let args = ["-", "--criterion", "max-income", "--limit", "1000"];
    assert_eq!(number(&plan(&args, &with("60")), "total_cost"), 50.0);
    assert_eq!(number(&plan(&args, &with("49")), "total_cost"), 10.0);
    let output = econsched(&[&["plan", "--no-files"], &args[..]].concat(), &with("9"));
    assert_eq!(code(&output), 1, "{}", out(&output));
    assert!(out(&output).contains("costs 1 more than the budget"), "{}", out(&output));
    let twice = with("9").replace(
        "{\"user\": 7, \"budget\": 9}",
        "{\"user\": 7, \"budget\": 9}, {\"user\": 7, \"budget\": 8}",
    );
    let output = econsched(&["plan", "-", "--no-files"], &twice);
    assert!(code(&output) == 2 && err(&output).contains("users[1]"), "{}", err(&output));
}

#[test]
fn charts_show_the_time_that_is_asked_for() {
    let dir = scratch("extent");
    let place = dir.display().to_string();
    let simulate = |more: &[&str]| {
        let args = [&["simulate", "--jobs", "200", "--out", &place], more].concat();
        let output = econsched(&args, "");
        assert_eq!(code(&output), 0, "{args:?}: {}", err(&output));
        fs::read_to_string(dir.join("gantt.svg")).expect("a chart")
    };
    let jobs = |svg: &str| svg.matches("<title>job ").count();
    let all = simulate(&[]);
    let rows = fs::read_to_string(dir.join("jobs.csv")).expect("jobs");
    let mut reader = csv::Reader::from_reader(rows.as_bytes());
    let rows: Vec<std::collections::BTreeMap<String, String>> =
        reader.deserialize().map(|row| row.expect("a row")).collect();
    let at = |row: &std::collections::BTreeMap<String, String>, key: &str| {
        row[key].parse::<f64>().expect("a time")
    };
    let (from, until) = (at(&rows[50], "start"), at(&rows[100], "start"));
    let part = simulate(&["--from", &from.to_string(), "--until", &until.to_string()]);
    let shown = rows.iter().filter(|row| at(row, "end") > from && at(row, "start") < until).count();
    assert!(
        shown < 200 && part.contains(&format!("{shown} of 200 placements, in the time asked for")),
        "{shown}"
    );
    assert!(0 < jobs(&part) && jobs(&part) < jobs(&all));
    assert!(fs::read_to_string(dir.join("utilisation.svg")).expect("a chart").contains("% busy from"));
    let output = econsched(&["simulate", "--from", "5", "--until", "5", "--out", &place], "");
    assert!(code(&output) == 2 && err(&output).contains("nothing lies between"), "{}", err(&output));

    let output = econsched(&["plan", "--front", "--out", &place], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let front = fs::read_to_string(dir.join("front.svg")).expect("a chart");
    assert!(front.contains("<title>costs together") && !front.contains("polyline"));
}

#[test]
fn load_is_an_axis_of_sweeps() {
    let dir = scratch("load");
    let file = dir.join("load.toml");
    fs::write(
        &file,
        "command = \"simulate\"\nseeds = \"1..4\"\n[fixed]\njobs = 150\n[axes]\nload = [0.5, 1.0, 2.0]\n",
    )
    .expect("written");
    let place = dir.join("out").display().to_string();
    let output = econsched(&["sweep", &file.display().to_string(), "--out", &place], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let means = fs::read_to_string(dir.join("out/means.csv")).expect("means");
    let mut reader = csv::Reader::from_reader(means.as_bytes());
    let rows: Vec<std::collections::BTreeMap<String, f64>> =
        reader.deserialize().map(|row| row.expect("a row")).collect();
    let of = |name: &str| rows.iter().map(|row| row[name]).collect::<Vec<f64>>();
    // The faster they come, the longer they wait, and the same work is done.
    assert!(of("mean wait").is_sorted() && of("mean wait")[0] < of("mean wait")[2], "{means}");
    assert!(of("CPU time").windows(2).all(|pair| pair[0] == pair[1]), "{means}");
    let output = econsched(&["simulate", "--load", "0", "--no-files"], "");
    assert!(code(&output) == 2 && err(&output).contains("--load"), "{}", err(&output));
}
