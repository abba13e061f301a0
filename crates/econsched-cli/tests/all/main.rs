//! The program as its users see it: what it prints, writes and answers.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test stops at the first surprise
#![allow(clippy::disallowed_types)] // it waits for servers

mod charts;
mod checkpoints;
mod convert;
mod demands;
mod explain;
mod faults;
mod files;
mod frozen;
mod goals;
mod group;
mod hostile;
mod json;
mod limits;
mod live;
mod money;
mod page;
mod papers;
mod served;
mod shares;
mod simulations;
mod terminal;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn econsched(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_econsched"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that refuses its flags does not read its input.
    let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
    child.wait_with_output().expect("the program ends")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal")
}

/// A directory of its own for a test.
fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).expect("a directory");
    dir
}

/// A file of the trial data, which lies beside the repository; `None`, said aloud, where it does not.
fn data(name: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(name);
    if !path.exists() {
        println!("skipped: no {}", path.display());
        return None;
    }
    Some(path.display().to_string())
}

const KTH: &str = "traces/KTH-SP2-1996-2.1-cln.swf.gz";

const SLOTS: &str = r#"{"slots": [
    {"node": 1, "speed": 1, "price": 2, "start": 0, "end": 90},
    {"node": 2, "speed": 2, "price": 5, "start": 20, "end": 90}],
  "request": {"nodes": 2, "work": 60, "budget": 270}}"#;

#[test]
fn without_arguments_it_plans_its_built_in_scenario() {
    let dir = scratch("bare");
    let output = Command::new(env!("CARGO_BIN_EXE_econsched")).current_dir(&dir).output().expect("it runs");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let text = out(&output);
    for part in ["6 of 6 jobs placed", "checker: every window", "░", "chart: out/gantt.svg"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let svg = fs::read_to_string(dir.join("out/gantt.svg")).expect("a chart");
    for part in ["job 6", "local load", "price / time", "url(#load)", "speed 2.80", "4.91"] {
        assert!(svg.contains(part), "{part}");
    }
    let plan: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(dir.join("out/plan.json")).expect("a plan")).expect("JSON");
    assert_eq!(plan["jobs"].as_array().map(Vec::len), Some(6));
    let (gap, above) = (plan["distance"]["gap"].as_f64(), plan["proof"]["within_epsilon"].as_f64());
    assert!(gap.expect("a gap") < 0.04 && above.is_some(), "{}", plan["distance"]);
    let placements = fs::read_to_string(dir.join("out/placements.csv")).expect("placements");
    assert_eq!(placements.lines().count(), 1 + 2 + 3 + 1 + 4 + 2 + 5);
    assert_eq!(fs::read_to_string(dir.join("out/jobs.csv")).expect("jobs").lines().count(), 1 + 6);
}

