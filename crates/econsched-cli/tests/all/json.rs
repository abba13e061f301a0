//! Every command that takes `--json` prints one JSON document and nothing else.

use super::{code, econsched, err, out, scratch};
use serde_json::Value;
use std::fs;

const REQUEST: &str = r#"{"slots": [{"node": 1, "speed": 1, "price": 2, "start": 0, "end": 90},
    {"node": 2, "speed": 2, "price": 5, "start": 20, "end": 90}],
    "request": {"nodes": 2, "work": 60, "budget": 300}}"#;

const GROUPS: &str = r#"{"jobs": [{"work": 220}, {"id": 7, "work": 30, "input": 5}],
    "resources": [{"name": "a", "speed": 10, "price": 1, "bandwidth": 5}]}"#;

const SWEEP: &str = r#"
command = "simulate"
seeds = "1..2"
[fixed]
jobs = 20
[axes]
scheduler = ["fcfs", "easy"]
"#;

/// The commands that take `--json`.
const WITH: [&str; 11] = [
    "plan",
    "window",
    "simulate",
    "multi-s-grid",
    "map",
    "group",
    "assign",
    "study",
    "sweep",
    "merge",
    "bench",
];

/// Those whose output is a format of its own.
const WITHOUT: &[&str] = if cfg!(feature = "shell") {
    &["generate", "convert", "completions", "man"]
} else {
    &["generate", "convert"]
};

#[test]
fn the_lists_of_commands_are_whole() {
    let help = out(&econsched(&["--help"], ""));
    let named =
        |line: &&str| line.starts_with("  ") && !line.starts_with("   ") && !line.trim().starts_with('-');
    let commands: Vec<&str> = help
        .lines()
        .filter(named)
        .filter_map(|line| line.split_whitespace().next())
        .filter(|&name| name != "help")
        .collect();
    for name in &commands {
        // The flags of studies are those of each study.
        let path: &[&str] = if *name == "study" { &["study", "yadav"] } else { &[name] };
        let help = out(&econsched(&[path, &["--help"]].concat(), ""));
        let takes = help.lines().any(|line| line.trim_start().starts_with("--json"));
        assert_eq!((WITH.contains(name), WITHOUT.contains(name)), (takes, !takes), "{name}");
    }
    assert_eq!(commands.len(), WITH.len() + WITHOUT.len(), "{commands:?}");
}

#[test]
fn one_document_each() {
    let dir = scratch("one-document");
    let at = |name: &str| dir.join(name).display().to_string();
    fs::write(at("sweep.toml"), SWEEP).expect("written");
    let (sweep, matrix) = (at("sweep.toml"), "3,1\n2,4\n5,6\n");
    let (results, parts, merged) = (at("results"), at("parts"), at("merged"));
    let calls: [(&str, Vec<&str>, i32); 27] = [
        ("", vec!["plan", "--no-files"], 0),
        ("", vec!["plan", "--no-files", "--front"], 0),
        ("", vec!["plan", "--no-files", "--compare", "--search", "alp,amp"], 0),
        ("", vec!["plan", "--no-files", "--effort", "hard"], 0),
        ("", vec!["plan", "--no-files", "--work-limit", "1"], -1),
        ("", vec!["plan", "--out", &results], 0),
        (REQUEST, vec!["window", "-"], 0),
        (REQUEST, vec!["window", "-", "--from", "60"], 1),
        ("", vec!["simulate", "--jobs", "20", "--no-files"], 0),
        ("", vec!["simulate", "--jobs", "20", "--no-files", "--seeds", "3"], 0),
        ("", vec!["simulate", "--jobs", "20", "--no-files", "--work-limit", "30"], 0),
        ("", vec!["simulate", "--jobs", "20", "--no-files", "--scheduler", "live"], 0),
        ("", vec!["simulate", "--jobs", "20", "--out", &results], 0),
        ("", vec!["multi-s-grid", "--jobs", "20", "--no-files"], 0),
        (matrix, vec!["map", "-"], 0),
        (matrix, vec!["map", "-", "--work-limit", "1"], -1),
        (matrix, vec!["assign", "-", "--capacities", "2"], 0),
        (matrix, vec!["assign", "-"], -1),
        (GROUPS, vec!["group", "-"], 0),
        ("", vec!["study", "yadav", "--seeds", "2"], 0),
        ("", vec!["study", "yadav", "--seeds", "2", "--out", &results], 0),
        ("", vec!["sweep", &sweep, "--out", &results], 0),
        ("", vec!["sweep", &sweep, "--shard", "1/2", "--out", &parts], 0),
        ("", vec!["sweep", &sweep, "--shard", "1/2", "--out", &parts], 0),
        ("", vec!["sweep", &sweep, "--shard", "2/2", "--out", &parts], 0),
        ("", vec!["bench", "--list"], 0),
        ("", vec!["bench", "olb", "--runs", "1"], 0),
    ];
    for (input, args, expected) in calls {
        one_document(input, &args, expected);
    }
    let files: Vec<String> = fs::read_dir(&parts)
        .expect("parts")
        .map(|entry| entry.expect("an entry").path().display().to_string())
        .filter(|path| path.ends_with(".part"))
        .collect();
    let mut args = vec!["merge", "--out", &merged];
    args.extend(files.iter().map(String::as_str));
    one_document("", &args, 0);
}

/// -1 for whatever code: what is printed, if anything, is one document then.
fn one_document(input: &str, args: &[&str], expected: i32) {
    let output = econsched(&[args, &["--json"]].concat(), input);
    let told = out(&output);
    if expected >= 0 {
        assert_eq!(code(&output), expected, "{args:?}: {}", err(&output));
    } else if told.is_empty() {
        assert_ne!(code(&output), 0, "{args:?}: nothing was printed");
        return;
    }
    let value: Value =
        serde_json::from_str(&told).unwrap_or_else(|error| panic!("{args:?}: {error}: {told}"));
    assert!(value.is_object() || value.is_array(), "{args:?}");
}
