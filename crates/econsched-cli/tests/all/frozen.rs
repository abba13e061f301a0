//! Compares what the commands of `tests/frozen/commands.txt` print and write with the files in
//! `tests/frozen/answers`: short texts in full, long ones by length, checksum and first lines. Also compares the
//! sessions in `tests/frozen/sessions`: commands, each with its input and its whole output.
//!
//! `ECONSCHED_FREEZE=write cargo test -p econsched-cli frozen` writes answers and sessions anew.

use super::session::{played, writes};
use super::{Dir, End};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// A text of so many bytes stands as it is.
const SHORT: usize = 2500;
/// So many lines of a longer one.
const BEGINNING: usize = 4;

/// So begin lines of help that follow an error of usage.
const HELP: [&str; 2] = ["Usage: ", "For more information"];

fn frozen() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frozen")
}

/// The first 64 bits of the text by the hash of Fowler, Noll and Vo (FNV-1a).
fn checksum(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// A text under its name; of `left` bytes of all texts of a command, a short one takes what it has.
fn shown(name: &str, text: &str, left: &mut usize) -> String {
    if text.len() <= SHORT.min(*left) {
        *left -= text.len();
        return format!("== {name}\n{text}");
    }
    let mut shown = format!("== {name}: {} bytes, {:016x}\n", text.len(), checksum(text));
    for line in text.lines().take(BEGINNING) {
        let start: String = line.chars().take(160).collect();
        let _ = writeln!(shown, "{start}");
    }
    shown
}

/// The answer of a command: its exit code, what it prints, and its files of tables and data.
fn answer(name: &str, words: &str, dir: &Dir) -> String {
    let End { code, out: text, .. } = dir.run(words, "");
    if words.contains("--json") {
        let one = serde_json::from_str::<serde_json::Value>(&text);
        assert!(
            one.is_ok_and(|one| one.is_object() || one.is_array()),
            "{words}: not one document of JSON: {text}"
        );
    }
    // How long something took is no answer, nor is a chart in characters.
    let kept = |line: &&str| !line.contains("\"milliseconds\"") && !line.contains('│');
    let text: String = text.split_inclusive('\n').filter(kept).collect();
    dir.write(&format!("{name}.out"), &text);
    let mut left = 2 * SHORT;
    let mut answer = format!("$ econsched {words}\nexit code {code}\n");
    answer += &shown("printed", &text, &mut left);
    let is_data = |name: &str| name.ends_with(".csv") || name.ends_with(".json");
    for (file, bytes) in dir.files(name).into_iter().filter(|(file, _)| is_data(file)) {
        answer += &shown(&file, &String::from_utf8(bytes).expect("text"), &mut left);
    }
    answer
}

/// A directory with the inputs.
fn with_inputs(name: &str) -> Dir {
    let dir = Dir::new(name);
    let inputs = fs::read_dir(frozen().join("inputs")).expect("inputs");
    let inputs = inputs.map(|input| input.expect("readable").path());
    let of_others = ["../../docs/papers/section4.json", "../workload-gen/tests/data/slurm/squeue-24.05.json"]
        .map(PathBuf::from);
    for input in inputs.chain(of_others) {
        fs::copy(&input, dir.0.join(input.file_name().expect("a name"))).expect("copied");
    }
    dir
}

/// A command (`$`) with its input (`<`), what it prints (`>`), what it says beside that (`!`), and its exit code (`=`)
/// if it is not 0. A chart in characters is left out, and the usage that follows an error.
#[test]
fn the_sessions_are_those_that_are_frozen() {
    let dir = with_inputs("sessions");
    for entry in fs::read_dir(frozen().join("sessions")).expect("sessions") {
        let place = entry.expect("readable").path();
        played(place.to_str().expect("text"), &['>', '!', '='], |command, input| {
            let end = dir.run(command.strip_prefix("$ ").expect("a command"), input);
            let help = |line: &str| HELP.iter().any(|start| line.starts_with(start));
            let kept =
                |line: &&str| !(line.is_empty() || line.starts_with('─') || line.contains('│') || help(line));
            let mut said = String::new();
            for (sign, text) in [('>', end.out), ('!', end.err)] {
                said.extend(text.lines().filter(kept).map(|line| format!("{sign} {}\n", line.trim_end())));
            }
            if end.code != 0 { said + &format!("= {}\n", end.code) } else { said }
        });
    }
    assert!(dir.files("out").is_empty(), "no session leaves a file");
}

/// Whatever is counted, one of it is no plural, in any frozen answer and session.
#[test]
fn one_is_no_plural() {
    let nouns =
        "cells CPUs events fields jobs lines machines nodes processors records resources seeds units values";
    let nouns: Vec<&str> = nouns.split(' ').collect();
    for folder in ["answers", "sessions"] {
        for entry in fs::read_dir(frozen().join(folder)).expect("frozen") {
            let place = entry.expect("readable").path();
            for line in fs::read_to_string(&place).expect("text").lines() {
                let words: Vec<&str> = line.split_whitespace().collect();
                let is_wrong = |pair: &[&str]| {
                    pair[0] == "1" && nouns.contains(&pair[1].trim_end_matches([',', ';', ':', '.']))
                };
                assert!(!words.windows(2).any(is_wrong), "{}: {line}", place.display());
            }
        }
    }
}

#[test]
fn the_answers_are_those_that_are_frozen() {
    let (frozen, dir) = (frozen(), with_inputs("frozen"));
    let list = fs::read_to_string(frozen.join("commands.txt")).expect("a list");
    let commands = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let (mut wrong, mut told) = (String::new(), BTreeMap::new());
    for line in commands {
        let (name, words) = line.split_once(' ').expect("a name and words");
        let words = words.trim();
        let now = answer(name, words, &dir);
        told.insert(name, now.lines().skip(1).map(str::to_owned).collect::<Vec<_>>());
        let place = frozen.join("answers").join(format!("{name}.txt"));
        if writes() {
            fs::write(&place, &now).expect("written");
            continue;
        }
        let before = fs::read_to_string(&place).unwrap_or_default();
        if now != before {
            let place = before.lines().zip(now.lines()).find(|(before, now)| before != now);
            let (before, now) = place.unwrap_or(("the end", "another end"));
            let _ = writeln!(wrong, "{name}: econsched {words}\n  frozen: {before}\n  now:    {now}");
        }
    }
    // What is set by a name is what is set property by property.
    for (name, answer) in &told {
        let Some(what) = name.strip_suffix("-as-named") else { continue };
        assert_eq!(told.get(&*format!("{what}-named")), Some(answer), "{name}");
    }
    assert!(
        wrong.is_empty(),
        "answers changed; the files of all commands are in {}\n{wrong}",
        dir.0.display()
    );
}