#[test]
fn every_search_plans_and_the_charts_stand_side_by_side() {
    let dir = scratch("compare");
    let output = econsched(&["plan", "--compare", "--out", &dir.display().to_string()], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let svg = fs::read_to_string(dir.join("compare.svg")).expect("a chart");
    for name in ["alp", "amp", "first-fit", "min-start", "min-finish", "min-runtime", "min-cost"] {
        assert!(out(&output).contains(&format!(" {name} ")), "{name}: {}", out(&output));
        assert!(svg.contains(&format!(">{name}<")), "{name}");
    }
    let rows = fs::read_to_string(dir.join("compare.csv")).expect("figures");
    // The last column counts what the checker objects to.
    assert!(rows.lines().skip(1).all(|row| row.ends_with(",0")), "{rows}");
}

#[test]
fn the_front_holds_the_choice_and_nothing_dominated() {
    let dir = scratch("front");
    let output = econsched(&["plan", "--front", "--out", &dir.display().to_string()], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert!(out(&output).contains("undominated"), "{}", out(&output));
    let csv = fs::read_to_string(dir.join("front.csv")).expect("a front");
    let points: Vec<Vec<f64>> = csv
        .lines()
        .skip(1)
        .map(|row| row.split(',').map(|cell| cell.parse().expect("a number")).collect())
        .collect();
    assert!(points.len() > 1, "{csv}");
    assert!(points.windows(2).all(|pair| pair[0][0] < pair[1][0] && pair[0][1] > pair[1][1]), "{csv}");
    assert_eq!(points.iter().filter(|point| point[2] == 1.0).count(), 1, "{csv}");
    assert!(fs::read_to_string(dir.join("front.svg")).expect("a chart").contains("undominated"));
}

#[test]
fn a_criterion_is_never_beaten_at_its_own_measure() {
    let total = |criterion: &str, key: &str, limit: &str| {
        let dir = scratch(&format!("criterion-{criterion}"));
        let out = dir.display().to_string();
        let output = econsched(&["plan", "--criterion", criterion, "--limit", limit, "--out", &out], "");
        assert_eq!(code(&output), 0, "{}", err(&output));
        let plan: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(dir.join("plan.json")).expect("a plan")).expect("JSON");
        plan[key].as_f64().expect("a number")
    };
    let unlimited = "1e9";
    let least_time = total("min-time", "total_runtime", unlimited);
    let least_cost = total("min-cost", "total_cost", unlimited);
    let most_cost = total("max-income", "total_cost", unlimited);
    assert!(least_time <= total("min-cost", "total_runtime", unlimited));
    assert!(least_cost < most_cost);
    assert!(total("min-time", "total_cost", "3000") <= 3000.0);
}

#[test]
fn no_plan_is_exit_code_one_with_the_reason() {
    let wide = r#"{"nodes":[{"id":1,"speed":1,"price":1}],"horizon":50,
                  "jobs":[{"id":7,"request":{"nodes":3,"work":10}}]}"#;
    let output = econsched(&["plan", "-", "--no-files"], wide);
    assert_eq!(code(&output), 1);
    assert!(out(&output).contains("needs 3 nodes"), "{}", out(&output));
    assert!(err(&output).contains("job 7"), "{}", err(&output));

    let output = econsched(&["plan", "--criterion", "min-cost", "--limit", "1", "--no-files"], "");
    assert_eq!(code(&output), 1);
    assert!(out(&output).contains("exceeds its limit by"), "{}", out(&output));
}

#[test]
fn bad_input_is_exit_code_two_with_file_line_and_field() {
    let jobs = "{\"nodes\":[{\"id\":1,\"speed\":1,\"price\":1}],\"horizon\":50,\n\"jobs\":[{\"id\":7,\n\"request\":{\"nodes\":3,\"work\":-10}}]}";
    for (args, input, parts) in [
        (vec!["plan", "-"], jobs, vec!["<stdin>:3", "jobs[0].request", "-10"]),
        (
            vec!["plan", "-"],
            "not a log at all",
            vec!["<stdin>", "Standard Workload Format", "JSON", "convert"],
        ),
        (vec!["plan", "-"], "", vec!["<stdin>", "Standard Workload Format"]),
        (vec!["plan", "-"], "\u{7f}ELF\0\u{1}", vec!["<stdin>", "Standard Workload Format"]),
        (vec!["plan", "-"], "; a log without jobs\n", vec!["<stdin>", "no usable job"]),
        (
            vec!["plan", "-", "--strict"],
            "; MaxProcs: 4\n1 0 0 x 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n",
            vec!["line 2", "run"],
        ),
        (vec!["plan", "/nowhere/log.swf"], "", vec!["/nowhere/log.swf"]),
        (vec!["plan", "--at", "soon"], "", vec!["--at", "soon"]),
        (vec!["plan", "--search", "bets"], "", vec!["bets", "best", "min-cost"]),
        (vec!["plan", "--search", "alp,amp"], "", vec!["--compare"]),
        (vec!["plan", "--rho", "-1"], "", vec!["rho"]),
        (vec!["window", "-"], "{\"slots\": []}", vec!["request"]),
        (vec!["map", "-"], "2 2 0\n1\n2\n3\nx\n", vec!["<stdin>:5", "row 2, column 2", "`x`"]),
        (vec!["map", "-"], "1,2\n3,-4\n", vec!["row 2, column 2", "-4"]),
        (vec!["assign", "-"], "p asn 2 1\nn 1\na 1 2\n", vec!["<stdin>:3", "cost"]),
        (vec!["assign", "-", "--capacities", "1,2,3"], "1,2\n3,4\n", vec!["--capacities", "3", "2"]),
        (vec!["simulate", "-"], "rubbish\n", vec!["<stdin>", "no usable job"]),
        (vec!["simulate", "--scheduler", "easy", "--testbed", "edg"], "", vec!["one machine"]),
        (vec!["simulate", "--workload", "hiuc", "--scheduler", "fcfs"], "", vec!["broker"]),
        (vec!["simulate", "--scheduler", "easy", "--local-jobs", "5"], "", vec!["--local-jobs", "brokers"]),
        (
            vec!["simulate", "--scheduler", "greedy", "--local-jobs", "5", "--local-overestimate", "0.5"],
            "",
            vec!["overestimate", "[1, 1e6]"],
        ),
        (vec!["generate", "slots", "--params", "/nowhere.json"], "", vec!["/nowhere.json"]),
        (vec!["fly"], "", vec!["fly"]),
    ] {
        let output = econsched(&args, input);
        assert_eq!(code(&output), 2, "{args:?}: {}", err(&output));
        for part in parts {
            assert!(err(&output).contains(part), "{args:?} should name {part}: {}", err(&output));
        }
        assert!(!err(&output).contains("panicked"), "{args:?}");
    }
}

