//! The program as its users see it: what it prints, writes and answers.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test stops at the first surprise
#![allow(clippy::disallowed_types)] // it waits for servers

mod answers;
mod checkpoints;
mod convert;
mod documents;
mod draw;
mod explain;
mod files;
mod frozen;
mod hostile;
mod json;
mod limits;
mod live;
mod money;
mod plans;
mod shares;
mod terminal;

use std::collections::BTreeMap;
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

/// What a command with `--json` says; it must end well.
fn json(args: &[&str], input: &str) -> serde_json::Value {
    let output = econsched(&[args, &["--json"]].concat(), input);
    assert!(code(&output) == 0, "{args:?}: {}", err(&output));
    serde_json::from_str(&out(&output)).expect("JSON")
}

fn number(value: &serde_json::Value, name: &str) -> f64 {
    value[name].as_f64().unwrap_or_else(|| panic!("{name}: {value}"))
}

/// That a command is refused as bad input or usage, with each of these words.
fn refused(command: &str, input: &str, words: &[&str]) {
    let output = econsched(&command.split(' ').collect::<Vec<_>>(), input);
    assert_eq!(code(&output), 2, "{command}: {} {}", out(&output), err(&output));
    for word in words {
        assert!(err(&output).contains(word), "{command} should name {word}: {}", err(&output));
    }
    assert!(!err(&output).contains("panicked"), "{command}");
}

/// Every file of a directory with its bytes.
fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry").path());
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    entries.map(|path| (name(&path), fs::read(&path).expect("a file"))).collect()
}

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
    for part in
        ["job 6", "best of all plans", "local load", "price / time", "url(#load)", "speed 2.80", "4.91"]
    {
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
