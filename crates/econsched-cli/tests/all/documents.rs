//! Help texts and documents: their examples, commands and frozen answers are complete.

use super::{Dir, here};
use econsched::workload_gen::convert::{Format, csv_columns};
use std::fs;
use std::path::Path;

/// A command that is broken over two lines cannot be copied.
#[test]
fn help_fits_the_terminal_and_keeps_its_examples_whole() {
    let help = |command: &str, columns: &str| {
        here().sh(&format!("COLUMNS={columns} econsched {command} --help")).out
    };
    let with_examples =
        ["plan", "simulate", "multi-s-grid", "map", "group", "assign", "generate", "window", "convert"];
    for command in with_examples.into_iter().chain(["sweep"]) {
        let (narrow, wide) = (help(command, "80"), help(command, "110"));
        let wider =
            |help: &str| help.lines().any(|line| line.chars().count() > 80 && line.trim().contains(' '));
        assert!(!wider(&narrow) && wider(&wide), "{command}: {narrow}");
        // As a line break of the source would look.
        assert!(!wide.lines().any(|line| line.ends_with('\\')), "{command}: {wide}");
        let examples: Vec<&str> = wide.lines().filter(|line| line.starts_with("  econsched")).collect();
        assert!(
            !with_examples.contains(&command) || wide.contains("Examples:") && !examples.is_empty(),
            "{command}"
        );
        assert!(
            examples.iter().all(|line| narrow.lines().any(|other| other == *line)),
            "{command}: {narrow}"
        );
    }
}

#[test]
fn the_help_of_convert_has_the_commands_and_columns_that_are_read() {
    let help = include_str!("../../src/help/convert.txt").replace('\'', "");
    for command in [Format::Sacct, Format::Squeue].map(|format| format.command().expect("a command")) {
        assert!(help.contains(&format!("  {command} > ")), "{command}: {help}");
    }
    assert!(help.contains(&format!("Columns of a CSV: {};", csv_columns().join(", "))), "{help}");
}

/// The sweep of the live broker that its document runs, here beside a short log.
#[test]
fn the_sweep_of_the_live_broker_runs() {
    let dir = Dir::new("live-sweep");
    for name in ["live.toml", "whole.json", "halves.json"] {
        dir.write(name, fs::read(Path::new("../../docs/guide/programs").join(name)).expect("a text"));
    }
    dir.good("generate log --set jobs=20 --set model.system_size=100 --out made.swf", "");
    fs::rename(dir.at("made.swf"), dir.at("KTH-SP2-1996-2.1-cln.swf.gz")).expect("renamed");
    dir.good("sweep live.toml --out out", "");
    assert_eq!(dir.rows("out/runs.csv").len(), 5);
}

/// No table and no figure of a document stands without the command that makes it.
#[test]
fn every_table_and_figure_has_its_command() {
    let Some(python) = super::convert::python_with("argparse") else { return };
    let end = here().sh(&format!("cd ../.. && {python} scripts/papers.py marks --documents docs/papers"));
    assert_eq!((end.code, end.out, end.err), (0, String::new(), String::new()));
}

#[cfg(feature = "shell")]
#[test]
fn shells_and_readers_know_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let text = here().good(&format!("completions {shell}"), "");
        let text = text.replace("'strict", "--strict").replace("-l strict", "--strict");
        for word in ["plan", "sweep", "--strict"] {
            assert!(text.contains(word), "{shell}: {word}");
        }
    }
    let page = here().good("man", "");
    for command in ["plan", "window", "simulate", "multi", "map", "assign", "generate", "study", "sweep"] {
        assert!(page.contains(&format!("econsched\\-{command}")), "{command}");
    }
}

/// Every command that answers has a frozen answer, and one as JSON where it takes `--json`.
#[test]
fn every_command_is_frozen() {
    let list = fs::read_to_string("tests/frozen/commands.txt").expect("a list");
    let help = here().good("--help", "");
    let named = help.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let commands: Vec<&str> = named.filter(|name| !["", "-h,", "-V,", "help"].contains(name)).collect();
    for name in commands.iter().filter(|name| !["completions", "man"].contains(name)) {
        let json = here().good(&format!("{name} --help"), "").contains("--json");
        let calls = |line: &str| line.split_whitespace().nth(1) == Some(name);
        assert!(list.lines().any(|line| calls(line) && (!json || line.contains("--json"))), "{name}");
    }
    assert!(commands.len() >= 11, "{help}");
}
