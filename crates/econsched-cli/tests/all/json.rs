//! Every command that takes `--json` prints one JSON document and nothing else, also where it is stopped.

use super::{code, econsched, err, out, scratch};
use serde_json::Value;
use std::fs;

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

/// Beside those that are frozen: what is stopped, refused or shared out.
#[test]
fn one_document_each() {
    let dir = scratch("one-document");
    let (sweep, parts) = (dir.join("sweep.toml"), dir.join("parts").display().to_string());
    fs::write(&sweep, SWEEP).expect("written");
    let sweep = sweep.display().to_string();
    for (command, input) in [
        ("plan --no-files --compare --search alp,amp", ""),
        ("plan --no-files --work-limit 1", ""),
        ("simulate --jobs 20 --no-files --work-limit 30", ""),
        ("map - --work-limit 1", "3,1\n2,4\n5,6\n"),
        (&format!("sweep {sweep} --shard 1/2 --out {parts}"), ""),
    ] {
        let output = econsched(&command.split(' ').chain(["--json"]).collect::<Vec<_>>(), input);
        let told = out(&output);
        assert!(code(&output) < 2 && (code(&output) == 1 || !told.is_empty()), "{command}: {}", err(&output));
        if !told.is_empty() {
            let one = serde_json::from_str::<Value>(&told);
            assert!(one.is_ok_and(|one| one.is_object() || one.is_array()), "{command}: {told}");
        }
    }
}