#[test]
fn a_window_or_the_reason_why_there_is_none() {
    let output = econsched(&["window", "-", "--json"], SLOTS);
    assert_eq!(code(&output), 0, "{}", err(&output));
    let window: serde_json::Value = serde_json::from_str(&out(&output)).expect("JSON");
    // Both nodes from 20 on: 60 at 2 and 30 at 5.
    assert_eq!(window["start"], 20.0);
    assert_eq!(window["placements"].as_array().map(Vec::len), Some(2));
    let table = econsched(&["window", "-"], SLOTS);
    assert!(out(&table).contains("start 20, finish 80, runtime 60, cost 270"), "{}", out(&table));

    let output = econsched(&["window", "-"], &SLOTS.replace("270", "269"));
    assert_eq!(code(&output), 1);
    assert!(err(&output).contains("costs 1 more than the budget"), "{}", err(&output));
}

#[test]
fn generated_input_is_read_again_and_seeds_are_bytes() {
    let dir = scratch("generated");
    let file = |name: &str| dir.join(name).display().to_string();
    for (args, name) in [
        (vec!["generate", "cycle", "--slots", "60", "--jobs", "3"], "cycle.json"),
        (vec!["generate", "environment", "--nodes", "20", "--jobs", "2"], "environment.json"),
        (vec!["generate", "log", "--jobs", "60", "--cpus", "32"], "made.swf"),
    ] {
        let (first, again) = (econsched(&args, ""), econsched(&args, ""));
        assert_eq!(code(&first), 0, "{args:?}: {}", err(&first));
        assert_eq!(first.stdout, again.stdout, "{args:?}");
        let seeded = econsched(&[args.as_slice(), &["--seed", "2"]].concat(), "");
        assert_ne!(first.stdout, seeded.stdout, "{args:?}");
        fs::write(file(name), &first.stdout).expect("a file");
        let output = econsched(&["plan", &file(name), "--no-files"], "");
        assert_eq!(code(&output), 0, "{args:?}: {}", err(&output));
    }
    let output = econsched(&["simulate", &file("made.swf"), "--no-files"], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert!(out(&output).contains("32 CPUs"), "{}", out(&output));
}

#[test]
fn parameters_come_from_a_file() {
    let dir = scratch("params");
    let path = dir.join("p.json");
    fs::write(&path, "{\"count\": {\"start\": 4, \"end\": 4}, \"speed\": {\"start\": 2.0, \"end\": 2.0}}")
        .expect("written");
    let output = econsched(&["generate", "slots", "--params", &path.display().to_string()], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let made: serde_json::Value = serde_json::from_str(&out(&output)).expect("JSON");
    let slots = made["slots"].as_array().expect("slots");
    assert!(slots.len() == 4 && slots.iter().all(|slot| slot["speed"] == 2.0), "{made}");
}

#[test]
fn an_assignment_comes_with_its_proof() {
    let output = econsched(&["assign", "-", "--json"], "4,1,3\n2,0,5\n3,2,2\n");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let answer: serde_json::Value = serde_json::from_str(&out(&output)).expect("JSON");
    assert_eq!((answer["total"].as_f64(), answer["gap"].as_f64()), (Some(5.0), Some(0.0)));
    assert_eq!((&answer["proof"], answer["bound"].as_f64()), (&"exact".into(), Some(5.0)));

    // 1 + 2 + 2 + 3 on two resources that hold two each, as a flow problem.
    let flow = "p min 6 8\nn 1 1\nn 2 1\nn 3 1\nn 4 1\nn 5 -2\nn 6 -2\n\
                a 1 5 0 1 1\na 1 6 0 1 9\na 2 5 0 1 2\na 2 6 0 1 9\na 3 5 0 1 9\na 3 6 0 1 2\na 4 5 0 1 9\na 4 6 0 1 3\n";
    let output = econsched(&["assign", "-"], flow);
    assert!(out(&output).contains("total 8"), "{} {}", out(&output), err(&output));

    let output = econsched(&["assign", "-"], "names,a,b\nx,1,\ny,2,\nz,5,1\n");
    assert_eq!(code(&output), 1);
    assert!(err(&output).contains("jobs: x, y"), "{}", err(&output));
    let output = econsched(&["assign", "-", "--most-jobs"], "names,a,b\nx,1,\ny,2,\nz,5,1\n");
    assert_eq!(code(&output), 0, "{}", err(&output));

    let output = econsched(&["assign", "-", "--maximise"], "2\n1 2\n3 9\n");
    assert!(out(&output).contains("total 10"), "{}", out(&output));
}

#[test]
fn every_heuristic_maps() {
    let dir = scratch("map");
    let output =
        econsched(&["map", "-", "--out", &dir.display().to_string()], "t,m1,m2\na,9,8\nb,2,3\nc,2,1\n");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let mapping = fs::read_to_string(dir.join("mapping.csv")).expect("mapping");
    // Max-min gives the long task its best machine and the short ones the other.
    for row in ["max-min,a,m2,8", "max-min,b,m1,2", "max-min,c,m1,4"] {
        assert!(mapping.contains(row), "{row}: {mapping}");
    }
    assert!(fs::read_to_string(dir.join("loads.csv")).expect("loads").contains("max-min,m2,8"));
}

#[test]
fn benchmark_matrices_give_the_published_makespans() {
    for (file, figures) in [
        ("etc/u_c_hihi.0", ["8460675.003", "12385671.828", "11422624.494", "47472299.430", "14376662.176"]),
        ("etc/u_i_lolo.0", ["2785.645", "5177.709", "3137.350", "3399.285", "8938.027"]),
        ("etc/u_s_hilo.0", ["104375.164", "172822.698", "126587.591", "605363.773", "250362.114"]),
    ] {
        let Some(path) = data(file) else { continue };
        let output = econsched(&["map", &path], "");
        let text = out(&output);
        for (name, figure) in ["min-min", "max-min", "mct", "met", "olb"].into_iter().zip(figures) {
            let row = text.lines().find(|line| line.trim_start().starts_with(&format!("{name} ")));
            assert!(row.is_some_and(|row| row.contains(figure)), "{file} {name} {figure}: {text}");
        }
    }
}

#[test]
fn every_command_has_help_with_an_example() {
    for command in ["plan", "window", "generate", "convert", "map", "assign", "simulate", "multi-s-grid"] {
        let output = econsched(&[command, "--help"], "");
        assert_eq!(code(&output), 0);
        assert!(out(&output).contains("Examples:") && out(&output).contains("econsched"), "{command}");
    }
}

/// A command that is broken over two lines cannot be copied.
#[test]
fn help_fits_the_terminal_and_keeps_its_examples_whole() {
    let help = |command: &str, columns: &str| {
        let words: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        let output =
            Command::new(env!("CARGO_BIN_EXE_econsched")).args(words).env("COLUMNS", columns).output();
        String::from_utf8(output.expect("the program starts").stdout).expect("help is text")
    };
    for command in
        ["plan", "simulate", "multi-s-grid", "map", "group", "assign", "generate", "merge", "sweep"]
    {
        let (narrow, wide) = (help(command, "80"), help(command, "110"));
        assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{command}: {narrow}");
        assert!(wide.lines().any(|line| line.chars().count() > 80), "{command}: {wide}");
        // As a line break of the source would look.
        assert!(!wide.lines().any(|line| line.ends_with('\\')), "{command}: {wide}");
        for line in wide.lines().filter(|line| line.starts_with("  econsched")) {
            assert!(narrow.lines().any(|other| other == line), "{command}: {line}");
        }
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_econsched"))
        .args(["generate", "etc", "--tasks", "4000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((code(&output), err(&output)), (0, String::new()));
}

/// The sample of the README of the repository is the example of that name.
#[test]
fn the_readme_is_true() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| fs::read_to_string(root.join(path)).expect("a text");
    let readme = read("README.md");
    let example = read("crates/econsched/examples/quickstart.rs");
    let sample = example.split_once("\n\n").expect("a header").1;
    assert!(readme.contains(sample), "the sample is not the example");
}
